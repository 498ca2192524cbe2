"""The training loop: AdamW on an adapter, step by step. It can stop anywhere and goes on as if it had not.

What it is taught, in which order and at which rates are values that it is given; where files lie it does not know,
but for its checkpoint and its log.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from peft import PeftModel

from copyspan.errors import Cancelled, OutOfMemory, UsageError
from copyspan.train.checkpoint import Checkpoint, RandomState, load_checkpoint, save_checkpoint
from copyspan.train.log import Entry, Log, StepEntry, ValidationEntry
from copyspan.train.loss import Batch, backward, evaluate
from copyspan.train.model import causal_of
from copyspan.train.recipe import Recipe
from copyspan.train.schedule import Step, learning_rate, plan
from copyspan.train.transcripts import Transcript


class Watcher(Protocol):
    """Is told how a run goes."""

    def started(self, step: int, num_steps: int) -> None:
        """So many steps of them are done already."""
        ...

    def logged(self, entry: Entry) -> None: ...


@dataclass(frozen=True, slots=True)
class Examples:
    """What is learnt, and what is held out."""

    train: Sequence[Transcript]
    validation: Sequence[Transcript]

    def fingerprint(self) -> str:
        """Tells these examples from others."""
        digest = hashlib.sha256()
        for part in (self.train, self.validation):
            for item in part:
                for data in (item.prompt.tobytes(), item.answer.tobytes(), item.is_learnt):
                    digest.update(len(data).to_bytes(8, "little") + data)
            digest.update(b"|")
        return digest.hexdigest()[:16]


class Trainer:
    """Trains one adapter. `folder` holds `checkpoint.pt` and `log.jsonl`; a checkpoint that is there is gone on with.

    Raises UsageError for a checkpoint of another recipe or of other examples, and SourceError.
    """

    def __init__(
        self, model: PeftModel, examples: Examples, recipe: Recipe, folder: Path, start: str | None = None
    ) -> None:
        """`start` tells from which weights the adapter starts, where they are not drawn."""
        self._model = model
        self._examples = examples
        self._recipe = recipe
        self._made_from = "/".join(filter(None, (recipe.hash, examples.fingerprint(), start)))
        self._checkpoint_path = folder / "checkpoint.pt"
        self._steps = plan([len(item) for item in examples.train], recipe)
        self._parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
        optimizer = recipe.optimizer
        self._optimizer = torch.optim.AdamW(
            self._parameters.values(), lr=optimizer.learning_rate, weight_decay=optimizer.weight_decay
        )
        self._done = 0
        if self._checkpoint_path.exists():
            self._restore(load_checkpoint(self._checkpoint_path, self._made_from))
        self._log = Log(folder / "log.jsonl", self._done)
        self._random = RandomState.now()
        if recipe.gradient_checkpointing:
            causal_of(model).activation_checkpointing_enable(activation_checkpointing_kwargs={"use_reentrant": False})

    @property
    def num_steps(self) -> int:
        return len(self._steps)

    def run(self, watcher: Watcher, cancelled: Callable[[], bool] = lambda: False, save_seconds: float = 600.0) -> None:
        """Do the steps that are left. Raises Cancelled, as soon as a forward is over, with a checkpoint written;
        OutOfMemory; and UsageError where the loss is no number."""
        saved = time.monotonic()
        self._random.restore()
        watcher.started(self._done, len(self._steps))
        try:
            with _in_words():
                self._validate_if_due(watcher, cancelled)  # where a run was stopped just before
                for step in self._steps[self._done :]:
                    self._note(self._step(step, cancelled), watcher)
                    self._validate_if_due(watcher, cancelled)
                    if time.monotonic() - saved > save_seconds:
                        self._save()
                        saved = time.monotonic()
        except _Stopped:
            self._save()
            raise Cancelled(
                f"Training was stopped after {self._done} of {len(self._steps)} steps. The same command goes on."
            ) from None
        self._save()

    def _note(self, entry: Entry, watcher: Watcher) -> None:
        self._log.append(entry)
        watcher.logged(entry)

    def _step(self, step: Step, cancelled: Callable[[], bool]) -> StepEntry:
        started = time.monotonic()
        self._model.train()
        num_learnt = sum(self._examples.train[i].num_learnt for forward in step.forwards for i in forward)
        loss = 0.0
        for forward in step.forwards:
            loss += backward(self._causal, self._batch(self._examples.train, forward), num_learnt)
            if cancelled():
                raise _Stopped
        rate = learning_rate(self._done, len(self._steps), self._recipe.optimizer)
        norm = torch.nn.utils.clip_grad_norm_(self._parameters.values(), self._recipe.optimizer.max_norm).item()
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise UsageError(
                f"The loss is no number at step {self._done + 1}. Lower optimizer.learning_rate, or take the dtype "
                "float32, and begin anew with --restart."
            )
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        self._optimizer.zero_grad()
        self._done += 1
        self._random = RandomState.now()
        return StepEntry(
            step=self._done,
            epoch=step.epoch + 1,
            loss=loss,
            learning_rate=rate,
            norm=norm,
            num_tokens=sum(len(self._examples.train[i]) for forward in step.forwards for i in forward),
            num_learnt=num_learnt,
            seconds=time.monotonic() - started,
        )

    def _validate_if_due(self, watcher: Watcher, cancelled: Callable[[], bool]) -> None:
        is_due = self._done and (self._done % self._recipe.validation.every == 0 or self._done == len(self._steps))
        if is_due and self._examples.validation and self._log.validated != self._done:
            self._note(self._validate(self._examples.validation, cancelled), watcher)

    def _validate(self, items: Sequence[Transcript], cancelled: Callable[[], bool]) -> ValidationEntry:
        started = time.monotonic()
        self._model.eval()
        loss, num_exact = 0.0, 0
        for number in range(len(items)):
            part, are_exact = evaluate(self._causal, self._batch(items, (number,)))
            loss += part
            num_exact += sum(are_exact)
            if cancelled():
                raise _Stopped
        return ValidationEntry(
            step=self._done,
            num_pairs=len(items),
            loss=loss / sum(item.num_learnt for item in items),
            exact=num_exact / len(items),
            seconds=time.monotonic() - started,
        )

    @property
    def _causal(self) -> Any:
        return causal_of(self._model)

    def _batch(self, items: Sequence[Transcript], numbers: Sequence[int]) -> Batch:
        return Batch.of([items[i] for i in numbers], self._causal.device)

    def _save(self) -> None:
        """The state after the last complete step; a step that was begun counts as not begun."""
        adapter = {name: parameter.detach() for name, parameter in self._parameters.items()}
        optimizer = self._optimizer.state_dict()
        found = Checkpoint(self._made_from, self._done, adapter, optimizer, self._random)
        save_checkpoint(self._checkpoint_path, found)

    def _restore(self, checkpoint: Checkpoint) -> None:
        with torch.no_grad():
            for name, parameter in self._parameters.items():
                parameter.copy_(checkpoint.adapter[name])
        self._optimizer.load_state_dict(dict(checkpoint.optimizer))
        checkpoint.random.restore()
        self._done = checkpoint.step


class _Stopped(Exception):
    """The caller asked to stop."""


@contextmanager
def _in_words() -> Iterator[None]:
    """Turn what torch raises where memory ends into OutOfMemory."""
    try:
        yield
    except RuntimeError as error:  # torch.OutOfMemoryError is one; on a processor there is no class for it
        if not isinstance(error, torch.OutOfMemoryError) and "can't allocate memory" not in str(error):
            raise
        raise OutOfMemory(
            "Training needs more memory than there is. In the recipe, lower forward_tokens or max_tokens, or set "
            "gradient_checkpointing = true."
        ) from error
