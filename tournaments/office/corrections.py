"""A result of a closed round, corrected: what it changes is shown first, and done as it was shown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from api.deeds import Given, Preview, ReasonForm
from games.office.deeds import person
from ledger.formats import money
from tournaments import access, corrections, record
from tournaments.corrections import Asked, Evidence
from tournaments.formats.corrections import Game, way
from tournaments.models import RoundState, TableGame, Tournament
from tournaments.office.by_hand import NumbersField, ScoresField
from tournaments.office.desk import Deed, Desk, address, deed_page, require_unchanged

WAYS = {
    "score": "everybody's measures, as they should have been",
    "void": "the game is worth nothing to anybody",
    "forfeit": "the entries named have forfeited",
    "swap": "the two entries named change their results",
}


class CorrectionForm(ReasonForm):
    way = forms.ChoiceField(choices=WAYS.items(), label="How")
    scores = ScoresField(rows=6)
    entries = NumbersField(required=False, help_text="Who has forfeited, or which two change.")
    evidence_version = forms.IntegerField(
        min_value=1, required=False, label="Evidence", help_text="The version of an event of the game."
    )
    evidence_hash = forms.CharField(max_length=64, required=False, help_text="And its hash.")
    version = forms.IntegerField(widget=forms.HiddenInput)
    token = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)
    field_order = ("way", "scores", "entries", "evidence_version", "evidence_hash", "reason")

    def clean(self) -> Given:
        given = super().clean() or {}
        if bool(given.get("evidence_version")) != bool(given.get("evidence_hash")):
            raise forms.ValidationError("Evidence is an event's version and its hash.")
        return given


def _asked(game: Game, given: Given) -> Asked:
    shown = given["evidence_version"]
    evidence = Evidence(shown, given["evidence_hash"]) if shown else None
    changed = way(given["way"], scores=given["scores"], entries=given["entries"])
    return Asked(game, changed, given["reason"], evidence)


@deed_page(
    "tournament_correct",
    "rounds/<int:round>/tables/<int:table>/games/<int:number>/correct/",
    may=access.ruled,
)
def correct_page(
    desk: Desk, request: HttpRequest, tournament: Tournament, round: int, table: int, number: int
) -> HttpResponse:
    played = TableGame.objects.filter(
        table__round__tournament=tournament,
        table__round__number=round,
        table__round__state=RoundState.CLOSED,
        table__number=table,
        number=number,
    ).first()
    if played is None:
        raise Http404
    game = Game(round, table, number)

    def preview(given: Given) -> Preview:
        seen = corrections.preview(
            tournament_id=tournament.pk,
            asked=_asked(game, given),
            actor=person(request),
            now=timezone.now(),
        )
        stay = ["Ratings that the table moved stay as they are."] if seen.rated else []
        return Preview(facts=list(_facts(tournament, seen)), warnings=stay, carried={"token": seen.token})

    def correct(given: Given, now: datetime) -> None:
        require_unchanged(tournament, given)
        corrections.correct(
            tournament_id=tournament.pk,
            asked=_asked(game, given),
            token=given["token"],
            actor=person(request),
            now=now,
        )

    deed = Deed(
        title=f"Correct the result of table {table} in round {round} of {tournament.name}",
        action="correct-result",
        carry_out=correct,
        said="The result is corrected.",
        back=address("tournament_round", tournament, round),
        lead="Rounds that were laid out stay as they were played; standings, prizes and the bets on the winner follow.",
        button="Correct it",
        preview=preview,
    )
    first = {"scores": "\n".join(_known(tournament, played)), "version": record.head(tournament).version}
    return desk.do(request, tournament, deed, form_class=CorrectionForm, initial=first)


def _known(tournament: Tournament, played: TableGame) -> Iterable[str]:
    """What everybody has now, a line each."""
    for result in record.load(tournament.pk).snapshot().results:
        at = (result.round, result.table, result.deal)
        if at == (played.table.round.number, played.table.number, played.deal):
            yield f"{result.entry}: {' '.join(map(str, result.score))}"


def _facts(tournament: Tournament, seen: corrections.Preview) -> Iterable[tuple[str, str]]:
    for entry, was in seen.correction.was.items():
        will = seen.correction.now[entry]
        yield f"Entry {entry}", f"{_worth(was)} → {_worth(will)}"
    for moved in seen.effects.moved:
        yield f"Place of entry {moved.now.entry}", f"{moved.was.place} → {moved.now.place}"
    for pairing in seen.effects.pairings:
        yield f"Round {pairing.was.round}", "would have been laid out otherwise, and stays as it was played"
    for prize in seen.effects.prizes:
        change = f"{money(prize.was, tournament.currency)} → {money(prize.now, tournament.currency)}"
        yield f"Prize of entry {prize.entry}", change
    if seen.outright is not None:
        yield "Bets on the winner", f"{len(seen.outright)} are paid otherwise"


def _worth(worth: Any) -> str:
    return f"{' '.join(map(str, worth.score))} ({worth.ended})"
