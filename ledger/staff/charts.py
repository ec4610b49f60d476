"""Charts as SVG, drawn on the server without scripts and inline styles. Pure.

Series differ by pattern (bars) or by dashes and marks (lines), in the chart and in its legend, and never by colour
alone. The style sheet sets the colours of the classes `chart-1` to `chart-4`, also for dark mode and print.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

WIDTH, HEIGHT = 800, 280
LEFT, RIGHT, TOP, BOTTOM = 92, 12, 14, 30
MOST_SERIES = 4
MOST_LABELS = 10
GAP = 0.3
"""The part of a bar group's width between two groups."""

DASHES = ("", "7 4", "2 3", "9 3 2 3")
HATCHES = (
    "M0 0H8V8H0Z",
    "M0 8L8 0M-2 2L2 -2M6 10L10 6",
    "M0 2H8M0 6H8",
    "M2 0V8M6 0V8",
)
"""The fill of the bars of each series: solid, slanted, across, along."""


@dataclass(frozen=True, slots=True)
class Series:
    """A value for each label of the chart."""

    name: str
    values: Sequence[int]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart. `format` formats a value; `id` is unique on its page; `lines` draws lines instead of bars.

    Raises ValueError if series and labels do not fit.
    """

    id: str
    title: str
    labels: Sequence[str]
    series: Sequence[Series]
    format: Callable[[int], str] = str
    lines: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.series) <= MOST_SERIES:
            raise ValueError(f"a chart has 1 to {MOST_SERIES} series")
        if any(len(each.values) != len(self.labels) for each in self.series):
            raise ValueError("each series has a value per label")

    @property
    def is_empty(self) -> bool:
        return not any(value for each in self.series for value in each.values)

    @property
    def description(self) -> str:
        """A description in words: the range and the sum of each series."""
        if not self.labels:
            return "Nothing to show."
        parts = [f"From {self.labels[0]} to {self.labels[-1]}."]
        for each in self.series:
            least, most = min(each.values), max(each.values)
            when = self.labels[each.values.index(most)]
            parts.append(
                f"{each.name}: from {self.format(least)} to {self.format(most)} ({when}), "
                f"together {self.format(sum(each.values))}."
            )
        return " ".join(parts)

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """The figures as a table: label by label, one value per series."""
        return [
            (label, [self.format(each.values[place]) for each in self.series])
            for place, label in enumerate(self.labels)
        ]

    def svg(self) -> str:
        scale = Scale.of([value for each in self.series for value in each.values])
        drawing = _frame(f"0 0 {WIDTH} {HEIGHT}", role="img", labelledby=f"{self.id}-title {self.id}-desc")
        SubElement(drawing, "title", id=f"{self.id}-title").text = self.title
        SubElement(drawing, "desc", id=f"{self.id}-desc").text = self.description
        if not self.lines:
            for number in range(len(self.series)):
                _pattern(drawing, self.id, number)
        _grid(drawing, self, scale)
        for number in range(len(self.series)):
            (_line if self.lines else _bars)(drawing, self, number, scale)
        return _text(drawing)

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The sample of each series, as SVG, and its name."""
        return [(_sample(self, number), each.name) for number, each in enumerate(self.series)]


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from `low` to `high`, both multiples of `step`, which includes zero."""

    low: int
    high: int
    step: int

    @classmethod
    def of(cls, values: Sequence[int], most: int = 5) -> Scale:
        """Return the scale with steps of 1, 2, or 5 times a power of ten that fits all values in at most `most` steps,
        or one more.

        >>> Scale.of([-30, 940])
        Scale(low=-200, high=1000, step=200)
        >>> Scale.of([])
        Scale(low=0, high=1, step=1)
        """
        low, high = min([0, *values]), max([0, *values])
        step = _step(high - low, most)
        bottom, top = low // step * step, -(-high // step) * step
        return cls(bottom, max(top, bottom + step), step)

    @property
    def ticks(self) -> range:
        return range(self.low, self.high + 1, self.step)

    def y(self, value: int) -> float:
        """Return the position of a value in the drawing."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)


def _step(span: int, most: int) -> int:
    step = 1
    while True:
        for times in (1, 2, 5):
            if step * times * most >= span:
                return step * times
        step *= 10


def _frame(box: str, *, role: str = "", labelledby: str = "") -> Element:
    frame = Element("svg", viewBox=box)
    if role:
        frame.set("role", role)
        frame.set("aria-labelledby", labelledby)
    else:
        frame.set("aria-hidden", "true")
    return frame


def _text(drawing: Element) -> str:
    return tostring(drawing, encoding="unicode")


def _at(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _kind(number: int, what: str) -> str:
    return f"chart-{number + 1} chart-{what}"


def _pattern(parent: Element, id: str, number: int) -> None:
    whole = number == 0
    pattern = SubElement(
        parent, "pattern", id=f"{id}-fill-{number + 1}", width="8", height="8", patternUnits="userSpaceOnUse"
    )
    shape = SubElement(pattern, "path", d=HATCHES[number])
    shape.set("class", _kind(number, "solid" if whole else "stroke"))
    if not whole:
        shape.set("stroke-width", "2")


def _grid(drawing: Element, chart: Chart, scale: Scale) -> None:
    for value in scale.ticks:
        y = _at(scale.y(value))
        rule = SubElement(drawing, "line", x1=str(LEFT), x2=str(WIDTH - RIGHT), y1=y, y2=y)
        rule.set("class", "chart-grid" if value else "chart-zero")
        label = SubElement(
            drawing, "text", {"x": str(LEFT - 8), "y": y, "dy": "0.35em", "text-anchor": "end"}
        )
        label.set("class", "chart-text")
        label.text = chart.format(value)
    every = -(-len(chart.labels) // MOST_LABELS) or 1
    for place in range(0, len(chart.labels), every):
        x = _at(_middle(chart, place))
        label = SubElement(drawing, "text", {"x": x, "y": str(HEIGHT - 10), "text-anchor": "middle"})
        label.set("class", "chart-text")
        label.text = chart.labels[place]


def _slot(chart: Chart) -> float:
    """Return the width of a label."""
    return (WIDTH - LEFT - RIGHT) / max(1, len(chart.labels))


def _middle(chart: Chart, place: int) -> float:
    return LEFT + _slot(chart) * (place + 0.5)


def _bars(drawing: Element, chart: Chart, number: int, scale: Scale) -> None:
    slot, of = _slot(chart), len(chart.series)
    width = slot * (1 - GAP) / of
    group = SubElement(drawing, "g")
    group.set("class", _kind(number, "bar"))
    for place, value in enumerate(chart.series[number].values):
        if not value:
            continue
        top, bottom = sorted((scale.y(value), scale.y(0)))
        x = LEFT + slot * (place + GAP / 2) + width * number
        bar = SubElement(
            group, "rect", x=_at(x), y=_at(top), width=_at(width), height=_at(max(bottom - top, 1)),
            fill=f"url(#{chart.id}-fill-{number + 1})",
        )  # fmt: skip
        _tip(bar, chart, number, place)


def _line(drawing: Element, chart: Chart, number: int, scale: Scale) -> None:
    values = chart.series[number].values
    points = [(_middle(chart, place), scale.y(value)) for place, value in enumerate(values)]
    group = SubElement(drawing, "g")
    path = SubElement(group, "polyline", points=" ".join(f"{_at(x)},{_at(y)}" for x, y in points))
    path.set("class", _kind(number, "line"))
    if DASHES[number]:
        path.set("stroke-dasharray", DASHES[number])
    for place, (x, y) in enumerate(points):
        _tip(_mark(group, number, x, y), chart, number, place)


def _mark(parent: Element, number: int, x: float, y: float) -> Element:
    """Return a dot, a square, a triangle, or a diamond."""
    shapes = ("", "M-3.5 -3.5H3.5V3.5H-3.5Z", "M0 -4.5L4.5 3.5H-4.5Z", "M0 -5L5 0L0 5L-5 0Z")
    if number == 0:
        mark = SubElement(parent, "circle", cx=_at(x), cy=_at(y), r="3.5")
    else:
        mark = SubElement(parent, "path", d=shapes[number], transform=f"translate({_at(x)} {_at(y)})")
    mark.set("class", _kind(number, "mark"))
    return mark


def _tip(shape: Element, chart: Chart, number: int, place: int) -> None:
    """Return the tooltip of a shape."""
    series = chart.series[number]
    SubElement(
        shape, "title"
    ).text = f"{chart.labels[place]}, {series.name}: {chart.format(series.values[place])}"


def _sample(chart: Chart, number: int) -> str:
    drawing = _frame("0 0 28 14")
    if chart.lines:
        line = SubElement(drawing, "polyline", points="0,7 28,7")
        line.set("class", _kind(number, "line"))
        if DASHES[number]:
            line.set("stroke-dasharray", DASHES[number])
        _mark(drawing, number, 14, 7)
    else:
        bar = SubElement(drawing, "rect", x="1", y="1", width="26", height="12")
        bar.set("fill", f"url(#{chart.id}-fill-{number + 1})")
        bar.set("class", _kind(number, "bar"))
    return _text(drawing)
