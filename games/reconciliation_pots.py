"""How the pots of staked tables and matches follow from the events: who bought in, on which terms, in what places.

What the pots paid by that is held against the transfers by the ledger itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from eventstore import store
from eventstore.chain import canonical
from games import buy_ins
from games.models import GameRecord, Match, MatchStatus, Status
from games.rules.buy_in import places
from ledger.buyins.models import BuyIn, Division, Pot
from ledger.buyins.pots import ACTOR
from ledger.reconciliation.derivations import Derivation, Derived, register_derivation
from ledger.reconciliation.own import uuids
from ledger.reconciliation.report import Difference

TOLD = ("created", "seated", "left", "finished", "voided")

Events = Sequence[tuple[int, str, dict[str, Any]]]


def register() -> None:
    register_derivation(Derivation("the places of staked tables", "game", _tables_after, _tables))
    register_derivation(Derivation("the places of staked matches", "game", _matches_after, _matches))


def _tables_after(after: str, most: int) -> Sequence[str]:
    games = GameRecord.objects.filter(buy_in__gt=0, match=None)
    behind = games.filter(pk__gt=UUID(after)) if after else games
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _tables(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    games = list(GameRecord.objects.filter(pk__in=uuids(keys), buy_in__gt=0, match=None))
    told = store.outline([game.pk for game in games], TOLD)
    for game in games:
        yield _of_table(game, told.get(game.pk, ()))


def _of_table(game: GameRecord, events: Events) -> Derived:
    seats, terms, end = _followed(events)
    expected = "open"
    if end is not None:
        _, type, data = end
        by_place = None if type == "voided" else places(data["outcome"])
        expected = _said([[seats[seat] for seat in place] for place in by_place or ()])
    version = end[0] if end else None
    return _compared(game, expected, version, sorted(seats.values()), terms)


def _followed(
    events: Events,
) -> tuple[dict[int, str], dict[str, Any], tuple[int, str, dict[str, Any]] | None]:
    """Who sat in the end, the terms of the buy-in, and what ended the game."""
    seats: dict[int, str] = {}
    terms: dict[str, Any] = {}
    end = None
    for event in events:
        _, type, data = event
        if type == "created":
            terms = data.get("buy_in", {})
        elif type == "seated":
            seats[data["seat"]] = data["player"]
        elif type == "left":
            seats.pop(data["seat"], None)
        else:
            end = event
    return seats, terms, end


def _matches_after(after: str, most: int) -> Sequence[str]:
    matches = Match.objects.filter(buy_in__gt=0)
    behind = matches.filter(pk__gt=UUID(after)) if after else matches
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _matches(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for match in Match.objects.filter(pk__in=uuids(keys), buy_in__gt=0):
        games = list(match.games.order_by("match_number"))
        told = store.outline([game.pk for game in games], TOLD)
        seats, _, _ = _followed(told.get(games[0].pk, ()))
        ends = [_followed(told.get(game.pk, ()))[2] for game in games if game.status == Status.FINISHED]
        outcomes = [end[2]["outcome"] for end in ends if end is not None]
        expected = "open"
        if match.status != MatchStatus.RUNNING:
            standings = buy_ins.places_of(match, outcomes) if outcomes else []
            expected = _said([[seats[seat] for seat in place] for place in standings])
        yield _compared(match, expected, None, sorted(seats.values()), None)


def _compared(
    of: GameRecord | Match,
    expected: str,
    version: int | None,
    people: list[str],
    terms: dict[str, Any] | None,
) -> Derived:
    """`terms` None: no stream tells them."""
    subject = buy_ins.subject(of)
    pot = Pot.objects.select_related("stake_table").filter(subject=subject).first()
    if pot is None:
        return Derived(subject, "", None, [_difference(subject, "", "its pot", "missing", "there", version)])
    made = Division.objects.filter(pot=pot, number=1).first()
    found = "open" if made is None else _said([] if made.void else made.places)
    bought = sorted(str(player) for player in _bought(pot))
    held = {
        "amount": pot.amount,
        "currency": pot.currency,
        "stake_table": pot.stake_table.slug,
        "rake": pot.rake,
        "split": pot.split,
    }
    compared = [
        ("who bought in", ", ".join(bought), ", ".join(people)),
        ("the terms of its pot", _text(held), _text(held if terms is None else terms)),
    ]
    if made is None or made.actor == ACTOR:
        compared.append(("the division of its pot", found, expected))
    faults = [
        _difference(subject, pot.currency, what, recorded, derived, version)
        for what, recorded, derived in compared
        if recorded != derived
    ]
    return Derived(subject, pot.currency, None, faults)


def _bought(pot: Pot) -> Sequence[UUID]:
    return list(BuyIn.objects.filter(pot=pot).standing().values_list("player", flat=True))


def _text(terms: dict[str, Any]) -> str:
    return canonical(terms).decode()


def _said(places: Sequence[Sequence[str]]) -> str:
    return " before ".join(" and ".join(place) for place in places) or "void"


def _difference(
    subject: str, currency: str, what: str, found: str, expected: str, version: int | None
) -> Difference:
    return Difference(subject, currency, what, found, expected, subject, version)
