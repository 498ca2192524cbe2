"""A program as token ids, as a decoder's context holds it. Knows no model.

A decoder lets the model choose where the grammar leaves a choice, and encodes the text between two choices by itself.
The ids here are those of a model that chooses, everywhere, the token that its tokenizer would write.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from copyspan.edits.program import Op, Program, format_program
from copyspan.edits.text import LineRange
from copyspan.grammar.pieces import PieceWriter
from copyspan.grammar.surface import Ended, Surface
from copyspan.models.protocol import Tokenizer

_OPEN, _CLOSE = "<program>\n", "</program>"


@dataclass(slots=True)
class ProgramIds:
    """The ids of a program, and for each whether the model writes it (or it is copied)."""

    ids: list[int] = field(default_factory=list)
    is_written: list[bool] = field(default_factory=list)

    def add(self, ids: Sequence[int], is_written: bool) -> None:
        self.ids += ids
        self.is_written += [is_written] * len(ids)


def program_ids(
    tokenizer: Tokenizer, program: Program, scope: LineRange, line_ids: Sequence[Sequence[int]] | None = None
) -> ProgramIds:
    """A program in the surface form, without the newline after it.

    With `line_ids`, those of the scope's lines, the lines of each copy follow the token that completes its tag.
    """
    surface = Surface(scope.start + 1, scope.stop)
    writer = PieceWriter(surface, tokenizer.encode, tokenizer.vocabulary)
    written, at = ProgramIds(), surface.start
    for part in (_OPEN, *map(_surface_form, program.ops), _CLOSE):
        for piece in writer.pieces(at, part):
            written.add(piece.ids, True)
            for copy in piece.copies:
                for ids in (line_ids or ())[copy.start - scope.start : copy.stop - scope.start]:
                    written.add(ids, False)
            at = piece.after
    assert isinstance(at, Ended), "aligned programs are in the surface form"
    return written


def _surface_form(op: Op) -> str:
    """An operation with its last newline."""
    return format_program(Program((op,))).removeprefix(_OPEN).removesuffix(_CLOSE + "\n")
