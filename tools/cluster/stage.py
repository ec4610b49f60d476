"""What the rehearsal prepares and examines in the installation, in a process of the installation itself.

`python tools/cluster/stage.py FUNCTION JSON` prints the function's answer as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db.models import Count  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts import services as accounts  # noqa: E402
from accounts.roles import Role  # noqa: E402
from audit.services import verify_storage  # noqa: E402
from eventstore.models import Event  # noqa: E402
from jobs.models import Job  # noqa: E402
from ledger import services as ledger  # noqa: E402
from ledger.models import Bet, Market, Transfer  # noqa: E402
from ledger.selectors import reconcile, trial_balance  # noqa: E402
from tournaments import services as tournaments  # noqa: E402
from tournaments.betting import outrights  # noqa: E402
from tournaments.entries import registration  # noqa: E402
from tournaments.models import Tournament  # noqa: E402
from tournaments.terms import Terms  # noqa: E402

PURSE = 100_000
PASSWORD = "correct horse battery"  # noqa: S105  # of players that exist for minutes
BOTS = 8

Document = dict[str, Any]


def prepare(players: int) -> Document:
    """Players with money and tokens, an administrator, and a market that takes bets until `settle`."""
    now = timezone.now()
    people = [_person(f"player{number:03}") for number in range(players)]
    for person in people:
        ledger.deposit(
            player=UUID(person["id"]),
            amount=PURSE,
            currency=settings.RACECARD_CURRENCY,
            key=f"rehearsal:{person['id']}",
            actor="rehearsal",
            reason="purse",
            at=now,
        )
    terms = Terms(
        name="Betting",
        format="knockout",
        rules="ace-race",
        config={},
        seats=2,
        capacity=BOTS,
        rounds=0,
        round_seconds=86400,
    )
    draft = tournaments.create(organizer=accounts.create_bot(name="organizer"), terms=terms, now=now)
    tournaments.publish(tournament_id=draft.pk, actor=draft.organizer, now=now)
    registration.enter_bots(tournament_id=draft.pk, strategies=("steady",) * BOTS, now=now)
    market = outrights.open_market(
        tournament_id=draft.pk, terms=ledger.Terms(stake_table="race-bets"), opened_by="rehearsal", now=now
    )
    return {
        "players": people,
        "administrator": _person("administrator", Role.ADMINISTRATOR),
        "betting": str(draft.pk),
        "market": str(market.pk),
        "runners": sorted(market.runners.values_list("name", flat=True)),
    }


def _person(name: str, *roles: Role) -> dict[str, str]:
    player = accounts.sign_up(username=name, password=PASSWORD, now=timezone.now())
    accounts.set_roles(player=player, roles=frozenset(roles))
    return {"id": str(player.pk), "token": accounts.issue_token(player=player)[1]}


def settle(betting: str) -> None:
    """Start the tournament that was bet on. Its end settles the market."""
    tournament = Tournament.objects.get(pk=betting)
    tournaments.start(tournament_id=tournament.pk, actor=tournament.organizer, now=timezone.now())


def compare(journal: str) -> Document:
    """Compare what the clients received with what is stored: lines that are lost, and commands that took effect twice.

    Each has the time of its command, by which the report finds the fault that it belongs to.
    """
    lines = [json.loads(line) for line in Path(journal).read_text().splitlines()]
    done = [line for line in lines if line.get("status") == "done"]
    answered = Counter(line["kind"] for line in done)
    lost = [*_lost_events(done), *_lost_bets(done), *_lost_deposits(done)]
    return {"answered": answered, "lost": lost, "doubled": [*_doubled_events(lines), *_doubled_money(lines)]}


def _lost_events(done: list[Document]) -> list[Document]:
    receipts = [line for line in done if line["kind"] in ("move", "start")]
    games = {line["game"] for line in receipts}
    stored = {
        (str(stream), version): digest
        for stream, version, digest in Event.objects.filter(stream__in=games).values_list(
            "stream_id", "version", "hash"
        )
    }
    lost = []
    for line in receipts:
        digest = stored.get((line["game"], line["version"]))
        if digest is None or line.get("hash", digest) != digest:
            lost.append(line)
    return lost


def _lost_bets(done: list[Document]) -> list[Document]:
    stored = {str(id) for id in Bet.objects.values_list("pk", flat=True)}
    return [line for line in done if line["kind"] == "bet" and line["id"] not in stored]


def _lost_deposits(done: list[Document]) -> list[Document]:
    stored = {str(id) for id in Transfer.objects.filter(reason="probe").values_list("posting", flat=True)}
    return [line for line in done if line["kind"] == "probe-write" and line["posting"] not in stored]


def _doubled_events(lines: list[Document]) -> list[Document]:
    """Games with more commands of the player than the player sent."""
    sent = Counter(
        line["game"] for line in lines if line["kind"] in ("seat", "start", "move") and "game" in line
    )
    stored = (
        Event.objects.filter(stream__in=sent, actor__isnull=False, command_id__isnull=False)
        .exclude(version=1)
        .values_list("stream_id")
        .annotate(commands=Count("pk"))
    )
    first = {line["game"]: line for line in reversed(lines) if "game" in line}
    return [first[str(game)] for game, commands in stored if commands > sent[str(game)]]


def _doubled_money(lines: list[Document]) -> list[Document]:
    """More bets of a player, or more deposits, than commands."""
    bets = Counter(line["player"] for line in lines if line["kind"] == "bet")
    stored = Bet.objects.values_list("player").annotate(bets=Count("pk"))
    first = {line["player"]: line for line in reversed(lines) if line["kind"] == "bet"}
    doubled = [first[str(player)] for player, number in stored if number > bets[str(player)]]
    probes = [line for line in lines if line["kind"] == "probe-write"]
    if Transfer.objects.filter(reason="probe").count() > len(probes):
        doubled.append(probes[0])
    return doubled


def state(ids: list[str]) -> Document:
    """How far the tournaments are, and the jobs that are late or given up."""
    found = Tournament.objects.filter(pk__in=ids)
    return {
        "statuses": {str(one.pk): one.status for one in found},
        "stalled": [str(one.stalled) for one in found if one.stalled],
        "failed": [str(job) for job in Job.objects.filter(failed__isnull=False)],
    }


def audit() -> Document:
    """All checks of the stored data, and the books."""
    report = verify_storage()
    currencies = sorted(set(Market.objects.values_list("currency", flat=True)) | {settings.RACECARD_CURRENCY})
    return {
        "faults": [str(fault) for fault in report.faults],
        "unreconciled": [str(difference) for difference in reconcile()],
        "balance": sum(trial_balance(currency).total for currency in currencies),
        "events": Event.objects.count(),
        "transfers": Transfer.objects.count(),
    }


if __name__ == "__main__":
    answer: Any = globals()[sys.argv[1]](**json.loads(sys.argv[2]))
    print(json.dumps(answer))
