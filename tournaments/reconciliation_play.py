"""How the play money of meetings follows from their events, and what these tell of the races from the bets on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Sum

from eventstore import store
from ledger.betting import play
from ledger.betting.models import Bet, BetStatus
from ledger.betting.terms import PLAY_CURRENCY
from ledger.models import OwnerKind
from ledger.reconciliation.derivations import Derivation, Derived, Flow, register_derivation
from ledger.reconciliation.own import uuids
from ledger.reconciliation.report import Difference
from tournaments.models import Tournament

Made = Mapping[tuple[str, str], tuple[int, int]]
"""By race and player, what the bets returned and staked."""


def register() -> None:
    register_derivation(Derivation("the play money of meetings", OwnerKind.PLAY, _after, _derive))


def _after(after: str, most: int) -> Sequence[str]:
    meetings = Tournament.objects.filter(bank__gt=0)
    behind = meetings.filter(pk__gt=UUID(after)) if after else meetings
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _derive(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for meeting in Tournament.objects.filter(pk__in=uuids(keys), bank__gt=0):
        yield _meeting(meeting)


def _meeting(meeting: Tournament) -> Derived:
    """Given out when the entries close; taken back at the end, as much as the bets have left everybody."""
    event = play.event_of(meeting.pk)
    made = _made(event)
    players: dict[int, str] = {}
    flows: list[Flow] = []
    differences: list[Difference] = []
    for told in store.read(meeting.pk):
        at = {"first": told.version, "last": told.version}
        match told.type:
            case "entered":
                players[told.data["entry"]] = told.data["player"]
            case "entries-closed":
                players = {entry: players[entry] for entry in told.data["entries"]}
                flows += [
                    Flow(f"{event}/external", _bank(event, entry), meeting.bank, **at) for entry in players
                ]
            case "round-closed":
                differences += _differing(event, told.version, told.data, players, made)
            case "finished" | "seed-revealed" if flows:
                left = _left(meeting.bank, players, made)
                flows += [
                    Flow(_bank(event, entry), f"{event}/external", left[entry], **at) for entry in players
                ]
    return Derived(event, PLAY_CURRENCY, flows, differences)


def _bank(event: str, entry: int) -> str:
    return f"{event}.{entry}/bank"


def _made(event: str) -> Made:
    standing = Bet.objects.filter(market__play=event).exclude(status=BetStatus.CANCELLED).order_by()
    summed = standing.values_list("market__subject", "player").annotate(Sum("returned"), Sum("stake"))
    return {
        (subject.removeprefix("game:"), str(player)): (returned or 0, staked)
        for subject, player, returned, staked in summed
    }


def _left(bank: int, players: Mapping[int, str], made: Made) -> dict[int, int]:
    gained: dict[str, int] = defaultdict(int)
    for (_, player), (returned, staked) in made.items():
        gained[player] += returned - staked
    return {entry: bank + gained[player] for entry, player in players.items()}


def _differing(
    event: str, version: int, data: Mapping[str, Any], players: Mapping[int, str], made: Made
) -> Iterator[Difference]:
    """What a race returned and staked by the tournament's event, and by the bets."""
    for row in data["results"]:
        derived = made.get((row["game"], players[row["entry"]]), (0, 0))
        if tuple(row["score"]) != derived:
            yield Difference(
                _bank(event, row["entry"]),
                PLAY_CURRENCY,
                f"what the bets on race {row['game']} returned and staked",
                str(tuple(row["score"])),
                str(derived),
                event,
                version,
            )
