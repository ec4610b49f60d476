"""A tournament of 10,000 people on the configured database: dealing and closing a round, and paying its prizes.

Each of these steps locks the row of the tournament. The longest transaction and the memory of the process are printed.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Player
from bench._common import size
from eventstore.models import Event
from ledger import services as ledger
from ledger.models import Transfer
from tournaments import record, services
from tournaments.formats.scoring import game_scores
from tournaments.models import Ended, Entry, RatingChange, Score, Seat, Status, TableGame, Tournament
from tournaments.prizes import settlement
from tournaments.rounds import services as rounds
from tournaments.terms import Terms

ENTRANTS = size(10_000, 16)
ROUNDS = 2
FEE = 100
TARGETS = {"prizes_ratio": 1.0}
TARGET = 5.0
"""The target for paying 10,000 prizes, in seconds."""
AT_ONCE = 500
WHOLE = 10_000
"""All prizes together, in basis points."""


def measure() -> dict[str, Any]:
    """Return the seconds of the longest transaction of each step, and from the standings to the last prize."""
    tournament = _field()
    steps: dict[str, list[Took]] = {}
    for number in range(1, ROUNDS + 1):
        steps.setdefault("paired_seated_and_dealt", []).extend(_open(tournament, number))
        _play(tournament, number)
        steps.setdefault("closed", []).extend(_until_done(lambda number=number: _close(tournament, number)))  # type: ignore[misc]
    before = Transfer.objects.count()
    paid = _until_done(lambda: settlement.finish(tournament_id=tournament.pk, now=timezone.now()))
    tournament.refresh_from_db()
    assert tournament.status == Status.FINISHED
    sizes = {event.type: len(bytes(event.data)) for event in Event.objects.filter(stream=tournament.pk)}
    figures = {
        "database": connection.vendor,
        "prizes": Transfer.objects.count() - before,
        "prizes_seconds": round(sum(one.wall for one in paid), 2),
        "prizes_ratio": round(TARGET / sum(one.wall for one in paid), 2),
        "prizes_processor_seconds": round(sum(one.processor for one in paid), 2),
        **{f"{step}_seconds": round(sum(one.wall for one in took), 2) for step, took in steps.items()},
        **{
            f"{step}_longest_seconds": round(max(one.wall for one in took), 2) for step, took in steps.items()
        },
        **{
            f"{step}_longest_processor_seconds": round(max(one.processor for one in took), 2)
            for step, took in steps.items()
        },
        "rating_changes": RatingChange.objects.count(),
        "largest_event_kilobytes": max(sizes.values()) // 1024,
        "most_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(f"a tournament of {ENTRANTS:,} people on {connection.vendor}")
    for name, figure in figures.items():
        print(f"  {name.replace('_', ' '):44} {figure}")
    return figures


def _field() -> Tournament:
    """Make entries and payments in bulk, with the same rows as `enter`."""
    now = timezone.now()
    terms = Terms(
        name="Ten thousand",
        format="swiss",
        rules="ace-race",
        config={},
        rounds=ROUNDS,
        seats=4,
        capacity=ENTRANTS,
        currency="XTS",
        fee=FEE,
        prizes=_shares(),
    )
    organizer = Player.objects.create_user(username=f"organizer-{uuid4().hex[:6]}")
    tournament = services.create(organizer=organizer, terms=terms, now=now)
    tournament = services.publish(
        tournament_id=tournament.pk, actor=organizer, now=now, seed=bytes(range(32))
    )
    people = Player.objects.bulk_create(
        [Player(username=f"{number}-{uuid4().hex[:8]}") for number in range(ENTRANTS)], batch_size=AT_ONCE
    )
    entries = [
        Entry(tournament=tournament, player=player, number=number, client_seed="", entered_at=now)
        for number, player in enumerate(people, start=1)
    ]
    Entry.objects.bulk_create(entries, batch_size=AT_ONCE)
    with transaction.atomic():
        purses = ledger.player_accounts([one.pk for one in people], purpose="cash", currency="XTS")
    outside = ledger.account(owner="house", purpose="external", currency="XTS")
    escrow = ledger.account(owner=tournament.subject, purpose="escrow", currency="XTS")
    for start in range(0, ENTRANTS, AT_ONCE):
        chunk = entries[start : start + AT_ONCE]
        events = [
            {"entry": one.number, "player": str(one.player_id), "bot": False, "fee": FEE} for one in chunk
        ]
        with transaction.atomic():
            record.append(tournament, *[("entered", one) for one in events], now=now)
            legs = [ledger.Leg(outside, purses[one.player_id], FEE, "bench") for one in chunk]
            fees = [ledger.Leg(purses[one.player_id], escrow, FEE, "entry fee") for one in chunk]
            ledger.post(key=f"bench:{start}", legs=[*legs, *fees], actor="bench", at=now)
    return services.start(tournament_id=tournament.pk, actor=organizer, now=now)


def _shares() -> tuple[int, ...]:
    """Return a share for each place, in basis points. They add up to the whole."""
    least, rest = divmod(WHOLE, ENTRANTS)
    return tuple(least + (place < rest) for place in range(ENTRANTS))


class Took(NamedTuple):
    """Seconds of wall time, and of processor time of this process."""

    wall: float
    processor: float


def _until_done(step: Callable[[], Any]) -> list[Took]:
    """Repeat the step until nothing is left, and return the time of each transaction."""
    took = []
    more = True
    while more:
        began, used = time.perf_counter(), time.process_time()
        with transaction.atomic():
            more = bool(step())
        took.append(Took(time.perf_counter() - began, time.process_time() - used))
    return took


def _open(tournament: Tournament, number: int) -> list[Took]:
    return _until_done(
        lambda: rounds.open_round(tournament_id=tournament.pk, number=number, now=timezone.now())
    )


def _play(tournament: Tournament, number: int) -> None:
    """Store scores of every game, without moves."""
    now = timezone.now()
    games = TableGame.objects.filter(table__round__tournament=tournament, table__round__number=number)
    counted = game_scores.get("ace-race")
    scores = []
    seats: dict[int, list[Seat]] = {}
    for seat in Seat.objects.filter(round__tournament=tournament, round__number=number):
        if seat.table_id is not None:
            seats.setdefault(seat.table_id, []).append(seat)
    for one in games:
        order = sorted(seats[one.table_id], key=lambda seat: (seat.entry_id * 7919 + number) % 10_007)
        outcome = {
            "result": "won",
            "winners": [order[0].index],
            "places": [[seat.index] for seat in order],
            "hands": [0, 3, 5, 8][: len(order)],
        }
        scores += [
            Score(
                table_game=one,
                entry_id=seat.entry_id,
                measures=list(counted.score(outcome, seat=seat.index, moves=40)),
            )
            for seat in order
        ]
    Score.objects.bulk_create(scores, batch_size=AT_ONCE)
    games.update(ended_at=now, ended=Ended.FINISHED)


def _close(tournament: Tournament, number: int) -> bool:
    return rounds.close_round(tournament_id=tournament.pk, number=number, now=timezone.now())
