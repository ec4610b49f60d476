"""The staff action that corrects a result, with a preview of its effects."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from games.staff.actions import person
from ledger.money import money
from staff.actions import FormData, Preview, ReasonForm
from tournaments import access, record
from tournaments.corrections import services as corrections
from tournaments.corrections.services import CorrectionRequest, Evidence
from tournaments.formats.corrections import Game, way
from tournaments.models import RoundState, TableGame, Tournament
from tournaments.staff.actions import (
    ActionAdmin,
    StaffAction,
    action_page,
    address,
    require_unchanged,
)
from tournaments.staff.manual_pairing import NumbersField, ScoresField

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


def _asked(game: Game, given: FormData) -> CorrectionRequest:
    shown = given["evidence_version"]
    evidence = Evidence(shown, given["evidence_hash"]) if shown else None
    changed = way(given["way"], scores=given["scores"], entries=given["entries"])
    return CorrectionRequest(game, changed, given["reason"], evidence)


@action_page(
    "tournament_correct",
    "rounds/<int:round>/tables/<int:table>/games/<int:number>/correct/",
    may=access.ruled,
)
def correct_page(
    model_admin: ActionAdmin,
    request: HttpRequest,
    tournament: Tournament,
    round: int,
    table: int,
    number: int,
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

    def preview(given: FormData) -> Preview:
        seen = corrections.preview(
            tournament_id=tournament.pk,
            asked=_asked(game, given),
            actor=person(request),
            now=timezone.now(),
        )
        stay = ["Ratings changed by the table stay as they are."] if seen.rated else []
        return Preview(facts=list(_facts(tournament, seen)), warnings=stay, hidden={"token": seen.token})

    def correct(given: FormData, now: datetime) -> None:
        require_unchanged(tournament, given)
        corrections.correct(
            tournament_id=tournament.pk,
            asked=_asked(game, given),
            token=given["token"],
            actor=person(request),
            now=now,
        )

    action = StaffAction(
        title=f"Correct the result of table {table} in round {round} of {tournament.name}",
        action="correct-result",
        carry_out=correct,
        said="The result was corrected.",
        back=address("tournament_round", tournament, round),
        lead="Paired rounds stay as they were played. Standings, prizes, and the bets on the winner change.",
        button="Correct result",
        preview=preview,
    )
    first = {"scores": "\n".join(_known(tournament, played)), "version": record.head(tournament).version}
    return model_admin.do(request, tournament, action, form_class=CorrectionForm, initial=first)


def _known(tournament: Tournament, played: TableGame) -> Iterable[str]:
    """Return the current scores, a line for each entry."""
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
        yield f"Round {pairing.was.round}", "would have been paired otherwise; it stays as it was played"
    for prize in seen.effects.prizes:
        change = f"{money(prize.was, tournament.currency)} → {money(prize.now, tournament.currency)}"
        yield f"Prize of entry {prize.entry}", change
    if seen.outright is not None:
        yield "Bets on the winner", f"{len(seen.outright)} are settled again"


def _worth(worth: Any) -> str:
    return f"{' '.join(map(str, worth.score))} ({worth.ended})"
