"""Commands on a whole tournament, including the opening of its outright market."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.urls import reverse

from ledger.betting.actions import OpenMarket
from ledger.betting.forms import PoolTermsForm
from ledger.betting.terms import Terms
from ledger.models import Market
from ledger.selectors import takes_part
from staff.actions import ActionForm, ActionLink, Change, Done, FormData, Preview, ReasonForm, links
from tournaments import access, schedules, services
from tournaments.actions.base import TournamentAction, address
from tournaments.betting import outrights
from tournaments.errors import PreviewStale
from tournaments.models import Status, TableGame, Tournament
from tournaments.rounds import timing

TAKES_PART = "You take part in this tournament. Another organizer or an administrator must do this."


class Command(TournamentAction):
    """A command. `otherwise` explains why the tournament is not in a state for it."""

    otherwise: ClassVar[str]

    def is_time(self) -> bool:
        raise NotImplementedError

    def unavailable(self) -> str:
        if takes_part(self.row.subject, self.actor.pk):
            return TAKES_PART
        return "" if self.is_time() else self.otherwise

    def order(self, now: datetime) -> dict[str, Any]:
        return {"tournament_id": self.row.pk, "actor": self.actor, "now": now}


class Publish(Command):
    name, label, page = "publish-tournament", "Publish", "tournament_publish"
    route = "<uuid:pk>/do/publish/"
    operations = ("tournaments_publish",)
    message = "The tournament is published."
    lead = "The seed is committed to, and players can enter. The terms can no longer be changed."
    otherwise = "It is published already."

    def is_time(self) -> bool:
        return self.row.status == Status.DRAFT

    def act(self, data: FormData, now: datetime) -> object:
        return services.publish(**self.order(now))


class Start(Command):
    name, label, page = "start-tournament", "Start", "tournament_start"
    route = "<uuid:pk>/do/start/"
    operations = ("tournaments_start",)
    message = "The tournament has started."
    lead = "Entries close, bots fill the field according to the terms, and the first round opens."
    otherwise = "Only a published tournament can start."

    def is_time(self) -> bool:
        return self.row.status == Status.PUBLISHED

    def act(self, data: FormData, now: datetime) -> object:
        return services.start(**self.order(now), hold=data.get("hold", ""))


class Pause(Command):
    name, label, page = "pause-tournament", "Pause", "tournament_pause"
    route = "<uuid:pk>/do/pause/"
    operations = ("tournaments_pause",)
    requires = staticmethod(access.ruled)
    message = "The tournament is paused."
    lead = "No round opens and no prize is paid until it is resumed. An open round is played to its end."
    otherwise = "Only a running tournament that is not paused can be paused."

    def is_time(self) -> bool:
        return self.row.status == Status.RUNNING and not self.row.paused

    def act(self, data: FormData, now: datetime) -> object:
        return services.pause(**self.order(now), reason=data["reason"])


class Resume(Command):
    name, label, page = "resume-tournament", "Resume", "tournament_resume"
    route = "<uuid:pk>/do/resume/"
    operations = ("tournaments_resume",)
    requires = staticmethod(access.ruled)
    message = "The tournament is resumed."
    lead = "Ends a pause, and retries a failed step."
    otherwise = "It is neither paused nor stalled."

    def is_time(self) -> bool:
        return bool(self.row.stalled or self.row.paused)

    def act(self, data: FormData, now: datetime) -> object:
        return services.resume(**self.order(now))


class Cancel(Command):
    name, label, page = "cancel-tournament", "Cancel", "tournament_cancel"
    route = "<uuid:pk>/do/cancel/"
    operations = ("tournaments_cancel",)
    message = "The tournament is cancelled."
    button = "Cancel the tournament"
    lead = "Every fee is refunded, unfinished games are voided, and the seed is revealed. This is final."
    is_final = True
    otherwise = "It is over."

    def is_time(self) -> bool:
        return self.row.status not in (Status.FINISHED, Status.CANCELLED)

    def act(self, data: FormData, now: datetime) -> object:
        return services.cancel(**self.order(now), reason=data["reason"])


class DeleteDraft(Command):
    name, label, page = "delete-draft", "Delete draft", "tournament_delete"
    route = "<uuid:pk>/do/delete/"
    shows_result = True  # the page that it is asked for on is gone
    operations = ("tournaments_delete",)
    form = ActionForm
    lead = "The draft disappears. Its events stay for audits, with the name of the person who deleted it."
    is_final = True
    otherwise = "Only a draft can be deleted."

    def is_time(self) -> bool:
        return self.row.status == Status.DRAFT

    def permits(self) -> bool:
        return self.is_time() and super().permits()

    def preview(self, data: FormData) -> Preview:
        return Preview(facts=[("Deleted", self.row.name)])

    def act(self, data: FormData, now: datetime) -> object:
        return services.delete(**self.order(now))

    def done(self, made: object) -> Done:
        listed = reverse("admin:tournaments_tournament_changelist")
        return Done(f"{self.row.name} is deleted.", self.row.subject, listed)


class RoundForm(ReasonForm):
    """Carries the round of the preview to the confirmation, when another round may wait or be played."""

    round = forms.IntegerField(widget=forms.HiddenInput, required=False)


class RoundCommand(Command):
    """A command on the round that waits or is played. Over REST the round has its number in the address."""

    form = RoundForm
    verb: ClassVar[str]

    @property
    def title(self) -> str:
        which = f"round {self.number}" if self.number else "a round"
        return f"{self.verb} {which} of {self.row.name}"

    def locate(self, number: int | None = None) -> None:
        if number is not None:
            self.number = number

    def carry_out(self, data: FormData, key: str, now: datetime) -> Any:
        """Raises PreviewStale if the preview was of another round."""
        if data.get("round") not in (None, self.number):
            raise PreviewStale
        return super().carry_out(data, key, now)

    @cached_property
    def number(self) -> int:
        return self.current() or 0

    def current(self) -> int | None:
        """Return the number of the round, or None if there is none."""
        raise NotImplementedError

    def previewed(self) -> dict[str, str]:
        """Return the hidden fields of the preview."""
        return {"round": str(self.number)}

    def is_time(self) -> bool:
        return self.current() is not None

    def order(self, now: datetime) -> dict[str, Any]:
        return {**super().order(now), "number": self.number}


class OpenRound(RoundCommand):
    name, label, page = "open-round", "Open next round", "tournament_open_round"
    verb = "Open"
    route = "<uuid:pk>/do/open-round/"
    operations = ("tournament_rounds_open",)
    message = "The round opens now."
    lead = "The next round opens now instead of at its time. The reason is public."
    otherwise = "No round waits for its time."

    def current(self) -> int | None:
        return timing.waiting_round(self.row)

    def preview(self, data: FormData) -> Preview:
        super().preview(data)
        closed = self.row.played_rounds.get(number=self.number - 1).closed_at
        assert closed is not None
        opens = schedules.next_opens(self.row, self.number, after=closed)
        changes = [Change(f"Round {self.number} opens", f"{opens:%d %b %Y %H:%M} UTC", "now")]
        return Preview(changes=changes, hidden=self.previewed())

    def act(self, data: FormData, now: datetime) -> object:
        return timing.open_now(**self.order(now), reason=data["reason"])


class CloseRound(RoundCommand):
    name, label, page = "close-round", "Close round", "tournament_close_round"
    verb = "Close"
    route = "<uuid:pk>/do/close-round/"
    operations = ("tournament_rounds_close",)
    message = "The time of the round has ended."
    lead = (
        "The time of the open round ends now. The server plays for those who have not finished, as at the time limit. "
        "The reason is public."
    )
    is_final = True
    otherwise = "No round is open, or it ends by itself when its race ends."

    def current(self) -> int | None:
        round = timing.open_round(self.row)
        return None if round is None else round.number

    def preview(self, data: FormData) -> Preview:
        super().preview(data)
        round = self.row.played_rounds.get(number=self.number)
        running = TableGame.objects.of_round(round).running().count()
        return Preview(
            facts=[("Games still played", str(running))],
            changes=[Change(f"Round {self.number} closes", f"{round.closes_at:%d %b %Y %H:%M} UTC", "now")],
            hidden=self.previewed(),
        )

    def act(self, data: FormData, now: datetime) -> object:
        return timing.close_now(**self.order(now), reason=data["reason"])


COMMANDS = (Publish, Start, OpenRound, CloseRound, Pause, Resume, Cancel, DeleteDraft)


# --- outright market ---------------------------------------------------------------------------------


class OpenOutright(OpenMarket[Tournament]):
    page = "tournament_market"
    route = "<uuid:pk>/market/"
    operations = ("tournament_markets_create",)
    form = PoolTermsForm
    lead = "A pool on its winner. Betting is open until the start; later entrants become runners."

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> Tournament:
        return access.managed(actor, pk)

    def permits(self) -> bool:
        is_time = self.row.status == Status.PUBLISHED and outrights.market_on(self.row.pk) is None
        return is_time and access.may_manage(self.actor, self.row)

    def unavailable(self) -> str:
        return TAKES_PART if takes_part(self.row.subject, self.actor.pk) else ""

    @property
    def title(self) -> str:
        return f"Open a market on {self.row.name}"

    @property
    def back(self) -> str:
        return address("tournament_console", self.row)

    def opened(self, data: FormData, terms: Terms, now: datetime) -> Market:
        return outrights.open_market(tournament_id=self.row.pk, terms=terms, opened_by=self.by, now=now)


ACTIONS = (*COMMANDS, OpenOutright)


def offered(viewer: Any, tournament: Tournament) -> list[ActionLink]:
    """Return the actions on the whole tournament for a viewer who may perform some of them."""
    is_editable = tournament.status == Status.DRAFT and access.may_manage(viewer, tournament)
    edit = [ActionLink("Edit", f"/tournaments/{tournament.pk}/edit/")] if is_editable else []
    return [*edit, *links(ACTIONS, viewer, tournament)]
