"""Charts: correct shapes, a text and a table for the figures, and no script, style, or colour needed."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staff.charts import HEIGHT, MOST_LABELS, MOST_SERIES, Chart, Series

SVG = "{http://www.w3.org/2000/svg}"
AMOUNTS = st.integers(-(10**13), 10**13)


@st.composite
def some_charts(draw: st.DrawFn) -> Chart:
    labels = draw(st.lists(st.text("<>&\"'aé 1", max_size=6), max_size=40))
    count = draw(st.integers(1, MOST_SERIES))
    values = st.lists(AMOUNTS, min_size=len(labels), max_size=len(labels))
    series = [Series(f"<{number}>", draw(values)) for number in range(count)]
    return Chart("c", "Stakes & winnings", labels, series, lines=draw(st.booleans()))


def shapes(chart: Chart, tag: str) -> list[Element]:
    return list(fromstring(chart.svg()).iter(f"{SVG}{tag}"))


@given(some_charts())
@settings(max_examples=30)
def test_every_chart_is_svg_that_the_content_policy_accepts(chart: Chart) -> None:
    drawing = fromstring(chart.svg())
    assert drawing.tag == f"{SVG}svg"
    for element in drawing.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg", "title", "desc", "defs", "pattern", "path", "g", "rect", "text", "circle",
        }  # fmt: skip
        assert "style" not in element.attrib
        assert not any(name.startswith("on") or "href" in name for name in element.attrib)
    assert "http" not in chart.svg().replace('xmlns="http://www.w3.org/2000/svg"', "")


@given(some_charts())
@settings(max_examples=30)
def test_each_value_has_a_tooltip_and_a_cell(chart: Chart) -> None:
    tips = [title.text or "" for title in shapes(chart, "title")]
    shown = [tip.rpartition(": ")[2] for tip in tips if ", <0>: " in tip]
    assert shown == [str(value) for value in chart.series[0].values]
    assert [values for _, values in chart.rows] == [
        [str(each.values[place]) for each in chart.series] for place in range(len(chart.labels))
    ]


def test_bars_start_at_zero_with_the_height_of_their_values() -> None:
    chart = Chart("c", "t", ["a", "b", "c"], [Series("s", [100, 50, -100])])
    high, half, low = (
        {name: float(bar.get(name, "")) for name in ("y", "height")}
        for bar in shapes(chart, "rect")
        if bar.get("fill")
    )
    assert high["height"] == pytest.approx(2 * half["height"], abs=0.2)
    zero = high["y"] + high["height"]
    assert half["y"] + half["height"] == pytest.approx(zero, abs=0.2)
    assert low["y"] == pytest.approx(zero, abs=0.2)
    assert low["height"] == pytest.approx(high["height"], abs=0.2)
    assert high["y"] >= 0
    assert low["y"] + low["height"] <= HEIGHT


def test_series_differ_without_colour() -> None:
    many = [Series(str(number), [5]) for number in range(MOST_SERIES)]
    bars, lines = Chart("c", "t", ["a"], many), Chart("c", "t", ["a"], many, lines=True)
    drawn = {path.get("d") for pattern in shapes(bars, "pattern") for path in pattern}
    assert len(drawn) == MOST_SERIES
    groups = [group.get("class", "").split() for group in shapes(lines, "g")]
    dashed = {name for names in groups if "series" in names for name in names if name.startswith("serie-")}
    assert len(dashed) == MOST_SERIES  # the style sheet gives each its dashes


def test_the_image_has_a_name_and_a_description() -> None:
    chart = Chart(
        "x", "Stakes", ["1 Mar", "2 Mar"], [Series("Stakes", [300, 900])], format=lambda pence: f"£{pence}"
    )
    drawing = fromstring(chart.svg())
    assert drawing.get("role") == "img"
    names = {
        element.get("id"): element.text for element in drawing if element.tag in (f"{SVG}title", f"{SVG}desc")
    }
    assert drawing.get("aria-labelledby", "").split() == list(names)
    assert names["x-title"] == "Stakes"
    reported = "From 1 Mar to 2 Mar. Stakes: from £300 to £900 (2 Mar), together £1200."
    assert names["x-desc"] == reported


def test_labels_are_thinned_before_they_overlap() -> None:
    chart = Chart("c", "t", [str(day) for day in range(365)], [Series("s", [1] * 365)])
    axis = next(group for group in shapes(chart, "g") if group.get("class") == "axis x")
    assert 2 <= len(list(axis.iter(f"{SVG}text"))) <= MOST_LABELS


@pytest.mark.parametrize(
    "series", [[], [Series("s", [1])], [Series("s", [1, 2])] * 5], ids=["none", "short", "many"]
)
def test_invalid_charts_are_refused(series: list[Series]) -> None:
    with pytest.raises(ValueError, match=r"chart|label"):
        Chart("c", "t", ["a", "b"], series)
