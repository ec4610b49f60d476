"""The money of a finished game: whether its transfers agree with its outcome (RULEBOOK 8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from games.rules import buy_in
from games.rules.buy_in import BuyIn
from games.rules.table import Table

RAKE = "house/rake"

Gained = Mapping[tuple[str, str], int]
"""What each account gained, by account and currency: a credit adds, a debit takes away."""


class Stakes(NamedTuple):
    """What the outcome asks for."""

    players: dict[str, int]
    """Pence that each must have gained; whoever is not named, nothing."""
    rake: int | None
    """What the house must have kept of a pot; None where there was no pot."""
    currency: str | None
    """Of a pot."""


def gains(transfers: list[dict[str, Any]]) -> Gained:
    gained: dict[tuple[str, str], int] = defaultdict(int)
    for transfer in transfers:
        gained[transfer["debit"], transfer["currency"]] -= transfer["amount"]
        gained[transfer["credit"], transfer["currency"]] += transfer["amount"]
    return gained


def stakes(bundle: Mapping[str, Any], table: Table) -> Stakes | None:
    """None where the outcome alone does not say what anybody gains. The table has ended."""
    pot = _pot(bundle, table)
    if pot is None:
        players = _of_the_game(table)
        return None if players is None else Stakes(players, None, None)
    if table.outcome is None:
        return Stakes({}, 0, pot.currency)
    shares = pot.shares(table.outcome, len(table.seats))
    players = {table.seats[seat].player: pence - pot.amount for seat, pence in shares.awards.items()}
    return Stakes(players, shares.rake, pot.currency)


def escrow_fault(gained: Gained, game: str) -> str | None:
    left = [pence for (account, _), pence in gained.items() if account.startswith(f"game:{game}/") and pence]
    return f"the game still holds {sum(left)}" if left else None


def rulings_fault(rulings: list[dict[str, Any]], withheld: str) -> str | None:
    """Each ruling takes out of a game's escrow what it puts in."""
    for ruling in rulings:
        if ruling["transfers"] == withheld:
            continue
        for (account, _), pence in gains(ruling["transfers"]).items():
            if account.startswith("game:") and pence:
                return f"the ruling {ruling['id']} leaves {pence} on {account}"
    return None


def fault(gained: Gained, due: Stakes) -> str | None:
    """The first thing in which the transfers disagree with what the outcome asks for."""
    actual: dict[str, int] = defaultdict(int)
    for (account, _), pence in gained.items():
        if account.startswith("player:"):
            actual[account.removeprefix("player:").partition("/")[0]] += pence
    for player in sorted(actual.keys() | due.players.keys()):
        if actual.get(player, 0) != due.players.get(player, 0):
            return (
                f"player {player} gained {actual.get(player, 0)}, by the outcome {due.players.get(player, 0)}"
            )
    currencies = {currency for _, currency in gained}
    if len(currencies) > 1:
        return "the transfers are in more than one currency"
    if due.currency is not None and currencies - {due.currency}:
        return f"the buy-ins are in {due.currency}, the transfers in {currencies.pop()}"
    kept = sum(pence for (account, _), pence in gained.items() if account == RAKE)
    if due.rake is not None and kept != due.rake:
        return f"the house kept {kept} of the pot, by the terms {due.rake}"
    return None


def _pot(bundle: Mapping[str, Any], table: Table) -> BuyIn | None:
    """The terms that the stream begins with; None for a table without buy-ins."""
    terms = bundle["events"][0]["data"].get("buy_in")
    return None if terms is None else buy_in.read(terms, table.game, table.game.config_json(table.config))


def _of_the_game(table: Table) -> dict[str, int] | None:
    """By player; a void game gives nobody anything."""
    if table.status == "void":
        return {}
    gained = table.game.gains(table.state)
    if gained is None:
        return None
    expected: dict[str, int] = defaultdict(int)
    for seat, pence in enumerate(gained):
        expected[table.seats[seat].player] += pence
    return expected
