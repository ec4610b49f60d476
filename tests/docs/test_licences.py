"""docs/licences.md lists the licence of everything that is shipped, and equals the output of its tool."""

from __future__ import annotations

import re

from tools import licences


def test_the_page_is_fresh() -> None:
    assert licences.PAGE.read_text() == licences.page(), "run: make licences"


def test_every_pinned_package_is_there_with_a_licence() -> None:
    pinned = set(re.findall(r"^([\w.-]+)==", licences.REQUIREMENTS.read_text(), re.MULTILINE))
    listed = {one.name: one.licence for one in licences.python_packages()}
    assert set(listed) == pinned
    assert all(re.fullmatch(r"[\w.+-]+( (OR|AND) [\w.()+ -]+)*", licence) for licence in listed.values())


def test_the_bundle_is_of_what_the_sources_import() -> None:
    names = {one.name for one in licences.npm_packages()}
    assert {"svelte", "esm-env"} <= names
    assert not names & {"vite", "typescript", "axe-core", "openapi-fetch"}, (
        "what builds and tests is not shipped"
    )
