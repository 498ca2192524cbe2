"""The curve s(N) of one model here: how much cheaper one forward over N tokens is than N forwards over one.

Two kinds of forward are timed. "verified" scores all N positions, as checking a draft needs; "spliced" scores the last
one alone, as appending known text needs. Both are compared with decoding, whose every forward scores its one token.
Knows a model's protocol and no torch.
"""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import Literal

from copyspan.bench.results import ResultFile
from copyspan.bench.speedup import KernelRecord
from copyspan.bench.tables import Table
from copyspan.models.protocol import LanguageModel

Kind = Literal["verified", "spliced"]
KINDS: tuple[Kind, ...] = ("verified", "spliced")
LENGTHS = tuple(2**i for i in range(10))
CONTEXTS = (128, 512, 1024, 4096)
TRIALS = 7

_CHUNK = 512

Cell = tuple[Kind, int]
"""A kind of forward, and a number of tokens."""


def run(
    model: LanguageModel,
    results: ResultFile[KernelRecord],
    *,
    contexts: Sequence[int] = CONTEXTS,
    lengths: Sequence[int] = LENGTHS,
    trials: int = TRIALS,
    seed: int = 0,
    on_context: Callable[[], None] = lambda: None,
) -> None:
    """Measure the contexts that the results lack, as far as they fit the model's."""
    done = {int(context) for _, _, context, _ in results.done}
    for context in contexts:
        if context not in done and context + max(lengths) <= model.context_size:
            for record in measure(model, context, lengths, trials, seed):
                results.append(record)
        on_context()


def measure(
    model: LanguageModel, context: int, lengths: Sequence[int] = LENGTHS, trials: int = TRIALS, seed: int = 0
) -> list[KernelRecord]:
    """One point for each kind and length: medians of `trials` rounds after one that does not count.

    In each round every forward is timed once, in an order that is drawn anew. The tokens are random: the time of a
    dense model does not depend on them.
    """
    draw = random.Random(f"{seed}/{context}")
    words = [i for i, text in enumerate(model.tokenizer.vocabulary) if text]
    ids = draw.choices(words, k=context + max(lengths))
    model.rollback(0)
    for start in range(0, context, _CHUNK):
        model.extend(ids[start : min(start + _CHUNK, context)], scored=0)
    cells: list[Cell] = list(dict.fromkeys(product(KINDS, (1, *lengths))))
    seconds: dict[Cell, list[float]] = {cell: [] for cell in cells}
    for trial in range(trials + 1):
        draw.shuffle(cells)
        for cell in cells:
            taken = _time(model, ids[context : context + cell[1]], cell[0])
            if trial:
                seconds[cell].append(taken)
    model.rollback(0)
    medians = {cell: statistics.median(times) for cell, times in seconds.items()}
    return [
        KernelRecord(
            set=f"{model.name}, {model.dtype}, {model.device}, {kind}",
            case=str(length),
            context=context,
            num_tokens=length,
            seconds_one=medians["verified", 1],
            seconds_many=medians[kind, length],
            num_trials=trials,
        )
        for kind in KINDS
        for length in lengths
    ]


def kernel_table(records: Sequence[KernelRecord]) -> Table:
    """s(N) for each curve and context, with the time of one token."""
    lengths = sorted({record.num_tokens for record in records})
    rows: dict[tuple[str, int], dict[int, KernelRecord]] = {}
    for record in records:
        rows.setdefault((record.set, record.context), {})[record.num_tokens] = record
    return Table(
        "s(N): time of N forwards over one token / time of one forward over N tokens",
        ("forward", "context", "one token ms", *(f"s({length})" for length in lengths)),
        tuple(
            (
                name,
                f"{context:,}",
                f"{next(iter(points.values())).seconds_one * 1000:.1f}",
                *(f"{points[n].speedup:.1f}" if n in points else "-" for n in lengths),
            )
            for (name, context), points in rows.items()
        ),
    )


def _time(model: LanguageModel, tokens: Sequence[int], kind: Kind) -> float:
    """Seconds of one forward; the scores are on this side when it is over. The context is afterwards what it was."""
    before = len(model.tokens)
    named = tokens if kind == "verified" else tokens[-1:]
    start = time.perf_counter()
    model.extend(tokens, scored=len(named), named=named)
    taken = time.perf_counter() - start
    model.rollback(before)
    return taken
