from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.db import connection

from accounts.models import Player
from accounts.roles import needs_enrolment


class PlayerBackend(ModelBackend):
    """Permissions from groups; none for staff who have not enrolled a required one-time code."""

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        if user_obj.is_active and not user_obj.is_anonymous:
            if needs_enrolment(user_obj):
                return set()
            if not (user_obj.is_superuser or hasattr(user_obj, "_perm_cache")):
                user_obj._perm_cache = _granted(user_obj)
        return super().get_all_permissions(user_obj, obj)


def _granted(player: Player) -> set[str]:
    """The permissions of the player and of their groups. Every request of staff needs them."""
    id = Player._meta.pk.get_db_prep_value(player.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(_GRANTED, [id, id])
        return {f"{app}.{codename}" for app, codename in cursor.fetchall()}


# Written as SQL: Django sends two statements, and takes longer to build them than the database to run them.
_GRANTED = (
    "SELECT app_label, codename FROM auth_permission p "
    "JOIN django_content_type t ON t.id = p.content_type_id WHERE p.id IN ("
    "SELECT permission_id FROM accounts_player_user_permissions WHERE player_id = %s "
    "UNION ALL SELECT g.permission_id FROM auth_group_permissions g "
    "JOIN accounts_player_groups m ON m.group_id = g.group_id WHERE m.player_id = %s)"
)
