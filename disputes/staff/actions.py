"""Staff actions on a dispute: pin evidence, suspend, resume, approve, refuse, appeal; the base of the ruling pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from core.errors import Problem
from disputes import access, selectors, services, states
from disputes.errors import DisputeUnexpectedState
from disputes.models import NOTE_LENGTH, REASON_LENGTH, Dispute, Ruling
from disputes.rulings import appeals
from disputes.rulings import services as rulings
from disputes.rulings.services import BadDecision, Decision
from disputes.staff import wording
from games.staff.actions import ActionPage, ActionPageAdmin, ActionView, person
from staff.actions import Done, FormData, Preview, ReasonForm
from tournaments.staff.manual_pairing import NumbersField, ScoresField


class DisputeActionForm(ReasonForm):
    """A reason, and the version of the dispute when the form was opened."""

    reason = forms.CharField(
        min_length=3,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Stored permanently and shown to all parties of the dispute.",
    )
    events = forms.IntegerField(widget=forms.HiddenInput)


@dataclass(frozen=True, slots=True)
class DisputeAction:
    """A staff action on a dispute. `carry_out` returns the message to show afterwards."""

    title: str
    action: str
    """The name of the action in the log of staff actions."""
    carry_out: Callable[[FormData, datetime], str]
    preview: Callable[[FormData], Preview]
    lead: str = ""
    button: str = ""


_declared: list[ActionPage] = []


def action_page(name: str, route: str) -> Callable[[ActionView], ActionView]:
    """Register a view at `…/<id>/<route>`. It receives the admin, the request, and a dispute that the viewer may see.

    The services check permissions. An auditor's early access is recorded first, because what the page shows and refuses
    depends on the moves of the game.
    """

    def declare(view: ActionView) -> ActionView:
        def view_of_dispute(
            admin: DisputeActionAdmin, request: HttpRequest, pk: UUID, **more: Any
        ) -> HttpResponse:
            dispute = visible(request, pk)
            access.record_early_access(person(request), dispute, now=timezone.now())
            return view(admin, request, dispute, **more)

        _declared.append(ActionPage(name, route, view_of_dispute))
        return view

    return declare


class DisputeActionAdmin(ActionPageAdmin):
    """The admin whose pages are the staff actions on disputes."""

    pages = _declared

    def run(
        self,
        request: HttpRequest,
        dispute: Dispute,
        action: DisputeAction,
        *,
        form_class: type[DisputeActionForm] = DisputeActionForm,
        initial: FormData | None = None,
    ) -> HttpResponse:
        def carry_out(data: FormData, now: datetime) -> Done:
            require_unchanged(dispute, data)
            return Done(action.carry_out(data, now), f"dispute:{dispute.pk}", page_of(dispute))

        return self.perform(
            request,
            title=action.title,
            action=action.action,
            carry_out=carry_out,
            preview=action.preview,
            back=page_of(dispute),
            form_class=form_class,
            initial={"events": dispute.events, **(initial or {})},
            button=action.button,
            lead=action.lead,
        )


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
        help_text="Another game of the same deal, match, or tournament. Empty: the disputed game.",
    )
    field_order = ("version", "game", "reason")


@action_page("dispute_pin", "pin/")
def pin_page(admin: DisputeActionAdmin, request: HttpRequest, dispute: Dispute) -> HttpResponse:
    def pin(data: FormData, now: datetime) -> str:
        pinned = services.pin(
            dispute_id=dispute.pk,
            actor=person(request),
            version=data["version"],
            game_id=data["game"],
            note=data["reason"],
            now=now,
        )
        return f"Pinned event {pinned.version} ({pinned.hash[:12]})."

    definition = DisputeAction(
        title="Pin evidence",
        action="pin-evidence",
        carry_out=pin,
        preview=lambda data: Preview(facts=[("Event", str(data["version"]))]),
        lead="Pins an event by version and hash. The ruling includes all pinned events.",
        button="Pin event",
    )
    initial = {name: request.GET.get(name, "") for name in ("version", "game")}
    return admin.run(request, dispute, definition, form_class=PinForm, initial=initial)


def _proposed(dispute: Dispute) -> Ruling:
    """Return the ruling that waits for a second person. Raises Http404."""
    found = dispute.rulings.filter(state=states.PROPOSED).first()
    if found is None:
        raise Http404
    found.dispute = dispute
    return found


def _preview_of_proposal(dispute: Dispute, viewer: Player) -> Preview:
    """Return the preview of the proposed ruling, as far as the viewer may read it."""
    proposed = _proposed(dispute)
    if access.may_read(viewer, dispute):
        return wording.preview_of(proposed.effects, remedy=proposed.remedy, reason=proposed.reason)
    return Preview(
        facts=[
            ("Remedy", wording.REMEDIES[proposed.remedy]),
            ("Money moved", f"{proposed.moves} pence"),
            ("Reason and effects", wording.SHOWN_LATER),
        ]
    )


def _page(
    name: str,
    service: Callable[..., object],
    *,
    title: str,
    action: str,
    lead: str,
    message: str,
    preview: Callable[[Dispute, Player], Preview],
) -> None:
    """Register the page of an action whose form has only a reason. `name` is its name among the available actions."""

    @action_page(f"dispute_{name}", f"{name}/")
    def page(admin: DisputeActionAdmin, request: HttpRequest, dispute: Dispute) -> HttpResponse:
        shown = preview(dispute, person(request))

        def carry_out(data: FormData, now: datetime) -> str:
            service(dispute_id=dispute.pk, actor=person(request), reason=data["reason"], now=now)
            return message

        def checked_preview(data: FormData) -> Preview:
            selectors.CHECKS[name](dispute, person(request), timezone.now())
            return shown

        definition = DisputeAction(
            title=title, action=action, carry_out=carry_out, preview=checked_preview, lead=lead
        )
        return admin.run(request, dispute, definition)


def _fact(label: str, text: str) -> Callable[[Dispute, Player], Preview]:
    return lambda dispute, viewer: Preview(facts=[(label, text)])


_page(
    selectors.SUSPEND,
    services.suspend,
    title="Suspend the game",
    action="suspend-game",
    lead="No moves are accepted and the clocks stop until the game is resumed or the dispute has ended.",
    message="Game suspended.",
    preview=_fact("Players", "see that the game is suspended, but not the reason"),
)
_page(
    selectors.RESUME,
    services.resume,
    title="Resume the game",
    action="resume-game",
    lead="Play continues. The clocks get back the time of the suspension.",
    message="Game resumed.",
    preview=_fact("The dispute", "stays open"),
)
_page(
    selectors.APPROVE,
    rulings.approve,
    title="Approve the ruling",
    action="approve-ruling",
    lead="The ruling takes effect exactly as proposed, or not at all.",
    message="Ruling approved. It has taken effect.",
    preview=_preview_of_proposal,
)
_page(
    selectors.REFUSE,
    rulings.refuse,
    title="Refuse the ruling",
    action="refuse-ruling",
    lead="The dispute then waits for another ruling. The log keeps this one with your reason.",
    message="Ruling refused. The dispute waits for another.",
    preview=_preview_of_proposal,
)
_page(
    selectors.APPEAL,
    appeals.appeal,
    title="Appeal the ruling",
    action="appeal-ruling",
    lead="A ruling can be appealed once, to another auditor. It stays in effect until then.",
    message="Ruling appealed.",
    preview=_fact(
        "Until the appeal is decided", "the ruling stays in effect, and what the game paid is held again"
    ),
)


# --- rulings ---------------------------------------------------------------------------------------------

UPHELD = [(states.UPHELD, "The claim is upheld"), (states.PARTLY, "The claim is upheld in part")]


class ObjectField(forms.CharField):
    """A text field for a JSON object."""

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
            raise forms.ValidationError('Enter a JSON object, such as {"winner": "H"}.')
        return found


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
    outcome = ObjectField(
        label="Decided outcome",
        help_text="Leave empty to judge the game again. Ace Race: "
        '{"places": [[1], [0, 2]]}; Racing Demons: {"scores": [21, -4]}; Racing Aces: {"winner": "H"}; Vegas '
        'Solitaire: {"cards": 20}; Idle Aces: {"result": "won"}.',
    )
    options = ObjectField(
        label="Judge again under these options",
        help_text="Options of the rules as JSON. Empty: the options of the game.",
    )

    def terms(self, data: FormData) -> dict[str, Any]:
        if data["outcome"] is not None and data["options"] is not None:
            raise forms.ValidationError("Enter either a decided outcome or options, not both.")
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


@action_page("dispute_rule", "rule/<slug:remedy>/")
def rule_page(admin: DisputeActionAdmin, request: HttpRequest, dispute: Dispute, remedy: str) -> HttpResponse:
    form_class = FORMS.get(remedy)
    if form_class is None:
        raise Http404

    def preview(data: FormData) -> Preview:
        shown = rulings.preview(
            dispute_id=dispute.pk, decision=data["decision"], actor=person(request), now=timezone.now()
        )
        second = (
            ["A second person must approve this ruling, because of the amount of money that it moves."]
            if shown.second_person
            else []
        )
        found = wording.preview_of(shown.effects.document(), remedy=remedy, warnings=second)
        return Preview(found.movements, found.facts, found.warnings, {"token": shown.token})

    def rule(data: FormData, now: datetime) -> str:
        made = rulings.rule(
            dispute_id=dispute.pk,
            decision=data["decision"],
            token=data["token"],
            actor=person(request),
            now=now,
        )
        if made.state == states.PROPOSED:
            return "Ruling proposed. It takes effect when a second person approves it."
        return "Ruling made."

    action = DisputeAction(
        title=wording.REMEDIES[remedy],
        action="rule-on-dispute",
        carry_out=rule,
        preview=preview,
        lead=LEADS[remedy],
        button="Make ruling",
    )
    initial = {"version": request.GET.get("version", "")} if remedy == states.REPLAY else {}
    return admin.run(request, dispute, action, form_class=form_class, initial=initial)
