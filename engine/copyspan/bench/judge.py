"""Whether an answer is right: the reference byte for byte, or the record's own tests. Knows no model."""

from collections.abc import Callable
from dataclasses import dataclass, field

from copyspan.bench.cases import Case
from copyspan.bench.sandbox import Runtime, passes

_RUNTIMES: dict[str, Runtime] = {
    "python": "python",
    "py": "python",
    "javascript": "node",
    "js": "node",
}

Runner = Callable[[str, Runtime], bool]


@dataclass(slots=True)
class Judge:
    """Judges the answers to one case; equal texts are tested once.

    Tests that the reference itself fails say nothing, and do not count.
    """

    case: Case
    runs_tests: bool
    run: Runner = passes
    _verdicts: dict[str, bool] = field(default_factory=dict)

    def is_exact(self, text: str) -> bool:
        return self.case.is_gold(text)

    @property
    def has_tests(self) -> bool:
        """Whether there are tests that can be run here, and that say something."""
        return self._is_testable and self._passes(self.case.after)

    def passed(self, text: str) -> bool | None:
        """Whether the text passes the record's tests; None where it has none that count."""
        return self._passes(text) if self.has_tests else None

    @property
    def _is_testable(self) -> bool:
        return self.runs_tests and self.case.tests is not None and self.case.lang in _RUNTIMES

    def _passes(self, text: str) -> bool:
        if text not in self._verdicts:
            self._verdicts[text] = self.run(f"{text}\n{self.case.tests}", _RUNTIMES[self.case.lang])
        return self._verdicts[text]
