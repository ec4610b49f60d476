"""Charts as SVG, drawn on the server by pygal.

pygal puts a style sheet, a script, and an overlay for tooltips into each drawing, which the content policy refuses.
They are removed. The style sheet of the staff pages colours the drawing, also in dark mode and print. Series differ
by pattern (bars) or by dashes (lines), and never by colour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

WIDTH, HEIGHT = 800, 280
MOST_SERIES = 4
MOST_LABELS = 10
MOST_TICKS = 7

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
    """A chart. `format` formats a value; `id` is unique on its page; `lines` draws lines instead of bars; the labels of
    a `dated` chart are days, the last of which a narrow screen shows first.

    Raises ValueError if series and labels do not fit.
    """

    id: str
    title: str
    labels: Sequence[str]
    series: Sequence[Series]
    format: Callable[[int], str] = str
    lines: bool = False
    dated: bool = False

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
        import pygal  # Its import takes a third of a second, and few processes draw.
        from pygal.etree import etree

        etree.to_etree()  # with lxml installed it would draw with that

        kind = pygal.Line if self.lines else pygal.Bar
        drawing = kind(
            width=WIDTH,
            height=HEIGHT,
            margin=6,
            show_legend=False,
            max_scale=MOST_TICKS,
            include_x_axis=True,
            value_formatter=lambda value: self.format(round(value)),
            x_labels_major_every=-(-len(self.labels) // MOST_LABELS) or 1,
            show_minor_x_labels=False,
            truncate_label=-1,
            dots_size=3.5,
            no_prefix=True,
            disable_xml_declaration=True,
        )
        drawing.x_labels = [str(label) for label in self.labels]
        for each in self.series:
            drawing.add(each.name, list(each.values))
        drawing.add_xml_filter(self._adapted)
        return str(drawing.render(is_unicode=True))

    def _adapted(self, drawing: Element) -> Element:
        """Remove what the content policy refuses, name the image, and add fills and tooltips."""
        for parent in list(drawing.iter()):
            for child in list(parent):
                if _is_refused(child):
                    parent.remove(child)
        del drawing.attrib["id"]
        drawing.set("role", "img")
        drawing.set("aria-labelledby", f"{self.id}-title {self.id}-desc")
        title, patterns = drawing.find("title"), drawing.find("defs")
        assert title is not None
        assert patterns is not None
        title.set("id", f"{self.id}-title")
        title.text = self.title
        SubElement(drawing, "desc", id=f"{self.id}-desc").text = self.description
        for number, each in enumerate(self.series):
            if not self.lines:
                self._add_pattern(patterns, number)
            for group in drawing.iterfind(f".//g[@class='series serie-{number} color-{number}']"):
                for shape in group.iter("rect"):
                    shape.set("fill", f"url(#{self.id}-fill-{number})")
                self._replace_data(group, each)
        return drawing

    def _add_pattern(self, patterns: Element, number: int) -> None:
        fill = SubElement(
            patterns, "pattern", id=f"{self.id}-fill-{number}", width="8", height="8",
            patternUnits="userSpaceOnUse",
        )  # fmt: skip
        kind = "hatch" if number else "solid"
        SubElement(fill, "path", {"d": HATCHES[number], "class": f"serie-{number} {kind}"})

    def _replace_data(self, group: Element, series: Series) -> None:
        """Replace the data that pygal stores for its script with the tooltip of each shape."""
        shapes = [each for each in group.iter("g") if each.find("desc") is not None]
        for shape, label, value in zip(shapes, self.labels, series.values, strict=False):
            for data in shape.findall("desc"):
                shape.remove(data)
            SubElement(shape, "title").text = f"{label}, {series.name}: {self.format(value)}"


SPARK_WIDTH, SPARK_HEIGHT = 100, 24


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A small line of the values of a figure in the last days, next to the figure.

    >>> Sparkline([0, 5, 10]).points
    '0.0,23.0 50.0,12.0 100.0,1.0'
    """

    values: Sequence[int]
    format: Callable[[int], str] = str

    @property
    def points(self) -> str:
        """The points of the line, for a drawing of `SPARK_WIDTH` by `SPARK_HEIGHT`. Zero is always within it."""
        least, most = min(0, *self.values), max(0, *self.values)
        across, up = SPARK_WIDTH / max(1, len(self.values) - 1), (SPARK_HEIGHT - 2) / max(1, most - least)
        return " ".join(
            f"{at * across:.1f},{SPARK_HEIGHT - 1 - (value - least) * up:.1f}"
            for at, value in enumerate(self.values)
        )

    @property
    def description(self) -> str:
        """The range of the values in words."""
        least, most = self.format(min(self.values)), self.format(max(self.values))
        return f"Last {len(self.values)} days: {least} to {most}"


def _is_refused(element: Element) -> bool:
    is_comment = not isinstance(element.tag, str)
    return is_comment or element.tag in ("style", "script") or "tooltip-overlay" in element.get("class", "")
