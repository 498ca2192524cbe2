"""What a person at a terminal sees and can do: colours, the question, Ctrl-C. Run on a pseudo-terminal."""

import fcntl
import os
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_engine import start

BEFORE, FIRST, SECOND = "one\ntwo\n", "one\n2\n", "one\nzwei\n"
QUESTION = "[q]uit (default): "


class Terminal:
    """The command line on a terminal of its own."""

    def __init__(self, args: Sequence[object], answers: Sequence[str], hangs: bool = False, **env: str) -> None:
        self._master, slave = os.openpty()
        self.process = start(
            args,
            answers,
            hangs,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.output = ""

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, text: str) -> str:
        """What came since the last call, up to this text."""
        deadline = time.monotonic() + 60
        while text not in self.output:
            assert time.monotonic() < deadline, self.output
            assert self._read(), self.output
        found, _, self.output = self.output.partition(text)
        return found

    def end(self) -> tuple[int, str]:
        """The exit code, and the rest of the output."""
        while self._read():
            pass
        os.close(self._master)
        return self.process.wait(60), self.output

    def _read(self) -> bool:
        if not select.select([self._master], [], [], 60)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.output += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f.txt"
    path.write_text(BEFORE)
    return path


def edit(file: Path, *options: object) -> list[object]:
    return ["edit", file, "-i", "change it", *options]


def test_yes_writes(file):
    terminal = Terminal(edit(file), [FIRST])
    shown = terminal.wait_for(QUESTION)
    assert "\x1b[31m-two\x1b[0m\n\x1b[32m+2\x1b[0m\n" in shown
    assert "\x1b[36m@@ -1,2 +1,2 @@\x1b[0m" in shown
    assert "sequential forwards" in shown
    assert file.read_text() == BEFORE
    terminal.type("y\n")
    assert terminal.end()[0] == 0
    assert file.read_text() == FIRST


@pytest.mark.parametrize("answer", ["\n", "q\n", "no\n", "\x04"])
def test_anything_else_writes_nothing(file, answer):
    terminal = Terminal(edit(file), [FIRST])
    terminal.wait_for(QUESTION)
    terminal.type(answer)
    code, output = terminal.end()
    assert (code, file.read_text()) == (1, BEFORE)
    assert "Nothing was written." in output


def test_an_answer_that_is_none_is_asked_again(file):
    terminal = Terminal(edit(file), [FIRST])
    terminal.wait_for(QUESTION)
    terminal.type("what\n")
    terminal.wait_for(QUESTION)
    terminal.type("YES\n")
    assert terminal.end()[0] == 0
    assert file.read_text() == FIRST


def test_next_goes_through_the_candidates_and_back_to_the_first(file):
    terminal = Terminal(edit(file, "--candidates", 2), [FIRST, SECOND])
    assert "+2" in terminal.wait_for(QUESTION)
    terminal.type("n\n")
    shown = terminal.wait_for(QUESTION)
    assert "Candidate 2 of 2:" in shown
    assert "+zwei" in shown
    assert "+1 -1 lines of 2\n" in shown  # without the cost, which is not this one's
    terminal.type("n\n")
    assert "Candidate 1 of 2:" in terminal.wait_for(QUESTION)
    terminal.type("n\n")
    terminal.wait_for(QUESTION)
    terminal.type("y\n")
    assert terminal.end()[0] == 0
    assert file.read_text() == SECOND


def test_next_after_the_last_candidate_searches_for_more(file):
    third = FIRST + "drei\n"
    terminal = Terminal(edit(file), [FIRST, SECOND, third])
    assert "Candidate" not in terminal.wait_for(QUESTION)
    for number in (2, 3):
        terminal.type("n\n")
        assert f"Candidate {number} of {number}:" in terminal.wait_for(QUESTION)
    terminal.type("n\n")
    shown = terminal.wait_for(QUESTION)
    assert "There is no other candidate." in shown
    assert "Candidate 1 of 3:" in shown
    for _ in range(2):
        terminal.type("n\n")
        assert "There is no other" not in terminal.wait_for(QUESTION)
    terminal.type("y\n")
    assert terminal.end()[0] == 0
    assert file.read_text() == third


def test_a_search_that_fails_takes_away_nothing(file):
    terminal = Terminal(edit(file), [FIRST, SECOND], FAKE_ENGINE_CANNOT_SEARCH="1")
    terminal.wait_for(QUESTION)
    terminal.type("n\n")
    shown = terminal.wait_for(QUESTION)
    assert "Warning: The answer was of no use" in shown
    assert "There is no other candidate." in shown
    terminal.type("y\n")
    assert terminal.end()[0] == 0
    assert file.read_text() == FIRST


def test_next_where_there_is_no_other(file):
    terminal = Terminal(edit(file), [FIRST])
    terminal.wait_for(QUESTION)
    terminal.type("n\n")
    assert "There is no other candidate." in terminal.wait_for(QUESTION)
    terminal.type("q\n")
    assert terminal.end()[0] == 1


def test_ctrl_c_at_the_question(file):
    terminal = Terminal(edit(file), [FIRST])
    terminal.wait_for(QUESTION)
    terminal.type("\x03")
    code, output = terminal.end()
    assert (code, file.read_text()) == (130, BEFORE)
    assert "Cancelled." in output


def test_ctrl_c_while_the_model_works(file):
    terminal = Terminal(edit(file, "--write"), [FIRST], hangs=True)
    terminal.wait_for("copied 1 of 2 lines, wrote 1 token")
    terminal.type("\x03")
    code, output = terminal.end()
    assert (code, file.read_text()) == (130, BEFORE)
    assert output.endswith("The edit was cancelled.\n")
    assert "Error" not in output
    assert output.count("\x1b[?25h") >= 1


def test_a_second_ctrl_c_ends_a_model_that_does_not_listen(file):
    terminal = Terminal(edit(file, "--write"), [FIRST], hangs=True, FAKE_ENGINE_IS_DEAF="1")
    terminal.wait_for("copied 1 of 2 lines")
    terminal.type("\x03")
    terminal.wait_for("Stopping")
    assert terminal.process.poll() is None
    terminal.type("\x03")
    assert terminal.end()[0] == -signal.SIGINT
    assert file.read_text() == BEFORE


def test_loading_is_shown_before_and_after_a_fetch(file):
    terminal = Terminal(edit(file, "--write"), [FIRST], FAKE_ENGINE_FETCHES="1")
    terminal.wait_for("Loading Qwen2.5-Coder-1.5B-Instruct")
    terminal.wait_for("Downloading weights")
    terminal.wait_for("A part came corrupted.")
    terminal.wait_for("Loading Qwen2.5-Coder-1.5B-Instruct")
    terminal.wait_for("copied 1 of 2 lines, wrote 1 token")
    assert terminal.end()[0] == 0


def test_write_does_not_ask(file):
    terminal = Terminal(edit(file, "--write"), [FIRST])
    code, output = terminal.end()
    assert (code, file.read_text()) == (0, FIRST)
    assert QUESTION not in output


def test_diff_is_plain_on_a_terminal_too(file):
    code, output = Terminal(edit(file, "--diff"), [FIRST]).end()
    assert (code, file.read_text()) == (0, BEFORE)
    assert " one\n-two\n+2\n" in output
    assert QUESTION not in output


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(file, env):
    terminal = Terminal(edit(file, "--write"), [FIRST], **env)
    _, output = terminal.end()
    assert "\n-two\n+2\n" in output
    assert not re.search(r"\x1b\[3[126]m", output)


def test_text_cannot_rewrite_the_screen(file):
    file.write_text("one\n")
    terminal = Terminal(edit(file), ["\x1b[2Jone\rtwo \u202e three\x9b\x7f\n"])
    shown = terminal.wait_for(QUESTION)
    assert "+␛[2Jone␍two <U+202E> three<U+009B>␡\x1b[0m\n" in shown
    terminal.type("q\n")
    terminal.end()


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [(b"a\r\nb\r\n", "a\r\nB\r\n", [" a", "-b", "+B"]), (b"a\r\nb\n", "a\nB\n", ["-a␍", "-b", "+a", "+B"])],
)
def test_carriage_returns_show_where_they_are_news(file, before, after, lines):
    file.write_bytes(before)
    _, output = Terminal(edit(file, "--write"), [after], NO_COLOR="1").end()
    assert "\n".join(["", *lines, ""]) in output


def test_standard_input_typed_by_hand(file):
    terminal = Terminal(["edit", "-", "-i", "x"], ["b\n"])
    terminal.wait_for("Reading standard input; Ctrl-D ends it.")
    terminal.type("a\n\x04")
    code, output = terminal.end()
    assert (code, "b\n" in output) == (0, True)


@pytest.mark.parametrize("num_lines", [1, 8_000])
def test_a_reader_that_goes_away(file, num_lines):
    text = "".join(f"line {i}\n" for i in range(num_lines))
    file.write_text(text)
    reader, writer = os.pipe()
    os.close(reader)
    process = start(edit(file, "--diff"), [text.replace("line", "LINE")], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (process.communicate(timeout=60), process.returncode) == ((None, b""), 141)
