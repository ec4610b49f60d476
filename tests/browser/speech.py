"""What staff pages and their dialogs say: money by its name, people by theirs, and nothing that only programs read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from playwright.sync_api import Page

READ = """(withFields) => {
    const read = document.querySelector('#content').cloneNode(true);
    for (const one of read.querySelectorAll('.technical, script, style, option:not([selected])')) one.remove();
    const fields = [...document.querySelectorAll('#content :is(input:not([type=hidden], [type=checkbox]), textarea)')];
    return [read.textContent, ...(withFields ? fields.map((one) => one.value) : [])].join('\\n');
}"""

CODE = re.compile(r".{0,40}\bXTS\b.{0,20}")
INTERNAL = {
    "an id": re.compile(r".{0,30}\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
    "an account path": re.compile(
        r".{0,40}/(?:cash|session|escrow|external|bank|receivable|payable)\b.{0,10}"
    ),
    "an owner": re.compile(r"\b(?:player|house|tournament|market|payout):\w.{0,30}"),
    "JSON": re.compile(r'[{\[]"\w.{0,30}'),
    "the key of a game": re.compile(
        r"\b(?:vegas-solitaire|ace-race|idle-aces|racing-(?:aces|demons))(?!-)\b"
    ),
}
"""What no dialog shows outside its technical details."""


def codes(page: Page) -> list[str]:
    """Return where a staff page writes the code of play money."""
    return [f"writes XTS: {' '.join(found.split())}" for found in CODE.findall(page.evaluate(READ, False))]


def internals(page: Page) -> list[str]:
    """Return what an open dialog shows that only programs read."""
    text = page.evaluate(READ, True)
    return [f"shows {what}: {one}" for what, pattern in INTERNAL.items() for one in pattern.findall(text)]


def previewed(page: Page, given: Mapping[str, str]) -> bool:
    """Fill the form of an open dialog by its labels, and ask for the preview. Return whether it is shown."""
    form = page.locator("#content form.command")
    form.evaluate("one => (one.noValidate = true)")  # the server judges
    for label, value in given.items():
        field = form.get_by_label(re.compile(rf"^\s*{re.escape(label)}:?\s*$")).first
        if value in ("on", "off"):
            field.set_checked(value == "on")
        elif field.evaluate("one => one.localName") == "select":
            field.select_option(label=value)
        else:
            field.fill(value)
    button = form.get_by_role("button", name="Preview", exact=True)
    if button.count():
        with page.expect_navigation():
            button.click()
    return page.locator("#content [name=confirmed]").count() > 0
