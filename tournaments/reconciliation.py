"""How a tournament's money follows from its events: fees, refunds, prizes and rake, the standings ranked anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from eventstore import store
from ledger.payouts.reconciliation import prizes_that_waited
from ledger.reconciliation.derivations import Derivation, Derived, Flow, register_derivation
from ledger.reconciliation.own import uuids
from ledger.reconciliation.report import Difference
from tournaments import awards, formats, guarantees, money
from tournaments.formats import history
from tournaments.models import Status, Tournament
from tournaments.settlement import settle


def register() -> None:
    register_derivation(Derivation("the money of tournaments", "tournament", _after, _derive))


def _after(after: str, most: int) -> Sequence[str]:
    behind = Tournament.objects.filter(pk__gt=UUID(after)) if after else Tournament.objects.all()
    # Whole streams are read, one after the other.
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _derive(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for tournament in Tournament.objects.filter(pk__in=uuids(keys)):
        yield _tournament(tournament)


def _tournament(tournament: Tournament) -> Derived:
    escrow = f"{tournament.subject}/escrow"
    # What the house pays in for its bots depends on what it had, which no event of the tournament says.
    flows = [Flow("house/external", "house/promotion", None), Flow("house/external", "house/bank", None)]
    differences: list[Difference] = list(_guaranteed(tournament))
    entrants: dict[int, tuple[str, int]] = {}
    told = history.History()
    before: dict[int, int] = {}
    for event in store.read(tournament.pk):
        told = history.evolve(told, event.type, event.data)
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
                standings = formats.get(tournament.format).standings(told.snapshot())
                due = settle(tournament, standings, pool=pool)
                if told.status != Status.FINISHED:
                    flows.append(Flow("house/bank", escrow, due.overlay))
                    flows.append(Flow(escrow, "house/rake", due.rake, **at))
                waited = prizes_that_waited(tournament.subject)
                # A correction moves what it changes; taking back what was paid before mirrors that.
                flows += [
                    Flow(escrow, _goes_to(tournament, entry, entrants[entry][0], told, waited), amount, **at)
                    for entry, amount in due.awards.items()
                    if amount != before.get(entry)
                ]
                before = due.awards
                differences += _told(tournament, event.version, event.data, due.awards)
    if tournament.status == Status.FINISHED:
        differences += _kept(tournament, before)
    return Derived(tournament.subject, tournament.currency, flows, differences)


def _guaranteed(tournament: Tournament) -> Iterator[Difference]:
    """As long as prizes may have to be paid, what is guaranteed is set aside for them."""
    under_way = tournament.status in (Status.PUBLISHED, Status.RUNNING)
    due, held = tournament.guarantee if under_way else 0, guarantees.held(tournament)
    if held != due:
        yield Difference(
            "house/bank", tournament.currency, "what is held for prizes", held, due, tournament.subject
        )


def _goes_to(tournament: Tournament, entry: int, purse: str, told: history.History, waited: set[str]) -> str:
    """Where the prize of an event goes: `payable` if it waited for approval, by the key of that very prize."""
    correction = told.corrections if told.status == Status.FINISHED else 0
    if money.prize_key(tournament, entry, correction) not in waited:
        return purse
    return purse.removesuffix("/cash") + "/payable"


def _told(
    tournament: Tournament, version: int, data: dict[str, Any], due: dict[int, int]
) -> Iterator[Difference]:
    """Where the prizes that were told are others than those that follow from the results."""
    told = {award["entry"]: award["amount"] for award in data["awards"]}
    yield from _others(tournament, "the prize told to", told, due, version)


def _kept(tournament: Tournament, due: dict[int, int]) -> Iterator[Difference]:
    """Where the awards that are kept are others than those that follow from the results in the end."""
    kept = {entry: won.amount for entry, won in awards.of(tournament.pk).items()}
    yield from _others(tournament, "the award of", kept, due, None)


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
