"""The queue of disputes: the claim, the money, and the people of each, and the disputes that wait for this reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Sum
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import STAFF_NAME, Player, staff_name
from accounts.roles import Role, has_role
from accounts.staff import person
from disputes import access, money, states
from disputes.models import Dispute, Ruling
from disputes.staff import wording
from games.access import is_auditor
from games.models import GameRecord, Seat
from games.selectors import buy_in_subject
from ledger.models import Freeze
from ledger.money import money as formatted
from staff.dashboard import OLDEST, Task, register_tasks

DECISION_PERIOD = timedelta(days=2)
TASK = "Dispute"
"""The kind of the tasks in the work queue."""


def held_money(disputes: Sequence[Dispute]) -> dict[UUID, str]:
    """Return what is held of the money that each disputed game has paid, by game; no entry where nothing is."""
    games = {buy_in_subject(one.game): one.game_id for one in disputes}
    rows = (
        Freeze.objects.filter(subject__in=games, actor=money.ACTOR, released_at=None)
        .values_list("subject", "money__hold__account__currency")
        .annotate(Sum("money__hold__amount"))
    )
    found: dict[UUID, list[str]] = defaultdict(list)
    for subject, currency, amount in rows:
        if amount:
            found[games[subject]].append(formatted(amount, currency))
    return {game: " + ".join(amounts) for game, amounts in found.items()}


def people(disputes: Sequence[Dispute]) -> Mapping[UUID, str]:
    """Return the names of the players of each disputed game, by game."""
    seats = Seat.objects.filter(game__in=[one.game_id for one in disputes], player__isnull=False)
    found: dict[UUID, list[str]] = defaultdict(list)
    for game, *name in seats.order_by("seat").values_list(
        "game", *(f"player__{part}" for part in STAFF_NAME)
    ):
        found[game].append(staff_name(*name))
    return {game: ", ".join(names) for game, names in found.items()}


@dataclass(frozen=True, slots=True)
class Listed:
    """What the list shows of a dispute besides its row."""

    claim: str
    held: str
    people: str


def prepare(viewer: Player, disputes: Sequence[Dispute]) -> None:
    """Set `listed` of each dispute, in a fixed number of queries."""
    claimed, held, seated = access.claims(viewer, disputes), held_money(disputes), people(disputes)
    for one in disputes:
        one.listed = Listed(  # type: ignore[attr-defined]
            claimed.get(one.pk, "not visible yet"), held.get(one.game_id, ""), seated.get(one.game_id, "")
        )


@register_tasks
def disputes_to_decide(request: HttpRequest, now: datetime) -> Iterator[Task]:
    """Yield the oldest disputes that this reader may rule on, and rulings that they may approve."""
    viewer = person(request)
    waiting = _oldest(viewer)
    claimed, held = access.claims(viewer, waiting), held_money(waiting)
    for dispute in waiting:
        page = reverse("admin:dispute_page", args=[dispute.pk])
        proposed = dispute.status == states.PROPOSED
        yield Task(
            TASK,
            f"{dispute.opener}, {wording.game_name(dispute.game)}",
            page,
            dispute.opened_at,
            "Decide on ruling" if proposed else "Rule",
            page,
            detail=claimed.get(dispute.pk, "The claim can be read on its page."),
            amount=held.get(dispute.game_id, "") or _staked(dispute.game),
            is_urgent=now - dispute.opened_at > DECISION_PERIOD,
        )


def _staked(game: GameRecord) -> str:
    """Return what each seat of the game has staked; empty for a game for points."""
    amount = game.stake or game.buy_in
    return formatted(amount, game.stake_table.currency) if amount and game.stake_table else ""


def _oldest(viewer: Player) -> list[Dispute]:
    """Return the oldest disputes with a status in which this reader has something to decide."""
    wanted = list(states.WAITING) if is_auditor(viewer) else []
    if is_auditor(viewer) or has_role(viewer, Role.ADMINISTRATOR):
        wanted.append(states.PROPOSED)
    visible = access.visible_disputes(viewer)
    found = [
        dispute
        for status in wanted
        for dispute in visible.filter(status=status).order_by("opened_at")[:OLDEST]
    ]
    own = set(
        Ruling.objects.filter(dispute__in=found, state=states.PROPOSED, auditor=viewer).values_list(
            "dispute", flat=True
        )
    )
    others = [one for one in found if one.pk not in own and one.opener_id != viewer.pk]
    return sorted(others, key=lambda one: one.opened_at)[:OLDEST]
