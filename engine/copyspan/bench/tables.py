"""Tables for people: Markdown whose columns stand under one another in a terminal too. Knows no benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A title, headings, and rows of as many cells."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.headings):
                raise ValueError(f"a row of {len(row)} cells under {len(self.headings)} headings")

    def markdown(self) -> str:
        """The table with its title, ended by a newline. The first column is of words, the others are of figures."""
        cells = [[_escape(cell) for cell in row] for row in (self.headings, *self.rows)]
        widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(self.headings))]
        rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
        lines = [_line(row, widths) for row in (cells[0], rule, *cells[1:])]
        return f"{self.title}\n\n" + "".join(f"{line}\n" for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    return "| " + " | ".join([first, *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))]) + " |"


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|")
