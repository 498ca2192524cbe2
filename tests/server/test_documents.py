import gc
import weakref
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_positions import TERMINATORS, encodings, is_inside_crlf, slow_lines, slow_position, texts

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.text import Snapshot
from copyspan.errors import UsageError
from copyspan_lsp.changes import steps
from copyspan_lsp.documents import Document, Documents, TextChange
from copyspan_lsp.positions import LineTable

laws = settings(deadline=None, max_examples=150)
URI = "file:///c%3A/x%20y.py"


class SlowClient:
    """An editor: it changes its own buffer by offsets, and tells the server line and character."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self.encoding = encoding

    def change(self, data: st.DataObject) -> TextChange:
        new = data.draw(texts, label="new text")
        if data.draw(st.integers(0, 7), label="whole text at 0") == 0:
            keep = data.draw(st.integers(0, len(self.text)))
            self.text = self.text[:keep] + new if data.draw(st.booleans()) else new + self.text[keep:]
            return TextChange(self.text)
        places = [i for i in range(len(self.text) + 1) if not is_inside_crlf(self.text, i)]
        ends = sorted(data.draw(st.tuples(*[st.sampled_from(places)] * 2), label="from and to"))
        ends = [
            ends[0],
            min(ends[1], places[min(places.index(ends[0]) + 6, len(places) - 1)]),
        ]  # most changes are small
        sent = [self._position(end, data) for end in ends]
        if data.draw(st.booleans(), label="turned round"):
            sent.reverse()
        self.text = self.text[: ends[0]] + new + self.text[ends[1] :]
        return TextChange(new, *sent)

    def _position(self, offset: int, data: st.DataObject) -> tuple[int, int]:
        """Where `offset` is; at the end of a line and of the text now and then beyond it."""
        line, character = slow_position(self.text, self.encoding, offset)
        is_end = offset in [stop for _, stop in slow_lines(self.text)]
        beyond = data.draw(st.integers(0, 4), label="beyond the end")
        if offset == len(self.text) and beyond == 1:
            return line + 3, 2
        return line, character + (5 if is_end and beyond == 2 else 0)


def opened(text: str, encoding: str = "utf-16") -> tuple[Documents, Document]:
    documents = Documents(encoding)
    return documents, documents.open(URI, "python", 1, text)


def change(text: str, *span: int) -> TextChange:
    """span: line and character of start, the same of stop."""
    return TextChange(text, span[:2], span[2:]) if span else TextChange(text)


@given(st.lists(texts, max_size=3).map("".join), encodings, st.data())
@laws
def test_a_document_follows_its_editor_and_trackings_tell_how(text, encoding, data):
    client = SlowClient(text, encoding)
    documents, document = opened(text, encoding)
    trackings = [document.track()]
    for version in range(2, 2 + data.draw(st.integers(0, 4), label="notifications")):
        if data.draw(st.booleans(), label="one more tracking"):
            trackings.append(document.track())
        changes = [client.change(data) for _ in range(data.draw(st.integers(0, 6), label="changes"))]
        documents.change(URI, version, changes)
        assert document.snapshot == Snapshot(client.text, version)
        assert document.table.snapshot is document.snapshot
        for tracking in trackings:
            assert tracking.current is document.snapshot
            assert tracking.changes.apply(tracking.snapshot.text) == client.text
            assert tracking.changes == tracking.changes.trim(tracking.snapshot.text)
            assert bool(tracking.changes.edits) == (tracking.snapshot.text != client.text)


@given(st.lists(texts, min_size=2, max_size=6), encodings, st.data())
@laws
def test_steps_are_the_changes_one_after_the_other(pieces, encoding, data):
    text = "".join(pieces)
    client = SlowClient(text, encoding)
    changes = [client.change(data) for _ in range(data.draw(st.integers(1, 8), label="changes"))]
    found = list(steps(LineTable(Snapshot(text), encoding), changes))
    assert 1 <= len(found) <= len(changes)
    assert (found[0].before, found[-1].after) == (text, client.text)
    assert all(step.edits.apply(step.before) == step.after for step in found)
    assert all(left.after == right.before for left, right in pairwise(found))


@given(st.lists(st.sampled_from(TERMINATORS), min_size=8, max_size=8))
@laws
def test_changes_of_lines_of_their_own_are_one_step(ends):
    """Replace all, from the top down and from the bottom up: each change adds a line, none waits for another."""
    lines = ["a😀x" + end for end in ends]
    text, replaced = "".join(lines), "".join("a\n\u20acx" + end for end in ends)
    up = [change("\n\u20ac", i, 1, i, 3) for i in reversed(range(8))]
    down = [change("\n\u20ac", 2 * i, 1, 2 * i, 3) for i in range(8)]
    for changes in (up, down):
        [step] = steps(LineTable(Snapshot(text), "utf-16"), changes)
        assert step.after == replaced
        assert len(step.edits) == 8


def test_changes_on_lines_that_were_changed_before_wait_for_them():
    documents, document = opened("a\rb\r\nc")
    tracking = document.track()
    documents.change(URI, 2, [change("\n", 1, 0, 1, 0), change("X", 0, 1, 1, 0), change("Y", 0, 0, 0, 0)])
    assert document.snapshot.text == "YaXb\r\nc"  # the line feed joined the carriage return above it
    assert tracking.changes == EditList((Edit(0, 0, "Y"), Edit(1, 2, "X")))
    documents.change(URI, 3, [change("!", 9, 0, 9, 0), change("?", 9, 0, 9, 0), change("", 0, 0, 0, 1)])
    assert document.snapshot.text == "aXb\r\nc!?"
    assert tracking.changes == EditList((Edit(1, 2, "X"), Edit(6, 6, "!?")))


@pytest.mark.parametrize(
    ("text", "joins", "after"),
    [
        ("a\rb\nc\nd\n", change("\n", 1, 0, 1, 0), "a\r\nb\nc\nX\n"),
        ("a\nb\nc\nd\n", change("\r", 0, 1, 0, 1), "a\r\nb\nc\nX\n"),
        ("a\rb\n\nd\ne\n", change("", 1, 0, 2, 0), "a\r\nd\nX\n"),
    ],
)
def test_half_a_line_end_beside_the_other_half_is_no_new_line(text, joins, after):
    line = 2 if joins.text == "" else 3
    [step] = steps(LineTable(Snapshot(text), "utf-16"), [joins, change("X", line, 0, line, 1)])
    assert step.after == after


def test_a_whole_text_touches_only_what_is_new_in_it():
    documents, document = opened("a = 1\nb = 2\nc = 3\nd = 4\n")
    tracking = document.track()
    documents.change(URI, 2, [change("A = 1\nb = 2\nc = 3\nd = 4\n")])
    documents.change(URI, 3, [change("A = 1\nb = 2\nc = 3\nd = 5\n")])
    assert tracking.changes == EditList((Edit(0, 1, "A"), Edit(22, 23, "5")))


def test_a_whole_text_may_come_among_other_changes():
    documents, document = opened("one\ntwo\n")
    documents.change(URI, 2, [change("x", 1, 0, 1, 3), change("three\nfour"), change("", 0, 5, 1, 0)])
    assert document.snapshot == Snapshot("threefour", 2)


def test_changes_that_undo_each_other_vanish():
    documents, document = opened("x\nx\ny\n")
    tracking = document.track()
    documents.change(URI, 2, [change("", 0, 0, 1, 0)])
    assert len(tracking.changes) == 1
    documents.change(URI, 3, [change("x\n", 1, 0, 1, 0)])  # below the line that is left
    assert tracking.changes == EditList()
    assert tracking.current == Snapshot("x\nx\ny\n", 3)


def test_a_notification_without_changes_brings_a_version():
    documents, document = opened("a\n")
    tracking = document.track()
    documents.change(URI, 7, [])
    assert document.version == tracking.current.version == 7
    assert tracking.snapshot.version == 1
    assert tracking.changes == EditList()


def test_a_change_that_is_wrong_changes_nothing():
    documents, document = opened("a\n")
    tracking = document.track()
    with pytest.raises(ValueError, match="not -1 and 0"):
        documents.change(URI, 2, [change("b", 0, 0, 0, 1), change("", -1, 0, 0, 0)])
    assert document.snapshot == tracking.current == Snapshot("a\n", 1)
    assert tracking.changes == EditList()
    with pytest.raises(ValueError, match="two positions or none"):
        TextChange("", (0, 0))


def test_trackings_are_told_when_all_of_them_know():
    documents, document = opened("a\n")
    told = []
    first = document.track(lambda tracking: told.append((tracking.current.version, second.current.version)))
    second = document.track()
    documents.change(URI, 2, [change("b", 0, 0, 0, 1), change("c", 0, 0, 0, 1)])
    assert told == [(2, 2)]
    documents.close(URI)
    assert told == [(2, 2), (2, 2)]
    assert first.is_closed
    assert second.is_closed


def test_stop_forgets():
    documents, document = opened("a\n")
    told = []
    kept, stopped = document.track(told.append), document.track(told.append)
    stopped.stop()
    stopped.stop()
    documents.change(URI, 2, [change("b\n")])
    documents.close(URI)
    assert told == [kept, kept]
    assert stopped.current.version == 1
    assert stopped.changes == EditList()
    assert not stopped.is_closed
    stopped.stop()


@pytest.mark.parametrize("end", ["stop", "close"])
def test_nothing_keeps_a_tracking_that_has_ended(end):
    documents, document = opened("a\n")
    tracking = document.track()
    memory = weakref.ref(tracking)
    if end == "stop":
        tracking.stop()
    else:
        documents.close(URI)
    del tracking
    gc.collect()
    assert memory() is None
    assert document.uri == URI


def test_a_tracking_may_stop_itself_and_others_when_it_is_told():
    documents, document = opened("a\n")
    told = []

    def stop_all(tracking):
        told.append(tracking)
        first.stop()
        second.stop()

    first, second = document.track(stop_all), document.track(stop_all)
    documents.change(URI, 2, [change("b\n")])
    documents.change(URI, 3, [change("c\n")])
    assert told == [first]


def test_documents_are_found_however_their_uri_is_escaped():
    documents, document = opened("a\n")
    other = documents.open("file:///c:/%FF", "c", 1, "")
    assert documents.open("file:///c:/%FE", "c", 1, "") is not other
    assert documents.get("file:///c:/x y.py") is documents.get("file:///c%3a/x y.py") is document
    assert (document.uri, document.language) == (URI, "python")
    assert "file:///c:/x%20y.py" in documents
    assert len(documents) == len(list(documents)) == 3
    documents.close("file:///c:/x%20y.py")
    assert URI not in documents
    assert document not in list(documents)


def test_what_is_not_open_is_refused():
    documents = Documents()
    for refused in (documents.get, documents.close, lambda uri: documents.change(uri, 2, [change("")])):
        with pytest.raises(UsageError, match="untitled:1 is not open"):
            refused("untitled:1")


def test_opening_again_replaces_the_document():
    documents, old = opened("a\n")
    told = []
    tracking = old.track(lambda tracking: told.append(documents.get(URI).language))
    new = documents.open("file:///c:/x y.py", "ruby", 1, "b\n")
    assert told == ["ruby"]
    assert tracking.is_closed
    documents.change(URI, 2, [change("c\n")])
    assert list(documents) == [new]
    assert (old.snapshot.text, tracking.current.text, new.snapshot.text) == ("a\n", "a\n", "c\n")


def test_a_closed_document_is_not_followed():
    documents, document = opened("a\n")
    documents.close(URI)
    assert document.is_closed
    assert document.track().is_closed


def test_the_encoding_is_settled_by_the_first_document():
    documents = Documents()
    documents.encoding = "utf-8"
    document = documents.open(URI, "python", 1, "ä\n")
    assert documents.encoding == document.table.encoding == "utf-8"
    documents.change(URI, 2, [change("b", 0, 2, 0, 2)])
    assert document.snapshot.text == "äb\n"
    with pytest.raises(ValueError, match="stay in utf-8"):
        documents.encoding = "utf-16"
