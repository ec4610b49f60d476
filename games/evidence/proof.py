"""A game's proof: its bundle, and the checks that the server runs itself (RULEBOOK 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NotRequired, TypedDict

import orjson

from accounts.models import Player
from accounts.roles import roles_of
from core.checks import Fault, Verdict
from core.errors import NotFound
from eventstore import store
from eventstore.chain import chain_fault
from eventstore.checkpoints.proofs import NotCovered, prove
from eventstore.store import EventOutput, Head, StoredEvent
from games import context, hooks, state
from games.access import Viewer, is_disclosed, require_disclosed, seat_of
from games.models import GameRecord, RevealedSeed, Seat
from games.rules.bundles import record
from games.rules.bundles.form import PROOF, WITHHELD
from games.rules.bundles.verification import CHECKS, PART, BundleReport, verify
from games.rules.table import UNFOLDABLE, Table, Unfoldable
from ledger.selectors import transfers_of
from rest.documents import Object

READINGS = 5

UNREADABLE = (*UNFOLDABLE, NotFound)
"""What folding a stream may raise if its events were changed or are missing."""


class BundleOutput(TypedDict):
    format: str
    game: Object
    events: list[EventOutput]
    outcome: Object | None
    rulings: list[Object]
    transfers: Any
    checkpoint: NotRequired[Object]


class ProofRequest(NamedTuple):
    """A request for the checkpoint's proof in a bundle; `known` is a checkpoint that the reader already has."""

    known: int | None = None


def bundle(
    game: GameRecord, viewer: Viewer, *, early: bool = False, proof: ProofRequest | None = None
) -> dict[str, Any]:
    """Return the bundle of a game. `early`: before its end, for an auditor with recorded early access.

    Raises GameInPlay, DealInPlay; with `proof` NotCovered, Unprovable, InvalidInput.
    """
    document, head = _without_events(game, viewer, early=early, proof=proof)
    return {**document, "events": [event.full() for event in store.read(game.pk, until=head.version)]}


def archived_bundle(game: GameRecord) -> dict[str, Any]:
    """Return the bundle of a disclosed game for its pack: with its transfers and proof, without its events.

    Raises GameInPlay, DealInPlay, NotCovered, Unprovable.
    """
    require_disclosed(game)
    inclusion = prove(game.pk)
    head, table = state.load(game.pk)
    if inclusion.version < head.version:
        raise NotCovered
    document = _bundle(game, table, [], opened=True, transfers=transfers_of(f"game:{game.pk}"))
    return {**document, PROOF: inclusion.document()}


class WrittenBundle(NamedTuple):
    """A bundle as JSON text, with the events copied as stored."""

    rest: bytes
    """All but the events."""
    head: str
    """The hash of the last event, which determines all of them."""
    write: Callable[[], bytes]


def written_bundle(
    game: GameRecord, viewer: Viewer, *, early: bool = False, proof: ProofRequest | None = None
) -> WrittenBundle:
    """Return the bundle, whose events are read only when it is written. Raises the same."""
    document, head = _without_events(game, viewer, early=early, proof=proof)

    def write() -> bytes:
        members: list[bytes] = []
        for name, value in document.items():
            text = orjson.dumps(value)
            if name == "events":
                text = b"[%b]" % b"".join(store.written(game.pk, until=head.version))
            members.append(b"%b:%b" % (orjson.dumps(name), text))
        return b"{%b}" % b",".join(members)

    return WrittenBundle(orjson.dumps(document), head.hash, write)


def _without_events(
    game: GameRecord, viewer: Viewer, *, early: bool, proof: ProofRequest | None
) -> tuple[dict[str, Any], Head]:
    """Return the bundle with an empty list of events, and the head of the game."""
    if not early:
        require_disclosed(game)
    inclusion = None if proof is None else prove(game.pk, known=proof.known)
    head, table = state.load(game.pk)
    if inclusion is not None and game.ended and inclusion.version < head.version:
        raise NotCovered
    document = _bundle(game, table, [], opened=not early, transfers=_transfers_for(viewer, game, table))
    if inclusion is not None:
        document[PROOF] = inclusion.document()
    return ({**document, "outcome": None} if early else document), head


def _bundle(
    game: GameRecord, table: Table, events: list[StoredEvent], *, opened: bool, transfers: Any
) -> dict[str, Any]:
    return record.bundle(
        game_id=str(game.pk),
        table=table,
        events=[event.full() for event in events],
        server_seed=context.server_seed(game.pk) if opened else None,
        tournament=_tournament(game),
        rulings=hooks.rulings_on(game.pk, with_transfers=transfers != WITHHELD),
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
    """Return the transfers for players of the game and staff; others get `withheld`."""
    entitled = seat_of(table, viewer) is not None or (isinstance(viewer, Player) and bool(roles_of(viewer)))
    return transfers_of(f"game:{game.pk}") if entitled else WITHHELD


class StoredGame(NamedTuple):
    """All data of one game in the database at one moment."""

    game: GameRecord
    events: list[StoredEvent]
    head: Head
    seats: dict[int, str]


def verification(game: GameRecord) -> dict[str, Any]:
    """Return the report of every check that can run now, of the stream and of its records.

    Only the chain of a running game is checked: checking its moves needs data that is still hidden.
    """
    stored = _stored(game)
    table, unfoldable = _folded(stored.events)
    found = {"head": _head_fault(stored)}
    if table is None or not is_disclosed(stored.game):
        report = _chain_report(stored, unfoldable)
    else:
        transfers = transfers_of(f"game:{stored.game.pk}")
        report = verify(_bundle(stored.game, table, stored.events, opened=True, transfers=transfers))
    if table is not None:
        found["record"] = record_fault(stored.game, stored.seats, table, stored.events[0].data)
    verdicts: dict[str, Verdict] = {check: "failed" if why else "passed" for check, why in found.items()}
    return replace(
        report,
        checks={**report.checks, "head": "not-run", "record": "not-run", **verdicts},
        faults=(*report.faults, *(_fault(check, None, why) for check, why in found.items() if why)),
    ).document()


def _folded(events: Sequence[StoredEvent]) -> tuple[Table | None, Fault | None]:
    """Return the table after all events; or None and the fault of the first event that cannot be folded."""
    try:
        return state.fold(events), None
    except Unfoldable as error:
        return None, _fault("events", error.version, error.why)
    except NotFound:
        return None, _fault("events", None, "the game has no events")


def _fault(check: str, version: int | None, why: str) -> Fault:
    return Fault(PART, check, "", why, version)


def _stored(game: GameRecord) -> StoredGame:
    """Read the game; read again if a move was made meanwhile."""
    for _ in range(READINGS):
        events = store.read(game.pk)
        record = GameRecord.objects.get(pk=game.pk)
        seats = Seat.objects.filter(game=game).values_list("seat", "player")
        found = StoredGame(record, events, store.head(game.pk), {seat: str(player) for seat, player in seats})
        if events and events[-1].version == found.head.version:
            break
    return found


def _chain_report(stored: StoredGame, unfoldable: Fault | None) -> BundleReport:
    """Return the report of a game whose moves are not checked; `unfoldable` is the fault of the fold."""
    broken = chain_fault([event.public() for event in stored.events], stream=str(stored.game.pk))
    faults = [_fault("chain", *broken)] if broken else []
    faults += [unfoldable] if unfoldable else []
    failed: dict[str, Verdict] = {fault.check: "failed" for fault in faults}
    checks: dict[str, Verdict] = {**dict.fromkeys(CHECKS, "not-run"), "chain": "passed", **failed}
    return BundleReport(checks, tuple(faults), str(stored.game.pk), len(stored.events), stored.game.ended)


def _head_fault(stored: StoredGame) -> str | None:
    last = stored.events[-1] if stored.events else None
    if last is not None and (stored.head.version, stored.head.hash) == (last.version, last.hash):
        return None
    return f"the head says version {stored.head.version}, the last event is {last.version if last else 0}"


def _bought(game: GameRecord) -> int:
    """Return the buy-in in the stream; the streams of a match's games do not contain it."""
    return 0 if game.match_id is not None else game.buy_in


def record_fault(
    game: GameRecord, seats: Mapping[int, str], table: Table, created: Mapping[str, Any]
) -> str | None:
    """Return how the records differ from the stream, or None. `created` is the data of the first event."""
    values = {
        "rules": (game.rules, table.game.slug),
        "version": (game.rules_version, table.game.version),
        "config": (game.config, table.game.config_json(table.config)),
        "commitment": (game.commitment, table.commitment),
        "status": (game.status, table.status),
        "outcome": (game.outcome, table.outcome),
        "buy_in": (_bought(game), created.get("buy_in", {}).get("amount", 0)),
        "seats": (seats, {seat: who.player for seat, who in table.seats.items()}),
    }
    for name, (recorded, derived) in values.items():
        if recorded != derived:
            return f"its {name} is {recorded}, by the stream {derived}"
    return lineage_fault(game, created)


def lineage_fault(game: GameRecord, created: Mapping[str, Any]) -> str | None:
    """Return how the record's parent or suspension differs from the streams, or None.

    `created` is the data of the first event. Only continued or suspended games need a query.
    """
    derived = created.get("parent")
    recorded = None if game.parent_version is None else (str(game.parent_id), game.parent_version)
    if recorded != (None if derived is None else (derived["game"], derived["version"])):
        return f"it continues {recorded}, by the stream {derived}"
    if derived is not None:
        event = None if game.parent_id is None else store.event_of(game.parent_id, derived["version"])
        if event is None or event.hash != derived["hash"]:
            return "its parent has no event of the version and the hash that its first event names"
    if game.suspended_at is not None and (
        store.suspended_at(game.pk) is None or not game.suspensions.filter(lifted_at=None).exists()
    ):
        return "its record is suspended, but the head of its stream or its suspensions are not"
    return None
