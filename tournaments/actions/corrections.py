"""The staff action that corrects a result, with a preview of its effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.utils import timezone

from core.errors import NotFound
from ledger.money import money
from staff.actions import FormData, Preview, ReasonForm
from tournaments import access, record
from tournaments.actions.base import TournamentAction, address, require_unchanged
from tournaments.corrections import services as corrections
from tournaments.corrections.services import CorrectionRequest, Evidence
from tournaments.formats.corrections import Game, way
from tournaments.models import RoundState, TableGame, Tournament

WAYS = {
    "score": "new scores for all players",
    "void": "the game scores nothing",
    "forfeit": "forfeits of the chosen players",
    "swap": "the results of two players exchanged",
}


class ScoreField(forms.CharField):
    """The measures of a player."""

    def __init__(self, *, label: str) -> None:
        help_text = "Whole numbers with spaces between them, in the order of the columns of the standings."
        super().__init__(label=label, required=False, max_length=100, help_text=help_text)

    def clean(self, value: str) -> tuple[int, ...]:
        try:
            return tuple(int(word) for word in str(super().clean(value) or "").split())
        except ValueError:
            raise forms.ValidationError("Enter whole numbers with spaces between them.") from None


class CorrectionForm(ReasonForm):
    way = forms.ChoiceField(choices=WAYS.items(), label="How")
    entries = forms.TypedMultipleChoiceField(
        coerce=int,
        required=False,
        label="Players",
        widget=forms.CheckboxSelectMultiple,
        help_text="Those who forfeited, or the two whose results are exchanged.",
    )
    evidence_version = forms.IntegerField(
        min_value=1, required=False, label="Evidence", help_text="The version of an event of the game."
    )
    evidence_hash = forms.CharField(max_length=64, required=False, help_text="The hash of the event.")
    version = forms.IntegerField(widget=forms.HiddenInput)
    token = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)
    entrants: ClassVar[Mapping[int, str]] = {}
    """The names of those at the table by entry."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        scores = {
            f"score_{entry}": ScoreField(label=f"Score of {name}") for entry, name in self.entrants.items()
        }
        self.fields.update(scores)
        chosen = self.fields["entries"]
        assert isinstance(chosen, forms.ChoiceField)
        chosen.choices = list(self.entrants.items())
        self.order_fields(("way", *scores, "entries", "evidence_version", "evidence_hash", "reason"))

    def clean(self) -> FormData:
        given = super().clean() or {}
        scores = {entry: given.get(f"score_{entry}") for entry in self.entrants}
        given["scores"] = {entry: score for entry, score in scores.items() if score}
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
        return {**dict(_known(self.row, self.played)), "version": record.head(self.row).version}

    def form_class(self) -> type[CorrectionForm]:
        seats = self.played.table.seats.select_related("entry__player").order_by("index")
        entrants = {seat.entry.number: seat.entry.player.get_full_name() for seat in seats}
        return type("CorrectionOfGame", (CorrectionForm,), {"entrants": entrants})

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


def _known(tournament: Tournament, played: TableGame) -> Iterable[tuple[str, str]]:
    """Yield the field of each entry with the current score."""
    for result in record.load(tournament.pk).snapshot().results:
        at = (result.round, result.table, result.deal)
        if at == (played.table.round.number, played.table.number, played.deal):
            yield f"score_{result.entry}", " ".join(map(str, result.score))


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
