"""The command line over a fake engine, in this process. `fake_engine` starts it in a process of its own."""

from collections.abc import Callable
from typing import Any

import pytest
from fake_engine import FakeEngine, install
from typer.testing import CliRunner, Result

from copyspan.cli.app import app


class Cli:
    """`run` is the command line in this process; `engine` is what it loads."""

    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine

    def run(self, *args: object, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(app, [str(arg) for arg in args], input=stdin, catch_exceptions=False)

    def edit(self, file: object, *args: object, stdin: bytes | None = None) -> Result:
        return self.run("edit", file, "-i", "change it", *args, stdin=stdin)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Cli]:
    """`cli("answer", ...)` is a command line whose model gives these answers, the best first."""

    def make(*answers: str, **options: Any) -> Cli:
        engine = FakeEngine(*answers, **options)
        install(engine, monkeypatch.setattr)
        return Cli(engine)

    return make
