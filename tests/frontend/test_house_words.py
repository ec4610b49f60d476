"""What the house refuses can be read in every language of the web client: a new code, ruling or ground needs a text."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from games.rules import catalogue
from games.rules.grounds import GROUNDS

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = ["de"]
"""English is what the house speaks itself."""


def texts(language: str, part: str) -> dict[str, str]:
    """The messages of a part of the catalogue; of a plural all its forms."""
    source = (ROOT / "frontend" / "src" / "i18n" / language / f"{part}.ts").read_text()
    return dict(re.findall(r'^  "([^"]+)":((?:.|\n(?!  (?:"|\})|\}))*)', source, re.MULTILINE))


def places(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_documented_code_has_its_text(language: str) -> None:
    documented = re.findall(
        r'^\| <a id="([a-z0-9-]+)"></a>', (ROOT / "docs/errors.md").read_text(), re.MULTILINE
    )
    translated = {key.split(".")[1] for key in texts(language, "refusals")} - {"field"}
    assert len(documented) > 150
    assert translated == set(documented)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_with_places_has_one_without_unless_they_are_always_filled(language: str) -> None:
    """`said` falls back on the server's own words where a place stays open; these members are in each such document."""
    always = {
        "bad-bet.stake": {"step", "minimum", "maximum"},
        "password-refused.password_too_short": {"min_length"},
        "limit-reached.plain": {"limit", "amount", "remaining"},
        "payout-amount-differs": {"amount"},
        "sign-in-locked": {"count"},
        "too-many-requests": {"count"},
        "too-many-streams": {"most"},
        "too-many-tables": {"most"},
    }
    found = {key.removeprefix("refused."): text for key, text in texts(language, "refusals").items()}
    for key, text in found.items():
        if needed := places(text) - always.get(key, set()):
            assert f"{key}.plain" in found, (key, needed)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_ground_of_a_refused_move_has_its_text(language: str) -> None:
    said = {key.removeprefix("ground."): text for key, text in texts(language, "moves").items()}
    for key, sentence in GROUNDS.items():
        known = {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
        assert places(said[key]) <= known, key
    assert {key for key in said if "." not in key} == GROUNDS.keys()


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("game", catalogue(), ids=lambda game: str(game["slug"]))
def test_every_ruling_has_its_text(language: str, game: dict[str, object]) -> None:
    def keys(rulings: object) -> set[str]:
        assert isinstance(rulings, list)
        return {ruling["key"] for ruling in rulings}

    prefix = f"ruling.{game['slug']}."
    own = {key.removeprefix(prefix) for key in texts(language, f"rules-{game['slug']}")}
    assert own == keys(game["rulings"])
    said = texts(language, "moves")
    assert {key.removeprefix("ruling.") for key in said if key.startswith("ruling.")} == keys(game["general"])
