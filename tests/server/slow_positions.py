"""Positions by encoding every prefix and walking over every character; texts with all that can go wrong in them."""

from hypothesis import strategies as st

TERMINATORS = ["\n", "\r\n", "\r"]
ODD = ["a", "ab", " ", "ä", "\u20ac", "😀", "👩\u200d👧", "\u0301", "\ud83d", "\ude00", "\ufeff"]
ODD += ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]
ENCODINGS = ["utf-8", "utf-16", "utf-32"]

texts = st.lists(st.sampled_from(TERMINATORS * 3 + ODD), max_size=20).map("".join)
encodings = st.sampled_from(ENCODINGS)


def slow_units(text: str, encoding: str) -> int:
    codec, size = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    return sum(len(character.encode(codec, "surrogatepass")) // size for character in text)


def slow_lines(text: str) -> list[tuple[int, int]]:
    """Where the content of every line of an editor begins and ends, the empty last line included."""
    lines, start, i = [], 0, 0
    while i < len(text):
        size = 2 if text[i : i + 2] == "\r\n" else 1
        if text[i] in "\r\n":
            lines.append((start, i))
            start = i + size
        i += size
    return [*lines, (start, len(text))]


def slow_position(text: str, encoding: str, offset: int) -> tuple[int, int]:
    """Of an offset that is not between CR and LF."""
    [(line, start)] = [(i, start) for i, (start, stop) in enumerate(slow_lines(text)) if start <= offset <= stop]
    return line, slow_units(text[start:offset], encoding)


def slow_offset(text: str, encoding: str, line: int, character: int) -> int:
    lines = slow_lines(text)
    if line >= len(lines):
        return len(text)
    start, stop = lines[line]
    return max(i for i in range(start, stop + 1) if slow_units(text[start:i], encoding) <= character)


def is_inside_crlf(text: str, offset: int) -> bool:
    return text[max(offset - 1, 0) : offset + 1] == "\r\n"
