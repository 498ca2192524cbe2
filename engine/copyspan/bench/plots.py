"""Small plots as SVG text: lines with intervals, and stacked bars. Knows no benchmark.

Colours are those of Okabe and Ito, which people with any colour vision can tell apart; lines differ by their dashes as
well.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from copyspan.bench.stats import Interval

_WIDTH, _HEIGHT = 640, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 60, 52
_LEGEND_LINE = 18
_ASIDE = 5
"""By how much the intervals of one line stand beside those of the next."""
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES = ("", "6 3", "2 3", "8 3 2 3")
_STYLE = "font-family:sans-serif;font-size:12px"


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values lie: from `low` to `high`, by their logarithm where `is_log`; `ticks` are named."""

    title: str
    ticks: tuple[tuple[float, str], ...]
    low: float
    high: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """0 at the low end, 1 at the high one."""
        low, high, at = map(math.log if self.is_log else float, (self.low, self.high, value))
        return (at - low) / (high - low) if high > low else 0.5


def log_axis(title: str, values: Sequence[float]) -> Axis:
    """An axis in powers of two that holds all values."""
    first, last = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
    last = max(last, first + 1)
    ticks = tuple((2.0**i, f"{2.0**i:g}") for i in range(first, last + 1))
    return Axis(title, ticks, ticks[0][0], ticks[-1][0], is_log=True)


def linear_axis(title: str, high: float) -> Axis:
    """An axis from 0 to a round number not below `high`."""
    step = 10.0 ** math.floor(math.log10(high)) if high > 0 else 1.0
    step = next(step * factor for factor in (0.2, 0.5, 1.0, 2.0) if high / (step * factor) <= 6 or factor == 2.0)
    count = max(1, math.ceil(high / step - 1e-9))
    return Axis(title, tuple((i * step, f"{i * step:g}") for i in range(count + 1)), 0.0, count * step)


def names_axis(title: str, names: Sequence[str]) -> Axis:
    """An axis of names, the i-th at i."""
    return Axis(title, tuple((float(i), name) for i, name in enumerate(names)), -0.5, len(names) - 0.5)


def line_plot(title: str, x: Axis, y: Axis, lines: Mapping[str, Sequence[tuple[float, float | Interval]]]) -> str:
    """Lines by name; a point that is an interval gets a bar from its low end to its high one."""
    frame = _Frame(title, x, y, list(lines), has_lines=True)
    for number, points in enumerate(lines.values()):
        colour = _colour(number)
        places = [frame.at(at, _value(value)) for at, value in points]
        if any(isinstance(value, Interval) for _, value in points):
            aside = _ASIDE * (number - (len(lines) - 1) / 2)
            places = [(left + aside, top) for left, top in places]
        path = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
        frame.add(f'<polyline points="{path}" fill="none" {_stroke(number)}/>')
        for (at, value), (left, top) in zip(points, places, strict=True):
            if isinstance(value, Interval):
                low, high = frame.at(at, value.low)[1], frame.at(at, value.high)[1]
                frame.add(f'<path d="M{left:.1f} {low:.1f}V{high:.1f}" stroke="{colour}"/>')
            frame.add(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3.5" fill="{colour}"/>')
    return frame.svg()


def bar_plot(title: str, y: Axis, bars: Mapping[str, Sequence[float]], parts: Sequence[str]) -> str:
    """Bars by name, each of parts that stand on one another."""
    frame = _Frame(title, names_axis("", list(bars)), y, parts, has_lines=False)
    for number, heights in enumerate(bars.values()):
        base = 0.0
        for part, height in enumerate(heights):
            left, top = frame.at(number - 0.3, base + height)
            right, bottom = frame.at(number + 0.3, base)
            frame.add(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
                f'fill="{_colour(part)}"/>'
            )
            base += height
    return frame.svg()


def _value(value: float | Interval) -> float:
    return value.value if isinstance(value, Interval) else value


class _Frame:
    """Title, axes with a grid, and a legend below."""

    def __init__(self, title: str, x: Axis, y: Axis, legend: Sequence[str], *, has_lines: bool) -> None:
        self._x, self._y = x, y
        self._height = _HEIGHT + _LEGEND_LINE * len(legend)
        self._parts = [_text(_WIDTH / 2, 22, title, "middle", bold=True)]
        for value, name in x.ticks:
            left, top = self.at(value, y.low)
            self._parts.append(_text(left, top + 18, name, "middle"))
        for value, name in y.ticks:
            left, top = self.at(x.low, value)
            self._parts.append(f'<path d="M{left:.1f} {top:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
            self._parts.append(_text(left - 6, top + 4, name, "end"))
        self._parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, x.title, "middle"))
        self._parts.append(_text(_LEFT - 50, _TOP - 14, y.title, "start"))
        for number, name in enumerate(legend):
            top = _HEIGHT + _LEGEND_LINE * number + 6
            line = f'<path d="M{_LEFT} {top - 4}h22" {_stroke(number)}/>'
            patch = f'<rect x="{_LEFT}" y="{top - 9}" width="22" height="10" fill="{_colour(number)}"/>'
            self.add(line if has_lines else patch)
            self._parts.append(_text(_LEFT + 30, top, name, "start"))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies; one beyond the axes' ends lies at the end."""
        left = _LEFT + min(max(self._x.place(x), 0.0), 1.0) * (_WIDTH - _LEFT - _RIGHT)
        up = min(max(self._y.place(y), 0.0), 1.0) * (_HEIGHT - _TOP - _BOTTOM)
        return left, _HEIGHT - _BOTTOM - up

    def add(self, part: str) -> None:
        self._parts.append(part)

    def svg(self) -> str:
        size = f'width="{_WIDTH}" height="{self._height}" viewBox="0 0 {_WIDTH} {self._height}"'
        background = '<rect width="100%" height="100%" fill="white"/>'
        body = "\n".join([background, *self._parts])
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} style="{_STYLE}">\n{body}\n</svg>\n'


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _stroke(number: int) -> str:
    dashes = _DASHES[number % len(_DASHES)]
    return f'stroke="{_colour(number)}" stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")


def _text(left: float, top: float, text: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{left:.1f}" y="{top:.1f}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
