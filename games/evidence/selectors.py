"""The evidence of a game, for its pages and its REST. Who may see it has been asked before (`evidence.access`)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from accounts.models import Player
from accounts.roles import is_staff
from accounts.services import token_labels
from eventstore import store
from eventstore.chain import format_at
from eventstore.store import Caused
from games.errors import NoSuchVersion
from games.evidence.differences import differences
from games.evidence.judgement import Judged
from games.evidence.models import RefusedCommand
from games.evidence.open_views import open_view
from games.evidence.reading import Reading
from games.evidence.recording import table_at
from games.evidence.words import sentence
from games.models import GameRecord
from games.redaction import Eyes, redacted
from games.rules.refusals import GENERAL
from games.rules.registry import get
from games.rules.table import Table
from games.selectors import is_dealt
from ledger.selectors import transfers_of

Document = dict[str, Any]


def overview(reading: Reading, viewer: Player) -> Document:
    """A page of the game's events, each with verdict, origin and postings; the page says too where the game first
    departs from the rules, and when that was judged.
    """
    game, about = reading.game, _About(reading, viewer)
    return {
        "game": str(game.pk),
        "rules": game.rules,
        "status": game.status,
        "version": reading.version,
        "opened": reading.opened,
        "verified_at": None if reading.verified_at is None else format_at(reading.verified_at),
        "divergence": reading.divergence,
        "refused": RefusedCommand.objects.filter(game=game).count(),
        "results": [about.line(judged) for judged in reading.judged],
    }


def one_event(reading: Reading, viewer: Player) -> Document:
    """The one event of a reading with what it changed, every card shown."""
    [judged] = reading.judged
    before, after = _opened(judged.before), _opened(judged.after)
    return {
        **_About(reading, viewer).line(judged),
        "before": before,
        "after": after,
        "differences": [change.document() for change in differences(before, after)],
    }


def received(game: GameRecord, *, at: int, seat: int | None) -> Document:
    """What a seat was sent of a version, worked out again; `seat` None: who only looked on.

    `event` is the event as it went to that seat while the game was on, `view` and `legal_moves` what lay before it
    then; `answer` is what the mover's request was answered with, where the version is the last of a command of that
    seat. `bytes` has length and SHA-256 of each as it goes over the wire. Raises NoSuchVersion.
    """
    table = table_at(game, at)
    if table is None or (seat is not None and seat not in range(max(game.seats, 1))):
        raise NoSuchVersion
    [event] = store.read(game.pk, after=at - 1, limit=1)
    eyes = Eyes(table.game, seat, everything=False)
    dealt = is_dealt(game, table)
    parts = {
        "event": redacted(event, eyes),
        "view": table.view(seat) if dealt else None,
        "legal_moves": table.legal_moves(seat) if dealt else [],
        "answer": _answer(game, table, eyes, at),
    }
    return {
        "version": at,
        "seat": seat,
        "player": table.seats[seat].player if seat in table.seats else None,
        **parts,
        "bytes": {name: _bytes(part) for name, part in parts.items() if part is not None},
    }


def refused(game: GameRecord, viewer: Player, commands: Iterable[RefusedCommand]) -> list[Document]:
    """Commands that were not accepted, as they are kept."""
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
            "move": one.told_move(),
            "command": one.command_id,
            "client_at": one.client_at,
            "token": _token(one.token, labels) if shown(one.player_id) else None,
        }
        for one in found
    ]


class _About:
    """What stands beside the events of a page, looked up once for all of them."""

    def __init__(self, reading: Reading, viewer: Player) -> None:
        self.slug = reading.game.rules
        self.causes = reading.causes()
        self.shown = _shows_tokens(viewer)
        origins = [cause.origin for cause in self.causes.values() if cause.origin]
        self.labels = token_labels(origin.token for origin in origins if origin.token)
        self.postings = _postings(reading.game)

    def line(self, judged: Judged) -> Document:
        event, version = judged.event, judged.event["version"]
        return {
            "version": version,
            "type": event["type"],
            "seat": event["seat"],
            "at": event["at"],
            "hash": event["hash"],
            "words": _words(event, self.slug),
            "chain": judged.chain,
            "rules": judged.rules,
            "check": judged.check,
            "why": judged.why,
            "origin": self._origin(self.causes.get(version)),
            "postings": self.postings.get(version, []),
            "event": event,
        }

    def _origin(self, cause: Caused | None) -> Document | None:
        """None of what the server did by itself; nobody is told of another's tokens but staff."""
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
    """The transfers of each event that moved money."""
    found: dict[int, list[Document]] = defaultdict(list)
    for transfer in transfers_of(f"game:{game.pk}"):
        if transfer["event"] is not None:
            found[transfer["event"]].append(transfer)
    return found


def _words(event: Mapping[str, Any], slug: str) -> str:
    try:
        return sentence(event, slug)
    except (KeyError, TypeError, AttributeError, IndexError, LookupError):
        return "What this event says is in no known form."


def _opened(table: Table | None) -> Document | None:
    if table is None:
        return None
    about = {"status": table.status, "seats": sorted(table.seats), "outcome": table.outcome}
    return about | {"table": open_view(table)}


def _answer(game: GameRecord, table: Table, eyes: Eyes, at: int) -> Document | None:
    """The body of the answer to a move (REST `games/{id}/moves/`)."""
    cause = next(iter(store.causes(game.pk, first=at, until=at)), None)
    if cause is None or cause.last != at:
        return None
    events = store.read(game.pk, after=cause.first - 1, until=cause.last)
    if not any("move" in event.data and event.seat == eyes.seat for event in events):
        return None
    return {
        "version": at,
        "hash": events[-1].hash,
        "events": [redacted(event, eyes) for event in events],
        "view": table.view(eyes.seat),
        "legal_moves": table.legal_moves(eyes.seat),
    }


def _bytes(part: Any) -> Document:
    body = orjson.dumps(part)
    return {"length": len(body), "sha256": hashlib.sha256(body).hexdigest()}
