"""Every refusal code, ruling, and ground has a text in every language of the web client but English."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from games.bots.simulation import Lots
from games.evidence.words import differences
from games.observation import open_view
from games.rules import catalogue, get
from games.rules import table as tables
from games.rules.fairness import commitment
from games.rules.refusals import GROUNDS

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = ["de", "pl"]
"""English is not among them: the server writes these texts in English."""


def texts(language: str, part: str) -> dict[str, str]:
    """The messages of a part of the catalogue, or of a game's ("ace-race/rules"); of a plural all its forms."""
    game, _, name = part.rpartition("/")
    folder = ROOT / "frontend" / "src" / (f"games/{game}" if game else "i18n")
    source = (folder / language / f"{name}.ts").read_text()
    return dict(re.findall(r'^  "([^"]+)":((?:.|\n(?!  (?:"|\})|\}))*)', source, re.MULTILINE))


def places(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_documented_code_has_a_text(language: str) -> None:
    documented = re.findall(
        r'^\| <a id="([a-z0-9-]+)"></a>', (ROOT / "docs/errors.md").read_text(), re.MULTILINE
    )
    translated = {key.split(".")[1] for key in texts(language, "refusals")} - {"field"}
    assert len(documented) > 150
    assert translated == set(documented)


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_text_with_placeholders_has_a_plain_form_unless_they_are_always_filled(language: str) -> None:
    """`problemText` falls back on the server's text if a placeholder is not filled; these members always are."""
    always = {
        "bad-bet.stake": {"step", "minimum", "maximum"},
        "password-refused.password_too_short": {"min_length"},
        "limit-reached.plain": {"limit", "amount", "remaining"},
        "payout-amount-differs": {"amount"},
        "sign-in-locked": {"count"},
        "budget-spent": {"count"},
        "too-many-requests": {"count"},
        "too-many-streams": {"most"},
        "too-many-tables": {"most"},
    }
    found = {key.removeprefix("refused."): text for key, text in texts(language, "refusals").items()}
    for key, text in found.items():
        if needed := places(text) - always.get(key, set()):
            assert f"{key}.plain" in found, (key, needed)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_ground_of_a_refused_move_has_a_text(language: str) -> None:
    found = {key.removeprefix("ground."): text for key, text in texts(language, "moves").items()}
    for key, sentence in GROUNDS.items():
        known = {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
        assert places(found[key]) <= known, key
    assert {key for key in found if "." not in key} == GROUNDS.keys()


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("game", catalogue(), ids=lambda game: str(game["slug"]))
def test_every_ruling_has_a_text(language: str, game: dict[str, object]) -> None:
    def keys(rulings: object) -> set[str]:
        assert isinstance(rulings, list)
        return {ruling["key"] for ruling in rulings}

    prefix = f"ruling.{game['slug']}."
    own = {key.removeprefix(prefix) for key in texts(language, f"{game['slug']}/rules")}
    assert own == keys(game["rulings"])
    found = texts(language, "moves")
    assert {key.removeprefix("ruling.") for key in found if key.startswith("ruling.")} == keys(
        game["general"]
    )


def positions(slug: str) -> Iterator[tables.Table]:
    """Yield the table of a game from its opening, through the deal, to 100 moves."""
    game, rng, seed = get(slug), random.Random(slug), Lots("changes", 0).draw("server seed")
    seats = game.seats[0]
    config = game.parse_config({"draw": 1} if slug == "vegas-solitaire" else {})
    table = tables.create(game, config, commitment=commitment(seed))
    now = tables.evolve(None, table.type, table.seat, table.data)
    for seat in range(seats):
        fact = tables.seat(now, seat, player=str(seat), seed="")
        now = tables.evolve(now, fact.type, fact.seat, fact.data)
    yield now
    key = now.key(seed)
    facts: tuple[tables.Fact, ...] = (tables.deal(now, key),)
    for _ in range(100):
        for fact in facts:
            now = tables.evolve(now, fact.type, fact.seat, fact.data, fact.private)
        yield now
        legal = [(seat, move) for seat in [None, *range(seats)] for move in now.legal_moves(seat)]
        if not legal:
            return
        facts = tables.decide(
            now, *rng.choice([one for one in legal if one[1]["type"] != "resign"] or legal), key
        )


@pytest.mark.parametrize("language", ["en", *TRANSLATED])
@pytest.mark.parametrize("slug", [str(game["slug"]) for game in catalogue()])
def test_every_part_of_a_table_that_changes_has_a_name(language: str, slug: str) -> None:
    views = [open_view(table) for table in positions(slug)]
    changed = {
        str(step)
        for before, after in pairwise(views)
        for change in differences(before, after)
        for step in change.path
    }
    named = {step for step in changed if not re.fullmatch(r"\d+|[CDHS]", step)}
    assert len(named) > 2
    assert {f"change.{step}" for step in [*named, "status", "seats", "outcome"]} <= texts(
        language, "changes"
    ).keys()
