"""The words of events as staff read them: people by name, or by their seat from 1, cards with their suits, and piles
counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from eventstore.store import EventOutput
from games.models import GameRecord, Seat
from games.rules.cards import HIDDEN, SUIT_NAMES
from staff import subjects

CARD_WORD = re.compile(r"\b([A2-9TJQK][CDHS])(?:\.\w+)?\b")
"""A card, whose pack stands after a dot in a game of several packs."""
PILE = re.compile(r"\b(column|foundation|kings|twos|work)[ :](\d+|[CDHS])\b")
PILE_NAMES = {"kings": "pile {} of the kings", "twos": "pile {} of the twos", "work": "work pile {}"}
"""The names of piles in the web client, where they are not `kind number`."""
SINGLE_PILE = re.compile(r"\b(from|to) (?=(?:aces|demon|foundation|waste)\b(?! \d))")
SEALED = re.compile(r"\?\?(?: \?\?)*")
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
OF_OUTCOME = re.compile(r"\b(ender|winners|places|scores|hands) (-?\d+(?: -?\d+)*)")
"""Members of an outcome in words that are seats, or that have a number for each seat."""
EACH = frozenset({"scores", "hands"})


def people_at(game: GameRecord) -> dict[int, str]:
    """Return the names of the players by seat."""
    seats = Seat.objects.filter(game=game, player__isnull=False).order_by("seat").select_related("player")
    return {seat.seat: seat.player.staff_name for seat in seats if seat.player}


def seat_name(seat: int, people: Mapping[int, str]) -> str:
    """Return the player of a seat by name, or the seat, counted from 1."""
    return people.get(seat, f"seat {seat + 1}")


SEAT = re.compile(r"\b([Ss])eat (\d+)\b")


def with_names(text: str, people: Mapping[int, str]) -> str:
    """Return a text of the evidence, whose seats count from 0, with each seat as `seat_name` calls it.

    >>> with_names("Seat 1 gives 3H to seat 0.", {1: "joan"})
    'joan gives 3H to seat 1.'
    """
    return SEAT.sub(lambda found: people.get(int(found[2]), f"{found[1]}eat {int(found[2]) + 1}"), text)


def sits_down(event: EventOutput) -> str:
    """Return the player who sits down in an event as a subject."""
    return f"player:{event['data'].get('player', '')}"


def event_words(
    event: EventOutput, text: str, people: Mapping[int, str], links: Mapping[str, subjects.Link]
) -> str:
    """Return the `text` of an event with people by name.

    `people` are the present players by seat. An event about an empty seat may be about an earlier player: who sat down
    is looked up by `sits_down` in the `links`, and who left is not named.
    """
    match event["type"]:
        case "created":
            parent = event["data"].get("parent")
            return f"The table is opened.{' It continues another game.' if parent else ''}"
        case "seated":
            return f"{links.get(sits_down(event), subjects.Link('A player')).text} sits down."
        case "left":
            return with_names(text, {})
        case "voided":  # The reason is a person's text, in which seats may count from 1.
            return text
        case "finished":
            return named_outcome(text, people)
    return in_words(text, people)


def in_words(text: str, people: Mapping[int, str]) -> str:
    """Return a text of the evidence with people, cards, and piles as staff read them.

    >>> in_words("Seat 1 moves 6H.1 from work 0 to foundation 2.", {1: "joan"})
    'joan moves 6♥ from work pile 1 to foundation 3.'
    >>> in_words("twos:0 holds nothing but its base, 2C.a", {})
    'pile 1 of the twos holds nothing but its base, 2♣'
    """
    return with_names(SINGLE_PILE.sub(r"\1 the ", PILE.sub(_pile, faces(text))), people)


def _pile(found: re.Match[str]) -> str:
    kind, which = found.groups()
    if which in SUIT_NAMES:
        return f"{kind} of {SUIT_NAMES[which]}"
    return PILE_NAMES.get(kind, f"{kind} {{}}").format(int(which) + 1)


def face(card: str) -> str:
    """Return a card as staff read it.

    >>> face("TD")
    '10♦'
    """
    return f"{'10' if card[0] == 'T' else card[0]}{SUITS[card[1]]}"


def faces(text: str) -> str:
    """Return a text with its cards as staff read them.

    >>> faces("draws 7D"), faces("draws ?? ??")
    ('draws 7♦', 'draws 2 sealed cards')
    """
    return SEALED.sub(_sealed, CARD_WORD.sub(lambda found: face(found[1]), text))


def _sealed(found: re.Match[str]) -> str:
    count = found[0].count(HIDDEN)
    return "a sealed card" if count == 1 else f"{count} sealed cards"


def named_outcome(text: str, people: Mapping[int, str]) -> str:
    """Return an outcome in words with people by name."""

    def named(found: re.Match[str]) -> str:
        numbers = [int(number) for number in found[2].split()]
        if found[1] in EACH:
            words = [f"{seat_name(seat, people)} {number}" for seat, number in enumerate(numbers)]
        else:
            words = [seat_name(seat, people) for seat in numbers]
        return f"{found[1]} {', '.join(words)}"

    return OF_OUTCOME.sub(named, text)
