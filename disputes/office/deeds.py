"""What is done with a dispute beside ruling on it: pinning, suspending, the second person's word, an appeal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from accounts.models import Player
from api.deeds import Given, Preview
from disputes import access, offers, services, states
from disputes.models import NOTE_LENGTH, Dispute, Ruling
from disputes.office import words
from disputes.office.desk import Deed, DeedForm, Desk, deed_page
from games.office.deeds import person


class PinForm(DeedForm):
    reason = forms.CharField(
        min_length=3,
        max_length=NOTE_LENGTH,
        label="What it shows",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the event, and read by everybody concerned.",
    )
    version = forms.IntegerField(min_value=1, label="Event", help_text="Its version in the game.")
    game = forms.UUIDField(
        required=False, help_text="Another game of the same deal, match or tournament; else the disputed one."
    )
    field_order = ("version", "game", "reason")


@deed_page("dispute_pin", "pin/")
def pin_page(desk: Desk, request: HttpRequest, dispute: Dispute) -> HttpResponse:
    def pin(given: Given, now: datetime) -> str:
        pinned = services.pin(
            dispute_id=dispute.pk,
            actor=person(request),
            version=given["version"],
            game_id=given["game"],
            note=given["reason"],
            now=now,
        )
        return f"Pinned event {pinned.version} ({pinned.hash[:12]})."

    deed = Deed(
        title="Pin evidence",
        action="pin-evidence",
        carry_out=pin,
        preview=lambda given: Preview(facts=[("Event", str(given["version"]))]),
        lead="An event is pinned by its version and hash; the ruling carries all that are pinned.",
        button="Pin it",
    )
    first = {name: request.GET.get(name, "") for name in ("version", "game")}
    return desk.do(request, dispute, deed, form_class=PinForm, initial=first)


def _simple(
    desk: Desk,
    request: HttpRequest,
    dispute: Dispute,
    *,
    title: str,
    action: str,
    what: str,
    lead: str,
    carry_out: Callable[[Player, str, datetime], object],
    said: str,
    preview: Preview,
) -> HttpResponse:
    """A deed that takes nothing but a reason; `what` is its name among what is offered."""

    def done(given: Given, now: datetime) -> str:
        carry_out(person(request), given["reason"], now)
        return said

    def shown(given: Given) -> Preview:
        offers.CHECKS[what](dispute, person(request), timezone.now())
        return preview

    deed = Deed(title=title, action=action, carry_out=done, preview=shown, lead=lead)
    return desk.do(request, dispute, deed)


@deed_page("dispute_suspend", "suspend/")
def suspend_page(desk: Desk, request: HttpRequest, dispute: Dispute) -> HttpResponse:
    return _simple(
        desk,
        request,
        dispute,
        title="Suspend the game",
        action="suspend-game",
        what=offers.SUSPEND,
        lead="Nobody moves and no clock runs, until it is resumed, ruled on, or the claim is taken back.",
        carry_out=lambda actor, reason, now: services.suspend(
            dispute_id=dispute.pk, actor=actor, reason=reason, now=now
        ),
        said="The game is suspended.",
        preview=Preview(facts=[("The table", "sees that it is suspended, and not why")]),
    )


@deed_page("dispute_resume", "resume/")
def resume_page(desk: Desk, request: HttpRequest, dispute: Dispute) -> HttpResponse:
    return _simple(
        desk,
        request,
        dispute,
        title="Resume the game",
        action="resume-game",
        what=offers.RESUME,
        lead="It goes on as it stands; the time that it stood still is given back to the clocks.",
        carry_out=lambda actor, reason, now: services.resume(
            dispute_id=dispute.pk, actor=actor, reason=reason, now=now
        ),
        said="The game goes on.",
        preview=Preview(facts=[("The dispute", "stays to be decided")]),
    )


def _proposed(dispute: Dispute) -> Ruling:
    """The ruling that waits for a second person. Raises Http404."""
    found = dispute.rulings.filter(state=states.PROPOSED).first()
    if found is None:
        raise Http404
    found.dispute = dispute
    return found


def _preview_of(proposed: Ruling, viewer: Player) -> Preview:
    """As it was shown to who proposed it, as far as the viewer may read of it."""
    if access.may_read(viewer, proposed.dispute):
        return words.preview_of(proposed.effects, remedy=proposed.remedy, reason=proposed.reason)
    return Preview(
        facts=[
            ("Remedy", words.REMEDIES[proposed.remedy]),
            ("Money that it moves", f"{proposed.moves} pence"),
            ("Its reason and effects", words.SHOWN_LATER),
        ]
    )


@deed_page("dispute_approve", "approve/")
def approve_page(desk: Desk, request: HttpRequest, dispute: Dispute) -> HttpResponse:
    proposed = _proposed(dispute)
    return _simple(
        desk,
        request,
        dispute,
        title="Approve the ruling",
        action="approve-ruling",
        what=offers.APPROVE,
        lead="It takes effect exactly as it was shown to who proposed it, or not at all.",
        carry_out=lambda actor, reason, now: services.approve(
            dispute_id=dispute.pk, actor=actor, reason=reason, now=now
        ),
        said="The ruling is approved and has taken effect.",
        preview=_preview_of(proposed, person(request)),
    )


@deed_page("dispute_refuse", "refuse/")
def refuse_page(desk: Desk, request: HttpRequest, dispute: Dispute) -> HttpResponse:
    proposed = _proposed(dispute)
    return _simple(
        desk,
        request,
        dispute,
        title="Refuse the ruling",
        action="refuse-ruling",
        what=offers.REFUSE,
        lead="The dispute waits for another ruling; this one stays in its log with your reason.",
        carry_out=lambda actor, reason, now: services.refuse(
            dispute_id=dispute.pk, actor=actor, reason=reason, now=now
        ),
        said="The ruling is refused; the dispute waits for another.",
        preview=_preview_of(proposed, person(request)),
    )


@deed_page("dispute_appeal", "appeal/")
def appeal_page(desk: Desk, request: HttpRequest, dispute: Dispute) -> HttpResponse:
    return _simple(
        desk,
        request,
        dispute,
        title="Appeal the ruling",
        action="appeal-ruling",
        what=offers.APPEAL,
        lead="Once, to somebody who has not decided about it before. The first ruling stands until then.",
        carry_out=lambda actor, reason, now: services.appeal(
            dispute_id=dispute.pk, actor=actor, reason=reason, now=now
        ),
        said="The ruling is appealed.",
        preview=Preview(facts=[("Until then", "the first ruling stands, and what was paid is held again")]),
    )
