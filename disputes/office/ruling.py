"""Ruling on a dispute: a form for each remedy, what it would do, and then exactly that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from api.deeds import Given, Preview
from disputes import services, states
from disputes.models import Dispute
from disputes.office import words
from disputes.office.desk import Deed, DeedForm, Desk, deed_page
from disputes.services import BadDecision, Decision
from games.office.deeds import person
from tournaments.office.by_hand import NumbersField, ScoresField

UPHELD = [(states.UPHELD, "The claim is upheld"), (states.PARTLY, "The claim is upheld in part")]


class ObjectField(forms.CharField):
    """A JSON object."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=5_000, required=False, **kwargs)
        self.widget.attrs.update({"rows": 3, "spellcheck": "false"})

    def clean(self, value: str) -> dict[str, Any] | None:
        written = str(super().clean(value) or "").strip()
        if not written:
            return None
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise forms.ValidationError('A JSON object is needed, such as {"winner": "H"}.')
        return found


class RulingForm(DeedForm):
    """`terms` says what stands in the form beside finding and reason."""

    finding = forms.ChoiceField(choices=UPHELD)
    token = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)
    remedy = ""
    field_order = ("finding", "way", "scores", "entries", "version", "outcome", "options", "reason")

    def terms(self, given: Given) -> dict[str, Any]:
        return {}

    def clean(self) -> Given:
        given = super().clean() or {}
        if self.errors:
            return given
        try:
            given["decision"] = Decision(
                finding=given["finding"], remedy=self.remedy, reason=given["reason"], terms=self.terms(given)
            )
        except BadDecision as bad:
            raise forms.ValidationError(str(bad)) from None
        return given


class DismissForm(RulingForm):
    remedy = states.DISMISSED
    finding = forms.ChoiceField(choices=[(states.REJECTED, "The claim is rejected")])


class VoidForm(RulingForm):
    remedy = states.VOID


class CorrectForm(RulingForm):
    remedy = states.CORRECTED
    outcome = ObjectField(
        label="Decided outcome",
        help_text="By your decision. Leave it empty to have the game judged again. Ace Race: "
        '{"places": [[1], [0, 2]]}; Racing Demons: {"scores": [21, -4]}; Racing Aces: {"winner": "H"}; Vegas '
        'Solitaire: {"cards": 20}; Idle Aces: {"result": "won"}.',
    )
    options = ObjectField(
        label="Judged again under",
        help_text="Options of the rules; empty: under those that it was played by.",
    )

    def terms(self, given: Given) -> dict[str, Any]:
        if given["outcome"] is not None and given["options"] is not None:
            raise forms.ValidationError("A result is either decided, or judged again under options.")
        if given["outcome"] is not None:
            return {"outcome": given["outcome"]}
        return {"options": given["options"] or {}}


class PointsForm(RulingForm):
    remedy = states.POINTS
    way = forms.ChoiceField(
        label="How",
        choices=[
            ("score", "Measures as they should have been"),
            ("forfeit", "The entries named have forfeited"),
            ("swap", "The two entries named change their results"),
        ],
    )
    scores = ScoresField(rows=4)
    entries = NumbersField(required=False, help_text="Who has forfeited, or which two change.")

    def terms(self, given: Given) -> dict[str, Any]:
        if given["way"] == "score":
            scores = [{"entry": entry, "score": list(score)} for entry, score in given["scores"].items()]
            return {"way": "score", "scores": scores}
        return {"way": given["way"], "entries": given["entries"]}


class ReplayForm(RulingForm):
    remedy = states.REPLAY
    version = forms.IntegerField(
        min_value=1,
        required=False,
        label="From event",
        help_text="Of a suspended game: it goes on as a new one from there, with the same cards left. Of a game "
        "that has ended it stays empty: a new deal is played.",
    )

    def terms(self, given: Given) -> dict[str, Any]:
        return {} if given["version"] is None else {"version": given["version"]}


FORMS: Mapping[str, type[RulingForm]] = {
    form.remedy: form for form in (DismissForm, CorrectForm, VoidForm, PointsForm, ReplayForm)
}

LEADS = {
    states.DISMISSED: "Nothing changes, and what is held is let go. On appeal the game counts again as it did "
    "before the first ruling.",
    states.CORRECTED: "The game counts with another result: money is taken back and settled anew, standings and "
    "prizes follow. Its events stay as they are.",
    states.VOID: "Stakes, buy-ins and bets go back; in a tournament the game is worth nothing to anybody.",
    states.POINTS: "In a tournament: other points than the game gave.",
    states.REPLAY: "A suspended game goes on from one of its events; one that has ended is dealt anew.",
}


@deed_page("dispute_rule", "rule/<slug:remedy>/")
def rule_page(desk: Desk, request: HttpRequest, dispute: Dispute, remedy: str) -> HttpResponse:
    form_class = FORMS.get(remedy)
    if form_class is None:
        raise Http404

    def preview(given: Given) -> Preview:
        shown = services.preview(
            dispute_id=dispute.pk, decision=given["decision"], actor=person(request), now=timezone.now()
        )
        second = (
            ["So much money moves that somebody else must approve it first."] if shown.second_person else []
        )
        found = words.preview_of(shown.effects.document(), remedy=remedy, warnings=second)
        return Preview(found.movements, found.facts, found.warnings, {"token": shown.token})

    def rule(given: Given, now: datetime) -> str:
        made = services.rule(
            dispute_id=dispute.pk,
            decision=given["decision"],
            token=given["token"],
            actor=person(request),
            now=now,
        )
        if made.state == states.PROPOSED:
            return "The ruling is proposed; it takes effect when somebody else approves it."
        return "It is ruled."

    deed = Deed(
        title=words.REMEDIES[remedy],
        action="rule-on-dispute",
        carry_out=rule,
        preview=preview,
        lead=LEADS[remedy],
        button="Rule so",
    )
    first = {"version": request.GET.get("version", "")} if remedy == states.REPLAY else {}
    return desk.do(request, dispute, deed, form_class=form_class, initial=first)
