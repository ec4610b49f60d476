"""The deeds of the back office among the actions of staff, as `api.deeds` asks for it."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.models import Player, StaffAction
from accounts.services import record_action
from api.deeds import Done, DoneBefore


class KeptDeeds:
    def check_new(self, key: str) -> None:
        if StaffAction.objects.filter(key=key).exists():
            raise DoneBefore

    def keep(self, *, actor: Player, action: str, done: Done, reason: str, key: str, at: datetime) -> None:
        try:
            with transaction.atomic():
                record_action(
                    actor=actor,
                    action=action,
                    subject=done.subject,
                    at=at,
                    reason=reason,
                    made=done.made,
                    key=key,
                )
        except IntegrityError:
            raise DoneBefore from None
