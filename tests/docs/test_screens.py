"""docs/screens.md shows a dozen pictures, and they are there and small."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.browser import pages


@pytest.fixture
def screenshots() -> ModuleType:
    from tools import screenshots  # imports Playwright, which no other test of this suite needs

    return screenshots


def test_the_page_is_fresh(screenshots: ModuleType) -> None:
    assert screenshots.PAGE.read_text() == screenshots.shown(), "run: make screenshots"


def test_every_route_of_the_client_has_a_page() -> None:
    assert {page.route for page in pages.CLIENT} - {""} == pages.routes()


def test_every_picture_is_there_and_small(screenshots: ModuleType) -> None:
    assert {file.stem for file in screenshots.FOLDER.iterdir()} == set(screenshots.SHOWN), (
        "run: make screenshots"
    )
    assert max(file.stat().st_size for file in screenshots.FOLDER.iterdir()) <= screenshots.LARGEST
