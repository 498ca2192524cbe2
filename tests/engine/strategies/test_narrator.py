"""What is told of lines that the model spelt with other tokens than the source has."""

from copyspan.edits.text import LineRange
from copyspan.strategies.events import Event, LinesCopied, TextGenerated
from copyspan.strategies.narrate import Narrator
from copyspan.strategies.transcript import SourceMap, Step, Transcript

TEXT = b"one\ntwo\n```"
SOURCE = SourceMap.of([b"one\n", b"two\n", b"```", b""], TEXT, 2)


def told(*pieces: str) -> list[Event]:
    """Events after each piece, none of which is a token of the source."""
    events: list[Event] = []
    narrator = Narrator(events.append, SOURCE, TEXT, "```", 10)
    transcript = Transcript()
    for piece in pieces:
        transcript.append(Step(0, 0.0, None), piece.encode(), SOURCE)
        narrator.tell(transcript)
    return events


def test_a_line_spelt_anew_counts_as_copied() -> None:
    assert told("o", "ne\n") == [LinesCopied(LineRange(10, 11))]


def test_nothing_is_told_while_it_may_still_become_the_line() -> None:
    assert told("on") == []
    assert told("on", "ly") == [TextGenerated("only")]


def test_the_same_line_elsewhere_is_new_text() -> None:
    assert told("two\n") == [TextGenerated("two\n")]


def test_lines_are_expected_in_order() -> None:
    events = told("one\n", "tw", "o\n")
    assert events == [LinesCopied(LineRange(10, 11)), LinesCopied(LineRange(11, 12))]
