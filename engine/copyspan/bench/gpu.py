"""All that is measured on a machine that is borrowed for minutes: s(N), and edits from end to end, model by model.

A model whose weights cannot be brought along runs with random ones of its shape, made to write the references: forwards
take the time that they take with any weights. Each model gets an equal part of the time that is left when its turn
comes: a case is begun only where as much time is left as the longest one took.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from copyspan.bench import edit, kernel
from copyspan.bench.cases import Case
from copyspan.bench.gpu_results import GpuFile, GpuRun
from copyspan.bench.loading import header_of, load
from copyspan.config import EngineSettings
from copyspan.engine import Engine

CONTEXTS = (512, 1024, 4096)


@dataclass(frozen=True, slots=True)
class Job:
    """What is measured. `models` are names, or folders with config.json and a tokenizer where weights are random."""

    models: tuple[str, ...]
    random_weights: bool
    settings: EngineSettings
    cases: tuple[Case, ...]
    plan: edit.Plan
    minutes: float = 8.0
    contexts: tuple[int, ...] = CONTEXTS
    lengths: tuple[int, ...] = kernel.LENGTHS
    kernel_trials: int = kernel.TRIALS
    tell: Callable[[str], None] = field(default=lambda _: None)


def run(job: Job, path: Path) -> GpuFile:
    """Measure, and save after every step. Raises what loading raises; what was measured before is on the disk then."""
    results, end = GpuFile(), time.monotonic() + job.minutes * 60
    for number, name in enumerate(job.models):
        now = time.monotonic()
        deadline = now + (end - now) / (len(job.models) - number)
        settings = job.settings.model_copy(update={"model": name})
        engine = load(settings, random_weights=job.random_weights)
        job.tell(f"{engine.model.name}: loaded on {engine.model.device} in {time.monotonic() - now:.0f} s")
        _measure(job, engine, results, path, deadline)
        engine.close()
    return results


def _measure(job: Job, engine: Engine, results: GpuFile, path: Path, deadline: float) -> None:
    model, seed = engine.model, job.plan.seed
    plan = replace(job.plan, options=replace(job.plan.options, is_steered=job.random_weights))
    figures = GpuRun(
        kernel_header=header_of("kernel", model, seed, {"trials": job.kernel_trials}),
        edit_header=header_of("edit", model, seed, plan.header_options()),
    )
    results.runs.append(figures)
    for context in job.contexts:
        if context + max(job.lengths) <= model.context_size and time.monotonic() < deadline:
            figures.kernel += kernel.measure(model, context, job.lengths, job.kernel_trials, seed)
            results.save(path)
    job.tell(kernel.kernel_table(figures.kernel).markdown())
    edit.warm_up(engine, job.cases[0], plan)
    longest = 0.0
    for case in job.cases:
        start = time.monotonic()
        if start + longest > deadline:
            break
        figures.edit.append(edit.measure(engine, case, plan))
        results.save(path)
        longest = max(longest, time.monotonic() - start)
    job.tell(f"{len(figures.edit)} of {len(job.cases)} cases")
