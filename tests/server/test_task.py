import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scripted_edits import candidate_of

from copyspan.edits.edit import EditList
from copyspan.edits.lines import NewLines
from copyspan.edits.program import CopyLines
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import SourceError, UsageError
from copyspan_lsp.comments import find_instructions
from copyspan_lsp.documents import Documents
from copyspan_lsp.languages import language
from copyspan_lsp.places import Places
from copyspan_lsp.task import Ask, Task, name_of, task_of

URI = "file:///c.py"
laws = settings(deadline=None, max_examples=250)

contents = st.sampled_from(["", "a", "b = 1", "  c", "\tä😀", "\x0c", "class D:", "# ai: x", "  # AI: y", "e  # ai: z"])
contents |= st.sampled_from(["/* ai: x */ f", "  /* ai: x", "y */", "g /* ai: z */ h", "// ai: w"])
texts = st.lists(st.tuples(contents, st.sampled_from(["\n", "\n", "\r\n", "\r"])).map("".join), max_size=9).map("".join)


def task(text: str, max_lines: int = 300, which: int | None = None, spoken: str = "python", **ask) -> Task:
    """`which` of the instructions is meant; None for an edit without one."""
    document = Documents().open(URI, spoken, 1, text)
    comment = None if which is None else find_instructions(Snapshot(text), language(spoken))[which]
    return task_of(document, Ask(URI, "do it", comment=comment, **ask), max_lines, 0)


@st.composite
def tasks(draw):
    text = draw(texts)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    spoken = draw(st.sampled_from(["python", "javascript"]))
    comments = find_instructions(Snapshot(text), language(spoken))
    which = draw(st.sampled_from([None, *range(len(comments))]))
    offsets = st.integers(0, len(text))
    ask = draw(st.sampled_from(["nothing", "cursor", "selection"]))
    ask = {"cursor": draw(offsets)} if ask == "cursor" else {"selection": draw(st.tuples(offsets, offsets))}
    try:
        return task(text, draw(st.sampled_from([3, 300])), which, spoken, **({} if which is not None else ask))
    except UsageError:  # too long, and in no block
        assume(False)


def kept(made: Task) -> list[int]:
    """The offsets in the document of the characters that the engine sees, and its end."""
    text, edits = made.document.text, made.removal.edits
    gone = {i for edit in edits for i in range(edit.start, edit.stop)}
    return [i for i in range(len(text) + 1) if i not in gone]


def candidate(data, made: Task):
    """Any edit of the scope."""
    ops = []
    for line in made.request.scope:
        new = data.draw(st.sampled_from([[], [], ["new"], ["n", ""]]), label=f"before line {line}")
        ops += [NewLines(tuple(new))] * bool(new) + [CopyLines(line, line + 1)] * data.draw(st.booleans())
    return candidate_of(ops, made.request.snapshot, made.request.scope)


@given(tasks())
@laws
def test_the_engine_sees_the_document_without_the_comment(made):
    text, offsets = made.document.text, kept(made)
    assert made.removal.apply(text) == made.request.snapshot.text == "".join(text[i] for i in offsets[:-1])
    assert all(edit.text == "" for edit in made.removal)
    assert made.request.scope == made.scope.lines
    assert made.request.snapshot.all_lines.contains(made.scope.lines)


@given(st.data(), tasks())
@laws
def test_no_edit_of_the_scope_leaves_the_region(data, made):
    text, start, stop = made.document.text, made.region.start, made.region.stop
    for edit in made.removal:
        assert start <= edit.start <= edit.stop <= stop
    after = candidate(data, made).text
    assert len(after) >= start + len(text) - stop
    assert after.startswith(text[:start])
    assert after.endswith(text[stop:])


@given(tasks())
@laws
def test_lines_are_found_in_the_document(made):
    places, offsets, inner = Places(made), kept(made), made.request.snapshot
    for line in range(inner.num_lines):
        assert places.line(line) == made.document.line_at(offsets[inner.starts[line]])
    assert places.line(inner.num_lines) == made.document.num_lines


@given(st.data(), tasks())
@laws
def test_ranges_of_lines_come_in_pieces_with_the_comment_between_them(data, made):
    places, inner = Places(made), made.request.snapshot
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, inner.num_lines)] * 2)))
    pieces = list(places.lines(LineRange(start, stop)))
    assert [line for piece in pieces for line in piece] == [places.line(line) for line in range(start, stop)]
    assert len(pieces) <= 1 + len(made.removal)


@given(st.data(), tasks())
@laws
def test_a_hunk_in_the_document_does_what_it_does_without_the_comment(data, made):
    places, text = Places(made), made.document.text
    for hunk in candidate(data, made).hunks:
        placed = places.hunks(hunk)
        edits = EditList(tuple(edit for it in placed for edit in it.edits))
        moved = made.removal.rebase(edits)
        if not placed:  # it touches the comment
            assert made.removal.edits
            continue
        assert moved is not None
        assert moved.apply(edits.apply(text)) == EditList(hunk.edits).apply(made.request.snapshot.text)
        for it in placed:
            start, stop = made.document.span(it.lines)
            assert text[start:stop] == it.old


TEXT = "a = 1\n# ai: double it\nb = 2\n"


def test_a_comment_goes_and_the_lines_after_it_keep_their_numbers_in_the_document():
    made = task(TEXT, which=0)
    assert made.request.snapshot.text == "a = 1\nb = 2\n"
    assert (made.region.start, made.region.stop) == (0, len(TEXT))
    places = Places(made)
    assert [places.line(line) for line in range(3)] == [0, 2, 3]
    assert list(places.lines(LineRange(0, 2))) == [LineRange(0, 1), LineRange(2, 3)]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_place_after_the_last_line_is_the_document_s_end(end):
    made = task(f"# ai: x\na\nb{end}", which=0)
    assert [Places(made).line(line) for line in range(3)] == [1, 2, 3]


def test_the_region_of_a_block_takes_in_the_comment_above_it():
    text = "x = 1\n\n\ndef f():\n    # ai: go on\n    return 1\n\n\ny = 2\nz = 3\n"
    made = task(text, 3, which=0)
    assert text[made.region.start : made.region.stop] == "def f():\n    # ai: go on\n    return 1\n"
    assert made.scope.kind == "block"


def test_a_selection_is_whole_lines():
    made = task("a\nb\nc\n", selection=(3, 2))
    assert (made.region.start, made.region.stop, made.scope.kind) == (2, 4, "selection")


@pytest.mark.parametrize(
    ("uri", "spoken", "name"),
    [
        ("file:///a/b%20c.py", "python", "b c.py"),
        ("file:///c%3A/x.tsx", "typescriptreact", "x.tsx"),
        ("untitled:Untitled-1", "python", "Untitled-1.py"),
        ("untitled:Untitled-1", "no-such-language", "Untitled-1.txt"),
        ("file:///a/Makefile", "makefile", "Makefile.mk"),
        ("untitled:", "python", "untitled.py"),
    ],
)
def test_the_name_tells_the_language(uri, spoken, name):
    assert name_of(uri, language(spoken)) == name


def test_half_a_character_is_refused_with_its_line_and_without_the_text():
    with pytest.raises(SourceError) as refused:
        task("a\r\nsecret \ud83d\r\n")
    assert "Line 2" in str(refused.value)
    assert "U+D83D" in str(refused.value)
    assert "secret" not in str(refused.value)
