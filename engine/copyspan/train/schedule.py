"""In which order examples are seen, which of them together, and at which learning rate. Pure, and knows no torch.

All of it is a function of the recipe and the examples' lengths, so that a run that was interrupted needs to know how
many steps it has done and nothing else.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from copyspan.train.recipe import Optimizer, Recipe


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the optimizer: the numbers of the examples of each padded forward."""

    epoch: int
    forwards: tuple[tuple[int, ...], ...]


def plan(lengths: Sequence[int], recipe: Recipe) -> tuple[Step, ...]:
    """All steps. In each epoch every example comes once, in an order drawn for that epoch."""
    return tuple(
        Step(epoch, tuple(_forwards(numbers, lengths, recipe.forward_tokens)))
        for epoch in range(recipe.epochs)
        for numbers in _steps(lengths, recipe.batch_tokens, random.Random(f"{recipe.seed}/{epoch}"))
    )


def learning_rate(step: int, num_steps: int, optimizer: Optimizer) -> float:
    """The rate of a step, counted from 0."""
    num_warmup = math.ceil(optimizer.warmup * num_steps)
    if step < num_warmup:
        return optimizer.learning_rate * (step + 1) / num_warmup
    progress = (step - num_warmup) / (num_steps - num_warmup)
    factors = {"cosine": (1 + math.cos(math.pi * progress)) / 2, "linear": 1 - progress, "constant": 1.0}
    return optimizer.learning_rate * factors[optimizer.schedule]


def _steps(lengths: Sequence[int], batch_tokens: int, rng: random.Random) -> Iterator[list[int]]:
    """The examples in a drawn order, cut into steps of about equal size: a small last one would weigh as much."""
    order = list(range(len(lengths)))
    rng.shuffle(order)
    num_tokens = sum(lengths)
    num_steps = max(1, round(num_tokens / batch_tokens))
    steps: dict[int, list[int]] = {}
    place = 0
    for number in order:
        middle = place + lengths[number] / 2
        steps.setdefault(int(middle * num_steps / num_tokens), []).append(number)
        place += lengths[number]
    yield from steps.values()


def _forwards(numbers: Sequence[int], lengths: Sequence[int], forward_tokens: int) -> Iterator[tuple[int, ...]]:
    """A step's examples, those of like length together, the longest first: what needs too much memory fails early."""
    forward: list[int] = []
    for number in sorted(numbers, key=lambda n: (-lengths[n], n)):
        if forward and (len(forward) + 1) * lengths[forward[0]] > forward_tokens:
            yield tuple(forward)
            forward = []
        forward.append(number)
    if forward:
        yield tuple(forward)
