"""A game's proof: the bundle that anyone can check, and the checks that the server runs itself (RULEBOOK 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from accounts.models import Player
from accounts.roles import roles_of
from api.errors import NotFound
from eventstore import store
from eventstore.chain import chain_fault
from eventstore.proving import NotCovered, prove
from eventstore.store import Head, StoredEvent
from games import lineages, particulars, state
from games.access import Viewer, deal_in_play, is_auditor, is_open_book, seat_of
from games.errors import DealInPlay, GameInPlay
from games.models import GameRecord, RevealedSeed, Seat
from games.rules import record
from games.rules.bundle import CHECKS, verify
from games.rules.bundle_form import PROOF, WITHHELD
from games.rules.table import UNFOLDABLE, Table, Unfoldable
from ledger.selectors import transfers_of

STORED_CHECKS = {
    "head": "the stream's head is its last event",
    "record": "the record beside the stream says what the stream says",
}
"""What only the server can check, beside the checks of a bundle."""

READINGS = 5

Rulings = Callable[[UUID, bool], list[dict[str, Any]]]
_rulings: list[Rulings] = []


def register_rulings(tell: Rulings) -> Rulings:
    """Let a layer above say what was ruled on a game; the flag tells whether the money of it is shown."""
    _rulings.append(tell)
    return tell


UNTELLABLE = (*UNFOLDABLE, NotFound)
"""What the stream of anything may raise in its fold when somebody has changed it, or all of it is gone."""


class Wanted(NamedTuple):
    """That a bundle is to carry the proof of its checkpoint, and how that goes with one that the reader keeps."""

    known: int | None = None


def bundle(
    game: GameRecord, viewer: Viewer, *, early: bool = False, proof: Wanted | None = None
) -> dict[str, Any]:
    """The document that proves a game. `early`: before its end, by an auditor whose look has been recorded.

    Raises GameInPlay, DealInPlay; with `proof` NotCovered, Unprovable, InvalidInput.
    """
    document, version = _without_events(game, viewer, early=early, proof=proof)
    return {**document, "events": [event.full() for event in store.read(game.pk, until=version)]}


def written_bundle(
    game: GameRecord, viewer: Viewer, *, early: bool = False, proof: Wanted | None = None
) -> bytes:
    """The same as JSON text; the events are copied as they are stored. Raises the same."""
    document, version = _without_events(game, viewer, early=early, proof=proof)
    members: list[bytes] = []
    for name, value in document.items():
        text = orjson.dumps(value)
        if name == "events":
            text = b"[%b]" % b"".join(store.written(game.pk, until=version))
        members.append(b"%b:%b" % (orjson.dumps(name), text))
    return b"{%b}" % b",".join(members)


def _without_events(
    game: GameRecord, viewer: Viewer, *, early: bool, proof: Wanted | None
) -> tuple[dict[str, Any], int]:
    """The bundle with an empty list in the place of its events, and the version of the last of them."""
    if not early:
        require_open_book(game)
    inclusion = None if proof is None else prove(game.pk, known=proof.known)
    head, table = state.load(game.pk)
    if inclusion is not None and game.ended and inclusion.version < head.version:
        raise NotCovered
    document = _bundle(game, table, [], opened=not early, transfers=_transfers_for(viewer, game, table))
    if inclusion is not None:
        document[PROOF] = inclusion.document()
    return ({**document, "outcome": None} if early else document), head.version


def require_open_book(game: GameRecord) -> None:
    if not game.ended:
        raise GameInPlay
    if deal_in_play(game):
        raise DealInPlay


def may_look_early(viewer: Viewer, game: GameRecord) -> bool:
    """Whether showing this viewer the whole game now would be an early look (that an auditor may take)."""
    return is_auditor(viewer) and not is_open_book(game)


def _bundle(
    game: GameRecord, table: Table, events: list[StoredEvent], *, opened: bool, transfers: Any
) -> dict[str, Any]:
    return record.bundle(
        game_id=str(game.pk),
        table=table,
        events=[event.full() for event in events],
        server_seed=particulars.server_seed(game.pk) if opened else None,
        tournament=_tournament(game),
        rulings=[one for tell in _rulings for one in tell(game.pk, transfers != WITHHELD)],
        transfers=transfers,
    )


def _tournament(game: GameRecord) -> dict[str, Any] | None:
    if game.tournament is None:
        return None
    revealed = RevealedSeed.objects.filter(pk=game.tournament).first()
    return {
        "id": str(game.tournament),
        "round": game.round,
        "deal": game.deal,
        "commitment": game.tournament_commitment,
        "seed": bytes(revealed.seed).hex() if revealed else None,
        "entropy": game.entropy,
    }


def _transfers_for(viewer: Viewer, game: GameRecord, table: Table) -> list[dict[str, Any]] | str:
    """To the game's seats and to staff; others learn nothing of the money."""
    entitled = seat_of(table, viewer) is not None or (isinstance(viewer, Player) and bool(roles_of(viewer)))
    return transfers_of(f"game:{game.pk}") if entitled else WITHHELD


class Stored(NamedTuple):
    """All that the database says of one game, of one moment."""

    game: GameRecord
    events: list[StoredEvent]
    head: Head
    seats: dict[int, str]


def verification(game: GameRecord) -> dict[str, Any]:
    """The report of every check that can be made now: of the stream, and of what stands beside it.

    A game that is not over is checked for its chain alone: to judge its moves would need what is still hidden.
    """
    stored = _stored(game)
    table, fault = _folded(stored.events)
    if table is None:
        report = _with_stored_checks(_chain_report(stored, fault), stored, None)
        return report | {"checks": report["checks"] | {"record": "not-run"}}
    report = _full_report(stored, table) if is_open_book(stored.game) else _chain_report(stored)
    beside = record_fault(stored.game, stored.seats, table, stored.events[0].data)
    return _with_stored_checks(report, stored, beside)


def _folded(events: Sequence[StoredEvent]) -> tuple[Table | None, dict[str, Any] | None]:
    """The table after all events; None, and what is wrong with the first that tells nothing."""
    try:
        return state.fold(events), None
    except Unfoldable as error:
        return None, {"check": "events", "version": error.version, "why": error.why}
    except NotFound:
        return None, {"check": "events", "version": None, "why": "the game has no events"}


def _full_report(stored: Stored, table: Table) -> dict[str, Any]:
    transfers = transfers_of(f"game:{stored.game.pk}")
    return verify(_bundle(stored.game, table, stored.events, opened=True, transfers=transfers)).document()


def _stored(game: GameRecord) -> Stored:
    """Read again if a move came between."""
    for _ in range(READINGS):
        events = store.read(game.pk)
        beside = GameRecord.objects.get(pk=game.pk)
        seats = Seat.objects.filter(game=game).values_list("seat", "player")
        found = Stored(beside, events, store.head(game.pk), {seat: str(player) for seat, player in seats})
        if events and events[-1].version == found.head.version:
            break
    return found


def _chain_report(stored: Stored, unfoldable: dict[str, Any] | None = None) -> dict[str, Any]:
    """Of a game whose moves are not judged; `unfoldable` is the fault of one that cannot be."""
    fault = chain_fault([event.public() for event in stored.events], stream=str(stored.game.pk))
    faults = [{"check": "chain", "version": fault[0], "why": fault[1]}] if fault else []
    faults += [unfoldable] if unfoldable else []
    first = faults[0] if faults else {"version": None, "why": None}
    failed = {one["check"]: "failed" for one in faults}
    return {
        "ok": not faults,
        "game": str(stored.game.pk),
        "events": len(stored.events),
        "ended": stored.game.ended,
        "version": first["version"],
        "why": first["why"],
        "checks": {**dict.fromkeys(CHECKS, "not-run"), "chain": "passed", **failed},
        "faults": faults,
    }


def _with_stored_checks(report: dict[str, Any], stored: Stored, record_fault: str | None) -> dict[str, Any]:
    found = {"head": _head_fault(stored), "record": record_fault}
    faults = [{"check": check, "version": None, "why": why} for check, why in found.items() if why]
    return {
        **report,
        "ok": report["ok"] and not faults,
        "why": report["why"] or (faults[0]["why"] if faults else None),
        "checks": report["checks"] | {check: "failed" if why else "passed" for check, why in found.items()},
        "faults": [*report["faults"], *faults],
    }


def _head_fault(stored: Stored) -> str | None:
    last = stored.events[-1] if stored.events else None
    if last is not None and (stored.head.version, stored.head.hash) == (last.version, last.hash):
        return None
    return f"the head says version {stored.head.version}, the last event is {last.version if last else 0}"


def _bought(game: GameRecord) -> int:
    """A match's buy-in is the match's: its games' streams say nothing of it."""
    return 0 if game.match_id is not None else game.buy_in


def record_fault(
    game: GameRecord, seats: Mapping[int, str], table: Table, created: Mapping[str, Any]
) -> str | None:
    """In what the records beside the stream say something else than it does; `created` is its first event's data."""
    said = {
        "rules": (game.rules, table.game.slug),
        "version": (game.rules_version, table.game.version),
        "config": (game.config, table.game.config_json(table.config)),
        "commitment": (game.commitment, table.commitment),
        "status": (game.status, table.status),
        "outcome": (game.outcome, table.outcome),
        "buy_in": (_bought(game), created.get("buy_in", {}).get("amount", 0)),
        "seats": (seats, {seat: who.player for seat, who in table.seats.items()}),
    }
    for name, (beside, told) in said.items():
        if beside != told:
            return f"its {name} is {beside}, by the stream {told}"
    return lineages.fault(game, created)
