"""What the tests of faults set up, and what must hold after them, in a process of the installation itself.

`python tests/faults/stage.py FUNCTION JSON` prints the function's answer as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import AnonymousUser  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import Player  # noqa: E402
from accounts.services import issue_token, sign_up  # noqa: E402
from audit.services import verify_storage  # noqa: E402
from eventstore import store  # noqa: E402
from eventstore.chain import format_at  # noqa: E402
from games import services  # noqa: E402
from games.evidence.proof import bundle  # noqa: E402
from games.matches import services as matches  # noqa: E402
from games.models import GameRecord, Match  # noqa: E402
from games.rules.bundles.verification import verify as verify_bundle  # noqa: E402
from games.services import BotSeat  # noqa: E402
from jobs.models import Job  # noqa: E402
from ledger import services as ledger  # noqa: E402
from ledger.betting.models import Market, Settlement  # noqa: E402
from ledger.models import Transfer  # noqa: E402
from ledger.selectors import balance, reconcile, stake_table, trial_balance  # noqa: E402
from tournaments import services as tournaments  # noqa: E402
from tournaments.betting import outrights  # noqa: E402
from tournaments.models import Award, Round, Score, TableGame, Tournament  # noqa: E402
from tournaments.terms import Terms  # noqa: E402

FEE = 500
PURSE = 10_000


def person(name: str) -> dict[str, str]:
    """A player with money, and a token that speaks for them."""
    now = timezone.now()
    player = sign_up(username=name, password="correct horse battery", now=now)
    ledger.deposit(
        player=player.pk,
        amount=PURSE,
        currency=settings.RACECARD_CURRENCY,
        key=f"test:{name}",
        actor="test",
        reason="purse",
        at=now,
    )
    return {"id": str(player.pk), "token": issue_token(player=player)[1]}


def bank(amount: int) -> None:
    ledger.fund_bank(
        stake_table=stake_table("vegas-classic"),
        amount=amount,
        key="test:bank",
        actor="test",
        reason="bank",
        at=timezone.now(),
    )


def tournament(bots: int, absent: int, rounds: int, round_seconds: int, bets: int = 0) -> str:
    """A duplicate tournament on its way: bots that play, and people who never come, for whom the clock must.

    So many bets have been made on its winner.
    """
    now = timezone.now()
    currency = settings.RACECARD_CURRENCY
    house = ledger.account(owner="house", purpose="promotion", currency=currency)
    external = ledger.account(owner="house", purpose="external", currency=currency)
    stakes = [ledger.Leg(external, house, FEE * bots, "stakes of bots")]
    ledger.post(key="test:promotion", legs=stakes, actor="test", at=now)
    organizer = sign_up(username="organizer", password="correct horse battery", now=now)
    terms = Terms(
        name="Under fire",
        format="duplicate",
        rules="vegas-solitaire",
        config={"draw": 1, "stake": 0},
        rounds=rounds,
        round_seconds=round_seconds,
        capacity=bots + absent,
        fill_to=bots + absent,
        currency=currency,
        fee=FEE,
        prizes=(5000, 3000, 2000),
        rake=1000,
    )
    draft = tournaments.create(organizer=organizer, terms=terms, now=now)
    tournaments.publish(tournament_id=draft.pk, actor=organizer, now=now)
    for number in range(absent):
        entrant = Player.objects.get(pk=person(f"absent{number}")["id"])
        tournaments.enter(tournament_id=draft.pk, player=entrant, client_seed=f"seed {number}", now=now)
    if bets:
        bet_on(draft.pk, bets, now)
    tournaments.start(tournament_id=draft.pk, actor=organizer, now=now)
    return str(draft.pk)


def bet_on(id: UUID, bets: int, now: datetime) -> None:
    """Bets of a penny by three people on each of the field in turn."""
    terms = ledger.Terms(stake_table="race-bets")
    market = outrights.open_market(tournament_id=id, terms=terms, opened_by="test", now=now)
    people = [UUID(person(name)["id"]) for name in ("cid", "dan", "eva")]
    field = [runner.name for runner in market.runners.all()]
    for number in range(bets):
        ledger.place_bet(
            market=market,
            player=people[number % 3],
            runner=field[number % len(field)],
            stake=1,
            key=f"test:bet:{number}",
            at=now,
        )


def examine_bets(bets: int) -> None:
    """All of them judged, and those that came to something paid, once."""
    market = Market.objects.get()
    made = Settlement.objects.get()
    assert (market.status, market.bets_made) == ("settled", bets)
    assert (made.gross, made.takeout, made.breakage) == (bets, 0, 0)
    paid = Transfer.objects.filter(subject=market.owner, key__contains=":pay:")
    assert sum(paid.values_list("amount", flat=True)) == bets
    assert paid.count() == market.bets.filter(settlement=1, returned__gt=0).count()
    assert balance(owner=market.owner, purpose="escrow", currency=market.currency).total == 0


def examine_tournament(id: str) -> None:
    """Everything happened, and once: rounds, games, scores, prizes; and every game proves itself."""
    it = Tournament.objects.get(pk=id)
    assert it.status == "finished", (it.status, it.stalled)
    assert not it.stalled
    entries = it.entries.count()
    events = Counter(event.type for event in store.read(UUID(id)))
    for once_a_round in ("round-opened", "round-closed"):
        assert events[once_a_round] == it.rounds, events
    for once in ("published", "entries-closed", "standings", "prizes", "finished"):
        assert events[once] == 1, events
    assert events["entered"] == entries

    rounds = Round.objects.filter(tournament=it)
    assert sorted((one.number, one.state) for one in rounds) == [
        (n, "closed") for n in range(1, it.rounds + 1)
    ]
    games = TableGame.objects.filter(table__round__tournament=it)
    assert games.count() == entries * it.rounds
    assert Score.objects.filter(table_game__in=games).count() == entries * it.rounds
    assert GameRecord.objects.filter(tournament=it.pk).count() == games.count()
    dealt = [
        game["game"]
        for event in store.read(UUID(id))
        if event.type == "games-dealt"
        for game in event.data["games"]
    ]
    assert sorted(dealt) == sorted(str(one.game) for one in games)
    for one in games:
        ends = [event.type for event in store.read(one.game) if event.type in ("finished", "voided")]
        assert ends == ["finished"], (one.game, ends)

    pool = FEE * entries
    assert (
        sum(Award.objects.filter(entry__tournament=it).values_list("amount", flat=True)) == pool - pool // 10
    )
    assert balance(owner=it.subject, purpose="escrow", currency=it.currency).total == 0
    examine_installation()


def matches_left_alone(number: int, game_limit: int) -> None:
    """Matches whose people never move, and whose first deal is at its limit by now."""
    began = timezone.now() - timedelta(seconds=game_limit)
    people = [Player.objects.get(pk=person(name)["id"]) for name in ("ann", "bob")]
    for _ in range(number):
        match = matches.open_match(
            rules="ace-race",
            config={},
            seats=3,
            deals=3,
            creator=people[0],
            bots=[BotSeat(2)],
            game_limit=game_limit,
            now=began,
        )
        game = match.games.get()
        for who in people:
            services.take_seat(game=game, player=who, client_seed=who.username, now=began)
        services.start_game(game=game, actor=None, now=began)


def examine_matches(number: int, game_limit: int) -> None:
    """Each deal was played to its end by the server, no event of it twice and none before its time."""
    assert Match.objects.count() == GameRecord.objects.count() == number
    for match in Match.objects.all():
        game = match.games.get()
        assert (match.status, game.status) == ("finished", "finished")
        events = store.read(game.pk)
        assert [event.type for event in events].count("finished") == 1
        expired = [event for event in events if event.type == "expired"]
        assert expired
        assert game.started_at is not None
        over = format_at(game.started_at + timedelta(seconds=game_limit))
        assert all(event.at >= over for event in expired)
        assert not [event for event in events if event.seat in (0, 1)]
    examine_installation()


def examine_installation() -> None:
    """Nothing is lost, half done or left over: chains, games, books, jobs."""
    report = verify_storage()
    assert not report.faults, report.faults
    for game in GameRecord.objects.filter(status="finished"):
        proof = verify_bundle(bundle(game, AnonymousUser()))
        assert proof.ok, (game.pk, proof)
    assert trial_balance(settings.RACECARD_CURRENCY).total == 0
    assert list(reconcile()) == []
    assert not Job.objects.filter(failed__isnull=False).exists(), list(
        Job.objects.filter(failed__isnull=False)
    )


def money(player: str) -> dict[str, int]:
    currency = settings.RACECARD_CURRENCY
    owner = f"player:{player}"
    return {name: balance(owner=owner, purpose=name, currency=currency).total for name in ("cash", "session")}


if __name__ == "__main__":
    answer: Any = globals()[sys.argv[1]](**json.loads(sys.argv[2]))
    print(json.dumps(answer))
