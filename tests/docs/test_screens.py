"""docs/screens.md shows every page of the client, and its pictures are there and small."""

from __future__ import annotations

from tests.browser import pages
from tools import screenshots

TOGETHER = 3_000_000
"""Bytes."""


def test_the_page_is_fresh() -> None:
    assert screenshots.PAGE.read_text() == screenshots.shown(), "run: make screenshots"


def test_every_route_of_the_client_has_a_picture() -> None:
    assert {page.route for page in pages.CLIENT} - {""} == pages.routes()
    assert set(pages.PICTURED) <= set(pages.OFFICE)


def test_every_picture_is_there_and_small() -> None:
    wanted = {
        screenshots.file_of(name, width) for name in screenshots.every_name() for width in screenshots.WIDTHS
    }
    assert set(screenshots.FOLDER.iterdir()) == wanted, "run: make screenshots"
    sizes = {path.name: path.stat().st_size for path in wanted}
    assert {name for name, size in sizes.items() if size > screenshots.LARGEST} == set()
    assert sum(sizes.values()) <= TOGETHER
