"""The buy-in of a seat at a staked table, and the division of the pot by the outcome. Pure.

The pot of a race goes to the seats of the winning suit in equal parts, or back to all seats if there are none. The
game's `created` event contains the terms, so they are fixed before a player sits down and are proven with the game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from games.rules.protocol import Game
from games.rules.registry import manifest
from ledger.stakes.terms import WINNER_TAKES_ALL, PotTerms, Shares

LEAST_SEATS = 2
"""The fewest seats of a table with a pot."""

MOST = 10**11
"""Pence of one buy-in."""

_CURRENCY = re.compile(r"[A-Z][A-Z0-9]{1,11}").fullmatch


class NoBuyIn(ValueError):
    """These are no terms of a buy-in, or not of this game."""


class BuyIn(NamedTuple):
    amount: int
    """Pence that each seat pays."""
    currency: str
    terms: PotTerms

    def document(self) -> dict[str, Any]:
        return {
            "amount": self.amount,
            "currency": self.currency,
            "stake_table": self.terms.stake_table,
            "rake": self.terms.rake,
            "split": list(self.terms.split),
        }

    def shares(self, outcome: Mapping[str, Any], seats: int) -> Shares[int]:
        """The rake, and what each seat gets of the pot; within a shared place odd pence go to the lower seat."""
        by_place = places(outcome)
        if by_place is None:
            return Shares(0, dict.fromkeys(range(seats), self.amount))
        return self.terms.divide(self.amount * seats, by_place)


def takes_buy_ins(game: Game, config: object) -> bool:
    """Return whether the game can be played for buy-ins under this config, written as JSON."""
    terms = manifest(game.slug).buy_ins
    return terms is not None and terms.accepts(config if isinstance(config, Mapping) else {})


def without(game: Game) -> str:
    """Return why a table of that game has no buy-in, without a full stop."""
    terms = manifest(game.slug).buy_ins
    return f"{game.name} is played for no buy-in{terms.unless if terms else ''}"


def places(outcome: Mapping[str, Any] | None) -> list[list[int]] | None:
    """The seats by place; None where every buy-in goes back: a game without an outcome, a race that no seat has won."""
    if outcome is None:
        return None
    if "places" in outcome:
        by_place: list[list[int]] = outcome["places"]
        return by_place
    winners: list[int] = outcome.get("winners", [])
    if not winners:
        return None
    others = [seat for seat in range(len(outcome["suits"])) if seat not in winners]
    return [winners, others] if others else [winners]


def read(document: object, game: Game, config: object) -> BuyIn:
    """The terms in a `created` event of that game and config. Raises NoBuyIn."""
    if not takes_buy_ins(game, config):
        raise NoBuyIn(without(game))
    keys = {"amount", "currency", "stake_table", "rake", "split"}
    if not isinstance(document, dict) or document.keys() != keys:
        raise NoBuyIn(f"a buy-in has the keys {', '.join(sorted(keys))}")
    amount, currency, table = document["amount"], document["currency"], document["stake_table"]
    if type(amount) is not int or not 1 <= amount <= MOST:
        raise NoBuyIn("a buy-in's amount is a whole number of pence")
    if type(currency) is not str or not _CURRENCY(currency):
        raise NoBuyIn("a buy-in's currency is not of its form")
    if type(table) is not str or not isinstance(document["split"], list):
        raise NoBuyIn("a buy-in names its stake table, and the shares of the places as a list")
    terms = PotTerms(stake_table=table, rake=document["rake"], split=tuple(document["split"]))
    if faults := terms.faults():
        raise NoBuyIn(" ".join(faults))
    about = manifest(game.slug).buy_ins
    if about and about.winner_takes_all and (terms.rake, terms.split) != (0, WINNER_TAKES_ALL):
        raise NoBuyIn("the winners of a race share the whole pot: `rake` is 0 and `split` one place")
    return BuyIn(amount, currency, terms)
