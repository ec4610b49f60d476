"""Players who block and report players. What comes of a report is decided by staff."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.errors import ReportClosed, TooManyBlocks, TooManyReports
from accounts.models import Block, Player, PlayerReport, ReportOutcome, ReportReason
from core.errors import InvalidInput, NotFound

MOST_BLOCKS = 200
"""Players whom one player may block."""
MOST_REPORTS = 20
"""Open reports of one player."""


def block(*, player: Player, other: UUID, now: datetime) -> None:
    """Keep another player from the tables of a player. Raises NotFound, InvalidInput, TooManyBlocks."""
    blocked = _other(player, other)
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        if Block.objects.filter(player=player).exclude(blocked=blocked).count() >= MOST_BLOCKS:
            raise TooManyBlocks(f"You have blocked {MOST_BLOCKS} players.")
        Block.objects.get_or_create(player=player, blocked=blocked, defaults={"created": now})


def unblock(*, player: Player, other: UUID) -> None:
    Block.objects.filter(player=player, blocked=other).delete()


def blocks_of(player: Player) -> list[Block]:
    """Return the blocks of a player, at most `MOST_BLOCKS`, newest first."""
    return list(Block.objects.filter(player=player).select_related("blocked").order_by("-created", "-pk"))


def report(
    *, reporter: Player, other: UUID, reason: ReportReason, text: str, game: UUID | None, now: datetime
) -> PlayerReport:
    """Report a player to the staff. While a report by the same player is open, it is returned unchanged.

    Raises NotFound, InvalidInput, TooManyReports.
    """
    player = _other(reporter, other)
    waiting = PlayerReport.objects.filter(reporter=reporter, closed=None).exclude(player=player)
    if waiting[:MOST_REPORTS].count() >= MOST_REPORTS:
        raise TooManyReports(f"{MOST_REPORTS} of your reports are still open.")
    if not text.isprintable():
        raise InvalidInput("text: printable characters, in one line.", field="text")
    try:
        with transaction.atomic():
            return PlayerReport.objects.create(
                reporter=reporter, player=player, reason=reason, text=text, game=game, created=now
            )
    except IntegrityError:
        return PlayerReport.objects.get(reporter=reporter, player=player, closed=None)


def close(*, report: PlayerReport, by: Player, outcome: ReportOutcome, now: datetime) -> None:
    """Raises ReportClosed."""
    still_open = PlayerReport.objects.filter(pk=report.pk, closed=None)
    if not still_open.update(closed=now, closed_by=by, outcome=outcome):
        raise ReportClosed


def forget(player: Player) -> None:
    """Delete what an erased person has written, and whom they have blocked."""
    Block.objects.filter(player=player).delete()
    Block.objects.filter(blocked=player).delete()
    PlayerReport.objects.filter(reporter=player).update(text="")


def exported(player: Player) -> dict[str, Iterable[dict[str, object]]]:
    """Return a person's blocks and reports, of those about them without who reported."""
    return {
        "blocks": [{"player": str(one.blocked_id), "since": one.created} for one in blocks_of(player)],
        "reports_made": [
            {"player": str(one.player_id), "reason": one.reason, "text": one.text, "at": one.created}
            for one in PlayerReport.objects.filter(reporter=player).order_by("pk")
        ],
        "reports_received": [
            {"reason": one.reason, "at": one.created, "outcome": one.outcome}
            for one in PlayerReport.objects.filter(player=player).order_by("pk")
        ],
    }


def _other(player: Player, other: UUID) -> Player:
    """Raises NotFound, InvalidInput."""
    found = Player.objects.filter(pk=other, erased_at=None).first()
    if found is None:
        raise NotFound("There is no such player.")
    if found == player or (found.is_bot and not found.is_owned_bot):
        raise InvalidInput("player: another person.", field="player")
    return found
