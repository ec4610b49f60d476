"""Services of accounts. They never log or return a password; a token is returned once and stored as a digest."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts import bots, hooks, moderation
from accounts.authentication import token_digest
from accounts.errors import (
    GuestsRefused,
    NotAGuest,
    PasswordRefused,
    ScopeNotHeld,
    StillNeeded,
    UsernameTaken,
)
from accounts.models import TOKEN_KEY_LENGTH, Player, Token, TokenName
from accounts.names import GUEST, check_display_name, check_username
from accounts.roles import Role, permitted_scopes
from core.errors import InvalidInput
from notifications import services as notifications
from rest.idempotency import forget
from rest.scopes import Scope
from webhooks import services as webhooks
from webpush import services as webpush
from webpush.models import Subscription

log = structlog.get_logger(__name__)

TOKEN_DAYS = 30
LONGEST_TOKEN_DAYS = 366
DEFAULT_SCOPES = (Scope.READ,)
"""The scopes of a token that is made without naming any: it can change nothing."""
MAY_HAVE_WEBHOOKS = frozenset({Role.ORGANIZER, Role.ADMINISTRATOR})


def sign_up(*, username: str, password: str, now: datetime, display_name: str = "") -> Player:
    """Create a player without an e-mail address. Raises InvalidInput, PasswordRefused, UsernameTaken."""
    player = Player(date_joined=now)
    _name(player, username, display_name, password)
    save_new(player)
    log.info("player_signed_up", player=str(player.pk))
    return player


def _name(player: Player, username: str, display_name: str, password: str) -> None:
    """Give a player names and a password, without saving them. Raises InvalidInput, NameRefused, PasswordRefused."""
    check_username(username)
    check_display_name(display_name)
    player.username, player.display_name = username, display_name
    check_password(password, player)
    player.set_password(password)


GUEST_LIFETIME = timedelta(days=1)
"""How long a guest's account stays without play."""


def create_guest(*, now: datetime) -> Player:
    """Create an account without a password, for play without a stake. Raises GuestsRefused."""
    guests = Player.objects.filter(guest_until__isnull=False)
    if guests[: settings.RACECARD_GUESTS].count() >= settings.RACECARD_GUESTS:
        raise GuestsRefused
    number = secrets.randbelow(900_000) + 100_000
    guest = Player(
        username=f"{GUEST}-{secrets.token_hex(8)}",
        display_name=f"Guest {number}",
        date_joined=now,
        guest_until=now + GUEST_LIFETIME,
    )
    guest.set_unusable_password()
    guest.save(force_insert=True)
    log.info("guest_created", player=str(guest.pk))
    return guest


def sign_up_guest(*, player: Player, username: str, password: str, display_name: str = "") -> Player:
    """Turn a guest into a player with a name and a password, who keeps the guest's games.

    Raises NotAGuest, InvalidInput, NameRefused, PasswordRefused, UsernameTaken.
    """
    _name(player, username, display_name, password)
    keep_guest(player)
    return player


@transaction.atomic
def keep_guest(player: Player) -> None:
    """Save a guest who signs up, with new names, password, and address. Raises NotAGuest, UsernameTaken."""
    if (
        not Player.objects.select_for_update(no_key=True)
        .filter(pk=player.pk, guest_until__isnull=False)
        .exists()
    ):
        raise NotAGuest
    player.guest_until = None
    _save(player, update_fields=["username", "display_name", "email", "password", "guest_until"])
    hooks.signed_up(player=player.pk, at=timezone.now())
    log.info("guest_signed_up", player=str(player.pk))


def create_bot(*, name: str) -> Player:
    """A player for a bot, which can never sign in. Names of bots need not differ."""
    return bots.insert(Player(display_name=name))


def check_password(password: str, player: Player) -> None:
    try:
        validate_password(password, player)
    except ValidationError as error:
        faults = [{"code": one.code, **_counts(one.params)} for one in error.error_list]
        raise PasswordRefused(" ".join(error.messages), reasons=faults) from None


def _counts(params: Mapping[str, Any] | None) -> dict[str, int]:
    """The numbers of a fault, such as the minimum length of a password."""
    return {name: value for name, value in (params or {}).items() if type(value) is int}


@transaction.atomic
def save_new(player: Player) -> None:
    """Insert a player who signs up. Raises UsernameTaken."""
    _save(player, force_insert=True)
    hooks.signed_up(player=player.pk, at=player.date_joined)


def _save(player: Player, **how: Any) -> None:
    """Raises UsernameTaken."""
    try:
        with transaction.atomic():
            player.save(**how)
    except IntegrityError:
        raise UsernameTaken() from None


@transaction.atomic
def issue_token(
    *, player: Player, name: str = "", scopes: Collection[Scope] | None = None, days: int = TOKEN_DAYS
) -> tuple[Token, str]:
    """Create a bearer token and return its record and its text, which is not stored.

    `name` is the player's name for it in lists. `scopes`: by default all that the player may give. `days` is the time
    until it expires. Raises InvalidInput, ScopeNotHeld; for a bot AccountSuspended if its owner is.
    """
    if not name.isprintable() or name != name.strip():
        raise InvalidInput("name: printable characters, no space at either end.")
    permitted = permitted_scopes(player)
    if missing := [scope for scope in scopes or () if scope not in permitted]:
        why = "a bot's token has none of these" if player.is_owned_bot else "you do not have this role"
        raise ScopeNotHeld(f"{', '.join(missing)}: {why}.", scopes=missing)
    given = permitted if scopes is None else [scope for scope in Scope if scope in scopes]
    if player.owner_id is not None:
        bots.lock_owner(player.owner_id)
    token, now = secrets.token_hex(32), timezone.now()
    record = Token.objects.create(
        digest=token_digest(token),
        token_key=token[:TOKEN_KEY_LENGTH],
        player=player,
        scopes=" ".join(given),
        created=now,
        expires=now + timedelta(days=days),
    )
    if name:
        TokenName.objects.create(token=record.token_key, player=player, name=name)
    log.info("token_issued", player=str(player.pk), scopes=record.scopes)
    return record, token


@transaction.atomic
def revoke_tokens(*, player: Player, but: Token | None = None) -> int:
    """Revoke all tokens of a player, except the given one, and return their number."""
    tokens = Token.objects.filter(player=player)
    if but is not None:
        tokens = tokens.exclude(pk=but.pk)
    ended, _ = tokens.delete()
    return int(ended)


@transaction.atomic
def change_password(*, player: Player, new: str) -> None:
    """Change a password. Every token ends, and every session of the former password. Raises PasswordRefused.

    The caller has checked who asks for it.
    """
    check_password(new, player)
    player.set_password(new)
    player.save(update_fields=["password", "hash_upgrade"])
    revoke_tokens(player=player)
    log.info("password_changed", player=str(player.pk))


@transaction.atomic
def change_profile(*, player: Player, display_name: str) -> Player:
    """Raises InvalidInput."""
    check_display_name(display_name)
    player.display_name = display_name
    player.save(update_fields=["display_name"])
    return player


@transaction.atomic
def rename(*, player: Player, username: str, display_name: str) -> bool:
    """Give a player other names. Return whether they differ. Raises InvalidInput, NameRefused, UsernameTaken."""
    if (player.username, player.display_name) == (username, display_name):
        return False
    if username != player.username:
        check_username(username)
    check_display_name(display_name)
    player.username, player.display_name = username, display_name
    _save(player, update_fields=["username", "display_name"])
    return True


@transaction.atomic
def suspend(*, player: Player, reason: str) -> bool:
    """End all access of a player and of their bots, and return whether there was any. Sessions end with it.

    The player reads the reason when they sign in.
    """
    active = Player.objects.filter(pk=player.pk, is_active=True)
    suspended = active.update(is_active=False, suspended_for=reason)
    # After the row is locked, so that no token of a bot is made meanwhile.
    revoke_tokens(player=player)
    bots.end_access(owner=player.pk)
    return bool(suspended)


def reinstate(*, player: Player) -> bool:
    """Let a suspended player sign in again, and return whether the player was suspended."""
    suspended = Player.objects.filter(pk=player.pk, is_active=False, erased_at=None)
    return bool(suspended.update(is_active=True, suspended_for=""))


def check_recoverable(player: Player) -> None:
    """Raises StillNeeded."""
    if player.is_bot or player.is_guest or player.erased_at is not None:
        raise StillNeeded("A bot, a guest, or an erased player does not sign in.")


def remove_second_factors(*, player: Player) -> int:
    """Remove the authenticator app, the passkeys, and the recovery codes of a player, and return their number."""
    removed, _ = Authenticator.objects.filter(user=player).delete()
    return int(removed)


@transaction.atomic
def set_roles(*, player: Player, roles: frozenset[Role]) -> bool:
    """Give a player exactly these roles. Return whether they had others. Raises StillNeeded."""
    check_may_hold_roles(player)
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)  # the same change at once is made once
    names = sorted(role.value for role in roles)
    had = sorted(player.groups.filter(name__in=list(Role)).values_list("name", flat=True))
    is_staff = bool(roles) or player.is_superuser
    if (had, player.is_staff) == (names, is_staff):
        return False
    others = player.groups.exclude(name__in=list(Role))
    player.groups.set([*others, *Group.objects.filter(name__in=names)])
    player.is_staff = is_staff
    player.save(update_fields=["is_staff"])
    player.__dict__.pop("_roles", None)
    if not (roles & MAY_HAVE_WEBHOOKS or player.is_superuser):
        webhooks.forget_others(owner=player.pk)
    return True


def check_may_hold_roles(player: Player) -> None:
    """Raises StillNeeded."""
    if player.is_bot or player.is_guest or player.erased_at is not None:
        raise StillNeeded("A bot, a guest, or an erased player holds no role.")


def token_names(tokens: Iterable[str]) -> dict[str, str]:
    """The names of tokens by id; tokens without a name are left out."""
    return dict(TokenName.objects.filter(pk__in=set(tokens)).values_list("token", "name"))


def export_player(*, player: Player) -> dict[str, Any]:
    """The stored data of a person in `accounts`. Games and transfers refer to the id and have their own export."""
    tokens = Token.objects.filter(player=player).order_by("created")
    names = dict(TokenName.objects.filter(player=player).values_list("token", "name"))
    return {
        "id": str(player.pk),
        "username": player.username,
        "display_name": player.display_name,
        "email": player.email,
        "joined": player.date_joined,
        "last_login": player.last_login,
        "roles": sorted(player.groups.values_list("name", flat=True)),
        "tokens": [
            {
                "name": names.get(token.token_key, ""),
                "scopes": token.scopes.split(),
                "created": token.created,
                "expires": token.expires,
                "last_used": token.last_used,
            }
            for token in tokens
        ],
        "token_names": sorted(names.values()),
        "email_addresses": [
            {"email": address.email, "verified": address.verified, "primary": address.primary}
            for address in EmailAddress.objects.filter(user=player).order_by("pk")
        ],
        "second_factors": [
            {"kind": factor.type, "created": factor.created_at, "last_used": factor.last_used_at}
            for factor in Authenticator.objects.filter(user=player).order_by("pk")
        ],
        "linked_accounts": [
            {"provider": account.provider, "id": account.uid, "linked": account.date_joined}
            for account in SocialAccount.objects.filter(user=player).order_by("pk")
        ],
        "sessions": [
            {"signed_in": session.created_at, "address": session.ip, "browser": session.user_agent}
            for session in UserSession.objects.filter(user=player).order_by("pk")
        ],
        "push_subscriptions": [
            {"name": one.name, "endpoint": one.endpoint, "created": one.created_at, "last_used": one.used_at}
            for one in Subscription.objects.filter(owner=player).order_by("created_at", "pk")
        ],
        **bots.exported(player),
        "notifications": notifications.export(owner=player.pk),
        **moderation.exported(player),
    }


@transaction.atomic
def erase_player(*, player: Player, now: datetime) -> bool:
    """Erase names and contacts and end all access. The opaque id stays, because events and transfers refer to it.

    Return whether the player was not erased yet. Raises StillNeeded for staff (remove the roles first) and for bots.
    """
    check_erasable(player)
    if Player.objects.select_for_update(no_key=True).get(pk=player.pk).erased_at is not None:
        return False
    _forget_sign_ins(player)
    player.username = f"erased-{uuid.uuid4().hex[:16]}"
    player.display_name = ""
    player.email = ""
    player.last_login = None
    player.is_active = False
    player.suspended_for = ""
    player.guest_until = None
    player.erased_at = now
    player.set_unusable_password()
    player.save()
    revoke_tokens(player=player)
    for model in (EmailAddress, Authenticator, SocialAccount, UserSession):
        model.objects.filter(user=player).delete()
    TokenName.objects.filter(player=player).delete()
    bots.forget(player, now=now)
    moderation.forget(player)
    forget(str(player.pk))
    webhooks.forget(owner=player.pk)
    webpush.forget(owner=player.pk)
    notifications.forget(owner=player.pk)
    return True


def check_erasable(player: Player) -> None:
    """Raises StillNeeded."""
    if player.is_bot:
        raise StillNeeded("A bot is nobody's personal data.")
    if player.is_superuser or player.is_staff:
        raise StillNeeded("Its roles must be taken away first.", reason="roles")


def _forget_sign_ins(player: Player) -> None:
    """Delete the sessions of this person, which contain the name that signed in."""
    keys = UserSession.objects.filter(user=player).values("session_key")
    Session.objects.filter(session_key__in=keys).delete()
