"""Disputes as a viewer may see them: the queue, one dispute, its events, the available actions, and bundled rulings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from datetime import datetime
from functools import partial
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from accounts.models import Player, name_for
from accounts.roles import Role, has_role
from core.errors import Problem, refusal_of
from disputes import access, money, services, states
from disputes.access import Viewer
from disputes.errors import UnknownDispute
from disputes.models import Dispute, DisputeStatus, PinnedEvidence, Ruling, RulingState
from disputes.results import RulingEffectsOutput
from disputes.rulings import services as rulings
from disputes.rulings.services import Preview
from eventstore import store
from eventstore.chain import format_at
from eventstore.feed import Reader, Shared
from eventstore.store import StoredEvent
from games.access import is_auditor
from games.models import GameRecord
from games.rules.bundles.form import WITHHELD
from ledger.selectors import as_bundled, transfers_of_resettlement, transfers_of_ruling
from rest.documents import Object, Uuid, one_of, uuid_text

Finding = Annotated[str, one_of(states.FINDINGS)]
Remedy = Annotated[str, one_of(states.REMEDIES)]

HIDDEN_FIELDS = ("claim", "reason", "note", "evidence", "terms", "result", "effects", "caused")
"""The event fields that may reveal something of a game in play."""


class ViewScope(NamedTuple):
    """The parts of a dispute that a viewer may see."""

    reads: bool
    """Claim, evidence, and reasons are visible."""
    games: frozenset[UUID]
    """The games whose versions are visible, of the disputed game and those with pinned events."""
    complete: bool
    """Nothing is redacted."""


class DisputeLineOutput(TypedDict):
    id: Uuid
    game: Uuid
    rules: str
    tournament: Uuid | None
    by: Uuid
    name: Annotated[str | None, "the name of who opened it; null if the caller may not see it"]
    claim: Annotated[str | None, "null while it is hidden from the caller"]
    stake: Annotated[int, "pence that each seat has staked; 0: a game for points"]
    currency: str | None
    seat: Annotated[int | None, "null for the organizer"]
    version: Annotated[
        int | None, "the version of the disputed event; null while it is hidden from the caller"
    ]
    status: Annotated[str, one_of(DisputeStatus.values)]
    instance: Annotated[int, "1, or 2 on appeal"]
    finding: Annotated[Finding | None, "the finding of the ruling in effect; null without one"]
    remedy: Remedy | None
    suspends: Annotated[bool, "whether the game is suspended for the dispute"]
    opened_at: datetime
    ended_at: datetime | None
    appeal_until: datetime | None


def lines(disputes: Sequence[Dispute], viewer: Viewer) -> list[DisputeLineOutput]:
    """Return the disputes as list entries, in a fixed number of queries."""
    claims = access.claims(viewer, disputes) if isinstance(viewer, Player) else {}
    games = access.readable_games(viewer, {one.game_id for one in disputes})
    return _lines(disputes, viewer, claims, games)


def line(dispute: Dispute, viewer: Viewer) -> DisputeLineOutput:
    return lines([dispute], viewer)[0]


def _lines(
    disputes: Sequence[Dispute], viewer: Viewer, claims: Mapping[UUID, str], games: Collection[UUID]
) -> list[DisputeLineOutput]:
    names = _names(disputes, viewer)
    in_effect = Ruling.objects.filter(dispute__in=disputes, state=states.STANDING)
    by_dispute = {one.dispute_id: one for one in in_effect.only("dispute", "finding", "remedy")}
    return [
        _line(one, by_dispute.get(one.pk), games, name=names.get(one.pk), claim=claims.get(one.pk))
        for one in disputes
    ]


def _names(disputes: Sequence[Dispute], viewer: Viewer) -> Mapping[UUID, str | None]:
    """Return who opened each dispute, as far as the viewer may know it.

    The entrants of a tournament may be anonymous, so others than staff read no names there.
    """
    if not isinstance(viewer, Player):
        return {}
    sees_all = access.sees_all(viewer)
    named = [one for one in disputes if sees_all or not one.game.tournament or one.opener_id == viewer.pk]
    return {one.pk: name_for(viewer, one.opener) for one in named}


def _line(
    dispute: Dispute,
    in_effect: Ruling | None,
    games: Collection[UUID],
    *,
    name: str | None,
    claim: str | None,
) -> DisputeLineOutput:
    game = dispute.game
    return {
        "id": str(dispute.pk),
        "game": str(dispute.game_id),
        "rules": game.rules,
        "tournament": uuid_text(game.tournament),
        "by": str(dispute.opener_id),
        "name": name,
        "claim": claim,
        "stake": game.stake or game.buy_in,
        "currency": game.stake_table.currency if game.stake_table else None,
        "seat": dispute.seat,
        "version": dispute.version if dispute.game_id in games else None,
        "status": str(dispute.status),
        "instance": dispute.instance,
        "finding": None if in_effect is None else in_effect.finding,
        "remedy": None if in_effect is None else in_effect.remedy,
        "suspends": dispute.suspends,
        "opened_at": dispute.opened_at,
        "ended_at": dispute.ended_at,
        "appeal_until": dispute.appeal_until,
    }


def view_scope(viewer: Viewer, dispute: Dispute) -> ViewScope:
    mentioned = {dispute.game_id, *dispute.evidence.values_list("game", flat=True)}
    reads, games = access.may_read(viewer, dispute), access.readable_games(viewer, mentioned)
    return ViewScope(reads, games, complete=reads and mentioned <= games)


class DisputeEvidenceOutput(TypedDict):
    game: Uuid
    version: Annotated[int | None, "null, like the hash, while it is hidden from the caller"]
    hash: str | None
    note: str
    by: Uuid
    at: datetime


def _pinned(one: PinnedEvidence, scope: ViewScope) -> DisputeEvidenceOutput:
    visible = one.game_id in scope.games
    return {
        "game": str(one.game_id),
        "version": one.version if visible else None,
        "hash": one.hash if visible else None,
        "note": one.note,
        "by": str(one.pinned_by_id),
        "at": one.at,
    }


class DisputeRulingOutput(TypedDict):
    id: Uuid
    number: int
    instance: int
    state: Annotated[str, one_of(RulingState.values)]
    finding: Finding
    remedy: Remedy
    terms: Object | None
    reason: str | None
    auditor: Uuid
    rules: str
    rules_version: int
    evidence: list[Object] | None
    effects: RulingEffectsOutput | None
    amount: Annotated[int, "the amount that changes hands, in pence"]
    second_person: bool
    ruled_at: datetime
    decided_by: Uuid | None
    decided_at: datetime | None
    decision_reason: Annotated[str | None, "the second person's reason"]
    game: Annotated[Uuid | None, "the game that continues the disputed one"]


def ruling(made: Ruling, scope: ViewScope) -> DisputeRulingOutput:
    reads = scope.reads
    return {
        "id": str(made.pk),
        "number": made.number,
        "instance": made.instance,
        "state": str(made.state),
        "finding": made.finding,
        "remedy": made.remedy,
        "terms": made.terms if reads else None,
        "reason": made.reason if reads else None,
        "auditor": str(made.auditor_id),
        "rules": made.rules,
        "rules_version": made.rules_version,
        "evidence": [_without_version(pin, scope) for pin in made.evidence] if reads else None,
        "effects": made.effects if reads else None,
        "amount": made.moves,
        "second_person": made.second_person,
        "ruled_at": made.ruled_at,
        "decided_by": uuid_text(made.decided_by_id),
        "decided_at": made.decided_at,
        "decision_reason": (made.decided_why or None) if reads else None,
        "game": uuid_text(made.game),
    }


class RefusedActionOutput(TypedDict):
    code: Annotated[str, "the code of the problem; see docs/errors.md"]
    detail: str


def _refusal(problem: Problem | None) -> RefusedActionOutput | None:
    return None if problem is None else {"code": problem.code, "detail": problem.detail}


class DisputeActionOutput(TypedDict):
    action: Annotated[str, one_of(ACTIONS)]
    why_not: Annotated[RefusedActionOutput | None, "null if the caller can do it now"]


class DisputeOutput(DisputeLineOutput):
    hash: Annotated[str | None, "the hash of the disputed event; null if `version` is null"]
    events: int
    evidence: list[DisputeEvidenceOutput] | None
    rulings: list[DisputeRulingOutput]
    held_since: Annotated[datetime | None, "the start of the hold on what the game paid; null without a hold"]
    actions: Annotated[list[DisputeActionOutput], "the caller's actions in this state"]


def document(dispute: Dispute, viewer: Viewer, *, now: datetime) -> DisputeOutput:
    """Return a dispute as the viewer may see it. Records an auditor's early access first."""
    access.record_early_access(viewer, dispute, now=now)
    scope = view_scope(viewer, dispute)
    [facts] = _lines([dispute], viewer, {dispute.pk: dispute.claim} if scope.reads else {}, scope.games)
    pinned = [_pinned(one, scope) for one in dispute.evidence.all()]
    hold = money.current_hold(dispute.game)
    return {
        **facts,
        "hash": dispute.hash if dispute.game_id in scope.games else None,
        "events": dispute.events,
        "evidence": pinned if scope.reads else None,
        "rulings": [ruling(one, scope) for one in dispute.rulings.all()],
        "held_since": None if hold is None else hold.at,
        "actions": [
            {"action": one.name, "why_not": _refusal(one.refusal)}
            for one in (available(dispute, viewer, now=now) if isinstance(viewer, Player) else ())
        ],
    }


class OwnDisputeOutput(TypedDict):
    can_open: Annotated[bool, "whether the caller can dispute the game now"]
    why_not: RefusedActionOutput | None
    seat: Annotated[int | None, "the caller's seat; null without one"]
    until: Annotated[datetime | None, "the end of the dispute period; null while the game is in play"]
    days: Annotated[int, "the length of the dispute period in days"]
    dispute: Annotated[DisputeLineOutput | None, "the caller's last dispute of the game"]


def mine(game: GameRecord, player: Player, *, now: datetime) -> OwnDisputeOutput:
    """Return whether the player can dispute the game, until when, the refusal, and their last dispute of it."""
    last = access.opened_by(player).filter(game=game).first()
    refusal = refusal_of(lambda: services.require_may_open(game, player, now=now))
    return {
        "can_open": refusal is None,
        "why_not": _refusal(refusal),
        "seat": services.seat_of(game, player),
        "until": services.open_until(game),
        "days": settings.RACECARD_DISPUTE_DAYS,
        "dispute": None if last is None else line(last, player),
    }


class RulingPreviewOutput(TypedDict):
    token: str
    effects: RulingEffectsOutput
    amounts: Annotated[dict[str, int], "the amount that changes hands, in pence by currency"]
    second_person: Annotated[bool, "whether the ruling needs a second person's approval"]


def previewed(shown: Preview) -> RulingPreviewOutput:
    return {
        "token": shown.token,
        "effects": shown.effects.document(),
        "amounts": shown.effects.moved(),
        "second_person": shown.second_person,
    }


class DisputeEventOutput(TypedDict):
    """An event. `prev` and `hash` are null if data is redacted, because a guess could be tested against them."""

    version: int
    type: str
    seat: int | None
    data: Object
    private: Object | None
    seal: str | None
    at: str
    prev: str | None
    hash: str | None


def events_for(
    viewer: Viewer, dispute_id: UUID, after: int = 0, *, limit: int = store.PAGE
) -> list[DisputeEventOutput]:
    """Return up to `limit` events after version `after`, as the viewer may see them. Raises UnknownDispute."""
    dispute = access.visible_dispute(viewer, dispute_id)
    scope = view_scope(viewer, dispute)
    events = store.read(dispute.pk, after=after, limit=limit)
    return [{**event.public()} if scope.complete else _redacted(event, scope) for event in events]


def followable(readers: Collection[Reader]) -> set[Reader]:
    """Return the readers who may see their disputes: one statement for each player, and two for each of staff."""
    ids = {reader.stream for reader in readers}
    seen = {
        (audience, dispute)
        for audience, player in _audiences(readers).items()
        for dispute in access.visible_disputes(player).filter(pk__in=ids).values_list("pk", flat=True)
    }
    return {reader for reader in readers if (_audience(reader), reader.stream) in seen}


def shared_events(
    dispute_id: UUID, readers: Collection[Reader], after: int, *, limit: int = store.PAGE
) -> Shared:
    """Return at most `limit` events after version `after`. Each player is an audience, because few follow a dispute."""
    events: dict[Hashable, Sequence[Mapping[str, Any]]] = {}
    for audience, player in _audiences(readers).items():
        with suppress(UnknownDispute):
            events[audience] = events_for(player, dispute_id, after, limit=limit)
    return Shared({reader: _audience(reader) for reader in readers if _audience(reader) in events}, events)


Audience = tuple[UUID, frozenset[str] | None]


def _audience(reader: Reader) -> Audience:
    return reader.player, reader.acting_as


def _audiences(readers: Collection[Reader]) -> dict[Audience, Player]:
    """Return the player of each audience, limited to the roles in which it may act."""
    players = Player.objects.in_bulk({reader.player for reader in readers})
    found = dict[Audience, Player]()
    for reader in readers:
        if reader.player in players:
            found[_audience(reader)] = player = copy(players[reader.player])
            player.acting_as = reader.acting_as
    return found


def _redacted(event: StoredEvent, scope: ViewScope) -> DisputeEventOutput:
    """Return an event without hidden data, and without its hashes, against which a guess could be tested."""
    data = event.data
    if not scope.reads:
        data = {name: None if name in HIDDEN_FIELDS else value for name, value in data.items()}
    if event.type in ("opened", "pinned"):
        data = _without_version(data, scope)
    elif data.get("evidence"):
        data = {**data, "evidence": [_without_version(pin, scope) for pin in data["evidence"]]}
    return {**event.public(), "data": data, "prev": None, "hash": None}


def _without_version(pin: Object, scope: ViewScope) -> Object:
    """Return a pin without version and hash if the version of its game is hidden from the viewer."""
    return pin if UUID(pin["game"]) in scope.games else {**pin, "version": None, "hash": None}


# --- available actions -----------------------------------------------------------------------------------

Check = Callable[[Dispute, Player, datetime], object]

CHECKS: Mapping[str, Check] = {
    "withdraw": lambda dispute, actor, now: services.require_may_withdraw(dispute, actor),
    "appeal": lambda dispute, actor, now: rulings.require_may_appeal(dispute, actor, now=now),
    "pin": lambda dispute, actor, now: services.require_may_pin(dispute, actor),
    "suspend": lambda dispute, actor, now: services.require_may_suspend(dispute, actor),
    "resume": lambda dispute, actor, now: services.require_may_resume(dispute, actor),
    "rule": lambda dispute, actor, now: rulings.require_may_rule(dispute, actor),
    "approve": lambda dispute, actor, now: rulings.require_may_approve(dispute, actor),
    "refuse": lambda dispute, actor, now: rulings.require_may_approve(dispute, actor),
}
"""By action, the check that raises the refusal of the action if it is not available."""

ACTIONS = tuple(CHECKS)


class Action(NamedTuple):
    """An action that the state of the dispute allows; `refusal` is None if the viewer may carry it out now."""

    name: str
    refusal: Problem | None


def available(dispute: Dispute, viewer: Player, *, now: datetime) -> list[Action]:
    """Return the actions of the dispute's state that concern the viewer, each with its refusal if there is one."""
    is_staff = is_auditor(viewer) or has_role(viewer, Role.ADMINISTRATOR)
    names = [*_of_parties(dispute, viewer), *(_of_staff(dispute) if is_staff else ())]
    return [Action(name, refusal_of(partial(CHECKS[name], dispute, viewer, now))) for name in names]


def _of_parties(dispute: Dispute, viewer: Player) -> Iterator[str]:
    if viewer.pk == dispute.opener_id and dispute.status == states.OPEN:
        yield "withdraw"
    if dispute.status == states.RULED:
        yield "appeal"


def _of_staff(dispute: Dispute) -> Iterator[str]:
    if dispute.is_pending:
        yield "pin"
        yield "resume" if dispute.suspends else "suspend"
    if dispute.status in states.WAITING:
        yield "rule"
    if dispute.status == states.PROPOSED:
        yield from ("approve", "refuse")


# --- bundles ---------------------------------------------------------------------------------------------

IN_EFFECT = (states.STANDING, states.SUPERSEDED)
"""States of the rulings that have taken effect, including those that an appeal has superseded."""


def needed(games: Collection[UUID], before: datetime) -> set[UUID]:
    """Return those of the games with an open dispute, or with a ruling that could be appealed since `before`."""
    open_ = Q(status__in=states.PENDING) | Q(status=states.RULED, appeal_until__gte=before)
    return set(Dispute.objects.filter(open_, game__in=games).values_list("game", flat=True))


def rulings_on(game: UUID, with_money: bool) -> list[dict[str, Any]]:
    """Return the rulings on a game for its bundle (RULEBOOK 8), in the order in which they took effect.

    Their transfers are withheld unless `with_money` is set.
    """
    made = Ruling.objects.filter(dispute__game=game, state__in=IN_EFFECT)
    return [
        {
            "id": str(one.pk),
            "at": format_at(one.decided_at or one.ruled_at),
            "finding": one.finding,
            "remedy": one.remedy,
            "reason": one.reason,
            "transfers": list(transfers(one)) if with_money else WITHHELD,
        }
        for one in sorted(made, key=lambda one: (one.decided_at or one.ruled_at, str(one.pk)))
    ]


def transfers(ruling: Ruling) -> Iterator[dict[str, Any]]:
    """Yield the transfers that a ruling has caused."""
    for caused in ruling.caused:
        yield from _transfers(caused)


def _transfers(caused: Mapping[str, Any]) -> list[dict[str, Any]]:
    if caused["kind"] == "market":
        return [as_bundled(row) for row in transfers_of_resettlement(caused["subject"], caused["number"])]
    return [as_bundled(row) for row in transfers_of_ruling(caused["subject"], caused["number"])]
