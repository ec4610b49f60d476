"""The evidence of a game, for its staff pages and REST views. `games.access.require_evidence` checks access."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, TypedDict, cast

import orjson

from accounts.models import Player
from accounts.roles import is_staff
from accounts.services import token_names
from core.errors import NoSuchVersion
from eventstore import store
from eventstore.chain import format_at
from eventstore.store import Caused, EventOutput
from games.evidence.judgement import Judged
from games.evidence.recording import table_at
from games.evidence.verification import EvidencePage
from games.evidence.words import Amount, TableChangeOutput, differences, sentence
from games.models import GameRecord, RefusedCommand
from games.observation import ViewScope, open_view, redacted
from games.rules.refusals import GENERAL
from games.rules.registry import get
from games.rules.table import Table
from games.selectors import GameStatus, PlayedOutput, is_dealt
from ledger.money import money
from ledger.selectors import transfers_of
from rest.documents import Object, Url, Uuid, one_of

Verdict = Annotated[str, one_of(["passed", "failed", "not-run"])]


class TokenOfOutput(TypedDict):
    id: str
    name: str


class OriginOutput(TypedDict):
    command: Annotated[str, "SHA-256 of actor, endpoint and Idempotency-Key"]
    first: Annotated[int, "first event of the command"]
    last: int
    actor: Uuid | None
    client_at: Annotated[str | None, "by the client's own clock"]
    token: TokenOfOutput | None


class EventPostingOutput(TypedDict):
    id: Uuid
    debit: str
    credit: str
    amount: Annotated[int, "pence"]
    currency: str
    reason: str
    event: int


class EvidenceLineOutput(TypedDict):
    version: int
    type: str
    seat: int | None
    at: Annotated[str, "the server's time"]
    hash: str
    text: str
    chain: Verdict
    rules: Verdict
    check: Annotated[str | None, "the check that fails here first"]
    why: str | None
    origin: OriginOutput | None
    postings: list[EventPostingOutput]
    event: EventOutput


class DivergenceOutput(TypedDict):
    version: int
    check: str
    why: str


class EvidenceOverview(TypedDict):
    game: Uuid
    rules: str
    status: GameStatus
    version: int
    seed_revealed: Annotated[bool, "whether the seed is shown, so that the deal is judged too"]
    verified_at: Annotated[
        str | None,
        "when the verdicts were made; null: a job is making those of this long game, ask again",
    ]
    divergence: DivergenceOutput | None
    refused: Annotated[int, "how many refused commands are kept"]
    results: list[EvidenceLineOutput]


class EvidenceOutput(EvidenceOverview):
    next: Url | None


def overview(page: EvidencePage, viewer: Player) -> EvidenceOverview:
    """Return a page of the game's events, each with verdicts, origin, and transfers.

    The page also contains the first failed event and the time of the verdicts.
    """
    game, details = page.game, _EventDetails(page, viewer)
    return {
        "game": str(game.pk),
        "rules": game.rules,
        "status": game.status,
        "version": page.version,
        "seed_revealed": page.opened,
        "verified_at": None if page.verified_at is None else format_at(page.verified_at),
        "divergence": cast("DivergenceOutput | None", page.divergence),
        "refused": RefusedCommand.objects.filter(game=game).count(),
        "results": [details.line(judged) for judged in page.judged],
    }


class EvidenceEventOutput(EvidenceLineOutput):
    before: Object | None
    after: Object | None
    differences: list[TableChangeOutput]


def one_event(page: EvidencePage, viewer: Player) -> EvidenceEventOutput:
    """Return the one event of a page with what it changed, every card shown."""
    [judged] = page.judged
    before, after = _opened(judged.before), _opened(judged.after)
    return {
        **_EventDetails(page, viewer).line(judged),
        "before": before,
        "after": after,
        "differences": [change.document(amount_format(page.game)) for change in differences(before, after)],
    }


class BytesOutput(TypedDict):
    length: int
    sha256: str


class _Sent(TypedDict):
    event: EventOutput
    view: Object | None
    legal_moves: list[Object]
    response: Annotated[PlayedOutput | None, "to the seat's own move"]


class ReceivedOutput(_Sent):
    version: int
    seat: int | None
    player: Uuid | None
    bytes: Annotated[dict[str, BytesOutput], "length and SHA-256 of each as it is sent"]


def received(game: GameRecord, *, at: int, seat: int | None) -> ReceivedOutput:
    """Return what a seat was sent of a version, computed again; `seat` None is a spectator.

    `event` is the redacted event, `view` and `legal_moves` the state after it. `response` is the response to the seat's
    own command, if the version is its last event. `bytes` contains length and SHA-256 of each as sent. Raises
    NoSuchVersion.
    """
    table = table_at(game, at)
    if table is None or (seat is not None and seat not in range(max(game.seats, 1))):
        raise NoSuchVersion
    [event] = store.read(game.pk, after=at - 1, limit=1)
    scope = ViewScope(table.game, seat, everything=False)
    dealt = is_dealt(game, table)
    sent: _Sent = {
        "event": redacted(event, scope),
        "view": table.view(seat) if dealt else None,
        "legal_moves": table.legal_moves(seat) if dealt else [],
        "response": _response(game, table, scope, at),
    }
    return {
        "version": at,
        "seat": seat,
        "player": table.seats[seat].player if seat in table.seats else None,
        **sent,
        "bytes": {name: _bytes(part) for name, part in sent.items() if part is not None},
    }


class RefusedCommandOutput(TypedDict):
    id: int
    at: datetime
    actor: Uuid
    seat: int | None
    version: Annotated[int, "of the game, against which it was judged"]
    code: str
    rule: str | None
    ruling: Annotated[str | None, "key of the rule in `GET rules/`"]
    fact: str | None
    ground: Annotated[
        Object | None,
        "`key` and `values` of the fact; null without one, and for moves before this was stored",
    ]
    move: Any
    command: str | None
    client_at: str | None
    token: TokenOfOutput | None


def refused(
    game: GameRecord, viewer: Player, commands: Iterable[RefusedCommand]
) -> list[RefusedCommandOutput]:
    """Return refused commands as stored."""
    found = list(commands)
    shown = _shows_tokens(viewer)
    names = token_names(one.token for one in found if one.token)
    keys = {ruling.text: ruling.key for ruling in (*GENERAL, *get(game.rules).rulings)}
    return [
        {
            "id": one.pk,
            "at": one.at,
            "actor": str(one.player_id),
            "seat": one.seat,
            "version": one.version,
            "code": one.code,
            "rule": one.rule or None,
            "ruling": keys.get(one.rule),
            "fact": one.fact or None,
            "ground": one.parsed_ground(),
            "move": one.parsed_move(),
            "command": one.command_id,
            "client_at": one.client_at,
            "token": _token(one.token, names) if shown(one.player_id) else None,
        }
        for one in found
    ]


class _EventDetails:
    """Data about the events of a page, looked up once for all of them."""

    def __init__(self, page: EvidencePage, viewer: Player) -> None:
        self.slug = page.game.rules
        self.amount = amount_format(page.game)
        self.causes = page.causes()
        self.shown = _shows_tokens(viewer)
        origins = [cause.origin for cause in self.causes.values() if cause.origin]
        self.names = token_names(origin.token for origin in origins if origin.token)
        self.postings = _postings(page.game)

    def line(self, judged: Judged) -> EvidenceLineOutput:
        event, version = cast("EventOutput", judged.event), judged.event["version"]
        return {
            "version": version,
            "type": event["type"],
            "seat": event["seat"],
            "at": event["at"],
            "hash": event["hash"],
            "text": event_text(event, self.slug, self.amount),
            "chain": judged.chain,
            "rules": judged.rules,
            "check": judged.check,
            "why": judged.why,
            "origin": self._origin(self.causes.get(version)),
            "postings": self.postings.get(version, []),
            "event": event,
        }

    def _origin(self, cause: Caused | None) -> OriginOutput | None:
        """None for an event of the server. Only staff see the tokens of other players."""
        if cause is None:
            return None
        origin = cause.origin
        token = _token(origin.token, self.names) if origin and self.shown(origin.actor) else None
        return {
            "command": cause.command_id,
            "first": cause.first,
            "last": cause.last,
            "actor": str(origin.actor) if origin else None,
            "client_at": origin.client_at if origin else None,
            "token": token,
        }


def _shows_tokens(viewer: Player) -> Any:
    staff = is_staff(viewer)
    return lambda actor: staff or actor == viewer.pk


def _token(token: str | None, names: Mapping[str, str]) -> TokenOfOutput | None:
    return {"id": token, "name": names.get(token, "")} if token else None


def _postings(game: GameRecord) -> dict[int, list[EventPostingOutput]]:
    """Return the transfers of each event that moved money."""
    found: dict[int, list[EventPostingOutput]] = defaultdict(list)
    for transfer in transfers_of(f"game:{game.pk}"):
        if transfer["event"] is not None:
            found[transfer["event"]].append(cast("EventPostingOutput", transfer))
    return found


def amount_format(game: GameRecord) -> Amount | None:
    """Return the format of the amounts of a game for money."""
    if not game.stake or game.stake_table is None:
        return None
    return partial(money, currency=game.stake_table.currency)


def event_text(event: EventOutput, slug: str, amount: Amount | None) -> str:
    """Describe an event, whole or redacted, in a sentence. Seats count from 0."""
    try:
        return sentence(event, slug, amount)
    except (KeyError, TypeError, AttributeError, IndexError, LookupError):
        return "What this event says is in no known form."


def _opened(table: Table | None) -> Object | None:
    if table is None:
        return None
    about = {"status": table.status, "seats": sorted(table.seats), "outcome": table.outcome}
    return about | {"table": open_view(table)}


def _response(game: GameRecord, table: Table, scope: ViewScope, at: int) -> PlayedOutput | None:
    """The body of the response to a move (REST `games/{id}/moves/`)."""
    cause = next(iter(store.causes(game.pk, first=at, until=at)), None)
    if cause is None or cause.last != at:
        return None
    events = store.read(game.pk, after=cause.first - 1, until=cause.last)
    if not any("move" in event.data and event.seat == scope.seat for event in events):
        return None
    return {
        "version": at,
        "hash": events[-1].hash,
        "events": [redacted(event, scope) for event in events],
        "view": table.view(scope.seat),
        "legal_moves": table.legal_moves(scope.seat),
    }


def _bytes(part: Any) -> BytesOutput:
    body = orjson.dumps(part)
    return {"length": len(body), "sha256": hashlib.sha256(body).hexdigest()}
