"""The form of a bundle (RULEBOOK 8): strict, for whatever JSON comes in, and before anything is believed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from eventstore.chain import LARGEST_INTEGER, NotCanonical, check_canonical
from eventstore.checkpoints import inclusion
from eventstore.checkpoints.inclusion import Held, Trusted
from eventstore.checkpoints.published import NotPublished
from games.rules.bundles.record import FORMAT
from games.rules.fairness import BadSeed, client_seed

WITHHELD = "withheld"
LARGEST_AMOUNT = 10**11
"""Pence in one transfer."""

BUNDLE_KEYS = ("format", "game", "events", "outcome", "rulings", "transfers")
PROOF = "checkpoint"
"""The key of a bundle with the proof that a checkpoint covers it."""
GAME_KEYS = (
    "id",
    "rules",
    "rules_version",
    "config",
    "seats",
    "bet_seeds",
    "commitment",
    "server_seed",
    "tournament",
)
SEAT_KEYS = ("seat", "player", "client_seed")
SUIT = "suit"
"""The key that a seat has as well where the seats of the game have suits."""
TOURNAMENT_KEYS = ("id", "round", "deal", "commitment", "seed", "entropy")
EVENT_KEYS = ("version", "type", "seat", "data", "private", "seal", "at", "prev", "hash")
_members = itemgetter(*EVENT_KEYS)
TRANSFER_KEYS = ("id", "debit", "credit", "amount", "currency", "reason", "event")
RULING_KEYS = ("id", "at", "finding", "remedy", "reason", "transfers")

_HEX64 = re.compile(r"[0-9a-f]{64}").fullmatch
_TYPE = re.compile(r"[a-z][a-z-]{0,39}").fullmatch
_AT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z").fullmatch
_SUIT = re.compile(r"[CDHS]").fullmatch
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,63}").fullmatch
_ACCOUNT = re.compile(r"[a-z][a-z-]*(:[0-9A-Za-z._-]{1,64})?/[a-z][a-z-]*").fullmatch
_CURRENCY = re.compile(r"[A-Z][A-Z0-9]{1,11}").fullmatch


class Unreadable(ValueError):
    """Bytes that hold no JSON document, or one that says the same thing twice."""


class Malformed(ValueError):
    """A document that is no bundle; `version` names the event, where it is one."""

    def __init__(self, why: str, version: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.version = version


def read(raw: bytes) -> Any:
    """Return the JSON document in `raw` (UTF-8). Raises Unreadable, also for duplicate keys."""
    try:
        return json.loads(raw.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not a JSON document: {str(error)[:200]}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise Unreadable("a key stands twice in one object")
    return document


def _no_constant(name: str) -> None:
    raise Unreadable(f"{name} is no JSON number")


def check(document: Any) -> None:
    """Raise Malformed unless `document` has the keys and the forms of a bundle."""
    proven = type(document) is dict and PROOF in document
    bundle = _keys(document, (*BUNDLE_KEYS, PROOF) if proven else BUNDLE_KEYS, "the bundle")
    if bundle["format"] != FORMAT:
        raise Malformed(f"`format` is not {FORMAT}")
    _check_canonical({key: value for key, value in bundle.items() if key != "events"})
    _check_game(bundle["game"])
    if not isinstance(bundle["events"], list) or not bundle["events"]:
        raise Malformed("`events` is not a list of events")
    for version, event in enumerate(bundle["events"], start=1):
        _check_event(event, version)
    if bundle["outcome"] is not None:
        _expect(isinstance(bundle["outcome"], dict), "`outcome` is not an object")
    for ruling in _list(bundle["rulings"], "rulings"):
        _check_ruling(_keys(ruling, RULING_KEYS, "a ruling"))
    check_transfers(bundle["transfers"], len(bundle["events"]))
    _check_apart(bundle)
    if proven:
        _check_proof(bundle[PROOF], len(bundle["events"]))


def _check_proof(document: Any, events: int) -> None:
    try:
        proof = inclusion.read(document)
    except NotPublished as error:
        raise Malformed(f"`{PROOF}`: {error}") from None
    _whole(proof.version, 1, events, f"{PROOF}.version")


def _check_canonical(value: Any) -> None:
    try:
        check_canonical(value)
    except NotCanonical as error:
        raise Malformed(str(error)[:200]) from error


def _check_game(document: Any) -> None:
    game = _keys(document, GAME_KEYS, "`game`")
    _text(game["id"], _ID, "game.id")
    _expect(isinstance(game["rules"], str), "`game.rules` is not text")
    _whole(game["rules_version"], 1, LARGEST_INTEGER, "game.rules_version")
    _expect(isinstance(game["config"], dict), "`game.config` is not an object")
    for seat in _list(game["seats"], "game.seats"):
        suited = type(seat) is dict and SUIT in seat
        seat = _keys(seat, (*SEAT_KEYS, SUIT) if suited else SEAT_KEYS, "a seat")
        _whole(seat["seat"], 0, LARGEST_INTEGER, "seat")
        _text(seat["player"], _ID, "player")
        _client_seed(seat["client_seed"])
        if suited:
            _text(seat[SUIT], _SUIT, "suit")
    for seed in _list(game["bet_seeds"], "game.bet_seeds"):
        _client_seed(seed)
    _text(game["commitment"], _HEX64, "game.commitment")
    _text_or_null(game["server_seed"], _HEX64, "game.server_seed")
    if game["tournament"] is not None:
        _check_tournament(_keys(game["tournament"], TOURNAMENT_KEYS, "`game.tournament`"))


def _check_tournament(tournament: dict[str, Any]) -> None:
    _text(tournament["id"], _ID, "tournament.id")
    _whole(tournament["round"], 1, LARGEST_INTEGER, "tournament.round")
    _whole(tournament["deal"], 1, LARGEST_INTEGER, "tournament.deal")
    _text(tournament["commitment"], _HEX64, "tournament.commitment")
    _text_or_null(tournament["seed"], _HEX64, "tournament.seed")
    _text(tournament["entropy"], _HEX64, "tournament.entropy")


def _check_event(event: Any, version: int) -> None:
    """Written out, because it runs for every event of every game that is checked."""
    try:
        number, kind, seat, data, private, seal, at, prev, hash = _members(event)
        whole = type(event) is dict and len(event) == len(EVENT_KEYS)
    except (TypeError, LookupError):
        whole = False
    if not whole:
        raise Malformed(f"an event has the keys {', '.join(sorted(EVENT_KEYS))}", version)
    if type(number) is not int:
        raise Malformed("`version` is not a whole number", version)
    if type(kind) is not str or not _TYPE(kind):
        raise Malformed("`type` is not the name of an event", version)
    if seat is not None and (type(seat) is not int or not 0 <= seat <= LARGEST_INTEGER):
        raise Malformed("`seat` is not a seat or null", version)
    if type(data) is not dict:
        raise Malformed("`data` is not an object", version)
    if private is not None and type(private) is not dict:
        raise Malformed("`private` is not an object or null", version)
    if type(prev) is not str or type(hash) is not str:  # their value is the chain's to judge
        raise Malformed("`prev` or `hash` is not text", version)
    if seal is not None and (type(seal) is not str or not _HEX64(seal)):
        raise Malformed("`seal` is not 64 hexadecimal digits or null", version)
    if not is_moment(at):
        raise Malformed("`at` is not a moment of the form YYYY-MM-DDThh:mm:ss.ffffffZ", version)


def is_moment(at: object) -> bool:
    if type(at) is not str or not _AT(at):
        return False
    try:
        datetime.fromisoformat(at)
    except ValueError:
        return False
    return True


def _check_ruling(ruling: dict[str, Any]) -> None:
    _text(ruling["id"], _ID, "a ruling's id")
    _expect(is_moment(ruling["at"]), "a ruling's `at` is not a moment")
    for key in ("finding", "remedy", "reason"):
        _expect(isinstance(ruling[key], str), f"a ruling's `{key}` is not text")
    check_transfers(ruling["transfers"], None)


def _check_apart(bundle: dict[str, Any]) -> None:
    """Check that each ruling occurs once, and its transfers only under it."""
    rulings = [ruling["id"] for ruling in bundle["rulings"]]
    _expect(len(set(rulings)) == len(rulings), "a ruling stands there twice")
    lists = [bundle["transfers"], *(ruling["transfers"] for ruling in bundle["rulings"])]
    ids = [transfer["id"] for shown in lists if shown != WITHHELD for transfer in shown]
    _expect(len(set(ids)) == len(ids), "a transfer stands there twice, under a ruling and elsewhere")


def check_transfers(transfers: Any, events: int | None) -> None:
    """`events`: how many versions a transfer can name; None where it can name none of this stream."""
    if transfers == WITHHELD:
        return
    ids = set()
    for transfer in _list(transfers, "transfers"):
        transfer = _keys(transfer, TRANSFER_KEYS, "a transfer")
        _text(transfer["id"], _ID, "a transfer's id")
        _text(transfer["debit"], _ACCOUNT, "debit")
        _text(transfer["credit"], _ACCOUNT, "credit")
        _expect(transfer["debit"] != transfer["credit"], "a transfer debits and credits the same account")
        _whole(transfer["amount"], 1, LARGEST_AMOUNT, "amount")
        _text(transfer["currency"], _CURRENCY, "currency")
        _expect(isinstance(transfer["reason"], str), "a transfer's `reason` is not text")
        if transfer["event"] is not None:
            _whole(transfer["event"], 1, events or LARGEST_INTEGER, "a transfer's event")
        if transfer["id"] in ids:
            raise Malformed(f"the transfer {transfer['id']} stands there twice")
        ids.add(transfer["id"])


def _client_seed(value: Any) -> None:
    try:
        client_seed(value)
    except BadSeed as error:
        raise Malformed(str(error)) from error


def _expect(holds: bool, why: str) -> None:
    if not holds:
        raise Malformed(why)


def _keys(value: Any, keys: tuple[str, ...], what: str) -> dict[str, Any]:
    if type(value) is not dict:
        raise Malformed(f"{what} is not an object")
    if len(value) != len(keys) or not all(key in value for key in keys):
        raise Malformed(f"{what} has the keys {', '.join(keys)}, no other and none missing")
    document: dict[str, Any] = value
    return document


def _list(value: Any, what: str) -> list[Any]:
    _expect(type(value) is list, f"`{what}` is not a list")
    items: list[Any] = value
    return items


def _whole(value: Any, low: int, high: int, what: str) -> None:
    if type(value) is not int or not low <= value <= high:
        raise Malformed(f"`{what}` is not a whole number {low}…{high}")


def _text(value: Any, form: Callable[[str], object], what: str) -> None:
    if type(value) is not str or not form(value):
        raise Malformed(f"`{what}` is not of its form")


def _text_or_null(value: Any, form: Callable[[str], object], what: str) -> None:
    if value is not None:
        _text(value, form, what)


PROOF_CHECKS = {
    "checkpoint": "a checkpoint covers the last event, and a trusted key has signed it",
    "known": "that checkpoint is consistent with the trusted ones",
}
"""Checks that need a proof: run if the bundle contains one, or if one is requested."""


class Proof(NamedTuple):
    """The checkpoint that contains the game of a bundle."""

    number: int
    at: str
    version: int
    """The event that it covers, and all before it."""
    key: str
    held: Held | None
    """`fast` if the reader has this checkpoint or a later one; `following` if it comes after theirs."""


class Notes(Protocol):
    def passed(self, *checks: str) -> None: ...
    def fail(self, check: str, why: str, version: int | None = None) -> None: ...


def judge_proof(bundle: Mapping[str, Any], trusted: Trusted, notes: Notes, *, ended: bool) -> Proof | None:
    """Return the result of a bundle's proof, or None if it proves nothing.

    Without a known checkpoint nothing passes: the author of the proof could have signed it as well.
    """
    if PROOF not in bundle:
        notes.fail(
            "checkpoint", "the bundle carries no proof that a checkpoint covers it: fetch it with proof=1"
        )
        return None
    proof = inclusion.read(bundle[PROOF])
    if wrong := proof.fault(bundle["game"]["id"], bundle["events"][proof.version - 1]["hash"]):
        notes.fail("checkpoint", f"checkpoint {wrong[0]}: {wrong[1]}")
        return None
    if ended and proof.version < len(bundle["events"]):
        why = f"checkpoint {proof.number} covers no more than event {proof.version}"
        notes.fail("checkpoint", why, proof.version + 1)
    elif trusted.keys and (why_not := inclusion.signature_fault(proof, trusted.keys)):
        notes.fail("checkpoint", why_not)
    elif trusted.keys:
        notes.passed("checkpoint")
    held = _held(proof, trusted, notes) if trusted.known else None
    return Proof(proof.number, proof.checkpoint.at, proof.version, proof.checkpoint.key, held)


def _held(proof: inclusion.Inclusion, trusted: Trusted, notes: Notes) -> Held | None:
    try:
        found = inclusion.held(proof, trusted.known)
    except NotPublished as error:
        notes.fail("known", str(error))
        return None
    notes.passed("known")
    return found
