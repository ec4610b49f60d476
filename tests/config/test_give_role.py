"""`manage.py give_role`, which appoints the first administrator of an installation."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Player
from accounts.roles import Role, has_role


def test_a_role_is_added_to_those_that_a_player_has(organizer: Player) -> None:
    call_command("give_role", organizer.username, "administrator")
    again = Player.objects.get(pk=organizer.pk)
    assert has_role(again, Role.ORGANIZER)
    assert has_role(again, Role.ADMINISTRATOR)
    assert again.is_staff


@pytest.mark.django_db
def test_only_an_account_gets_a_role() -> None:
    with pytest.raises(CommandError, match="Sign up"):
        call_command("give_role", "nobody", "administrator")
    Player.objects.create(username="bot-one", is_bot=True)
    with pytest.raises(CommandError, match="bot"):
        call_command("give_role", "bot-one", "auditor")
