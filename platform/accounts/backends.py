from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend

from accounts.roles import needs_enrolment


class PlayerBackend(ModelBackend):
    """Permissions by groups; none for staff who must enrol a one-time code first and have not."""

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        if user_obj.is_active and not user_obj.is_anonymous and needs_enrolment(user_obj):
            return set()
        return super().get_all_permissions(user_obj, obj)
