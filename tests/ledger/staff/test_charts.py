"""Charts: correct shapes, a text and a table for the figures, and no script, style, or colour needed."""

from __future__ import annotations

import doctest
import re
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.staff import charts
from ledger.staff.charts import HEIGHT, LEFT, MOST_SERIES, TOP, WIDTH, Chart, Scale, Series

AMOUNTS = st.integers(-(10**13), 10**13)


@st.composite
def some_charts(draw: st.DrawFn) -> Chart:
    labels = draw(st.lists(st.text("<>&\"'aé 1", max_size=6), max_size=40))
    count = draw(st.integers(1, MOST_SERIES))
    values = st.lists(AMOUNTS, min_size=len(labels), max_size=len(labels))
    series = [Series(f"<{number}>", draw(values)) for number in range(count)]
    return Chart("c", "Stakes & winnings", labels, series, lines=draw(st.booleans()))


def shapes(chart: Chart, tag: str) -> list[Element]:
    return list(fromstring(chart.svg()).iter(tag))


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(charts).failed == 0


@given(some_charts())
def test_every_chart_is_valid_svg_without_scripts_or_styles(chart: Chart) -> None:
    for text in (chart.svg(), *(sample for sample, _ in chart.legend)):
        drawing = fromstring(text)
        assert drawing.tag == "svg"
        for element in drawing.iter():
            assert element.tag in {
                "svg", "title", "desc", "pattern", "path", "g", "rect", "line", "text", "polyline", "circle",
            }  # fmt: skip
            assert "style" not in element.attrib
            assert not any(name.startswith("on") or "href" in name for name in element.attrib)


@given(some_charts())
def test_everything_is_drawn_within_the_frame(chart: Chart) -> None:
    for bar in shapes(chart, "rect"):
        x, y, width, height = (float(bar.get(name, "")) for name in ("x", "y", "width", "height"))
        assert x + 0.1 >= LEFT
        assert x + width <= WIDTH + 0.1
        assert y + 0.1 >= TOP
        assert y + height <= HEIGHT
    for line in shapes(chart, "polyline"):
        for point in (line.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert LEFT <= x <= WIDTH
            assert TOP <= y + 0.1 <= HEIGHT


@given(some_charts())
def test_each_value_has_a_shape_and_a_text(chart: Chart) -> None:
    drawn = "circle" if chart.lines else "rect"
    first = [value for value in chart.series[0].values if value or chart.lines]
    of_first = [shape for shape in shapes(chart, drawn) if "<0>" in (shape.findtext("title") or "")]
    assert len(of_first) == len(first)
    for shape, value in zip(of_first, first, strict=True):
        assert (shape.findtext("title") or "").endswith(f"<0>: {value}")
    assert [values for _, values in chart.rows] == [
        [str(each.values[place]) for each in chart.series] for place in range(len(chart.labels))
    ]


def test_bars_start_at_zero_with_the_height_of_their_values() -> None:
    chart = Chart("c", "t", ["a", "b", "c"], [Series("s", [100, 50, -100])])
    high, half, low = (
        {name: float(bar.get(name, "")) for name in ("y", "height")} for bar in shapes(chart, "rect")
    )
    assert high["height"] == pytest.approx(2 * half["height"], abs=0.2)
    zero = high["y"] + high["height"]
    assert half["y"] + half["height"] == pytest.approx(zero, abs=0.2)
    assert low["y"] == pytest.approx(zero, abs=0.2)
    assert low["height"] == pytest.approx(high["height"], abs=0.2)


@given(st.lists(AMOUNTS, max_size=20))
def test_a_scale_contains_all_values_in_few_round_steps(values: list[int]) -> None:
    scale = Scale.of(values)
    assert scale.low <= min([0, *values])
    assert scale.high >= max([0, *values])
    assert 2 <= len(scale.ticks) <= 8
    assert 0 in scale.ticks
    assert re.fullmatch("[125]0*", str(scale.step))


def test_series_differ_without_colour() -> None:
    many = [Series(str(number), [5]) for number in range(MOST_SERIES)]
    bars, lines = Chart("c", "t", ["a"], many), Chart("c", "t", ["a"], many, lines=True)
    patterns = {pattern.find("path").get("d") for pattern in shapes(bars, "pattern")}  # type: ignore[union-attr]
    assert len(patterns) == MOST_SERIES
    dashes = {line.get("stroke-dasharray") for line in shapes(lines, "polyline")}
    assert len(dashes) == MOST_SERIES


def test_the_image_has_a_name_and_a_description() -> None:
    chart = Chart(
        "x", "Stakes", ["1 Mar", "2 Mar"], [Series("Stakes", [300, 900])], format=lambda pence: f"£{pence}"
    )
    drawing = fromstring(chart.svg())
    assert drawing.get("role") == "img"
    names = {element.get("id"): element.text for element in drawing if element.tag in ("title", "desc")}
    assert drawing.get("aria-labelledby", "").split() == list(names)
    assert names["x-title"] == "Stakes"
    reported = "From 1 Mar to 2 Mar. Stakes: from £300 to £900 (2 Mar), together £1200."
    assert names["x-desc"] == reported


def test_labels_are_thinned_before_they_overlap() -> None:
    chart = Chart("c", "t", [str(day) for day in range(365)], [Series("s", [1] * 365)])
    below = [text for text in shapes(chart, "text") if float(text.get("y", "")) > HEIGHT - 20]
    assert len(below) <= 10


@pytest.mark.parametrize(
    "series", [[], [Series("s", [1])], [Series("s", [1, 2])] * 5], ids=["none", "short", "many"]
)
def test_invalid_charts_are_refused(series: list[Series]) -> None:
    with pytest.raises(ValueError, match=r"chart|label"):
        Chart("c", "t", ["a", "b"], series)
