"""docs/screens.md shows a dozen pictures, which are there and small, and the list of pages is complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from unittest.mock import MagicMock
from uuid import UUID

import pytest
from django.urls import URLPattern, get_resolver, resolve
from django.urls.resolvers import URLResolver

from tests.browser import pages
from tests.browser.sample import SampleSite


@pytest.fixture
def screenshots() -> ModuleType:
    from tools import screenshots  # imports Playwright, which no other test of this suite needs

    return screenshots


def test_the_page_is_fresh(screenshots: ModuleType) -> None:
    assert screenshots.PAGE.read_text() == screenshots.shown(), "run: make screenshots"


def test_every_route_of_the_client_has_a_page() -> None:
    assert {page.route for page in pages.CLIENT} - {""} == pages.routes()


COMMON = ("_changelist", "_add", "_history", "_delete", "_change", "_csv")
"""Lists are opened from the first page, and these pages of their rows are the same for all or refuse."""
NO_PAGES = {
    "login", "logout", "password_change", "password_change_done", "autocomplete", "jsi18n", "view_on_site",
    "app_list", None,
}  # fmt: skip
ACTIONS_ALONE = {"tournament_check_in_entry"}
"""Buttons without a page."""


def test_every_staff_page_has_an_entry() -> None:
    def named(patterns: Sequence[URLPattern | URLResolver]) -> Iterator[str | None]:
        for one in patterns:
            if isinstance(one, URLResolver):
                yield from named(one.url_patterns)
            else:
                yield one.name

    [admin] = [one for one in get_resolver().url_patterns if getattr(one, "app_name", "") == "admin"]
    expected = {
        name for name in named(admin.url_patterns)
        if name not in NO_PAGES | ACTIONS_ALONE and not str(name).endswith(COMMON)
    }  # fmt: skip
    anything = MagicMock(spec_set=SampleSite)
    anything.player.player = anything.helper = anything.market = anything.dispute = anything.proposed = UUID(
        int=0
    )
    for each in (anything.games, anything.tournaments, anything.payouts):
        each.__getitem__.return_value = UUID(int=0)
    anything.rows.__getitem__.side_effect = lambda name: 1 if name == "report" else UUID(int=0)
    addresses = [path(anything).partition("?")[0] for path in pages.STAFF.values()]
    assert expected - {resolve(f"/admin/{address}").url_name for address in addresses} == set()


def test_every_picture_is_there_and_small(screenshots: ModuleType) -> None:
    assert {file.stem for file in screenshots.FOLDER.iterdir()} == set(screenshots.SHOWN), (
        "run: make screenshots"
    )
    assert max(file.stat().st_size for file in screenshots.FOLDER.iterdir()) <= screenshots.LARGEST
