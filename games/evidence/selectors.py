"""The evidence of a game, for its staff pages and REST views. `games.access.require_evidence` checks access."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from accounts.models import Player
from accounts.roles import is_staff
from accounts.services import token_labels
from core.errors import NoSuchVersion
from eventstore import store
from eventstore.chain import format_at
from eventstore.store import Caused
from games.evidence.differences import differences
from games.evidence.judgement import Judged
from games.evidence.models import RefusedCommand
from games.evidence.open_views import open_view
from games.evidence.page import EvidencePage
from games.evidence.recording import table_at
from games.evidence.words import sentence
from games.models import GameRecord
from games.observation import ViewScope, redacted
from games.rules.refusals import GENERAL
from games.rules.registry import get
from games.rules.table import Table
from games.selectors import is_dealt
from ledger.selectors import transfers_of

Document = dict[str, Any]


def overview(page: EvidencePage, viewer: Player) -> Document:
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
        "divergence": page.divergence,
        "refused": RefusedCommand.objects.filter(game=game).count(),
        "results": [details.line(judged) for judged in page.judged],
    }


def one_event(page: EvidencePage, viewer: Player) -> Document:
    """Return the one event of a page with what it changed, every card shown."""
    [judged] = page.judged
    before, after = _opened(judged.before), _opened(judged.after)
    return {
        **_EventDetails(page, viewer).line(judged),
        "before": before,
        "after": after,
        "differences": [change.document() for change in differences(before, after)],
    }


def received(game: GameRecord, *, at: int, seat: int | None) -> Document:
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
    parts = {
        "event": redacted(event, scope),
        "view": table.view(seat) if dealt else None,
        "legal_moves": table.legal_moves(seat) if dealt else [],
        "response": _response(game, table, scope, at),
    }
    return {
        "version": at,
        "seat": seat,
        "player": table.seats[seat].player if seat in table.seats else None,
        **parts,
        "bytes": {name: _bytes(part) for name, part in parts.items() if part is not None},
    }


def refused(game: GameRecord, viewer: Player, commands: Iterable[RefusedCommand]) -> list[Document]:
    """Return refused commands as stored."""
    found = list(commands)
    shown = _shows_tokens(viewer)
    labels = token_labels(one.token for one in found if one.token)
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
            "move": one.parsed_move(),
            "command": one.command_id,
            "client_at": one.client_at,
            "token": _token(one.token, labels) if shown(one.player_id) else None,
        }
        for one in found
    ]


class _EventDetails:
    """Data about the events of a page, looked up once for all of them."""

    def __init__(self, page: EvidencePage, viewer: Player) -> None:
        self.slug = page.game.rules
        self.causes = page.causes()
        self.shown = _shows_tokens(viewer)
        origins = [cause.origin for cause in self.causes.values() if cause.origin]
        self.labels = token_labels(origin.token for origin in origins if origin.token)
        self.postings = _postings(page.game)

    def line(self, judged: Judged) -> Document:
        event, version = judged.event, judged.event["version"]
        return {
            "version": version,
            "type": event["type"],
            "seat": event["seat"],
            "at": event["at"],
            "hash": event["hash"],
            "text": _text(event, self.slug),
            "chain": judged.chain,
            "rules": judged.rules,
            "check": judged.check,
            "why": judged.why,
            "origin": self._origin(self.causes.get(version)),
            "postings": self.postings.get(version, []),
            "event": event,
        }

    def _origin(self, cause: Caused | None) -> Document | None:
        """None for an event of the server. Only staff see the tokens of other players."""
        if cause is None:
            return None
        origin = cause.origin
        token = _token(origin.token, self.labels) if origin and self.shown(origin.actor) else None
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


def _token(token: str | None, labels: Mapping[str, str]) -> Document | None:
    return {"id": token, "label": labels.get(token, "")} if token else None


def _postings(game: GameRecord) -> dict[int, list[Document]]:
    """Return the transfers of each event that moved money."""
    found: dict[int, list[Document]] = defaultdict(list)
    for transfer in transfers_of(f"game:{game.pk}"):
        if transfer["event"] is not None:
            found[transfer["event"]].append(transfer)
    return found


def _text(event: Mapping[str, Any], slug: str) -> str:
    try:
        return sentence(event, slug)
    except (KeyError, TypeError, AttributeError, IndexError, LookupError):
        return "What this event says is in no known form."


def _opened(table: Table | None) -> Document | None:
    if table is None:
        return None
    about = {"status": table.status, "seats": sorted(table.seats), "outcome": table.outcome}
    return about | {"table": open_view(table)}


def _response(game: GameRecord, table: Table, scope: ViewScope, at: int) -> Document | None:
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


def _bytes(part: Any) -> Document:
    body = orjson.dumps(part)
    return {"length": len(body), "sha256": hashlib.sha256(body).hexdigest()}
