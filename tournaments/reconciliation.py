"""Reconciliation of tournaments: fees, refunds, prizes, rake, and play money are derived from the events again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Sum

from eventstore import store
from ledger.betting import play
from ledger.betting.terms import PLAY_CURRENCY
from ledger.hooks import Derivation, Derived, Flow, register_derivation
from ledger.models import Bet, BetStatus, OwnerKind
from ledger.reconciliation.services import Difference
from ledger.selectors import prizes_paid_to_payable, valid_uuids
from tournaments import formats
from tournaments.corrections import repayment
from tournaments.formats import history
from tournaments.models import Status, Tournament
from tournaments.prizes import money
from tournaments.prizes.settlement import settle


def register() -> None:
    register_derivation(
        Derivation(
            "tournament money",
            "fees, prizes, and rake follow from the events of the tournament",
            "tournament",
            _after,
            _derive,
        )
    )


def _after(after: str, most: int) -> Sequence[str]:
    behind = Tournament.objects.filter(pk__gt=UUID(after)) if after else Tournament.objects.all()
    # Whole streams are read one after the other.
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _derive(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for tournament in Tournament.objects.filter(pk__in=valid_uuids(keys)):
        yield _tournament(tournament)


def _tournament(tournament: Tournament) -> Derived:
    escrow = f"{tournament.subject}/escrow"
    # The site's deposits for its bots depend on its balance, which the events do not record.
    flows = [Flow("house/external", "house/promotion", None), Flow("house/external", "house/bank", None)]
    differences: list[Difference] = list(_guaranteed(tournament))
    entrants: dict[int, tuple[str, int]] = {}
    stored = history.History()
    before: dict[int, int] = {}
    for event in store.read(tournament.pk):
        stored = history.evolve(stored, event.type, event.data)
        at = {"first": event.version, "last": event.version}
        match event.type:
            case "entered":
                purse = "house/promotion" if event.data["bot"] else f"player:{event.data['player']}/cash"
                fee = event.data["fee"]
                entrants[event.data["entry"]] = (purse, fee)
                flows.append(Flow(purse, escrow, fee, **at))
            case "disqualified" if event.data["after"] is not None:
                pass
            case "withdrawn" | "disqualified":
                purse, fee = entrants.pop(event.data["entry"])
                flows.append(Flow(escrow, purse, fee, **at))
            case "not-checked-in":
                absent = [entrants.pop(number) for number in event.data["entries"]]
                flows += [Flow(escrow, purse, fee, **at) for purse, fee in absent]
            case "cancelled":
                flows += [Flow(escrow, purse, fee, **at) for purse, fee in entrants.values()]
            case "prizes":
                pool = sum(fee for _, fee in entrants.values())
                standings = formats.get(tournament.format).standings(stored.snapshot())
                due = settle(tournament, standings, pool=pool)
                if stored.status != Status.FINISHED:
                    flows.append(Flow("house/bank", escrow, due.overlay))
                    flows.append(Flow(escrow, "house/rake", due.rake, **at))
                waited = prizes_paid_to_payable(tournament.subject)
                # A correction moves what it changes; its reversals mirror the earlier payments.
                flows += [
                    Flow(
                        escrow, _goes_to(tournament, entry, entrants[entry][0], stored, waited), amount, **at
                    )
                    for entry, amount in due.awards.items()
                    if amount != before.get(entry)
                ]
                before = due.awards
                differences += _prize_differences(tournament, event.version, event.data, due.awards)
    if tournament.status == Status.FINISHED:
        differences += _award_differences(tournament, before)
    return Derived(tournament.subject, tournament.currency, flows, differences)


def _guaranteed(tournament: Tournament) -> Iterator[Difference]:
    """The guarantee is on hold while prizes may have to be paid."""
    under_way = tournament.status in (Status.PUBLISHED, Status.RUNNING)
    due, held = tournament.guarantee if under_way else 0, money.guarantee_held(tournament)
    if held != due:
        yield Difference(
            "house/bank", tournament.currency, "the hold for prizes", held, due, tournament.subject
        )


def _goes_to(
    tournament: Tournament, entry: int, purse: str, stored: history.History, waited: set[str]
) -> str:
    """Return the account of an event's prize: `payable` if it waited for approval under that prize's key."""
    correction = stored.corrections if stored.status == Status.FINISHED else 0
    if money.prize_key(tournament, entry, correction) not in waited:
        return purse
    return purse.removesuffix("/cash") + "/payable"


def _prize_differences(
    tournament: Tournament, version: int, data: dict[str, Any], due: dict[int, int]
) -> Iterator[Difference]:
    """Yield recorded prizes that do not follow from the results."""
    stored = {award["entry"]: award["amount"] for award in data["awards"]}
    yield from _others(tournament, "the recorded prize of", stored, due, version)


def _award_differences(tournament: Tournament, due: dict[int, int]) -> Iterator[Difference]:
    """Yield stored awards that do not follow from the final results."""
    kept = {entry: won.amount for entry, won in repayment.of(tournament.pk).items()}
    yield from _others(tournament, "the stored award of", kept, due, None)


def _others(
    tournament: Tournament, what: str, found: dict[int, int], due: dict[int, int], version: int | None
) -> Iterator[Difference]:
    for entry, amount in due.items():
        if found.get(entry, 0) != amount:
            yield Difference(
                f"{tournament.subject}/escrow",
                tournament.currency,
                f"{what} entry {entry}",
                found.get(entry, 0),
                amount,
                tournament.subject,
                version,
            )


# --- play money of meetings --------------------------------------------------------------------------


Made = Mapping[tuple[str, str], tuple[int, int]]
"""By race and player, what the bets returned and staked."""


def register_play_money() -> None:
    register_derivation(
        Derivation(
            "play money of meetings",
            "play money follows from the events of the meeting",
            OwnerKind.PLAY,
            _after_meetings,
            _derive_play_money,
        )
    )


def _after_meetings(after: str, most: int) -> Sequence[str]:
    meetings = Tournament.objects.filter(bank__gt=0)
    behind = meetings.filter(pk__gt=UUID(after)) if after else meetings
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _derive_play_money(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for meeting in Tournament.objects.filter(pk__in=valid_uuids(keys), bank__gt=0):
        yield _meeting(meeting)


def _meeting(meeting: Tournament) -> Derived:
    """Derive the play money: given out when entries close, and taken back at the end."""
    event = play.event_of(meeting.pk)
    made = _made(event)
    players: dict[int, str] = {}
    flows: list[Flow] = []
    differences: list[Difference] = []
    for stored in store.read(meeting.pk):
        at = {"first": stored.version, "last": stored.version}
        match stored.type:
            case "entered":
                players[stored.data["entry"]] = stored.data["player"]
            case "entries-closed":
                players = {entry: players[entry] for entry in stored.data["entries"]}
                flows += [
                    Flow(f"{event}/external", _bank(event, entry), meeting.bank, **at) for entry in players
                ]
            case "round-closed":
                differences += _differing(event, stored.version, stored.data, players, made)
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
    """Yield races whose bets differ from the tournament's event."""
    for row in data["results"]:
        derived = made.get((row["game"], players[row["entry"]]), (0, 0))
        if tuple(row["score"]) != derived:
            yield Difference(
                _bank(event, row["entry"]),
                PLAY_CURRENCY,
                f"returns and stakes of the bets on race {row['game']}",
                str(tuple(row["score"])),
                str(derived),
                event,
                version,
            )
