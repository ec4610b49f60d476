"""A challenge is accepted or declined in the lobby, where it appears by itself."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site, scrolls_sideways, violations
from tests.browser.test_table_layout import WATCH
from tests.browser.visiting import inputs_of


def test_a_challenge_is_answered_in_one_click(site: Site, open_page: Opener) -> None:
    daring, challenger = site.newcomer("daring"), site.newcomer("gauntlet")
    site.newcomer("reluctant")
    wide = open_page("/", user="daring")
    narrow = open_page("/", user="reluctant", viewport=NARROW, colours="dark")
    made = {}
    for name, page in (("daring", wide), ("reluctant", narrow)):
        order = {"opponents": [name], "rules": "ace-race", "config": {}}
        made[name] = challenger.post("challenges/", order)
        expect(page.get_by_role("region", name="Challenges")).to_contain_text(
            "gauntlet challenges you: Ace Race, for points"
        )
        assert violations(page) == []
        assert not scrolls_sideways(page)

    # The stream tells of it: nothing is asked for, and nothing on the page moves.
    wide.evaluate(WATCH)
    asked: list[str] = []
    wide.on("request", lambda request: asked.append(request.url))
    site.newcomer("second-gauntlet").post(
        "challenges/", {"opponents": ["daring"], "rules": "ace-race", "config": {}}
    )
    expect(wide.get_by_text("second-gauntlet challenges you").last).to_be_visible()
    expect(wide.get_by_role("banner").get_by_role("link", name="Notifications")).to_be_visible()
    assert wide.evaluate("window.shifted") == []
    assert [url for url in asked if "challenges" in url or "notifications" in url] == []
    wide.get_by_role("listitem").filter(has_text="second-gauntlet").get_by_role(
        "button", name="Answer second-gauntlet’s challenge later: Ace Race"
    ).click()
    expect(wide.get_by_role("button", name="Accept")).to_have_count(1)

    count = inputs_of(wide)
    wide.get_by_role("button", name="Accept gauntlet’s challenge: Ace Race").click()
    expect(wide).to_have_url(re.compile(rf"/games/{made['daring']['game']}/$"))
    assert count() == 1
    assert daring.get(f"challenges/{made['daring']['id']}/")["status"] == "accepted"

    narrow.get_by_role("button", name="Decline gauntlet’s challenge: Ace Race").click()
    expect(narrow.get_by_role("region", name="Challenges")).to_have_count(0)
    assert challenger.get(f"challenges/{made['reluctant']['id']}/")["status"] == "declined"
