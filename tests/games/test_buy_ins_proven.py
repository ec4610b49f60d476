"""Verification of the bundle of a game with buy-ins finds other payments and other terms."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from games import selectors
from games.models import GameRecord
from games.rules.bundles.verification import verify
from games.services import create_game, void_game
from tests.games.staked import NOON, dealt, play_out, table_of
from tests.money import change
from tests.tampering import rehash

pytestmark = pytest.mark.django_db

Bundle = dict[str, Any]


@pytest.fixture
def bundle(player: Player, rival: Player, stranger: Player) -> Bundle:
    change(table_of("racing-demons"), rake=1000, split=(7000, 3000))
    people = [player, rival, stranger]
    game = play_out(dealt("racing-demons", people, server_seed=bytes(range(32))), people, moves=90)
    assert game.outcome is not None
    assert game.outcome["places"] == [[1], [0, 2]]
    return selectors.bundle(game, player)


def chained(bundle: Bundle) -> Bundle:
    """Return the altered bundle with recomputed hashes."""
    rehash(bundle["game"]["id"], bundle["events"])
    return bundle


def terms(key: str, value: Any) -> Callable[[Bundle], None]:
    def alter(bundle: Bundle) -> None:
        bundle["events"][0]["data"]["buy_in"][key] = value

    return alter


def swap_the_prize(bundle: Bundle) -> None:
    first, second, _ = (each for each in bundle["transfers"] if each["reason"] == "prize")
    first["credit"], second["credit"] = second["credit"], first["credit"]


def take_more_rake(bundle: Bundle) -> None:
    [rake] = [each for each in bundle["transfers"] if each["reason"] == "rake"]
    rake["credit"] = "house/promotion"


def other_money(bundle: Bundle) -> None:
    for each in bundle["transfers"]:
        each["currency"] = "EUR"


def leave_out_a_buy_in(bundle: Bundle) -> None:
    del bundle["transfers"][0]


def hide_the_terms(bundle: Bundle) -> None:
    del bundle["events"][0]["data"]["buy_in"]


MONEY: dict[str, Callable[[Bundle], None]] = {
    "another prize winner": swap_the_prize,
    "a rake elsewhere": take_more_rake,
    "another currency": other_money,
    "a buy-in less": leave_out_a_buy_in,
    "no terms": hide_the_terms,
    "another rake": terms("rake", 0),
    "another split": terms("split", [10_000]),
    "another amount": terms("amount", 510),
}


def test_an_unaltered_bundle_verifies(bundle: Bundle) -> None:
    assert verify(chained(copy.deepcopy(bundle))).faults == verify(bundle).faults == ()
    assert [each["reason"] for each in bundle["transfers"]].count("rake") == 1


def test_money_that_differs_from_the_terms_is_found(bundle: Bundle, subtests: pytest.Subtests) -> None:
    sound = bundle
    for alter in MONEY.values():
        with subtests.test(alter=alter):
            bundle = copy.deepcopy(sound)
            alter(bundle)
            report = verify(chained(bundle))
            assert report.checks["money"] == "failed"


def test_malformed_terms_are_found(bundle: Bundle, subtests: pytest.Subtests) -> None:
    sound = bundle
    for key, value in [
        ("amount", 0),
        ("amount", 520.0),
        ("amount", True),
        ("amount", 10**12),
        ("currency", "xts"),
        ("currency", None),
        ("stake_table", 7),
        ("rake", 10_000),
        ("rake", "0"),
        ("split", [5000]),
        ("split", "10000"),
        ("split", []),
        ("tip", 5),
    ]:
        with subtests.test(key=key, value=value):
            bundle = copy.deepcopy(sound)
            terms(key, value)(bundle)
            report = verify(chained(bundle))
            assert not report.ok
            assert report.checks["events"] == "failed"


def test_terms_in_a_game_that_has_none_are_found(player: Player) -> None:
    game = create_game(rules="idle-aces", config={}, seats=1, creator=player, now=NOON)
    void_game(game_id=game.pk, reason="x", now=NOON)
    document = selectors.bundle(GameRecord.objects.get(pk=game.pk), player)
    assert verify(document).ok
    document["events"][0]["data"]["buy_in"] = {
        "amount": 520, "currency": "XTS", "stake_table": "x", "rake": 0, "split": [10_000],
    }  # fmt: skip
    assert verify(chained(document)).checks["events"] == "failed"


def test_a_record_with_another_buy_in_is_found(player: Player, rival: Player) -> None:
    people = [player, rival]
    game = play_out(dealt("ace-race", people), people)
    assert selectors.verification(game)["ok"]
    GameRecord.objects.filter(pk=game.pk).update(buy_in=510)
    report = selectors.verification(game)
    assert report["checks"]["record"] == "failed"
