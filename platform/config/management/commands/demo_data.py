from __future__ import annotations

import logging
import os
import secrets
from argparse import ArgumentParser
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from accounts.services import set_roles, sign_up
from ledger import services as ledger
from ledger.selectors import stake_table
from staff.actions import record_action
from tournaments import services as tournaments
from tournaments.terms import Terms


class Command(BaseCommand):
    help = "Fill an empty installation: four people with new passwords, a funded bank, a tournament."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="do nothing if there are players")

    def handle(self, *args: Any, if_empty: bool, **options: Any) -> None:
        if not is_empty():
            if not if_empty:
                self.stdout.write("There are players already; demo data is for an empty installation.")
            return
        logging.disable(logging.INFO)  # the people and their roles are printed
        try:
            passwords = fill(now=timezone.now())
        finally:
            logging.disable(logging.NOTSET)
        path = store_passwords(passwords)
        self.stdout.write(
            f"racecard | Demo accounts, shown only once (and stored in {path}, readable only by you):"
        )
        for username, password in passwords.items():
            self.stdout.write(f"racecard |   {username:14} {password}")
        self.stdout.flush()


PEOPLE: dict[str, frozenset[Role]] = {
    "administrator": frozenset({Role.ADMINISTRATOR}),
    "organizer": frozenset({Role.ORGANIZER}),
    "auditor": frozenset({Role.AUDITOR}),
    "player": frozenset(),
}
ACTOR = "demo"
PURSE = 20_000
"""The demo player's initial play money in pence."""

BANK = 10_000_000
PROMOTION = 100_000
STARTS_AFTER = timedelta(minutes=15)


def is_empty() -> bool:
    return not Player.objects.filter(is_bot=False).exists()


@transaction.atomic
def fill(*, now: datetime) -> dict[str, str]:
    """Create all demo data or none; return the passwords, which are stored nowhere else in clear text."""
    passwords = {username: secrets.token_urlsafe(12) for username in PEOPLE}
    people = {}
    for username, roles in PEOPLE.items():
        people[username] = sign_up(username=username, password=passwords[username], now=now)
        if settings.REQUIRE_EMAIL:  # of a domain that cannot exist: nobody receives an e-mail for them
            address = f"{username}@demo.invalid"
            EmailAddress.objects.create(user=people[username], email=address, primary=True, verified=True)
        if roles:
            set_roles(player=people[username], roles=roles)
            subject = f"player:{people[username].pk}"
            record_action(actor=None, action="set-roles", subject=subject, at=now, reason=ACTOR)
    _fund(people["player"], now)
    _publish_tournament(people["organizer"], now)
    return passwords


def _fund(player: Player, now: datetime) -> None:
    """Fund the bank of the Vegas tables, the stakes of the site's bots, and a wallet."""
    currency = settings.RACECARD_CURRENCY
    ledger.fund_bank(
        stake_table=stake_table("vegas-classic"),
        amount=BANK,
        key="demo:bank",
        actor=ACTOR,
        reason="demo: the bank of the Vegas tables",
        at=now,
    )
    external = ledger.account(owner="house", purpose="external", currency=currency)
    promotion = ledger.account(owner="house", purpose="promotion", currency=currency)
    stakes = [ledger.Leg(external, promotion, PROMOTION, "demo: stakes of bots")]
    ledger.post(key="demo:promotion", legs=stakes, actor=ACTOR, at=now)
    ledger.deposit(
        player=player.pk,
        amount=PURSE,
        currency=currency,
        key="demo:player",
        actor=ACTOR,
        reason="demo: play money",
        at=now,
    )


def _publish_tournament(organizer: Player, now: datetime) -> None:
    terms = Terms(
        name="Opening night",
        format="duplicate",
        rules="vegas-solitaire",
        config={"draw": 3, "stake": 0},
        rounds=3,
        opens_at=now + STARTS_AFTER,
        round_seconds=600,
        capacity=16,
        fill_to=8,
        currency=settings.RACECARD_CURRENCY,
        fee=500,
        prizes=(5000, 3000, 2000),
    )
    draft = tournaments.create(organizer=organizer, terms=terms, now=now)
    tournaments.publish(tournament_id=draft.pk, actor=organizer, now=now)


def store_passwords(passwords: dict[str, str]) -> Path:
    """Write the passwords to a file that only the owner of the installation can read."""
    path = Path(settings.DATA) / "demo-passwords.txt"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.writelines(f"{username} {password}\n" for username, password in passwords.items())
    return path
