"""The board of a disputed game at an event, before and after it, with every card and the cards that moved marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Player
from eventstore import store
from eventstore.chain import parse_at
from games.access import require_evidence
from games.evidence import selectors
from games.evidence.naming import (
    event_words,
    face,
    faces,
    in_words,
    named_outcome,
    people_at,
    seat_name,
    sits_down,
    with_names,
)
from games.evidence.selectors import EvidenceEventOutput, EvidenceLineOutput
from games.evidence.verification import single
from games.evidence.words import TableChangeOutput
from games.models import GameRecord, RefusedCommand
from games.selectors import buy_in_subject
from ledger.models import Transfer
from ledger.staff import wording
from staff import subjects
from staff.actions import Movement

CARD = re.compile(r"(?:[A2-9TJQK][CDHS]|X[12])(?:\.\w+)?")
NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
BY_SEAT = frozenset({"hands", "seats"})
"""Lists of a table with one item for each seat."""
WORDS = {
    "columns": "column",
    "foundations": "foundation",
    "kings": "pile of the kings",
    "twos": "pile of the twos",
    "work": "work pile",
    "down": ", face down",
    "up": ", face up",
}
"""Members of a table as a label names them."""
OF_SEATS = frozenset({"dealer", "ender", "rule_maker", "to_act", "turn", "winner", "winners"})
"""Members of a table whose value is a seat, or several."""
REFUSED = 20
"""Refused moves shown at an event."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A card as it is drawn: `moved` if it is not on the same pile on the other side."""

    text: str
    name: str
    is_red: bool
    moved: bool


@dataclass(frozen=True, slots=True)
class Pile:
    label: str
    before: Sequence[Card]
    after: Sequence[Card]

    @property
    def is_changed(self) -> bool:
        return any(card.moved for card in (*self.before, *self.after))


@dataclass(frozen=True, slots=True)
class Board:
    """An event of a game with the table around it.

    happened  the event in a sentence, with people by name
    last      the version of the last event
    piles     None before the deal, or if an earlier event is invalid
    refused   the moves that were refused at this version, with the rule that refused them
    """

    event: EvidenceEventOutput
    happened: str
    last: int
    piles: Sequence[Pile] | None
    refused: Sequence[Mapping[str, Any]]

    @property
    def version(self) -> int:
        return self.event["version"]

    @property
    def server_time(self) -> datetime:
        return parse_at(self.event["at"])

    @property
    def client_time(self) -> datetime | None:
        origin = self.event["origin"]
        return parse_at(origin["client_at"]) if origin and origin["client_at"] else None

    @property
    def delay(self) -> str:
        """The time from the client's clock to the server's, in seconds; empty if the client sent none."""
        sent = self.client_time
        return "" if sent is None else f"{(self.server_time - sent).total_seconds():+.3f} s"


def board_at(game: GameRecord, version: int, viewer: Player, *, now: datetime) -> Board:
    """Return the board at an event, or at the last one if there are fewer.

    An auditor's early access is recorded. Raises the errors of `require_evidence`.
    """
    require_evidence(viewer, game, now=now)
    last = store.head(game.pk).version
    at = min(max(version, 1), last)
    event = selectors.one_event(single(game, at, now=now), viewer)
    people = people_at(game)
    refusals = RefusedCommand.objects.filter(game=game, version=at)[:REFUSED]
    return Board(
        event,
        event_words(event["event"], event["text"], people, subjects.links(players_of([event]))),
        last,
        _piles(event["before"], event["after"], people),
        [
            {**one, "fact": in_words(one["fact"] or "", people)}
            for one in selectors.refused(game, viewer, refusals)
        ],
    )


def players_of(events: Iterable[EvidenceLineOutput]) -> Iterator[str]:
    """Yield the players of events as subjects: who acted, and who sat down."""
    for event in events:
        if event["origin"] and event["origin"]["actor"]:
            yield f"player:{event['origin']['actor']}"
        if event["type"] == "seated":
            yield sits_down(event["event"])


def change_words(change: TableChangeOutput, people: Mapping[int, str]) -> str:
    """Return a change of a table in words, with people by name and piles counted from 1."""
    path = tuple(int(step) if step.isdecimal() else step for step in change["path"].split("/"))
    text = with_names(change["text"].partition(": ")[2], people)
    if path == ("outcome",):
        text = named_outcome(text, people)
    elif path == ("seats",) or path[-1] in OF_SEATS:
        text = " → ".join(_seats(value, people) for value in (change["before"], change["after"]))
    return f"{_label(path, people) or 'All'}: {faces(text)}"


def _seats(value: Any, people: Mapping[int, str]) -> str:
    seats = value if isinstance(value, list) else [] if value is None else [value]
    return ", ".join(seat_name(seat, people) if type(seat) is int else str(seat) for seat in seats) or "none"


def _piles(before: Any, after: Any, people: Mapping[int, str]) -> list[Pile] | None:
    """Return the piles of both tables, those that change first."""
    if before is None and after is None:
        return None
    was, becomes = dict(piles_of(before)), dict(piles_of(after))
    found = [
        Pile(
            _label(path, people),
            _drawn(was.get(path, ()), becomes.get(path, ())),
            _drawn(becomes.get(path, ()), was.get(path, ())),
        )
        for path in dict.fromkeys([*becomes, *was])
    ]
    return sorted(found, key=lambda pile: not pile.is_changed)


def piles_of(document: Any, path: Path = ()) -> Iterator[tuple[Path, Sequence[str]]]:
    """Yield the piles of a table in document order, without empty ones, each with its path.

    >>> list(piles_of({"stock": ["AS", "2H"], "twos": [["2C"], []], "turn": 1}))
    [(('stock',), ['AS', '2H']), (('twos', 0), ['2C'])]
    """
    if _is_card(document):
        yield path, [document]
    elif isinstance(document, list):
        if document and all(map(_is_card, document)):
            yield path, document
        else:
            for place, item in enumerate(document):
                yield from piles_of(item, (*path, place))
    elif isinstance(document, dict):
        for key, item in document.items():
            yield from piles_of(item, (*path, key))


def _is_card(value: Any) -> bool:
    return isinstance(value, str) and CARD.fullmatch(value) is not None


def _drawn(cards: Sequence[str], elsewhere: Sequence[str]) -> list[Card]:
    """Return the cards of a pile; those that the pile does not have on the other side are marked."""
    left = Counter(elsewhere)
    drawn = []
    for text in cards:
        stays = left[text] > 0
        left[text] -= stays
        drawn.append(_card(text, moved=not stays))
    return drawn


def _card(text: str, *, moved: bool) -> Card:
    card = text.partition(".")[0]
    if card[0] == "X":
        return Card("★", "joker", False, moved)
    shown = face(card)
    return Card(shown, f"{shown[:-1]} of {NAMES[card[1]]}", card[1] in "DH", moved)


def _label(path: Path, people: Mapping[int, str]) -> str:
    """Return the name of a pile. Piles are numbered from 1, and those of a seat are named by its player."""
    path = path[1:] if path[0] == "table" and len(path) > 1 else path
    words = [
        WORDS.get(step, step).replace("_", " ")
        if isinstance(step, str)
        else seat_name(step, people)
        if place and path[place - 1] in BY_SEAT
        else str(step + 1)
        for place, step in enumerate(path)
    ]
    label = " ".join(words).replace(" ,", ",")
    return label.capitalize() if label[:1].islower() else label


# --- money ---------------------------------------------------------------------------------------------

MOST_TRANSFERS = 100


@dataclass(frozen=True, slots=True)
class Paid:
    """A transfer of the game in words."""

    at: datetime
    movement: Movement


def money_of_game(game: GameRecord) -> list[Paid]:
    """Return what the game has moved, oldest first."""
    found = Transfer.objects.with_accounts().filter(subject=buy_in_subject(game)).order_by("position")
    made = list(found[:MOST_TRANSFERS])
    return [
        Paid(transfer.at, movement) for transfer, movement in zip(made, wording.movements(made), strict=True)
    ]
