"""The staff action that corrects a result, with a preview of its effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone

from core.errors import NoSuchVersion, NotFound
from eventstore import store
from staff.actions import Change, FormData, Preview, ReasonForm
from tournaments import access, record
from tournaments.actions.base import TournamentAction, address, require_unchanged
from tournaments.actions.rows import (
    ScoreRows,
    current_scores,
    entrants_at,
    measures_of,
    names_of,
    score_words,
    standing_changes,
)
from tournaments.corrections import services as corrections
from tournaments.corrections.services import CorrectionRequest, Evidence
from tournaments.formats.corrections import Game, way
from tournaments.models import Ended, RoundState, Status, TableGame, Tournament

WAYS = {
    "score": "new scores for all players",
    "void": "the game scores nothing",
    "forfeit": "forfeits of the chosen players",
    "swap": "the results of two players exchanged",
}


class CorrectionForm(ScoreRows, ReasonForm):
    way = forms.ChoiceField(choices=WAYS.items(), label="How")
    evidence_version = forms.IntegerField(
        min_value=1, required=False, label="Evidence", help_text="The number of an event of the game, if any."
    )
    version = forms.IntegerField(widget=forms.HiddenInput)
    token = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields by heading, with a row for each player."""
        ways = [self["way"], self["entries"]]
        return [("Correction", ways), *self.rows(), ("Record", [self["evidence_version"], self["reason"]])]

    def clean(self) -> FormData:
        given = super().clean() or {}
        return {**given, "scores": self.scores(given)}


class CorrectResult(TournamentAction):
    name, label, page = "correct-result", "Correct result", "tournament_correct"
    route = "<uuid:pk>/rounds/<int:round>/tables/<int:table>/games/<int:number>/correct/"
    operations = ("tournament_corrections_create",)
    requires = staticmethod(access.ruled)
    form = CorrectionForm
    lead = "Paired rounds stay as they were played. Standings, prizes, and the bets on the winner change."
    message = "The result was corrected."

    def locate(self, round: int, table: int, number: int) -> None:
        played = TableGame.objects.filter(
            table__round__tournament=self.row,
            table__round__number=round,
            table__round__state=RoundState.CLOSED,
            table__number=table,
            number=number,
        ).first()
        if played is None:
            raise NotFound
        self.played, self.game = played, Game(round, table, number)

    @property
    def title(self) -> str:
        return f"Correct the result of table {self.game.table} in round {self.game.round} of {self.row.name}"

    @property
    def back(self) -> str:
        return address("tournament_round", self.row, self.game.round)

    def initial(self, query: Mapping[str, str]) -> FormData:
        scores = ScoreRows.initial_scores(current_scores(self.row, self.played))
        return {**scores, "version": record.head(self.row).version}

    def form_class(self) -> type[CorrectionForm]:
        of_game = {"entrants": entrants_at(self.played), "measures": measures_of(self.row)}
        return type("CorrectionOfGame", (CorrectionForm,), of_game)

    def request(self, data: FormData) -> CorrectionRequest:
        if "asked" in data:
            asked: CorrectionRequest = data["asked"]
            return asked
        shown = data["evidence_version"]
        evidence = Evidence(shown, _hash(self.played, shown)) if shown else None
        changed = way(data["way"], scores=data["scores"], entries=data["entries"])
        return CorrectionRequest(self.game, changed, data["reason"], evidence)

    def preview(self, data: FormData) -> Preview:
        seen = corrections.preview(
            tournament_id=self.row.pk, asked=self.request(data), actor=self.actor, now=timezone.now()
        )
        stay = ["Ratings changed by the table stay as they are."] if seen.rated else []
        changes = list(_changes(self.row, seen))
        return Preview(
            facts=list(_facts(self.row, seen)), warnings=stay, hidden={"token": seen.token}, changes=changes
        )

    def act(self, data: FormData, now: datetime) -> object:
        if "version" in data:
            require_unchanged(self.row, data)
        return corrections.correct(
            tournament_id=self.row.pk,
            asked=self.request(data),
            token=data["token"],
            actor=self.actor,
            now=now,
        )


def _hash(played: TableGame, version: int) -> str:
    """Return the hash of an event of the game. Raises NoSuchVersion."""
    found = store.read(played.game, after=version - 1, limit=1) if played.game else []
    if not found:
        raise NoSuchVersion
    return found[0].hash


def _changes(tournament: Tournament, seen: corrections.Preview) -> Iterable[Change]:
    """Yield the scores, places, and prizes that change, by name."""
    measures = measures_of(tournament)
    places = _places(seen)
    prizes = {one.entry: (one.was, one.now) for one in (*seen.effects.prizes, *seen.prizes_now)}
    names = names_of(tournament, [*seen.correction.was, *places, *prizes])
    for entry, was in seen.correction.was.items():
        will = seen.correction.now[entry]
        yield Change(f"{names[entry]}: score", _worth(measures, was), _worth(measures, will))
    yield from standing_changes(names, places, prizes, tournament.currency)


def _places(seen: corrections.Preview) -> dict[int, tuple[int, int]]:
    had = {one.entry: one.place for one in seen.effects.standings_were}
    return {one.entry: (had[one.entry], one.place) for one in seen.effects.standings}


def _facts(tournament: Tournament, seen: corrections.Preview) -> Iterable[tuple[str, str]]:
    if tournament.status == Status.RUNNING and tournament.fee and seen.effects.moved:
        yield "Prizes", "as if the tournament ended with these standings"
    for pairing in seen.effects.pairings:
        yield f"Round {pairing.was.round}", "would have been paired otherwise; it stays as it was played"
    if seen.outright is not None:
        yield "Bets on the winner", f"{len(seen.outright)} are settled again"


def _worth(measures: Sequence[str], worth: Any) -> str:
    score = score_words(measures, worth.score)
    ended = str(dict(Ended.choices).get(worth.ended, worth.ended)).lower()
    return score if worth.ended == Ended.FINISHED else f"{score} ({ended})"
