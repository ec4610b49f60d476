"""Roles: three groups and the permissions of each."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any
from uuid import UUID

import rules
from allauth.account.auth_backends import AuthenticationBackend
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.db.models import Q
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.errors import SecondFactorNeeded
from rest.scopes import BOT_SCOPES, GUEST_SCOPES, STAFF, Scope


class Role(StrEnum):
    ORGANIZER = "organizer"
    AUDITOR = "auditor"
    ADMINISTRATOR = "administrator"


SCOPES = {
    Role.ORGANIZER: Scope.ORGANIZE,
    Role.AUDITOR: Scope.AUDITOR,
    Role.ADMINISTRATOR: Scope.ADMINISTRATOR,
}
"""The scope with which a token acts in a role of its owner."""

# `app.*` is every permission to view that app's records on the staff site.
PERMISSIONS: dict[Role, tuple[str, ...]] = {
    Role.ORGANIZER: (
        "tournaments.*",
        "tournaments.organize",
        "games.*",
        "disputes.*",
        "ledger.offer_market",
    ),
    Role.AUDITOR: (
        "games.*",
        "games.early_access",
        "disputes.*",
        "tournaments.*",
        "disputes.*",
        "ledger.*",
        "ledger.view_ledger",
        "ledger.freeze_money",
        "audit.*",
        "audit.ask_auditreport",
    ),
    Role.ADMINISTRATOR: (
        "accounts.*",
        "account.*",
        "mfa.*",
        "socialaccount.*",
        "usersessions.*",
        "accounts.change_player",
        "accounts.close_playerreport",
        "accounts.grant_roles",
        "accounts.recover_player",
        "accounts.export_player",
        "accounts.erase_player",
        "staff.*",
        "games.*",
        "disputes.*",
        "jobs.*",
        "jobs.change_job",
        "ledger.*",
        "ledger.view_ledger",
        "ledger.deposit",
        "ledger.reverse",
        "ledger.open_market",
        "ledger.rule_market",
        "ledger.protect",
        "ledger.rule_pot",
        "ledger.approve_payout",
        "ledger.pay_payout",
        "ledger.freeze_money",
        "ledger.manage_stakes",
        "tournaments.*",
        "disputes.*",
        "notifications.*",
        "webhooks.*",
        "audit.*",
        "audit.ask_auditreport",
    ),
}


def make_groups(**kwargs: Any) -> None:
    """Create the three groups with the permissions that exist. For `post_migrate`."""
    for role, names in PERMISSIONS.items():
        group, _ = Group.objects.get_or_create(name=role.value)
        wanted = Q(pk__in=[])
        for name in names:
            app, codename = name.split(".")
            one = Q(codename__startswith="view_") if codename == "*" else Q(codename=codename)
            wanted |= Q(content_type__app_label=app) & one
        group.permissions.set(Permission.objects.filter(wanted))


def roles_of(user: Any) -> frozenset[Role]:
    """The roles in which an account may act now; all roles for a superuser."""
    if not getattr(user, "is_authenticated", False) or not user.is_active or lacks_second_factor(user):
        return frozenset()
    return _roles_held(user) if user.acting_as is None else _roles_held(user) & user.acting_as


def _roles_held(user: Any) -> frozenset[Role]:
    if user.is_superuser:
        return frozenset(Role)
    if not user.is_staff:
        return frozenset()
    known: frozenset[Role] | None = getattr(user, "_roles", None)
    if known is None:
        names = set(user.groups.values_list("name", flat=True))
        known = user._roles = frozenset(role for role in Role if role.value in names)
    return known


def limit_roles(user: Any, scopes: Collection[str]) -> None:
    """Let the user of a token act only in the roles that its scopes permit."""
    permitted = frozenset(role for role, scope in SCOPES.items() if scope in scopes)
    user.acting_as = None if len(permitted) == len(Role) else permitted


def permitted_scopes(user: Any) -> list[Scope]:
    """The scopes that a player may give to a token: those of staff only in the roles that they have."""
    if user.is_guest:
        return list(GUEST_SCOPES)
    if user.is_owned_bot:
        return list(BOT_SCOPES)
    roles = _roles_held(user)
    missing = {SCOPES[role] for role in Role if role not in roles} & set(STAFF)
    return [scope for scope in Scope if scope not in missing]


def has_role(user: Any, role: Role) -> bool:
    return role in roles_of(user)


def sees_all_names(user: Any) -> bool:
    """Return whether the user sees the names of players with anonymous entries, wherever those are."""
    return has_role(user, Role.AUDITOR) or has_role(user, Role.ADMINISTRATOR)


def players_with(role: Role, among: Collection[UUID]) -> set[UUID]:
    """Return those of the players who may act in the role. One statement, and one or two for each member of staff."""
    staff = get_user_model().objects.filter(Q(is_staff=True) | Q(is_superuser=True), pk__in=among)
    return {user.pk for user in staff if has_role(user, role)}


def is_staff(user: Any) -> bool:
    return bool(roles_of(user))


def lacks_second_factor(user: Any) -> bool:
    """Whether this member of staff must set up a second factor before acting."""
    return settings.REQUIRE_SECOND_FACTOR and user.is_staff and not has_second_factor(user)


def has_second_factor(user: Any) -> bool:
    """Whether the password alone does not sign in: an authenticator app or a passkey is set up."""
    factors = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return bool(Authenticator.objects.filter(user=user.pk, type__in=factors).exists())


is_organizer = rules.predicate(lambda user: has_role(user, Role.ORGANIZER), name="is_organizer")  # type: ignore[attr-defined, no-untyped-call]
is_auditor = rules.predicate(lambda user: has_role(user, Role.AUDITOR), name="is_auditor")  # type: ignore[attr-defined, no-untyped-call]
is_administrator = rules.predicate(lambda user: has_role(user, Role.ADMINISTRATOR), name="is_administrator")  # type: ignore[attr-defined, no-untyped-call]


class IsAdministrator(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        if request.user.is_authenticated and lacks_second_factor(request.user):
            raise SecondFactorNeeded()
        return has_role(request.user, Role.ADMINISTRATOR)


class PlayerBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types for mypy
    """Sign-in by password, and permissions from groups; none for staff who lack a required second factor.

    A request with a token has the permissions of the roles in which it may act.
    """

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        if user_obj.is_active and not user_obj.is_anonymous:
            if lacks_second_factor(user_obj):
                return set()
            limited = user_obj.acting_as is not None
            if not hasattr(user_obj, "_perm_cache") and (limited or not user_obj.is_superuser):
                user_obj._perm_cache = _granted_by_roles(user_obj) if limited else _granted(user_obj)
        found: set[str] = super().get_all_permissions(user_obj, obj)
        return found


def _granted(user: Any) -> set[str]:
    """The permissions of the user and of their groups. Every request of staff needs them."""
    id = user._meta.pk.get_db_prep_value(user.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(_GRANTED, [id, id])
        return {f"{app}.{codename}" for app, codename in cursor.fetchall()}


def _granted_by_roles(user: Any) -> set[str]:
    """The permissions of the roles in which the user may act."""
    groups = Group.objects.filter(name__in=user.acting_as)
    if not user.is_superuser:
        groups = groups.filter(user=user)
    permissions = Permission.objects.filter(group__in=groups)
    return {f"{app}.{name}" for app, name in permissions.values_list("content_type__app_label", "codename")}


# Written as SQL: Django sends two statements, and takes longer to build them than the database to run them.
_GRANTED = (
    "SELECT app_label, codename FROM auth_permission p "
    "JOIN django_content_type t ON t.id = p.content_type_id WHERE p.id IN ("
    "SELECT permission_id FROM accounts_player_user_permissions WHERE player_id = %s "
    "UNION ALL SELECT g.permission_id FROM auth_group_permissions g "
    "JOIN accounts_player_groups m ON m.group_id = g.group_id WHERE m.player_id = %s)"
)
