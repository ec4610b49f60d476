"""Test the content security policy of all pages outside the API."""

from __future__ import annotations

import re

import pytest

from tests.security.world import World, routes

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

INLINE = re.compile(
    rb"<style|<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")|\son\w+=|\sstyle=|javascript:", re.I
)


def pages(world: World) -> dict[str, str]:
    """The addresses outside of the API that the world has something at."""
    found = {}
    for route, _ in routes():
        if route.startswith("api/") or "(?P" in route or "object_id" in route:
            continue
        try:
            found[route] = world.address(route)
        except KeyError:
            continue
    assert len(found) > 60
    return found


def test_all_pages_have_strict_policy(world: World) -> None:
    for role in ("administrator", "anonymous"):
        browser = world.browser(role)
        for route, address in pages(world).items():
            answer = browser.get(address)
            body = answer.getvalue()
            policy = dict(
                each.strip().partition(" ")[::2] for each in answer["Content-Security-Policy"].split(";")
            )
            assert policy["script-src"] == policy["style-src"] == policy["default-src"] == "'self'", route
            is_framed = route.startswith("embed/")
            assert policy["object-src"] == "'none'"
            assert policy["frame-ancestors"] == ("*" if is_framed else "'none'"), route
            assert answer["X-Content-Type-Options"] == "nosniff"
            assert answer.get("X-Frame-Options") == (None if is_framed else "DENY"), route
            if answer["Content-Type"].startswith("text/html"):
                assert not (bad := INLINE.search(body)), (route, bad)
