"""Staff actions on a dispute: pin evidence, suspend, resume, approve, refuse, appeal; the base of the ruling pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.staff import person
from core.errors import NotFound, Problem
from disputes import access, selectors, services, states
from disputes.errors import DisputeUnexpectedState
from disputes.models import NOTE_LENGTH, REASON_LENGTH, Dispute, PinnedEvidence, Ruling
from disputes.rulings import services as rulings
from disputes.rulings.services import BadDecision, Decision
from disputes.staff import wording
from ledger.money import money
from staff import subjects
from staff.actions import ActionForm, Done, FormData, Preview, ReasonForm, StaffAction
from tournaments.actions.manual_pairing import NumbersField, ScoresField


class DisputeActionForm(ReasonForm):
    """A reason, and the version of the dispute when the form was opened."""

    reason = forms.CharField(
        min_length=3,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Stored permanently and shown to all parties of the dispute.",
    )
    events = forms.IntegerField(widget=forms.HiddenInput)


class DisputeAction(StaffAction[Dispute]):
    """An action on a dispute. The services check permissions."""

    available_as: ClassVar[str]
    """Its name among the available actions."""
    form: ClassVar[type[ActionForm]] = DisputeActionForm
    message: ClassVar[str]
    """Shown when it is done."""

    @classmethod
    def find(cls, actor: Player, pk: UUID) -> Dispute:
        """Return a dispute that the actor may see.

        An auditor's early access is recorded first, because what the page shows and refuses depends on the moves of the
        game.
        """
        dispute = access.visible_dispute(actor, pk)
        access.record_early_access(actor, dispute, now=timezone.now())
        return dispute

    @property
    def back(self) -> str:
        return page_of(self.row)

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"events": self.row.events}

    def order(self, data: FormData, now: datetime) -> dict[str, Any]:
        return {"dispute_id": self.row.pk, "actor": self.actor, "reason": data.get("reason", ""), "now": now}

    def carry_out(self, data: FormData, key: str, now: datetime) -> Any:
        if "events" in data:
            require_unchanged(self.row, data)
        return self.act(data, now)

    def act(self, data: FormData, now: datetime) -> Any:
        """Call the service."""
        raise NotImplementedError

    def done(self, made: Any) -> Done:
        return Done(self.message, f"dispute:{self.row.pk}", self.back)


def visible(request: HttpRequest, dispute_id: UUID) -> Dispute:
    """Return a dispute that the signed-in person may see. Raises Http404."""
    try:
        return access.visible_dispute(person(request), dispute_id)
    except Problem:
        raise Http404 from None


def page_of(dispute: Dispute) -> str:
    return reverse("admin:dispute_page", args=[dispute.pk])


def require_unchanged(dispute: Dispute, data: FormData) -> None:
    """Require that the dispute has no event since the form was opened. Raises DisputeUnexpectedState."""
    present = Dispute.objects.only("events", "status").get(pk=dispute.pk)
    if present.events != data["events"]:
        raise DisputeUnexpectedState(
            "The dispute has changed since this page was opened.", state=str(present.status)
        )


class PinForm(DisputeActionForm):
    reason = forms.CharField(
        min_length=3,
        max_length=NOTE_LENGTH,
        label="What it shows",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown to all parties of the dispute.",
    )
    version = forms.IntegerField(min_value=1, label="Event", help_text="The version of the event.")
    game = forms.UUIDField(
        required=False,
        label="Another game",
        help_text="The id of a game of the same deal, match, or tournament. Empty: the disputed game.",
    )
    field_order = ("version", "game", "reason")


class PinEvidence(DisputeAction):
    name, label, page = "pin-evidence", "Pin evidence", "dispute_pin"
    route = "<uuid:pk>/pin/"
    operations = ("disputes_pin",)
    available_as = "pin"
    form = PinForm
    lead = "Pins an event by version and hash. The ruling includes all pinned events."
    button = "Pin event"

    def initial(self, query: Mapping[str, str]) -> FormData:
        game = query.get("game", "")
        pinned = {"version": query.get("version", ""), "game": "" if game == str(self.row.game_id) else game}
        return {**super().initial(query), **pinned}

    def preview(self, data: FormData) -> Preview:
        game = subjects.link(f"game:{data['game'] or self.row.game_id}").text
        return Preview(facts=[("Event", str(data["version"])), ("Game", game)])

    def act(self, data: FormData, now: datetime) -> PinnedEvidence:
        return services.pin(
            dispute_id=self.row.pk,
            actor=self.actor,
            version=data["version"],
            game_id=data["game"],
            note=data["reason"],
            now=now,
        )

    def done(self, made: PinnedEvidence) -> Done:
        message = f"Pinned event {made.version}."
        return Done(message, f"dispute:{self.row.pk}", self.back, links=[("Dispute", self.back)])


class ReasonedAction(DisputeAction):
    """An action whose form has only a reason."""

    is_one_step = True
    service: ClassVar[Callable[..., object]]
    fact: ClassVar[tuple[str, str]]

    def preview(self, data: FormData) -> Preview:
        selectors.CHECKS[self.available_as](self.row, self.actor, timezone.now())
        return self.effects()

    def effects(self) -> Preview:
        return Preview(facts=[self.fact])

    def act(self, data: FormData, now: datetime) -> object:
        return type(self).service(**self.order(data, now))


class Suspend(ReasonedAction):
    name, label, page = "suspend-game", "Suspend the game", "dispute_suspend"
    route = "<uuid:pk>/suspend/"
    operations = ("disputes_suspend",)
    available_as = "suspend"
    service = staticmethod(services.suspend)
    lead = "No moves are accepted and the clocks stop until the game is resumed or the dispute has ended."
    message = "Game suspended."
    fact = ("Players", "see that the game is suspended, but not the reason")


class Resume(ReasonedAction):
    name, label, page = "resume-game", "Resume the game", "dispute_resume"
    route = "<uuid:pk>/resume/"
    operations = ("disputes_resume",)
    available_as = "resume"
    service = staticmethod(services.resume)
    lead = "Play continues. The clocks get back the time of the suspension."
    message = "Game resumed."
    fact = ("The dispute", "stays open")


class DecideOnProposal(ReasonedAction):
    """A second person's decision on a proposed ruling."""

    def locate(self) -> None:
        proposed = self.row.rulings.filter(state=states.PROPOSED).first()
        if proposed is None:
            raise NotFound
        proposed.dispute = self.row
        self.proposed = proposed

    def _currency(self) -> str:
        table = self.row.game.stake_table
        return settings.RACECARD_CURRENCY if table is None else table.currency

    def effects(self) -> Preview:
        """Return the preview of the proposed ruling, as far as the viewer may read it."""
        proposed = self.proposed
        if access.may_read(self.actor, self.row):
            return wording.preview_of(
                proposed.effects, self.row, remedy=proposed.remedy, reason=proposed.reason
            )
        return Preview(
            facts=[
                ("Remedy", wording.REMEDIES[proposed.remedy]),
                ("Money moved at most", money(proposed.moves, self._currency())),
                ("Reason and effects", wording.SHOWN_LATER),
            ]
        )


class Approve(DecideOnProposal):
    name, label, page = "approve-ruling", "Approve the ruling", "dispute_approve"
    route = "<uuid:pk>/approve/"
    operations = ("disputes_ruling_approve",)
    available_as = "approve"
    service = staticmethod(rulings.approve)
    lead = "The ruling takes effect exactly as proposed, or not at all."
    message = "Ruling approved. It has taken effect."


class Refuse(DecideOnProposal):
    name, label, page = "refuse-ruling", "Refuse the ruling", "dispute_refuse"
    route = "<uuid:pk>/refuse/"
    operations = ("disputes_ruling_refuse",)
    available_as = "refuse"
    service = staticmethod(rulings.refuse)
    lead = "The dispute then waits for another ruling. The log keeps this one with your reason."
    message = "Ruling refused. The dispute waits for another."


class Appeal(ReasonedAction):
    name, label, page = "appeal-ruling", "Appeal the ruling", "dispute_appeal"
    route = "<uuid:pk>/appeal/"
    available_as = "appeal"
    service = staticmethod(rulings.appeal)
    lead = "A ruling can be appealed once, to another auditor. It stays in effect until then."
    message = "Ruling appealed."
    fact = (
        "Until the appeal is decided",
        "the ruling stays in effect, and what the game paid is held again",
    )


# --- rulings ---------------------------------------------------------------------------------------------

UPHELD = [(states.UPHELD, "The claim is upheld"), (states.PARTLY, "The claim is upheld in part")]


class ValuesField(forms.CharField):
    """Named values, one a line: `winner: H`, `scores: 21 -4`, `places: 1; 0 2`. A JSON object is accepted too.

    Cleaned to a dictionary, or None if empty.
    """

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=5_000, required=False, **kwargs)
        self.widget.attrs.update({"rows": 3, "spellcheck": "false"})

    def clean(self, value: str) -> dict[str, Any] | None:
        written = str(super().clean(value) or "").strip()
        if not written:
            return None
        found = _from_json(written) if written.startswith("{") else _from_lines(written)
        if found is None:
            raise forms.ValidationError("Enter a line for each value, such as winner: H.")
        return found


def _from_json(written: str) -> dict[str, Any] | None:
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _from_lines(written: str) -> dict[str, Any] | None:
    """
    >>> _from_lines("scores: 21 -4"), _from_lines("places: 1; 0 2"), _from_lines("winner: none")
    ({'scores': [21, -4]}, {'places': [[1], [0, 2]]}, {'winner': None})
    >>> _from_lines("no value")
    """
    found: dict[str, Any] = {}
    for line in written.splitlines():
        name, colon, text = (part.strip() for part in line.partition(":"))
        if not (name and colon and text):
            return None
        groups = [[_value(word) for word in group.replace(",", " ").split()] for group in text.split(";")]
        [first, *others] = groups
        if not (first or others):
            return None
        if others:
            found[name] = [group for group in groups if group]
        else:
            found[name] = first if len(first) > 1 else first[0]
    return found


def _value(word: str) -> int | str | bool | None:
    if word in ("none", "yes", "no"):
        return {"none": None, "yes": True, "no": False}[word]
    is_number = word.removeprefix("-").isdecimal() and word.isascii() and len(word) <= 10
    return int(word) if is_number else word


class RulingForm(DisputeActionForm):
    """The form of a ruling. Subclasses turn their further fields into the terms of the remedy."""

    finding = forms.ChoiceField(choices=UPHELD)
    token = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)
    remedy = ""
    field_order = ("finding", "way", "scores", "entries", "version", "outcome", "options", "reason")

    def terms(self, data: FormData) -> dict[str, Any]:
        return {}

    def clean(self) -> FormData:
        data = super().clean() or {}
        if self.errors:
            return data
        try:
            data["decision"] = Decision(
                finding=data["finding"], remedy=self.remedy, reason=data["reason"], terms=self.terms(data)
            )
        except BadDecision as bad:
            raise forms.ValidationError(str(bad)) from None
        return data


class DismissForm(RulingForm):
    remedy = states.DISMISSED
    finding = forms.ChoiceField(choices=[(states.REJECTED, "The claim is rejected")])


class VoidForm(RulingForm):
    remedy = states.VOID


class CorrectForm(RulingForm):
    remedy = states.CORRECTED
    outcome = ValuesField(
        label="Decided result",
        help_text="One value a line; empty: judge the game again. Racing Aces: winner: H, or winner: none. Vegas "
        "Solitaire: cards: 20. Idle Aces: result: won. Racing Demons: scores: 21 -4, by seat. Ace Race: "
        "places: 1; 0 2, the seats of each place.",
    )
    options = ValuesField(
        label="Judge again under these options",
        help_text="One option of the rules a line, such as stuck: end. Empty: the options of the game.",
    )

    def terms(self, data: FormData) -> dict[str, Any]:
        if data["outcome"] is not None and data["options"] is not None:
            raise forms.ValidationError("Enter either a decided result or options, not both.")
        if data["outcome"] is not None:
            return {"outcome": data["outcome"]}
        return {"options": data["options"] or {}}


class PointsForm(RulingForm):
    remedy = states.POINTS
    way = forms.ChoiceField(
        label="Method",
        choices=[
            ("score", "Set the scores"),
            ("forfeit", "Forfeit the named entries"),
            ("swap", "Swap the results of two entries"),
        ],
    )
    scores = ScoresField(rows=4)
    entries = NumbersField(
        required=False, help_text="The entries that forfeit, or the two whose results are swapped."
    )

    def terms(self, data: FormData) -> dict[str, Any]:
        if data["way"] == "score":
            scores = [{"entry": entry, "score": list(score)} for entry, score in data["scores"].items()]
            return {"way": "score", "scores": scores}
        return {"way": data["way"], "entries": data["entries"]}


class ReplayForm(RulingForm):
    remedy = states.REPLAY
    version = forms.IntegerField(
        min_value=1,
        required=False,
        label="From event",
        help_text="For a suspended game: it continues as a new game from this event, with the same remaining cards. "
        "Leave empty for a game that has ended: it is replayed with a new deal.",
    )

    def terms(self, data: FormData) -> dict[str, Any]:
        return {} if data["version"] is None else {"version": data["version"]}


FORMS: Mapping[str, type[RulingForm]] = {
    form.remedy: form for form in (DismissForm, CorrectForm, VoidForm, PointsForm, ReplayForm)
}

LEADS = {
    states.DISMISSED: "The result does not change, and held money is released. On appeal, the result from before the "
    "first ruling is restored.",
    states.CORRECTED: "The game counts with another result: money is reversed and settled again, and standings and "
    "prizes are updated. The events do not change.",
    states.VOID: "Stakes, buy-ins and bets are refunded. In a tournament, the game scores nothing.",
    states.POINTS: "Changes the points that a tournament game gave.",
    states.REPLAY: "A suspended game continues from one of its events. An ended game is replayed with a new deal.",
}


class Rule(DisputeAction):
    name, label, page = "rule-on-dispute", "Rule", "dispute_rule"
    route = "<uuid:pk>/rule/<slug:remedy>/"
    operations = ("disputes_rule",)
    available_as = "rule"
    button = "Make ruling"

    def locate(self, remedy: str) -> None:
        if remedy not in FORMS:
            raise NotFound
        self.remedy = remedy

    @property
    def title(self) -> str:
        return wording.REMEDIES[self.remedy]

    @property
    def lead(self) -> str:
        return LEADS[self.remedy]

    def form_class(self) -> type[ActionForm]:
        return FORMS[self.remedy]

    def initial(self, query: Mapping[str, str]) -> FormData:
        first = {"version": query.get("version", "")} if self.remedy == states.REPLAY else {}
        return {**super().initial(query), **first}

    def preview(self, data: FormData) -> Preview:
        shown = rulings.preview(
            dispute_id=self.row.pk, decision=data["decision"], actor=self.actor, now=timezone.now()
        )
        second = (
            ["A second person must approve this ruling, because of the amount of money that it moves."]
            if shown.second_person
            else []
        )
        found = wording.preview_of(shown.effects.document(), self.row, remedy=self.remedy, warnings=second)
        return replace(found, hidden={"token": shown.token})

    def act(self, data: FormData, now: datetime) -> Ruling:
        return rulings.rule(
            dispute_id=self.row.pk,
            decision=data["decision"],
            token=data["token"],
            actor=self.actor,
            now=now,
        )

    def done(self, made: Ruling) -> Done:
        proposed = "Ruling proposed. It takes effect when a second person approves it."
        message = proposed if made.state == states.PROPOSED else "Ruling made."
        return Done(message, f"dispute:{self.row.pk}", self.back)


ACTIONS = (PinEvidence, Suspend, Resume, Approve, Refuse, Appeal, Rule)
