"""The benchmarks that run a model in this process, as commands of `copyspan bench`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyspan.bench.cases import read_sets
from copyspan.bench.results import ResultFile, read_results
from copyspan.cli.bench import EVERY, OUT, FramingOption, NumbersOption, OutOption, SeedOption, Sets, print_tables
from copyspan.cli.bench_options import (
    AdapterOption,
    ContextSizeOption,
    DeviceOption,
    DtypeOption,
    ModelOption,
    ResumeOption,
    bar,
    chosen_ways,
    file_name,
)
from copyspan.cli.terminal import say
from copyspan.cli.worker import quieten
from copyspan.config import DEFAULT_MODEL, EngineSettings
from copyspan.errors import UsageError
from copyspan.jsonlines import Numbers

if TYPE_CHECKING:  # these import torch, or pydantic models by the dozen, before a command is chosen
    from copyspan.engine import Engine

RandomOption = Annotated[
    bool,
    typer.Option("--random-weights", help="The model is a folder with config.json and a tokenizer; weights are drawn."),
]
ContextsOption = Annotated[
    list[int] | None, typer.Option("--context", min=1, help="Tokens in the cache; can be given again.")
]


def kernel(
    model: ModelOption = DEFAULT_MODEL,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    context: ContextsOption = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Rounds after the one that does not count.")] = 7,
    random_weights: RandomOption = False,
    resume: ResumeOption = True,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """s(N): how much cheaper one forward over N tokens is than N forwards over one, for N from 1 to 512."""
    quieten()
    from copyspan.bench import kernel as it
    from copyspan.bench.loading import header_of
    from copyspan.bench.speedup import KernelRecord

    engine = _load(EngineSettings(model=model, device=device, dtype=dtype), random_weights)
    contexts = tuple(context or it.CONTEXTS)
    header = header_of("kernel", engine.model, seed, {"trials": trials})
    path = out / f"kernel-{_slug(engine)}.jsonl"
    with ResultFile(path, header, KernelRecord, resume=resume) as results, bar() as shown:
        shown.started("s(N)", len(contexts), "contexts")
        it.run(engine.model, results, contexts=contexts, trials=trials, seed=seed, on_context=lambda: shown.advanced(1))
        shown.finished()
    print_tables(it.kernel_table(read_results(path, KernelRecord)[1]))


def edit(
    sets: Sets,
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    sample: Annotated[int | None, typer.Option("--sample", min=1, help="At most so many of each set, drawn.")] = None,
    min_lines: Annotated[int, typer.Option("--min-lines", min=1, help="Leave out shorter documents.")] = 1,
    max_lines: Annotated[int | None, typer.Option("--max-lines", min=1, help="Leave out longer documents.")] = None,
    max_characters: Annotated[
        int | None, typer.Option("--max-characters", min=1, help="The same, by the length of the text.")
    ] = None,
    way: Annotated[
        list[str] | None,
        typer.Option(
            "--way",
            help="plain, lookup, verified, search, program, program-search, ensemble, adapted (verified, with the "
            "adapter left on); can be given again. By default the first four.",
        ),
    ] = None,
    candidates: Annotated[int, typer.Option("--candidates", min=1, max=64, help="Departures of the search.")] = 4,
    lookup_tokens: Annotated[int, typer.Option("--lookup-tokens", min=1, help="A draft of prompt lookup.")] = 10,
    trials: Annotated[int, typer.Option("--trials", min=1, help="How often each way is run; medians count.")] = 1,
    run_tests: Annotated[
        bool, typer.Option("--run-tests", help="Run the sets' own tests. They run what the model wrote, as you.")
    ] = False,
    model: ModelOption = DEFAULT_MODEL,
    adapter: AdapterOption = "auto",
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    context_size: ContextSizeOption = 16384,
    random_weights: RandomOption = False,
    resume: ResumeOption = True,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """Edits from end to end: plain decoding, prompt lookup, verified copying and the search, case by case.

    Stop it at any time; the same command goes on where it stopped. With random weights the model is made to write the
    references, and only times count.
    """
    quieten()
    from copyspan.bench import edit as it
    from copyspan.bench.edit_records import EditRecord
    from copyspan.bench.edit_tables import tables
    from copyspan.bench.loading import header_of
    from copyspan.bench.ways import ADAPTED_WAYS, WAYS, Options

    if framing == "body" and run_tests:
        raise UsageError("A function's body alone cannot be run. Take the framing plain or doc, or no --run-tests.")
    options = Options(candidates, lookup_tokens, random_weights)
    plan = it.Plan(chosen_ways(way, WAYS, it.USUAL_WAYS), options, trials, seed, run_tests)
    cases = it.choose(
        read_sets(sets, framing, Numbers.parse(numbers)), seed, sample, min_lines, max_lines, max_characters
    )
    settings = EngineSettings(
        model=model,
        adapter=adapter,
        device=device,
        dtype=dtype,
        context_size=context_size,
        search_width=candidates,
    )
    engine = _load(settings, random_weights)
    trained = engine.model.adapter
    if "adapted" in plan.ways and trained is None:
        raise UsageError(f"--way adapted: {model} has no adapter. Name one: --adapter DIR.")
    slug, told = _slug(engine), {}
    if set(ADAPTED_WAYS) & set(plan.ways):
        slug += f"-{file_name(trained.name) if trained else 'no-adapter'}"
        told = {"adapter": trained.name if trained else "none"}
    header = header_of("edit", engine.model, seed, {**plan.header_options(), "context_size": context_size, **told})
    path = out / f"edit-{framing}-{slug}.jsonl"
    with ResultFile(path, header, EditRecord, resume=resume) as results, bar() as shown:
        shown.started("Edits", len(cases), "cases")
        it.run(engine, cases, plan, results, lambda _: shown.advanced(1))
        shown.finished()
    print_tables(*tables(read_results(path, EditRecord)[1], seed, has_answers=not random_weights))


def gpu(
    model: Annotated[list[str], typer.Option("--model", help="A name or a folder; can be given again.")],
    set_: Annotated[
        list[Path] | None,
        typer.Option("--set", help="Edit sets; without any, edits of documents of known lengths are made up."),
    ] = None,
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    num_cases: Annotated[int, typer.Option("--cases", min=1, help="How many edits for each model.")] = 30,
    context: ContextsOption = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Rounds of s(N).")] = 7,
    minutes: Annotated[float, typer.Option("--minutes", min=0.01, help="For all models together.")] = 8.0,
    random_weights: RandomOption = False,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "bfloat16",
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """s(N) and edits of several models within minutes, in one JSON file, on a machine that is not kept."""
    quieten()
    from copyspan.bench import edit as edits
    from copyspan.bench import gpu as it
    from copyspan.bench.edit_tables import tables
    from copyspan.bench.synthetic import synthetic_cases

    if set_:
        cases = edits.choose(read_sets(set_, framing, Numbers.parse(numbers)), seed)[:num_cases]
    else:
        cases = list(synthetic_cases(num_cases, seed))
    job = it.Job(
        models=tuple(model),
        random_weights=random_weights,
        settings=EngineSettings(device=device, dtype=dtype),
        cases=tuple(cases),
        plan=edits.Plan(("plain", "lookup", "verified"), seed=seed),
        minutes=minutes,
        contexts=tuple(context or it.CONTEXTS),
        kernel_trials=trials,
        tell=say,
    )
    results = it.run(job, out / "gpu.json")
    for run in results.runs:
        say(run.edit_header.model or "")
        print_tables(*tables(run.edit, seed, has_answers=not random_weights))


def _load(settings: EngineSettings, random_weights: bool) -> "Engine":
    from copyspan.bench.loading import load

    with bar() as shown:
        return load(settings, shown, random_weights=random_weights)


def _slug(engine: "Engine") -> str:
    return "-".join(map(file_name, (engine.model.name, engine.model.dtype, engine.model.device)))
