"""Models for the benchmarks' tests: a tiny one on disk, a scripted engine, and records of edits in one line."""

from pathlib import Path

from copyspan.bench.edit_records import CandidateRecord, EditRecord, Flip, Way, WayRecord
from copyspan.config import EngineSettings
from copyspan.engine import Engine
from copyspan.testing import ScriptedModel, fenced
from tiny_lm import tiny_qwen2, tiny_tokenizer


def tiny_folder(folder: Path) -> Path:
    """A model folder: two layers with random weights, and its tokenizer."""
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder)
    tiny_qwen2(len(tokenizer)).save_pretrained(folder)
    return folder


def scripted(*bodies: str) -> Engine:
    """An engine whose model answers with these bodies of Python, the likeliest first."""
    return Engine(ScriptedModel([fenced(body, "py") for body in bodies]), EngineSettings())


def way(
    seconds: float = 1.0,
    forwards: int = 10,
    *candidates: CandidateRecord,
    phases: dict[str, float] | None = None,
    error: str | None = None,
    is_complete: bool = True,
) -> WayRecord:
    return WayRecord(
        seconds=seconds,
        trials=[seconds],
        phases=phases or {"prompt": seconds / 4, "decode": seconds * 3 / 4},
        forwards=forwards,
        tokens=100,
        is_complete=is_complete,
        error=error,
        candidates=list(candidates),
    )


def answer(*, changed: bool = True, exact: bool = False, passed: bool | None = None) -> CandidateRecord:
    return CandidateRecord(origin="greedy", changed=changed, exact=exact, passed=passed, log_likelihood=-1.0)


def edit_record(case: str, num_lines: int, ways: dict[Way, WayRecord], **rest) -> EditRecord:
    fields = {"set": "mine", "framing": "plain", "lang": "python", "source_tokens": 90, "prompt_tokens": 200}
    fields |= {"has_tests": False, "load": 0.5, "flips": {}, **rest}
    return EditRecord(case=case, num_lines=num_lines, ways=ways, **fields)


def flips(**gaps: float | None) -> dict[str, Flip]:
    """Ways with the gap where they part from plain decoding; None where they do not."""
    return {name: Flip(position=None if gap is None else 3, compared=50, gap=gap) for name, gap in gaps.items()}
