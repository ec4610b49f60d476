"""Staff actions on a tournament: who may perform them, their preview, and their trace in the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Protocol
from uuid import UUID

from django.db.models import Count, Sum
from django.urls import reverse
from django.utils import timezone

from core.transactions import dry_run
from ledger.money import money
from ledger.selectors import newest_position, posted_since
from ledger.staff import wording
from staff.actions import Change, Done, FormData, Preview, StaffAction
from tournaments import access, record
from tournaments.errors import PreviewStale
from tournaments.models import Tournament


class Access(Protocol):
    """Returns a tournament if the viewer may do something with it. Raises NotFound, Forbidden, SecondFactorNeeded."""

    def __call__(self, viewer: access.Viewer, tournament_id: UUID, /) -> Tournament: ...


PERMITS: dict[Any, Callable[[access.Viewer, Tournament], bool]] = {
    access.managed: access.may_manage,
    access.ruled: access.may_rule,
}


class TournamentAction(StaffAction[Tournament]):
    """An action on a tournament, which appends to its stream. By default a trial run finds its effects."""

    requires: ClassVar[Access] = staticmethod(access.managed)
    tab: ClassVar[str] = "tournament_console"
    """The page to return to."""

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> Tournament:
        return cls.requires(actor, pk)

    def permits(self) -> bool:
        return PERMITS[type(self).requires](self.actor, self.row)

    @property
    def back(self) -> str:
        return address(self.tab, self.row)

    @property
    def title(self) -> str:
        return f"{self.label} {self.row.name}"

    @property
    def message(self) -> str:
        """Shown when it is done."""
        raise NotImplementedError

    def preview(self, data: FormData) -> Preview:
        return rehearsed(self.row, lambda: self.act(data, timezone.now()))

    def carry_out(self, data: FormData, key: str, now: datetime) -> Any:
        self.version_before = record.head(self.row).version
        return self.act(data, now)

    def act(self, data: FormData, now: datetime) -> Any:
        """Call the service."""
        raise NotImplementedError

    def done(self, made: Any) -> Done:
        links = _events(self.row, self.version_before)
        return Done(self.message, self.row.subject, self.back, links=links)


def address(page: str, tournament: Tournament, *more: object) -> str:
    return reverse(f"admin:{page}", args=[tournament.pk, *more])


def require_unchanged(tournament: Tournament, given: FormData) -> None:
    """Raise PreviewStale if an event was appended since the form was opened."""
    if record.head(tournament).version != given["version"]:
        raise PreviewStale


def _events(tournament: Tournament, before: int) -> list[tuple[str, str]]:
    """Return a link to the events that the action has appended."""
    made = record.head(tournament).version
    if made == before:
        return []
    events = f"Event {made}" if made == before + 1 else f"Events {before + 1} to {made}"
    return [(events, f"{address('tournament_log', tournament)}?until={made}")]


# --- previews ------------------------------------------------------------------------------------------


MOST_TRANSFERS = 100
"""Transfers that a preview names one by one; of more it shows the sum."""


def rehearsed(tournament: Tournament, action: Callable[[], object]) -> Preview:
    """Return the changes of an action, by rolling back a trial run. Refusals are those of the action."""
    before, last = _state(tournament), newest_position()

    def done() -> Preview:
        action()
        after = _state(Tournament.objects.get(pk=tournament.pk))
        changes = [
            Change(label, was, will)
            for (label, was), (_, will) in zip(before, after, strict=True)
            if was != will
        ]
        moved = list(posted_since(last, tournament.subject)[: MOST_TRANSFERS + 1])
        named = wording.movements(moved) if len(moved) <= MOST_TRANSFERS else ()
        return Preview(named, facts=_moved(tournament, last), changes=changes)

    return dry_run(done)


def _state(tournament: Tournament) -> Sequence[tuple[str, str]]:
    standing = tournament.entries.standing()
    return (
        ("Status", tournament.get_status_display()),
        ("Entries", str(standing.count())),
        ("Bots", str(standing.filter(bot=True).count())),
        ("Rounds", str(tournament.rounds or "as many as needed")),
        ("Paused", "yes" if tournament.paused else "no"),
        ("Stalled", tournament.stalled or "no"),
    )


def _moved(tournament: Tournament, last: int) -> list[tuple[str, str]]:
    """Return the transfers after `last`, by reason."""
    new = posted_since(last, tournament.subject).order_by("reason")
    by_reason = new.values("reason", "currency").annotate(number=Count("pk"), sum=Sum("amount"))
    return [
        (
            f"Transfers: {row['reason']}",
            f"{row['number']}, {money(row['sum'], row['currency'])} in total",
        )
        for row in by_reason
    ]
