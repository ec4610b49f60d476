"""The staff action that corrects a result, with a preview of its effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone

from core.errors import NotFound
from ledger.money import money
from staff.actions import FormData, Preview, ReasonForm
from tournaments import access, record
from tournaments.actions.base import TournamentAction, address, require_unchanged
from tournaments.actions.manual_pairing import NumbersField, ScoresField
from tournaments.corrections import services as corrections
from tournaments.corrections.services import CorrectionRequest, Evidence
from tournaments.formats.corrections import Game, way
from tournaments.models import RoundState, TableGame, Tournament

WAYS = {
    "score": "new measures for every entrant",
    "void": "the game scores nothing",
    "forfeit": "forfeits of the named entries",
    "swap": "the results of two entries exchanged",
}


class CorrectionForm(ReasonForm):
    way = forms.ChoiceField(choices=WAYS.items(), label="How")
    scores = ScoresField(rows=6)
    entries = NumbersField(required=False, help_text="The entries that forfeited, or the two to exchange.")
    evidence_version = forms.IntegerField(
        min_value=1, required=False, label="Evidence", help_text="The version of an event of the game."
    )
    evidence_hash = forms.CharField(max_length=64, required=False, help_text="The hash of the event.")
    version = forms.IntegerField(widget=forms.HiddenInput)
    token = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)
    field_order = ("way", "scores", "entries", "evidence_version", "evidence_hash", "reason")

    def clean(self) -> FormData:
        given = super().clean() or {}
        if bool(given.get("evidence_version")) != bool(given.get("evidence_hash")):
            raise forms.ValidationError("Evidence needs the version and the hash of an event.")
        return given


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
        known = "\n".join(_known(self.row, self.played))
        return {"scores": known, "version": record.head(self.row).version}

    def request(self, data: FormData) -> CorrectionRequest:
        if "asked" in data:
            asked: CorrectionRequest = data["asked"]
            return asked
        shown = data["evidence_version"]
        evidence = Evidence(shown, data["evidence_hash"]) if shown else None
        changed = way(data["way"], scores=data["scores"], entries=data["entries"])
        return CorrectionRequest(self.game, changed, data["reason"], evidence)

    def preview(self, data: FormData) -> Preview:
        seen = corrections.preview(
            tournament_id=self.row.pk, asked=self.request(data), actor=self.actor, now=timezone.now()
        )
        stay = ["Ratings changed by the table stay as they are."] if seen.rated else []
        return Preview(facts=list(_facts(self.row, seen)), warnings=stay, hidden={"token": seen.token})

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


def _known(tournament: Tournament, played: TableGame) -> Iterable[str]:
    """Return the current scores, a line for each entry."""
    for result in record.load(tournament.pk).snapshot().results:
        at = (result.round, result.table, result.deal)
        if at == (played.table.round.number, played.table.number, played.deal):
            yield f"{result.entry}: {' '.join(map(str, result.score))}"


def _facts(tournament: Tournament, seen: corrections.Preview) -> Iterable[tuple[str, str]]:
    names = {
        entry.number: entry.player.get_full_name() for entry in tournament.entries.select_related("player")
    }
    for entry, was in seen.correction.was.items():
        will = seen.correction.now[entry]
        yield f"Score of {names[entry]}", f"{_worth(was)} → {_worth(will)}"
    for moved in seen.effects.moved:
        yield f"Place of {names[moved.now.entry]}", f"{moved.was.place} → {moved.now.place}"
    for pairing in seen.effects.pairings:
        yield f"Round {pairing.was.round}", "would have been paired otherwise; it stays as it was played"
    for prize in seen.effects.prizes:
        change = f"{money(prize.was, tournament.currency)} → {money(prize.now, tournament.currency)}"
        yield f"Prize of {names[prize.entry]}", change
    if seen.outright is not None:
        yield "Bets on the winner", f"{len(seen.outright)} are settled again"


def _worth(worth: Any) -> str:
    return f"{' '.join(map(str, worth.score))} ({worth.ended})"
