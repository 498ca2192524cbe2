"""Answers that are refused: text without an end, text left out, stand-ins for text. Knows no model."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from copyspan.edits.lines import LineOp, NewLines
from copyspan.edits.program import CopyLines
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OddProgram, OutputRejected, OutputRepeats, PlaceholderFound, SweepingDeletion

_LONGEST_PERIOD = 96
_REPEATED_TOKENS = 240
_LEAST_TIMES = 4
_PLACEHOLDER = re.compile(
    r"""^\W*                                         # the sign of a comment, or nothing
        (?:\.\.\.|…)\W*                              # an ellipsis before
        (?:the\s+)?(?:rest|remaining|existing|unchanged|same|previous|other|more|omitted|keep|your|original)\b.*$
      | ^\W*(?:the\s+)?(?:rest|remaining|existing|unchanged|same|previous|other|original)\b.*(?:\.\.\.|…)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FENCE = re.compile(r"(?:`{3,}|~{3,})[\w+-]*\s*$")
_THINKING = re.compile(r"\s*</?think(?:ing)?>", re.IGNORECASE)
_ASKS_FOR_FENCES = re.compile(r"`{3}|~{3}|fence|code[ -]?block|<think", re.IGNORECASE)

_TELLING_LENGTH = 8
_FEW_LINES = 8
_TAIL_LINES = 4
_SHARE = 0.25
_ASKS_TO_DELETE = re.compile(
    r"\b(?:clean|clear|collaps|combin|compact|condens|cut|dedup|delet|discard|drop|eras|exclud|extract|get rid|inlin|"
    r"merg|minif|mov|omit|only|prun|purg|reduc|refactor|remov|replac|rewrit|short|simplif|split|strip|summar|trim|unused)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"""`[^`]*` | "[^"]*" | (?<!\w)'[^']*'               # what is quoted
      | \b\w*(?:_\w|\w_|\d|[a-z][A-Z])\w*\b             # remove_item, removeItem, remove2
      | \b(?:to|as|into|called|named)\s+\w+ed\b       # rename f to reduced
    """,
    re.VERBOSE,
)


def asks_to_delete(instruction: str) -> bool:
    """Whether an instruction may be meant so that lines go away. Names in it are no verbs."""
    return _ASKS_TO_DELETE.search(_NAME.sub(" ", instruction)) is not None


def lost_tail(ops: Sequence[LineOp], scope: LineRange, instruction: str) -> int | None:
    """The first line of a tail of the scope, 4 lines or more, that the answer ends without, unasked; None where it is
    there, or new lines stand in its place."""
    if asks_to_delete(instruction):
        return None
    stop, num_new = None, 0
    for op in ops:
        stop, num_new = (op.stop, 0) if isinstance(op, CopyLines) else (stop, num_new + len(op.lines))
    if stop is None or num_new or scope.stop - stop < _TAIL_LINES:
        return None
    return stop


def check_answer(ops: Sequence[LineOp], snapshot: Snapshot, scope: LineRange, instruction: str) -> None:
    """Raise OutputRejected where a complete answer is not to be applied."""
    source_lines = [snapshot.content(i) for i in scope]
    check_placeholders(ops, source_lines)
    check_wrapping(ops, source_lines, instruction)
    check_deletions(ops, scope, instruction)


def check_deletions(ops: Sequence[LineOp], scope: LineRange, instruction: str) -> None:
    """Raise SweepingDeletion where the scope loses its tail, or a quarter and more than 8 of its lines, unasked.

    A small model that is asked for a long text complete is apt to write only the part that it changed.
    """
    num_lines = len(scope)
    tail = lost_tail(ops, scope, instruction)
    if tail is not None:
        raise SweepingDeletion(
            f"The model stopped before the last {scope.stop - tail} of {num_lines} lines; nothing was changed. "
            "Select fewer lines, or say what to delete if that is what you want."
        )
    lost = num_lines - sum(len(op.lines) if isinstance(op, NewLines) else len(op) for op in ops)
    if lost > max(_FEW_LINES, _SHARE * num_lines) and not asks_to_delete(instruction):
        raise SweepingDeletion(
            f"The model left out {lost} of {num_lines} lines, and the instruction does not ask for that; nothing was "
            "changed. Select fewer lines, or say what to delete if that is what you want."
        )


class _Gap(NamedTuple):
    """What lies between two copies of a program."""

    place: int
    """The line before which it begins."""
    dropped: list[str]
    new: tuple[str, ...]
    above: str | None
    """The copied line before it; None at the start of the scope."""
    below: str | None


def check_program(ops: Sequence[LineOp], snapshot: Snapshot, scope: LineRange, instruction: str) -> None:
    """Raise OddProgram where a program has the marks of a span that is a line too long or too short.

    These are lines that vanish although nobody asks to delete any, and new text that says again what stands above or
    below it. A rewriting model is not asked this: it has read the lines that it leaves out.
    """
    written = {line.strip() for op in ops if isinstance(op, NewLines) for line in op.lines}
    may_delete = asks_to_delete(instruction)
    for gap in _gaps(ops, snapshot, scope):
        if not gap.new and not may_delete and _vanish(gap, written):
            raise OddProgram(
                f"The program leaves out line {gap.place + 1} and puts nothing in its place, and the instruction does "
                "not ask for that; nothing was changed. Ask for another candidate, or say what to delete."
            )
        if gap.new and (
            _says_again(gap.new[0], gap.above, gap.dropped) or _says_again(gap.new[-1], gap.below, gap.dropped)
        ):
            raise OddProgram(
                f"The program writes a line anew next to line {gap.place + 1}, which stands there already; nothing was "
                "changed. Ask for another candidate, or word the instruction differently."
            )


def _gaps(ops: Sequence[LineOp], snapshot: Snapshot, scope: LineRange) -> Iterator[_Gap]:
    place, above = scope.start, None
    new: tuple[str, ...] = ()
    for op in (*ops, None):
        if isinstance(op, NewLines):
            new += op.lines
            continue
        start = scope.stop if op is None else op.start
        dropped = [snapshot.content(i) for i in range(place, max(place, start))]
        yield _Gap(place, dropped, new, above, None if op is None else snapshot.content(op.start))
        if op is not None:
            place, new, above = op.stop, (), snapshot.content(op.stop - 1)


def _vanish(gap: _Gap, written: set[str]) -> bool:
    """Whether lines go away. One that is written elsewhere, whatever its indentation, has moved, and one that its
    neighbour repeats was there twice; short ones (a brace, `pass`) say nothing of that beside others."""
    lines = [line for line in gap.dropped if line.strip()]
    telling = [line for line in lines if len(line.strip()) >= _TELLING_LENGTH]
    stay = [line for line in telling if line.strip() in written or line in (gap.above, gap.below)]
    return len(stay) < len(telling) if telling else bool(lines)


def _says_again(line: str, neighbour: str | None, dropped: Sequence[str]) -> bool:
    """Whether a new line equals its neighbour; short ones (a brace, `pass`) often do, and so may a repeated old one."""
    return line == neighbour and len(line.strip()) >= _TELLING_LENGTH and line not in dropped


def check_repetition(tokens: Sequence[int]) -> None:
    """Raise OutputRepeats where the tokens end in the same run again and again, 240 tokens of it or more."""
    length = len(tokens)
    if length < _REPEATED_TOKENS:
        return
    for period in range(1, _LONGEST_PERIOD + 1):
        span = max(_REPEATED_TOKENS, _LEAST_TIMES * period)
        if length >= span and all(tokens[-i] == tokens[-i - period] for i in range(1, span - period + 1)):
            raise OutputRepeats(
                f"The model repeats the same {period} tokens without end; nothing was changed. "
                "Word the instruction more exactly, or select the lines that it concerns."
            )


def repeats(tokens: Sequence[int]) -> bool:
    """Whether somewhere among the tokens a run comes again and again, as `check_repetition` understands it."""
    for period in range(1, _LONGEST_PERIOD + 1):
        wanted, length = max(_REPEATED_TOKENS, _LEAST_TIMES * period) - period, 0
        for before, token in zip(tokens, tokens[period:], strict=False):
            length = length + 1 if before == token else 0
            if length == wanted:
                return True
    return False


def check_placeholders(ops: Sequence[LineOp], source_lines: Sequence[str]) -> None:
    """Raise PlaceholderFound where a line such as `# ... existing code ...` stands for text and is new to the file."""
    known = {line.strip() for line in source_lines}
    for op in ops:
        for line in op.lines if isinstance(op, NewLines) else ():
            if line.strip() not in known and _PLACEHOLDER.match(line.strip()):
                raise PlaceholderFound(
                    f"The model wrote a placeholder instead of code ({line.strip()!r}); nothing was changed. "
                    "Select the lines to change, or ask for another candidate."
                )


def check_wrapping(ops: Sequence[LineOp], source_lines: Sequence[str], instruction: str) -> None:
    """Raise OutputRejected where the text is wrapped in a code fence, or holds the tags of a model's thinking.

    The answer stands in a fence already; its first line is no other one, unless that was there or is asked for.
    """
    if _ASKS_FOR_FENCES.search(instruction):
        return
    known = set(source_lines)
    new = [line for op in ops if isinstance(op, NewLines) for line in op.lines if line not in known]
    is_fenced = bool(new) and isinstance(ops[0], NewLines) and new[0] == ops[0].lines[0] and _FENCE.match(new[0])
    if is_fenced or any(map(_THINKING.match, new)):
        what = "a code fence around the text" if is_fenced else "its thoughts into the text"
        raise OutputRejected(f"The model wrote {what}; nothing was changed. Ask again, or word it differently.")
