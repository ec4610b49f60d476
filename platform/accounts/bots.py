"""Bots of players: accounts with which a player's program plays for points.

A bot has no password and no address; it acts by tokens that its owner makes. What ends the owner's access ends the
tokens of the owner's bots.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import QuerySet

from accounts.errors import AccountSuspended, TooManyBots
from accounts.models import Player, Token, TokenName
from accounts.names import check_display_name
from core.errors import InvalidInput, NotFound

log = structlog.get_logger(__name__)

MOST_BOTS = 5
"""Bots of one player at once."""


def insert(bot: Player) -> Player:
    """Save a new bot under a username of the server, without a password."""
    bot.username, bot.is_bot = f"bot-{secrets.token_hex(8)}", True
    bot.set_unusable_password()
    bot.save(force_insert=True)
    return bot


@transaction.atomic
def create(*, owner: Player, name: str, owner_only: bool, now: datetime) -> Player:
    """Create a bot of a player. Raises InvalidInput, NameRefused, AccountSuspended, TooManyBots."""
    if not name:
        raise InvalidInput("name: a bot needs one.", field="name")
    check_display_name(name, "name")
    lock_owner(owner.pk)
    if bots_of(owner)[:MOST_BOTS].count() >= MOST_BOTS:
        raise TooManyBots(f"A player has at most {MOST_BOTS} bots; retire one.", most=MOST_BOTS)
    bot = insert(Player(display_name=name, owner_id=owner.pk, owner_only=owner_only, date_joined=now))
    log.info("bot_created", player=str(owner.pk), bot=str(bot.pk))
    return bot


def lock_owner(owner: UUID) -> None:
    """Lock the row of a bot's owner, as a suspension does. Raises AccountSuspended."""
    if not Player.objects.select_for_update(no_key=True).filter(pk=owner, is_active=True).exists():
        raise AccountSuspended("The owner of this bot is suspended.")


def bots_of(owner: Player) -> QuerySet[Player]:
    """Return the bots of a player that are not retired, newest first."""
    return Player.objects.filter(owner=owner.pk, erased_at=None).order_by("-date_joined", "-pk")


def bot_of(owner: Player, bot: UUID) -> Player:
    """Raises NotFound."""
    found = bots_of(owner).filter(pk=bot).first()
    if found is None:
        raise NotFound("You have no such bot.")
    return found


def change(*, bot: Player, owner_only: bool) -> Player:
    bot.owner_only = owner_only
    bot.save(update_fields=["owner_only"])
    return bot


@transaction.atomic
def retire(*, bot: Player, now: datetime) -> None:
    """End a bot. Its tokens end, its games stay, and the server plays its seats as it does for anyone absent."""
    Player.objects.filter(pk=bot.pk, erased_at=None).update(is_active=False, erased_at=now)
    _end_access(Player.objects.filter(pk=bot.pk))
    log.info("bot_retired", bot=str(bot.pk))


def end_access(*, owner: UUID) -> None:
    """Revoke the tokens of every bot of a player."""
    _end_access(Player.objects.filter(owner=owner))


def _end_access(bots: QuerySet[Player]) -> None:
    Token.objects.filter(player__in=bots).delete()


def forget(owner: Player, *, now: datetime) -> None:
    """Retire the bots of an erased person and delete their names, which the person has written."""
    end_access(owner=owner.pk)
    TokenName.objects.filter(player__owner=owner.pk).delete()
    for bot in Player.objects.filter(owner=owner.pk):
        bot.username, bot.display_name = f"erased-{uuid.uuid4().hex[:16]}", ""
        bot.is_active, bot.suspended_for, bot.erased_at = False, "", bot.erased_at or now
        bot.save(update_fields=["username", "display_name", "is_active", "suspended_for", "erased_at"])


def exported(owner: Player) -> dict[str, Iterable[dict[str, object]]]:
    """Return the bots of a person, retired ones too."""
    named: dict[UUID, list[str]] = {}
    for player, name in TokenName.objects.filter(player__owner=owner.pk).values_list("player", "name"):
        named.setdefault(player, []).append(name)
    return {
        "bots": [
            {
                "id": str(bot.pk),
                "name": bot.display_name,
                "created": bot.date_joined,
                "retired": bot.erased_at,
                "token_names": sorted(named.get(bot.pk, [])),
            }
            for bot in Player.objects.filter(owner=owner.pk).order_by("date_joined", "pk")
        ]
    }
