"""What a seat at a staked table costs, and what the pot of all seats comes to by the outcome. Pure.

The terms stand in the game's `created` event, so they were fixed before anybody sat down and are proven with the game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from games.rules.protocol import Game
from ledger.buyins.terms import PotTerms, Shares

GAMES = ("ace-race", "racing-demons")
"""The games that can be played for buy-ins: several seats, and an outcome that gives each a place."""

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

    def shares(self, outcome: Mapping[str, Any]) -> Shares[int]:
        """The rake, and what each seat gets of the pot; within a shared place odd pence go to the lower seat."""
        places: list[list[int]] = outcome["places"]
        seats = sum(len(place) for place in places)
        return self.terms.divide(self.amount * seats, places)


def read(document: object, game: Game) -> BuyIn:
    """The terms in a `created` event of that game. Raises NoBuyIn."""
    if game.slug not in GAMES:
        raise NoBuyIn(f"{game.name} is played for no buy-in")
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
    return BuyIn(amount, currency, terms)
