"""Form fields about entrants by name: a row of scores for each player at a table, and entrants written as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.db.models import Q
from django.utils.text import capfirst

from ledger.money import money
from staff.actions import Change
from tournaments import record
from tournaments.models import TableGame, Tournament

NAMES = {
    "won": "games won",
    "hand": "cards left",
    "round": "round reached",
    "place": "place at last table",
    "lives": "lives left",
    "went-on": "qualified",
    "group-place": "place in group",
    "ahead": "races ahead",
    "best": "best race",
    "fewest-plays": "plays",
    "played": "rounds played",
    "buchholz": "Buchholz",
    "buchholz-cut-1": "Buchholz cut 1",
    "median-buchholz": "median Buchholz",
    "sonneborn-berger": "Sonneborn-Berger",
    "opponents-rating": "opponents’ rating",
}
"""Measures that the web client, too, calls otherwise than their keys."""

IN_PLAY_MONEY = frozenset({"bank", "best", "returned", "staked"})
"""The measures in pence of play money."""

LEAST, MOST = -(10**9), 10**9
"""The bounds of a number of a score, as far as the form knows."""


def names_of(
    tournament: Tournament, entries: Iterable[int] | None = None, *, called: Iterable[str] | None = None
) -> dict[int, str]:
    """Return the names of entrants by number: players by username, bots by display name.

    Of all, of those with these numbers, or of those that the words `called` name. Equal names have their numbers.
    """
    found = tournament.entries.order_by("number").select_related("player")
    if entries is not None:
        found = found.filter(number__in=set(entries))
    if called is not None:
        texts = set(called)
        by_name = Q(player__username__in=texts) | Q(player__display_name__in=texts)
        found = found.filter(by_name | Q(number__in=[int(word) for word in texts if _is_number(word)]))
    names = {entry.number: entry.player.staff_name for entry in found}
    counts = Counter(names.values())
    return {
        number: name if counts[name] == 1 else f"{name} (entry {number})" for number, name in names.items()
    }


def entrants_at(played: TableGame) -> dict[int, str]:
    """Return the entrants at the table of a game, in the order of their seats."""
    seats = played.table.seats.select_related("entry__player").order_by("index")
    return {seat.entry.number: seat.entry.player.staff_name for seat in seats}


def measures_of(tournament: Tournament) -> list[str]:
    """Return the keys of the numbers that a score consists of."""
    return [measure.name for measure in record.load(tournament.pk).measures]


def measure_name(measure: str) -> str:
    """
    >>> measure_name("hand"), measure_name("head-to-head"), measure_name("knockout-won")
    ('cards left', 'head to head', 'games won (knockout)')
    """
    name = measure.removeprefix("knockout-")
    words = NAMES.get(name, name.replace("-", " "))
    return words if name == measure else f"{words} (knockout)"


def current_scores(tournament: Tournament, played: TableGame) -> dict[int, Sequence[int]]:
    """Return the effective score of each entrant in a game of a closed round."""
    at = (played.table.round.number, played.table.number, played.deal)
    results = record.load(tournament.pk).snapshot().results
    return {one.entry: one.score for one in results if (one.round, one.table, one.deal) == at}


class ScoreRows(forms.Form):
    """For each entrant at a table a number for each measure, and a tick. `entrants` and `measures` name them."""

    entrants: ClassVar[Mapping[int, str]] = {}
    measures: ClassVar[Sequence[str]] = ()

    entries = forms.TypedMultipleChoiceField(
        coerce=int,
        required=False,
        label="Players",
        widget=forms.CheckboxSelectMultiple,
        help_text="Those who forfeit, or the two whose results are exchanged.",
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for entry in self.entrants:
            for place, measure in enumerate(self.measures):
                field = forms.IntegerField(required=False, min_value=LEAST, max_value=MOST)
                field.label = capfirst(measure_name(measure))
                self.fields[f"score_{entry}_{place}"] = field
        chosen = self.fields["entries"]
        assert isinstance(chosen, forms.ChoiceField)
        chosen.choices = list(self.entrants.items())

    @staticmethod
    def initial_scores(scores: Mapping[int, Sequence[int]]) -> dict[str, int]:
        return {
            f"score_{entry}_{place}": number
            for entry, score in scores.items()
            for place, number in enumerate(score)
        }

    def rows(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields of each entrant with the name."""
        places = range(len(self.measures))
        return [
            (name, [self[f"score_{entry}_{place}"] for place in places])
            for entry, name in self.entrants.items()
        ]

    def scores(self, data: Mapping[str, Any]) -> dict[int, tuple[int, ...]]:
        """Return the scores of `cleaned_data`, without the entrants for whom nothing is entered.

        Raises ValidationError if a number of an entrant is missing.
        """
        found = {}
        for entry, name in self.entrants.items():
            score = [data.get(f"score_{entry}_{place}") for place in range(len(self.measures))]
            if all(number is None for number in score):
                continue
            if None in score:
                raise forms.ValidationError(f"Enter every number of {name}.")
            found[entry] = tuple(number for number in score if number is not None)
        return found


def score_words(measures: Sequence[str], score: Sequence[int]) -> str:
    """
    >>> score_words(["won", "hand"], [1, 0]), score_words(["returned"], [1250])
    ('games won 1, cards left 0', 'returned 12.50 play money')
    """
    pairs = zip(measures, score, strict=False)
    return ", ".join(f"{measure_name(measure)} {measured(measure, number)}" for measure, number in pairs)


def measured(measure: str, number: int, language: str = "en") -> str:
    """Return a number of a score or of standings: pence of play money as an amount."""
    return money(number, settings.PLAY_MONEY, language) if measure in IN_PLAY_MONEY else str(number)


_ENTRIES = re.compile(r"\bentr(?:y|ies) (\d+(?:(?:, | and )\d+)*)")


def with_names(text: str, names: Mapping[int, str]) -> str:
    """Return a text of the engine, which numbers entrants, with their names.

    >>> with_names("entries 1 and 3 have met before, in round 1", {1: "ann", 3: "bob"})
    'ann and bob have met before, in round 1'
    """
    return _ENTRIES.sub(
        lambda found: re.sub(r"\d+", lambda number: names.get(int(number[0]), number[0]), found[1]), text
    )


WasNow = Mapping[int, tuple[int, int]]
"""A number of each entrant before and after a change."""


def standing_changes(
    names: Mapping[int, str], places: WasNow, prizes: WasNow, currency: str
) -> Iterator[Change]:
    """Yield the place and prize of each entrant for whom one of them changes: those who gain a place first.

    Prizes are in pence.
    """
    changed = {entry for of in (places, prizes) for entry, (was, now) in of.items() if was != now}
    for entry in sorted(changed, key=lambda entry: (places.get(entry, (0, MOST))[1], entry)):
        was, now = (
            ", ".join(
                [
                    *([ordinal(places[entry][at])] if entry in places else ()),
                    *([_prize(prizes[entry][at], currency)] if any(prizes.get(entry, ())) else ()),
                ]
            )
            for at in (0, 1)
        )
        yield Change(names.get(entry, "Entrant"), was, now)


def _prize(amount: int, currency: str) -> str:
    return f"prize {money(amount, currency)}" if amount else "no prize"


def ordinal(place: int) -> str:
    """
    >>> [ordinal(place) for place in (1, 2, 11, 23)]
    ['1st', '2nd', '11th', '23rd']
    """
    teens = place % 100 in (11, 12, 13)
    return f"{place}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"


class EntrantsField(forms.CharField):
    """Entrants by name with commas between them; entry numbers are accepted too. Cleaned to words, which `numbers`
    reads.
    """

    def clean(self, value: Any) -> list[str]:
        return words(str(super().clean(value) or ""))


def words(text: str) -> list[str]:
    """
    >>> words("mara, Bot 3"), words("1 2")
    (['mara', 'Bot 3'], ['1', '2'])
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) == 1 and all(_is_number(word) for word in parts[0].split()):
        return parts[0].split()
    return parts


def _is_number(word: str) -> bool:
    return word.isdecimal() and word.isascii() and len(word) < 8


def numbers(written: Iterable[str], entrants: Mapping[int, str]) -> list[int]:
    """Return the entry numbers of names, or of numbers as text. Raises ValidationError."""
    known = {name: entry for entry, name in entrants.items()}
    found = []
    for word in written:
        if word not in known and not _is_number(word):
            raise forms.ValidationError(f"There is no entrant {word}.")
        found.append(known[word] if word in known else int(word))
    return found
