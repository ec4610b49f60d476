from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts import services
from accounts.errors import StillNeeded
from accounts.models import Player
from accounts.roles import Role


class Command(BaseCommand):
    help = (
        "Give a role to a player who has signed up, such as the first administrator. Later ones are appointed on the "
        "staff pages, where it is recorded by whom."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("role", choices=[role.value for role in Role])

    def handle(self, *args: Any, username: str, role: str, **options: Any) -> None:
        with transaction.atomic():
            player = Player.objects.filter(username=username).first()
            if player is None:
                raise CommandError(f"No player is called {username}. Sign up on the site first.")
            held = {
                Role(name)
                for name in player.groups.filter(name__in=list(Role)).values_list("name", flat=True)
            }
            try:
                services.set_roles(player=player, roles=frozenset({*held, Role(role)}))
            except StillNeeded as error:
                raise CommandError(str(error)) from None
        self.stdout.write(f"{username} is now {role}.")
