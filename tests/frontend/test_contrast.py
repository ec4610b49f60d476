"""Every pair of colours that the tokens put together has the contrast that WCAG 2.2 asks for, in light and dark."""

from __future__ import annotations

import re

import pytest

from tools.frontend import TOKENS

TEXT, PART = 4.5, 3.0
"""The least contrast of text, and of controls and the signs of a state."""

GROUNDS = ("surface", "raised", "sunken")
INKS = ("ink", "quiet-ink", "accent", "good", "warn", "bad")
PAIRS = [
    *((ink, ground, TEXT) for ink in INKS for ground in GROUNDS),
    *((part, ground, PART) for part in ("edge", "accent") for ground in GROUNDS),
    ("on-accent", "accent", TEXT),
    ("felt-ink", "felt", TEXT),
    ("felt-quiet", "felt", TEXT),
]
TINTS = {"good": 0.12, "warn": 0.12, "bad": 0.10}
"""The share of a colour in its tinted ground (`racecard/staff.css`)."""

Colour = tuple[float, ...]


def colours(scheme: str) -> dict[str, Colour]:
    """The colours of the scheme, from the first rule of the file; of a pair of `light-dark` one is chosen."""
    rule = TOKENS.read_text().split("}", 1)[0]
    found = re.findall(r"--([\w-]+): (?:light-dark\()?#(\w{6})(?:, #(\w{6}))?", rule)
    assert len(found) > 12
    return {
        name: tuple(int((dark or light if scheme == "dark" else light)[at : at + 2], 16) for at in (0, 2, 4))
        for name, light, dark in found
    }


def luminance(colour: Colour) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two colours, from 1 to 21.

    >>> round(contrast((0, 0, 0), (255, 255, 255)))
    21
    """
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_parts_stand_out_from_their_ground(scheme: str) -> None:
    known = colours(scheme)
    weak = {
        (over, under): round(found, 2)
        for over, under, least in PAIRS
        if (found := contrast(known[over], known[under])) < least
    }
    assert weak == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_state_is_readable_on_its_own_tint(scheme: str) -> None:
    known = colours(scheme)
    for name, share in TINTS.items():
        pairs = zip(known[name], known["raised"], strict=True)
        tint = tuple(share * over + (1 - share) * under for over, under in pairs)
        assert contrast(known[name], tint) >= TEXT, name


def test_forced_colours_leave_every_colour_to_the_system() -> None:
    rule = TOKENS.read_text().split("forced-colors: active", 1)[1].split("@media", 1)[0]
    forced = dict(re.findall(r"--([\w-]+): (\w+);", rule))
    assert set(forced) == set(colours("light"))
    assert set(forced.values()) <= {"Canvas", "CanvasText", "ButtonBorder", "LinkText"}
