"""The dashboard: work that waits, alarms, and cards with figures. Packages register theirs; a reader sees what they
may open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.timesince import timesince

from staff.charts import Sparkline

# --- cards --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Card:
    """A figure on the dashboard, and the address of its list.

    is_work    whether it is shown below the work queue, unless it is 0
    sparkline  the course of the figure over the last days
    """

    label: str
    figure: str
    url: str
    is_alert: bool = False
    is_work: bool = False
    sparkline: Sparkline | None = None


Cards = Callable[[HttpRequest, datetime], Iterable[Card]]
"""Returns the cards that this reader may see."""

_cards: list[tuple[int, Cards]] = []


def register_cards(place: int, *found: Cards) -> None:
    """Register cards of a package. They are shown in the order of `place`."""
    _cards.extend((place, each) for each in found)


def cards(request: HttpRequest, now: datetime) -> list[Card]:
    placed = sorted(_cards, key=lambda one: one[0])
    return [card for _, found in placed for card in found(request, now)]


@dataclass(frozen=True, slots=True)
class CountCard:
    """The number of rows of `model`, for readers who may see the list that the card leads to."""

    label: str
    model: type[Model]
    where: Callable[[datetime], Q]
    query: Mapping[str, str]
    """The list's query parameters for the same rows."""
    listed: type[Model] | None = None
    """The model of the list, if it is another."""
    alerts: bool = False
    is_work: bool = False
    """Whether the list has work in it, and the card is below the work queue."""

    def __call__(self, request: HttpRequest, now: datetime) -> Iterable[Card]:
        page = admin.site.get_model_admin(self.listed or self.model)
        if not page.has_view_permission(request):
            return
        # Only the rows of the reader's own list.
        rows: QuerySet[Any] = self.model._default_manager.all() if self.listed else page.get_queryset(request)
        count = rows.filter(self.where(now)).order_by().values("pk")[: MOST_NAMED + 1].count()
        opts = page.model._meta
        address = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
        yield Card(
            self.label,
            at_most(count),
            f"{address}?{urlencode(self.query)}",
            self.alerts and count > 0,
            self.is_work,
        )


# --- the work queue -----------------------------------------------------------------------------------

OLDEST = 5
"""Tasks of a kind that the queue shows; the list of the kind has the others."""


@dataclass(frozen=True, slots=True)
class Task:
    """Work that waits for a person on the staff.

    kind       the type of work, such as "Payout"
    title      the person or event concerned; `url` is its page
    detail     what is asked for, in a sentence
    amount     the money that waits for it, as a text; empty: none
    since      when it began to wait; None: unknown
    action     the text of the button, and `do` the address to which it leads
    is_urgent  whether it has waited for too long, or holds up others
    """

    kind: str
    title: str
    url: str
    since: datetime | None
    action: str
    do: str
    detail: str = ""
    amount: str = ""
    is_urgent: bool = False

    def waiting(self, now: datetime) -> str:
        """Return how long it has waited, in its largest unit."""
        if self.since is None:
            return ""
        return timesince(self.since, now, depth=1) if now - self.since >= timedelta(minutes=1) else "just now"


Tasks = Callable[[HttpRequest, datetime], Iterable[Task]]
"""Returns the oldest tasks that this reader may do, at most `OLDEST`, in a bounded number of queries."""

_tasks: list[Tasks] = []

AnyTasks = TypeVar("AnyTasks", bound=Tasks)


def register_tasks(found: AnyTasks) -> AnyTasks:
    """Register the tasks of a package."""
    _tasks.append(found)
    return found


EARLIEST = datetime.min.replace(tzinfo=UTC)


def tasks(request: HttpRequest, now: datetime, *, by_age: bool = False) -> list[Task]:
    """Return the work queue of this reader: urgent tasks first, unless by age only; then the oldest first."""
    found = [task for each in _tasks for task in each(request, now)]
    return sorted(found, key=lambda task: (not task.is_urgent and not by_age, task.since or EARLIEST))


# --- alarms -------------------------------------------------------------------------------------------

NAMED = 5
"""Items that an alarm names; the rest are counted, up to `MOST_NAMED`."""

MOST_NAMED = 1000


@dataclass(frozen=True, slots=True)
class Alarm:
    """A condition that staff must look at. `permission` is required for the page behind `url`; empty: none.

    work  the kind of the tasks that are its subjects, if the work queue shows them one by one
    """

    title: str
    detail: str = ""
    url: str = ""
    permission: str = ""
    work: str = ""


def at_most(count: int) -> str:
    """Return a number of rows that were counted up to `MOST_NAMED + 1`."""
    return f"more than {MOST_NAMED}" if count > MOST_NAMED else str(count)


Check = Callable[[datetime], Iterable[Alarm]]
"""Returns the alarms at a time. Reads only."""

AnyCheck = TypeVar("AnyCheck", bound=Check)

_checks: list[tuple[int, Check]] = []


def register_alarms(place: int) -> Callable[[AnyCheck], AnyCheck]:
    """Register a check of a package. The most serious have the lowest `place`."""

    def register(check: AnyCheck) -> AnyCheck:
        _checks.append((place, check))
        return check

    return register


def alarms(*, now: datetime, known: Mapping[Check, Iterable[Alarm]] | None = None) -> list[Alarm]:
    """Return all alarms, the most serious first. `known` are the results of checks that the caller has made."""
    made = known or {}
    placed = sorted(_checks, key=lambda one: one[0])
    return [alarm for _, check in placed for alarm in (made[check] if check in made else check(now))]


def shown_to(user: Any, found: Iterable[Alarm]) -> list[Alarm]:
    """Return the alarms without links to pages that this user may not open."""
    return [
        replace(alarm, url="") if alarm.permission and not user.has_perm(alarm.permission) else alarm
        for alarm in found
    ]


def beyond(found: Iterable[Alarm], queue: Iterable[Task]) -> list[Alarm]:
    """Return the alarms whose subjects are not in the work queue."""
    kinds = {task.kind for task in queue}
    return [alarm for alarm in found if alarm.work not in kinds]


def listed(named: Sequence[str], count: int) -> str:
    """Return the detail of an alarm about `count` items, the first of which are named."""
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"{'; '.join(named)}{more}."
