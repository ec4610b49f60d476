"""Staked tables: a seat is paid for when it is taken, refunded before the deal, and the pot follows the outcome."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from eventstore import store
from games import context, selectors, services, state
from games.errors import InvalidTable, SeatsOpen, StakeNotOffered
from games.matches import api as match_documents
from games.matches import services as matches
from games.models import GameRecord, MatchStatus, Status
from games.rules import Refused
from games.rules.bundles.verification import verify
from games.services import BotSeat
from ledger.errors import InsufficientFunds, StakeOffStep, StakeTableClosed
from ledger.models import Transfer
from ledger.selectors import reconcile, transfers_of
from ledger.splits import prizes
from ledger.stakes.models import Pot
from tests.due_jobs import run_due
from tests.games.staked import (
    BUY_IN,
    NOON,
    dealt,
    in_escrow,
    match_of,
    money_of,
    opened,
    play_out,
    provide,
    sit_down,
    table_of,
)
from tests.money import available, change

pytestmark = pytest.mark.django_db
RULES = ["ace-race", "racing-demons"]


@pytest.fixture(autouse=True)
def ledger_balances() -> Any:
    yield
    assert [str(difference) for difference in reconcile()] == []


@pytest.mark.parametrize("rules", RULES)
def test_a_seat_is_paid_for_when_it_is_taken(rules: str, player: Player, rival: Player) -> None:
    provide([player, rival])
    game = opened(rules, player, seats=2)
    assert in_escrow(game) == 0
    sit_down(game, [player, rival])
    assert (in_escrow(game), money_of([player, rival])) == (2 * BUY_IN, [480, 480])
    paid = [(t["reason"], t["amount"], t["event"]) for t in transfers_of(f"game:{game.pk}")]
    assert paid == [("buy-in", BUY_IN, 2), ("buy-in", BUY_IN, 3)]


@pytest.mark.parametrize("rules", RULES)
def test_the_pot_goes_to_the_winner_and_the_bundle_verifies(
    rules: str, player: Player, rival: Player, stranger: Player
) -> None:
    people = [player, rival, stranger]
    game = play_out(dealt(rules, people), people)
    assert game.outcome is not None
    first = game.outcome["places"][0]
    won = [1000 - BUY_IN] * 3
    for rank, seat in enumerate(first):
        won[seat] += 3 * BUY_IN // len(first) + (rank < 3 * BUY_IN % len(first))
    assert (money_of(people), in_escrow(game)) == (won, 0)
    bundle = selectors.bundle(game, player)
    report = verify(bundle)
    assert (report.faults, report.checks["money"], report.checks["escrow"]) == ((), "passed", "passed")
    assert bundle["events"][0]["data"]["buy_in"] == {
        "amount": BUY_IN,
        "currency": "XTS",
        "stake_table": f"{rules}-table",
        "rake": 0,
        "split": [10_000],
    }
    assert selectors.verification(game)["ok"]
    shown = selectors.envelope(game, player, now=NOON)
    assert (shown["buy_in"], shown["stake_table"]) == (BUY_IN, f"{rules}-table")
    assert shown["pot"] == {
        "status": "settled",
        "amount": 3 * BUY_IN,
        "currency": "XTS",
        "rake": 0,
        "split": [10_000],
        "paid": [{"seat": seat, "amount": amount - 480} for seat, amount in enumerate(won)],
    }


@pytest.mark.parametrize("rules", RULES)
def test_a_table_keeps_the_terms_of_its_opening(
    rules: str, player: Player, rival: Player, stranger: Player
) -> None:
    people = [player, rival, stranger]
    change(table_of(rules), rake=1000, split=(6000, 3000, 1000))
    provide(people)
    game = opened(rules, player, seats=3)
    change(table_of(rules), rake=0, split=(10_000,), open=False)
    sit_down(game, people)
    services.start_game(game=game, actor=player, now=NOON)
    game = play_out(game, people)
    assert available("house", "rake") == 156
    assert game.outcome is not None
    won = prizes(1560 - 156, [6000, 3000, 1000], game.outcome["places"])
    assert money_of(people) == [480 + won[seat] for seat in range(3)]
    bundle = selectors.bundle(game, player)
    assert verify(bundle).faults == ()
    shown = selectors.envelope(game, None, now=NOON)["pot"]
    assert (shown["rake"], shown["split"]) == (1000, [6000, 3000, 1000])


def test_a_player_who_cannot_pay_does_not_sit_down(player: Player, rival: Player) -> None:
    provide([player], BUY_IN - 1)
    game = opened("ace-race", rival, seats=2)
    with pytest.raises(InsufficientFunds):
        sit_down(game, [player])
    assert store.head(game.pk).version == 1
    assert not game.seatings.exists()
    assert (money_of([player]), in_escrow(game)) == ([BUY_IN - 1], 0)


def test_leaving_before_the_deal_refunds_the_buy_in(player: Player, rival: Player) -> None:
    provide([player, rival])
    game = opened("ace-race", player, seats=2)
    sit_down(game, [player])
    services.leave_seat(game=game, player=player, now=NOON)
    assert (money_of([player]), in_escrow(game)) == ([1000], 0)
    sit_down(game, [rival, player])
    game = services.start_game(game=game, actor=player, now=NOON)
    with pytest.raises(Refused):
        services.leave_seat(game=game, player=player, now=NOON)
    assert in_escrow(game) == 2 * BUY_IN
    ended = play_out(game, [rival, player])
    assert verify(selectors.bundle(ended, player)).faults == ()


def test_a_table_that_does_not_start_refunds_everything(player: Player, rival: Player) -> None:
    provide([player, rival])
    game = opened("racing-demons", player, seats=3)
    sit_down(game, [player, rival])
    with pytest.raises(SeatsOpen):
        services.start_game(game=game, actor=player, now=NOON)
    run_due(NOON + timedelta(hours=24))
    game.refresh_from_db()
    assert game.status == Status.VOID
    assert (money_of([player, rival]), in_escrow(game)) == ([1000, 1000], 0)
    report = verify(selectors.bundle(game, player))
    assert (report.faults, report.checks["money"]) == ((), "passed")
    expected = [{"seat": 0, "amount": BUY_IN}, {"seat": 1, "amount": BUY_IN}]
    assert selectors.envelope(game, player, now=NOON)["pot"]["paid"] == expected


def test_a_voided_game_refunds_everything_once(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival])
    for _ in range(2):
        services.void_game(game_id=game.pk, reason="power cut", now=NOON)
    assert (money_of([player, rival]), in_escrow(game)) == ([1000, 1000], 0)
    assert verify(selectors.bundle(GameRecord.objects.get(pk=game.pk), player)).faults == ()


@pytest.mark.parametrize("rules", RULES)
def test_a_failed_payment_rolls_the_move_back(
    rules: str, player: Player, rival: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies between the last event and its transfers."""
    game = dealt(rules, [player, rival])

    def dies(**_: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as patched:
        patched.setattr("ledger.services.settle_pot", dies)
        with pytest.raises(ConnectionError):
            play_out(game, [player, rival])
    state.cache.clear()
    assert state.load(game.pk)[1].status == "active"
    assert GameRecord.objects.get(pk=game.pk).status == Status.ACTIVE
    assert in_escrow(game) == 2 * BUY_IN
    play_out(game, [player, rival], moves=0)
    assert in_escrow(game) == 0


def test_invalid_staked_tables_are_refused(player: Player) -> None:
    faults: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"buy_in": None}, InvalidTable),
        ({"bots": [BotSeat(1)]}, InvalidTable),
        ({"buy_in": 525}, StakeOffStep),
        ({"buy_in": 90}, StakeOffStep),
        ({"stake_table": table_of("racing-demons")}, StakeNotOffered),
    ]
    for wrong, error in faults:
        with pytest.raises(error):
            opened("ace-race", player, seats=2, **wrong)
    with pytest.raises(InvalidTable):
        services.create_game(rules="ace-race", config={}, seats=2, creator=player, buy_in=BUY_IN, now=NOON)
    with pytest.raises(InvalidTable):
        services.create_game(rules="idle-aces", config={}, seats=1, creator=player, buy_in=BUY_IN, now=NOON)
    change(table_of("ace-race"), open=False)
    with pytest.raises(StakeTableClosed):
        opened("ace-race", player, seats=2)
    assert not GameRecord.objects.exists()
    assert not Pot.objects.exists()


def test_a_table_without_a_buy_in_does_not_query_the_ledger(player: Player, rival: Player) -> None:
    """Applies to taking a seat, to moves, and to views of the table."""
    game = services.create_game(rules="ace-race", config={}, seats=2, creator=player, now=NOON)
    with CaptureQueriesContext(connection) as queries:
        sit_down(game, [player, rival])
        services.leave_seat(game=game, player=rival, now=NOON)
        sit_down(game, [rival])
        services.start_game(game=game, actor=player, now=NOON)
        shown = selectors.envelope(game, player, now=NOON)
        ended = play_out(game, [player, rival])
    assert not [query for query in queries.captured_queries if "ledger_pot" in query["sql"]]
    assert (shown["buy_in"], shown["pot"]) == (None, None)
    assert not Transfer.objects.exists()
    assert "buy_in" not in selectors.bundle(ended, player)["events"][0]["data"]


def test_a_move_at_a_staked_table_is_still_one_statement(player: Player, rival: Player) -> None:
    people = [player, rival]
    game = dealt("ace-race", people)
    context.of(game.pk, state.load(game.pk)[1])
    seat = state.load(game.pk)[1].to_act()[0]
    with CaptureQueriesContext(connection) as queries:
        services.play(game_id=game.pk, player=people[seat], move={"type": "bid", "cards": 1}, now=NOON)
    assert not [query for query in queries.captured_queries if "ledger_" in query["sql"]]


# --- matches ------------------------------------------------------------------------------------------


def play_match(game: GameRecord, people: list[Player]) -> None:
    while True:
        play_out(game, people, seed=game.match_number or 0)
        run_due(NOON)
        following = GameRecord.objects.filter(match=game.match_id).order_by("match_number").last()
        assert following is not None
        if following.pk == game.pk:
            return
        game = following
        for who in people:
            services.take_seat(game=game, player=who, client_seed="", now=NOON)
        matches.deal_when_seated(game=game, now=NOON)


def test_a_match_has_one_buy_in_and_its_pot_follows_the_standings(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, first = match_of(people, deals=3)
    assert (in_escrow(match), money_of(people)) == (2 * BUY_IN, [480, 480])
    play_match(first, people)
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    assert match.games.count() == 3
    shown = match_documents.document(match, player)
    best = [standing["seat"] for standing in shown["standings"] if standing["place"] == 1]
    won = [480 + (2 * BUY_IN // len(best) if seat in best else 0) for seat in (0, 1)]
    assert (money_of(people), in_escrow(match)) == (won, 0)
    assert shown["pot"]["paid"] == [{"seat": seat, "amount": won[seat] - 480} for seat in (0, 1)]
    for game in match.games.all():
        assert game.buy_in == BUY_IN
        report = verify(selectors.bundle(game, player))
        assert (report.faults, report.checks["money"]) == ((), "passed")
        assert selectors.verification(game)["ok"]
    run_due(NOON + timedelta(hours=1))
    assert Transfer.objects.filter(subject=f"game:{match.pk}", reason="prize").count() == len(best)


def test_a_match_that_is_not_started_refunds_everything(player: Player, rival: Player) -> None:
    provide([player, rival])
    match = matches.open_match(
        rules="ace-race", config={}, seats=2, deals=2, creator=player, stake_table=table_of("ace-race"),
        buy_in=BUY_IN, now=NOON,
    )  # fmt: skip
    game = match.games.get()
    sit_down(game, [player, rival])
    services.leave_seat(game=game, player=rival, now=NOON)
    assert money_of([player, rival]) == [480, 1000]
    run_due(NOON + timedelta(hours=24))
    match.refresh_from_db()
    assert match.status == MatchStatus.VOID
    assert (money_of([player, rival]), in_escrow(match)) == ([1000, 1000], 0)


def test_leaving_between_two_deals_refunds_nothing(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, first = match_of(people, deals=2)
    play_out(first, people)
    run_due(NOON)
    second = match.games.get(match_number=2)
    services.take_seat(game=second, player=player, client_seed="", now=NOON)
    services.leave_seat(game=second, player=player, now=NOON)
    assert in_escrow(match) == 2 * BUY_IN
    run_due(NOON + timedelta(seconds=30))
    assert state.load(second.pk)[1].status == "active"


def test_a_match_whose_second_deal_is_voided_continues(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, first = match_of(people, deals=2)
    play_out(first, people)
    run_due(NOON)
    run_due(NOON + timedelta(seconds=30))
    second = match.games.get(match_number=2)
    services.void_game(game_id=second.pk, reason="power cut", now=NOON + timedelta(seconds=40))
    run_due(NOON + timedelta(seconds=40))
    assert in_escrow(match) == 2 * BUY_IN
    assert match.games.count() == 3
