"""Repeatable tournaments of bots, and their summaries, in a process of the
installation itself.

`python tests/faults/stage_events.py FUNCTION JSON` prints the function's answer as JSON.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.services import create_bot  # noqa: E402
from eventstore import store  # noqa: E402
from eventstore.models import Stream  # noqa: E402
from games.models import GameRecord  # noqa: E402
from ledger.models import Transfer  # noqa: E402
from ledger.selectors import balance  # noqa: E402
from tests.faults.stage import examine_installation  # noqa: E402
from tournaments import simulation  # noqa: E402
from tournaments.formats.replay import replay  # noqa: E402
from tournaments.models import Status, Tournament  # noqa: E402
from tournaments.terms import Terms  # noqa: E402

TIMES = {"at", "closes_at", "opens_at"}
PEOPLE = {"player", "organizer", "by"}
MARKETS = {"market"}
"""What differs between two holdings of one event: when it was, and the ids of its bots, markets and bets."""

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

FOR_BOTS = "play money for bots"
"""The reason of what the site pays in so that it can stake bots: less, if another event has left it some."""

ONCE = ("published", "entries-closed", "standings", "prizes", "finished")
ONCE_A_ROUND = ("round-paired", "round-opened", "round-closed")


def plan(seed: str, bots: int, **terms: Any) -> simulation.Plan:
    """`bots` so many, every third of them a reckless one."""
    requested = {
        "config": {},
        "round_seconds": 24 * 3600,
        "prizes": (5000, 3000, 2000),
        "rake": 1000,
        **terms,
    }
    whole = Terms(name="Under fire", capacity=bots, currency="XTS", fee=500, **requested)
    strategies = tuple("random" if number % 3 == 0 else "steady" for number in range(1, bots + 1))
    return simulation.Plan(seed=seed, terms=whole, strategies=strategies)


def begin(**requested: Any) -> str:
    """Start it, for workers to carry it through."""
    tournament = simulation.begin(
        plan(**requested), organizer=create_bot(name="organizer"), now=timezone.now()
    )
    return str(tournament.pk)


def undisturbed(*, is_alone: bool = True, **requested: Any) -> dict[str, Any]:
    """The same event run from start to end by one process in a separate installation."""
    call_command("migrate", verbosity=0)
    held = simulation.hold(plan(**requested), organizer=create_bot(name="organizer"), now=timezone.now())
    return summary(str(held.pk), is_alone=is_alone)


def summary(id: str, *, is_alone: bool = True) -> dict[str, Any]:
    """All that an event is: its own stream, every game's moves, the money. Without times and ids of people.

    Unless it is alone in the installation, other games and transfers are left out.
    """
    streams = Stream.objects.filter(kind="game").values_list("pk", flat=True)
    transfers = Transfer.objects.all()
    if not is_alone:
        streams = streams.filter(pk__in=GameRecord.objects.filter(tournament=id).values("pk"))
        transfers = transfers.filter(subject=f"tournament:{id}").exclude(reason=FOR_BOTS)
    same = {id, *map(str, streams)}
    return {
        "events": _events(UUID(id)),
        "games": {str(game): _events(game) for game in sorted(streams)},
        "money": sorted(
            [
                ID.sub(lambda found: found[0] if found[0] in same else "*", one.key),
                one.amount,
                one.reason,
                f"{one.debit.purpose}",
                f"{one.credit.purpose}",
            ]
            for one in transfers.select_related("debit", "credit")
        ),
        "stored": sum(streams.values_list("version", flat=True)),
    }


def _events(stream: UUID) -> list[list[Any]]:
    return [[one.type, one.seat, _plain(one.data), _plain(one.private)] for one in store.read(stream)]


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items() if key not in TIMES | PEOPLE | MARKETS}
    return [_plain(value) for value in data] if isinstance(data, list) else data


def examine(id: str) -> dict[str, Any]:
    """Once, and whole: steps, books, proofs. Answers with what it was."""
    it = Tournament.objects.get(pk=id)
    assert it.status == Status.FINISHED, (it.status, it.stalled)
    events = store.read(UUID(id))
    types = [event.type for event in events]
    rounds = types.count("round-closed")
    for type in ONCE_A_ROUND:
        assert types.count(type) == rounds, type
    for type in ONCE:
        assert types.count(type) == 1, type
    replayed = replay(id, [event.public() for event in events])
    assert replayed.ok, replayed.difference
    assert replayed.pairings == rounds
    assert balance(owner=it.subject, purpose="escrow", currency=it.currency).total == 0
    examine_installation()
    return summary(id)


if __name__ == "__main__":
    answer: Any = globals()[sys.argv[1]](**json.loads(sys.argv[2]))
    print(json.dumps(answer))
