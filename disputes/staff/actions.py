"""Staff actions on a dispute: pin evidence, suspend, resume, approve, refuse, appeal; the base of the ruling pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.staff import person
from core.errors import NotFound, Problem
from disputes import access, selectors, services, states
from disputes.errors import DisputeUnexpectedState
from disputes.models import Dispute, PinnedEvidence, Ruling
from disputes.rulings import services as rulings
from disputes.staff import wording
from disputes.staff.forms import FORMS, DisputeActionForm, PinForm
from ledger.money import money
from staff import subjects
from staff.actions import ActionForm, Change, Done, FormData, Preview, StaffAction


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

    @property
    def title(self) -> str:
        return self.of_dispute(self.label)

    def of_dispute(self, what: str) -> str:
        """Return a title that names the person whose dispute it is."""
        return f"{what}: dispute by {self.row.opener.staff_name}"

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


class PinEvidence(DisputeAction):
    name, label, page = "pin-evidence", "Pin evidence", "dispute_pin"
    route = "<uuid:pk>/pin/"
    operations = ("disputes_pin",)
    available_as = "pin"
    form = PinForm
    lead = "Pins an event of the game. The ruling includes all pinned events."
    button = "Pin event"

    def initial(self, query: Mapping[str, str]) -> FormData:
        game = query.get("game", "")
        pinned = {"version": query.get("version", ""), "game": "" if game == str(self.row.game_id) else game}
        return {**super().initial(query), **pinned}

    def preview(self, data: FormData) -> Preview:
        game = subjects.link(f"game:{data['game'] or self.row.game_id}").text
        return Preview(facts=[("Event", str(data["version"])), ("Game", game)], of_reason="What it shows")

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
        return Preview(facts=[wording.game_fact(self.row), self.fact])

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
    fact = ("Players", "see that the game is suspended, and the reason when the game is public")


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
                proposed.effects,
                self.row,
                remedy=proposed.remedy,
                reason=proposed.reason,
                by=proposed.auditor_id,
            )
        return Preview(
            facts=[
                wording.game_fact(self.row),
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

    def effects(self) -> Preview:
        """Return the preview of the proposed ruling, of which nothing takes effect."""
        found = super().effects()
        facts = [(label, value) for label, value in found.facts if label in wording.OF_PROPOSAL]
        stays = [replace(one, after=one.before) for one in found.changes]
        return replace(found, facts=facts, changes=[Change("Ruling", "proposed", "refused"), *stays])


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

LEADS = {
    states.DISMISSED: "The result does not change, and held money is released.",
    states.CORRECTED: "The game counts with another result: money is reversed and settled again, and standings and "
    "prizes are updated. The events do not change.",
    states.VOID: "Stakes, buy-ins and bets are refunded. In a tournament, the game scores nothing.",
    states.POINTS: "Changes the points that a tournament game gave.",
    states.REPLAY: "A suspended game continues from one of its events. An ended game is replayed with a new deal.",
}
DISMISSED_ON_APPEAL = "The result from before the first ruling is restored, and held money is released."


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
        return self.of_dispute(wording.REMEDIES[self.remedy])

    @property
    def lead(self) -> str:
        if self.remedy == states.DISMISSED and self.row.instance == 2:
            return DISMISSED_ON_APPEAL
        return LEADS[self.remedy]

    def form_class(self) -> type[ActionForm]:
        return FORMS[self.remedy].of(self.row.game)

    def initial(self, query: Mapping[str, str]) -> FormData:
        first = super().initial(query)
        if access.may_read(self.actor, self.row):
            first |= FORMS[self.remedy].first(self.row.game, query)
        return first

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
        return replace(found, hidden={"token": shown.token}, facts=[*found.facts, *self._appealed()])

    def _appealed(self) -> list[tuple[str, str]]:
        """Return the ruling that this one would replace, on appeal."""
        first = self.row.rulings.filter(state=states.STANDING).first()
        return (
            []
            if first is None
            else [("On appeal, replaces", f"ruling {first.number}: {wording.REMEDIES[first.remedy]}")]
        )

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
