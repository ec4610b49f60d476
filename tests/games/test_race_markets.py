"""The market on a race: closed by the first draw, which makes the deal, and settled once by the result."""

from __future__ import annotations

import random
from datetime import timedelta
from fractions import Fraction
from uuid import UUID

import pytest

from accounts.models import Player
from core.commands import Command
from eventstore import store
from games import selectors, services, state
from games.errors import NoRaceMarket, NotStarted, RaceBegun, RaceHasMarket, SeatsOpen, StakeNotOffered
from games.models import GameRecord, Status
from games.money import markets
from games.money.api import odds_of
from games.rules import Refused
from games.rules.bundles.verification import verify
from games.rules.fairness import GameKey
from games.rules.racing_aces.game import STOCK
from ledger import services as ledger
from ledger.betting import ladder, pools, prices, settlements
from ledger.betting.models import Bet, Market, Settlement
from ledger.betting.terms import Wager
from ledger.errors import BadMarket, MarketClosed, PriceMoved
from ledger.models import Transfer
from ledger.selectors import reconcile
from ledger.services import Terms
from tests.due_jobs import run_due
from tests.games.conftest import NOON, SEED
from tests.games.races import (
    as_it_is,
    dealt_seeds,
    draw,
    gained,
    open_market,
    open_table,
    status_of,
    to_the_end,
    types,
)
from tests.ledger.betting.markets import bet, bettor, escrow, money_of
from tests.money import available

pytestmark = pytest.mark.django_db


# --- opening ---------------------------------------------------------------------------------------------


def test_fixed_odds_are_the_fair_returns_less_the_margin(organizer: Player) -> None:
    market = open_market(open_table(organizer), margin=500)
    assert {runner.name: runner.decimal for runner in market.runners.all()} == dict.fromkeys("CDHS", "3.80")


@pytest.mark.parametrize(("on_draw", "fair"), [("refund", Fraction(4)), ("lose", None)])
def test_fixed_odds_depend_on_the_config_and_the_terms_for_no_winner(
    organizer: Player, on_draw: str, fair: Fraction | None
) -> None:
    game = open_table(organizer, config={"burn": 20})
    market = open_market(game, on_draw=on_draw)
    reported = odds_of(game)["suits"]["H"]["fair_return"][on_draw]
    assert fair is None or Fraction(reported) == fair
    assert market.runners.get(name="H").price_hundredths == ladder.at_most(Fraction(reported))


def test_a_race_has_one_market(organizer: Player) -> None:
    game = open_table(organizer)
    open_market(game)
    with pytest.raises(RaceHasMarket):
        open_market(game)
    with pytest.raises(RaceHasMarket):
        open_market(game, "pool")


def test_a_dealt_race_cannot_have_a_market(organizer: Player) -> None:
    game = open_table(organizer)
    services.start_game(game=game, actor=organizer, now=NOON)
    with pytest.raises(RaceBegun):
        open_market(game)
    services.void_game(game_id=game.pk, reason="test", now=NOON)
    with pytest.raises(RaceBegun):
        open_market(game)


def test_private_tables_and_other_games_have_no_market(organizer: Player) -> None:
    with pytest.raises(NoRaceMarket):
        open_market(open_table(organizer, private=True))
    solitaire = services.create_game(rules="idle-aces", config={}, seats=1, creator=organizer, now=NOON)
    with pytest.raises(NoRaceMarket):
        open_market(solitaire)


def test_a_market_requires_a_stake_table_for_races(organizer: Player) -> None:
    with pytest.raises(StakeNotOffered):
        open_market(open_table(organizer), stake_table="vegas-classic")


def test_a_margin_that_leaves_no_winnings_is_refused(organizer: Player) -> None:
    game = open_table(organizer)
    with pytest.raises(BadMarket):
        open_market(game, margin=9_000)
    assert markets.market_on(game.pk) is None


# --- start -----------------------------------------------------------------------------------------------


def test_the_first_draw_closes_the_market_deals_and_draws(
    organizer: Player, player: Player, rival: Player
) -> None:
    game = open_table(organizer, seats=2)
    services.take_seat(game=game, player=player, client_seed="ann", now=NOON)
    services.take_seat(game=game, player=rival, client_seed="bob", now=NOON)
    market = open_market(game, "pool")
    first = bet(market, "H", 100, client_seed="h")
    cancelled = bet(market, "S", 100, client_seed="taken back")
    bet(market, "S", 300)
    ledger.cancel_bet(bet=cancelled, player=cancelled.player, key="test:cancel", at=NOON)
    bet(market, "C", 50, first.player, client_seed="again")

    played = draw(game, organizer)

    assert types(game) == ["created", "seated", "seated", "dealt", "draw"]
    assert dealt_seeds(game) == ["h", "taken back", "", "again"]
    key = GameKey(SEED, ["ann", "bob"], ["h", "taken back", "", "again"])
    deck = key.shuffle(STOCK, "deck")
    assert state.load(game.pk)[1].state.stock == tuple(deck[:-1])
    assert played.version == 5
    assert [event["private"] for event in played.events] == [None, None], "no one sees the deck"
    assert played.legal_moves == [{"type": "draw"}]
    market.refresh_from_db()
    assert (market.status, market.closed_event) == ("closed", 5)
    with pytest.raises(MarketClosed):
        bet(market, "H", 100)
    with pytest.raises(MarketClosed):
        ledger.cancel_bet(bet=first, player=first.player, key="test:late", at=NOON - timedelta(hours=1))
    record = GameRecord.objects.get(pk=game.pk)
    assert (record.status, record.started_at) == (Status.ACTIVE, NOON)


def test_starting_a_race_with_a_market_is_its_first_draw(organizer: Player) -> None:
    game = open_table(organizer)
    market = open_market(game, "pool")
    bet(market, "H", 100, client_seed="h")
    started = services.start_game(game=game, actor=organizer, now=NOON)
    assert started.status == Status.ACTIVE
    assert types(game) == ["created", "dealt", "draw"]
    assert dealt_seeds(game) == ["h"]
    with pytest.raises(Refused):
        services.start_game(game=game, actor=organizer, now=NOON)
    assert types(game) == ["created", "dealt", "draw"]


def test_a_race_without_a_market_is_started_before_its_first_draw(organizer: Player) -> None:
    game = open_table(organizer)
    with pytest.raises(NotStarted):
        draw(game, organizer)
    services.start_game(game=game, actor=organizer, now=NOON)
    assert types(game) == ["created", "dealt"]
    assert state.load(game.pk)[1].bet_seeds is None


def test_the_first_draw_waits_for_every_seat(organizer: Player, player: Player) -> None:
    game = open_table(organizer, seats=1)
    market = open_market(game)
    assert selectors.legal_moves(organizer, game) == (1, [])
    for attempt in (
        lambda: draw(game, organizer),
        lambda: services.start_game(game=game, actor=organizer, now=NOON),
    ):
        with pytest.raises(SeatsOpen):
            attempt()
    assert status_of(market) == "open"
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    assert selectors.legal_moves(organizer, game) == (2, [{"type": "draw"}])
    with pytest.raises(NotStarted):
        draw(game, player)
    draw(game, organizer)


def test_a_repeated_first_draw_has_the_first_response(organizer: Player) -> None:
    game = open_table(organizer)
    open_market(game)
    command = Command("d" * 64, "1" * 64)
    first, again = draw(game, organizer, command=command), draw(game, organizer, command=command)
    assert (again.version, again.hash, again.replayed) == (first.version, first.hash, True)
    assert types(game) == ["created", "dealt", "draw"]


@pytest.mark.django_db(transaction=True)
def test_the_server_draws_a_race_with_a_market_to_its_end(organizer: Player) -> None:
    game = open_table(organizer, draw_every=2)
    market = open_market(game, "pool")
    made = [bet(market, suit, 100) for suit in "CDHS"]
    run_due(NOON + timedelta(minutes=1))
    assert types(game) == ["created"], "it waits for the operator's start, and so do the bets"
    services.start_game(game=game, actor=organizer, now=NOON)
    assert status_of(market) == "closed"
    for drawn in range(1, 48):
        if run_due(NOON + timedelta(seconds=2 * drawn)) == 0:
            break
    game.refresh_from_db()
    assert game.status == Status.FINISHED
    assert status_of(market) == "settled"
    assert [as_it_is(each).returned for each in made] == [
        400 if suit == game.outcome["winner"] else 0 for suit in "CDHS"
    ]


# --- money -----------------------------------------------------------------------------------------------


def test_fixed_odds_are_paid_when_the_race_is_over(organizer: Player) -> None:
    game = open_table(organizer)
    market = open_market(game, margin=500)
    made = {suit: bet(market, suit, stake) for suit, stake in zip("CDHS", (200, 201, 333, 7), strict=True)}
    winner = to_the_end(game, organizer)["winner"]
    expected = {"C": 760, "D": 763, "H": 1265, "S": 26}  # floor(stake × 19/5)
    for suit, each in made.items():
        assert gained(each) == (expected[suit] if suit == winner else 0) - each.stake
    assert (status_of(market), escrow(market)) == ("settled", 0)
    settlement = Settlement.objects.get(market=market)
    assert (settlement.winners, settlement.event) == ([winner], store.head(game.pk).version - 1)


@pytest.mark.parametrize(("takeout", "step"), [(0, 0), (1_500, 0), (1_500, 1), (1_234, 10)])
def test_a_pool_is_divided_when_the_race_is_over(organizer: Player, takeout: int, step: int) -> None:
    game = open_table(organizer)
    market = open_market(game, "pool", takeout=takeout, step=step)
    made = [bet(market, suit, stake) for stake in (101, 77, 1_003) for suit in "CDHS"]
    winner = to_the_end(game, organizer)["winner"]
    due = pools.divide(
        [Wager(each.runner.name, each.stake) for each in made], [winner], takeout=takeout, step=step
    )
    assert [gained(each) + each.stake for each in made] == due.returns
    gross, won = 4 * 1_181, 1_181
    assert due.paid + due.takeout + due.breakage == gross
    assert due.takeout == gross * takeout // 10_000
    assert due.paid >= won
    assert (status_of(market), escrow(market)) == ("settled", 0)


@pytest.mark.parametrize("kind", ["fixed", "pool"])
@pytest.mark.parametrize("on_draw", ["refund", "lose"])
def test_a_race_without_winner_refunds_or_keeps_stakes_by_the_terms(
    organizer: Player, kind: str, on_draw: str
) -> None:
    game = open_table(organizer, config={"finish_line": 9, "burn": 35})
    market = open_market(game, kind, on_draw=on_draw) if kind == "pool" else _short(game, on_draw)
    made = [bet(market, suit, 1) for suit in "CDHS"]
    assert to_the_end(game, organizer)["result"] == "no-winner"
    assert [gained(each) for each in made] == [0 if on_draw == "refund" else -1] * 4
    assert {as_it_is(each).status for each in made} == {"refunded" if on_draw == "refund" else "lost"}
    assert (status_of(market), escrow(market)) == ("settled", 0)


def _short(game: GameRecord, on_draw: str) -> Market:
    """Reduce the odds: no bank could pay the fair odds of a race that is almost never won."""
    market = open_market(game, on_draw=on_draw)
    return ledger.quote(market=market, prices=dict.fromkeys("CDHS", Fraction(4)), at=NOON)


def test_a_voided_race_refunds_every_stake(organizer: Player) -> None:
    for begin in (False, True):
        game = open_table(organizer)
        market = open_market(game)
        made = bet(market, "H", 500)
        if begin:
            draw(game, organizer)
        services.void_game(game_id=game.pk, reason="test", now=NOON)
        services.void_game(game_id=game.pk, reason="test", now=NOON)
        assert (status_of(market), escrow(market), gained(made)) == ("void", 0, 0)
        assert Settlement.objects.filter(market=market).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_race_that_is_not_started_is_voided_with_its_market(organizer: Player) -> None:
    game = open_table(organizer)
    market = open_market(game, "pool")
    made = bet(market, "H", 500)
    run_due(NOON + timedelta(hours=25))
    assert types(game) == ["created", "voided"]
    assert (status_of(market), gained(made)) == ("void", 0)


@pytest.mark.django_db(transaction=True)
def test_an_abandoned_race_is_drawn_to_its_end_and_settled(organizer: Player) -> None:
    game = open_table(organizer)
    market = open_market(game, "pool")
    bet(market, "H", 500)
    draw(game, organizer)
    run_due(NOON + timedelta(hours=3))
    assert types(game)[-1] == "finished"
    assert (status_of(market), escrow(market)) == ("settled", 0)


@pytest.mark.django_db(transaction=True)
def test_many_bets_are_paid_by_a_job_after_the_race(
    organizer: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlements, "BETS_SETTLED_AT_ONCE", 3)
    game = open_table(organizer)
    market = open_market(game, "pool")
    made = [bet(market, suit, 100) for suit in "CDHS"]
    winner = to_the_end(game, organizer)["winner"]
    assert (status_of(market), escrow(market)) == ("settling", 400)
    run_due(NOON + timedelta(seconds=1))
    run_due(NOON + timedelta(seconds=2))
    assert (status_of(market), escrow(market)) == ("settled", 0)
    assert {each.runner.name: money_of(each) - 99_900 for each in made} == {
        suit: 400 if suit == winner else 0 for suit in "CDHS"
    }


def test_a_race_that_its_first_draw_decides_is_settled_with_it(organizer: Player) -> None:
    game = open_table(organizer, config={"finish_line": 2})
    market = open_market(game)
    made = {suit: bet(market, suit, 100) for suit in "CDHS"}
    outcome = draw(game, organizer).events[-1]["data"]["outcome"]
    assert types(game) == ["created", "dealt", "draw", "finished"]
    assert {suit: gained(each) for suit, each in made.items()} == {
        suit: 300 if suit == outcome["winner"] else -100 for suit in "CDHS"
    }
    assert GameRecord.objects.get(pk=game.pk).status == Status.FINISHED


def test_a_race_that_continues_does_not_change_an_administrators_settlement(organizer: Player) -> None:
    before, during = open_table(organizer), open_table(organizer)
    voided, ruled = open_market(before), open_market(during)
    bet(voided, "H", 100, client_seed="stays in the deal")
    ledger.void_market(market=voided, reason="a wrong price", actor="player:adam", at=NOON)
    bet(ruled, "H", 100)
    draw(during, organizer)
    ledger.settle_market(market=ruled, winners=["H"], event=None, actor="player:adam", at=NOON)
    for game in (before, during):
        to_the_end(game, organizer)
    assert dealt_seeds(before) == ["stays in the deal"]
    assert (status_of(voided), status_of(ruled)) == ("void", "settled")
    assert Settlement.objects.count() == 2


def test_a_failed_settlement_rolls_the_end_of_the_race_back(
    organizer: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = open_table(organizer, config={"finish_line": 2, "cards_per_draw": 4})
    market = open_market(game, "pool")
    bet(market, "H", 100)
    before, moved = store.head(game.pk), Transfer.objects.count()

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the machine stops here")

    with monkeypatch.context() as patched:
        patched.setattr(settlements, "pay_chunk", fail)
        with pytest.raises(RuntimeError):
            draw(game, organizer)
    assert store.head(game.pk) == before
    assert (status_of(market), Transfer.objects.count()) == ("open", moved)
    draw(game, organizer)
    assert (status_of(market), escrow(market)) == ("settled", 0)


# --- bets in running -------------------------------------------------------------------------------------


def test_a_market_in_running_opens_again_after_each_draw_at_the_prices_of_its_rows(organizer: Player) -> None:
    game = open_table(organizer, config={"finish_line": 4})
    market = open_market(game, margin=200, in_running=True)
    made: list[Bet] = [bet(market, "H", 100, client_seed="before the off")]
    rounds = 1
    while draw(game, organizer).events[-1]["type"] != "finished":
        rounds += 1
        market.refresh_from_db()
        expected = ("open", rounds, store.head(game.pk).version)
        assert (market.status, market.round, market.opened_event) == expected
        for runner in market.runners.all():
            fair = odds_of(game)["suits"][runner.name]["fair_return"]["refund"]
            assert runner.price_hundredths == (prices.offered(Fraction(fair), 200) if fair else None)
        runner = market.runners.exclude(price="").first()
        assert runner is not None
        made.append(bet(market, runner.name, 100, client_seed="while it runs"))
        stale = "1/7" if runner.price != "1/7" else "1/8"
        with pytest.raises(PriceMoved):
            bet(market, runner.name, 100, price=stale)
    winner = GameRecord.objects.get(pk=game.pk).outcome
    assert winner is not None
    assert dealt_seeds(game) == ["before the off"], "what comes after the deal is no part of it"
    for each in made:
        won = each.runner.name == winner["winner"]
        assert gained(each) == (prices.payout(100, prices.parse(each.price)) if won else 0) - 100
    assert (status_of(market), escrow(market)) == ("settled", 0)


# --- proof -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_running", [False, True])
def test_the_bundle_of_a_race_with_bets_verifies(organizer: Player, player: Player, in_running: bool) -> None:
    game = open_table(organizer, seats=1)
    services.take_seat(game=game, player=player, client_seed="ann", now=NOON)
    market = open_market(game, in_running=in_running)
    bet(market, "H", 100, client_seed="h")
    bet(market, "D", 100)
    to_the_end(game, organizer)
    game.refresh_from_db()
    bundle = selectors.bundle(game, player)
    report = verify(bundle)
    assert report.ok, report.document()
    assert bundle["game"]["bet_seeds"] == ["h", ""]
    assert bundle["transfers"] == [], "the market's money is the market's"
    expected = ("passed", "not-run")
    assert (report.document()["checks"]["escrow"], report.document()["checks"]["money"]) == expected
    assert selectors.verification(game)["ok"]


def test_a_market_without_bets_adds_no_seeds(organizer: Player) -> None:
    game = open_table(organizer)
    open_market(game, "pool")
    to_the_end(game, organizer)
    game.refresh_from_db()
    assert dealt_seeds(game) == []
    assert verify(selectors.bundle(game, organizer)).ok


def test_the_client_seed_of_a_bet_changes_the_deal(organizer: Player) -> None:
    decks = set()
    for seed in ("", "a"):
        game = open_table(organizer)
        bet(open_market(game, "pool"), "H", 100, bettor(), client_seed=seed)
        draw(game, organizer)
        decks.add(state.load(game.pk)[1].state.stock)
    assert len(decks) == 2


def test_the_default_terms_are_those_of_the_ledger(organizer: Player) -> None:
    assert open_market(open_table(organizer), "pool").terms == Terms()


@pytest.mark.parametrize(
    "seed", [0, 2, 5, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(6, 30))]
)
def test_bets_and_cancellations_lose_no_money(organizer: Player, seed: int) -> None:
    """Seeds 0 and 2 give markets at fixed odds, with and without burned cards; 5 gives a pool."""
    rng = random.Random(seed)
    burn = rng.choice((0, 0, 20, 24))
    game = open_table(organizer, config={"finish_line": rng.choice((3, 6, 10)), "burn": burn})
    kind = rng.choice(("fixed", "pool"))
    terms = {"margin": rng.randrange(800)} if kind == "fixed" else {"takeout": rng.randrange(2_500)}
    market = open_market(
        game, kind, on_draw=rng.choice(("refund", "lose")), in_running=kind == "fixed", **terms
    )
    people = [bettor() for _ in range(4)]
    had = sum(available(f"player:{person}") for person in people)
    banked = available(market.stake_table.bank_owner, "bank")
    seeds: list[str] = []
    for number in range(rng.randrange(12)):
        made = _some_bet(market, rng, rng.choice(people), f"seed {number}")
        seeds.append(made.client_seed)
        if rng.random() < 0.2:
            ledger.cancel_bet(bet=made, player=made.player, key=f"test:cancel {number}", at=NOON)
    while draw(game, organizer).events[-1]["type"] != "finished":
        if kind == "fixed" and rng.random() < 0.3:
            _some_bet(market, rng, rng.choice(people), "in running")
    assert dealt_seeds(game) == seeds
    site = [Settlement.objects.get(market=market).takeout or 0]
    site.append(available(market.stake_table.bank_owner, "bank") - banked)
    assert sum(available(f"player:{person}") for person in people) + sum(site) == had
    assert (status_of(market), escrow(market), list(reconcile())) == ("settled", 0, [])
    game.refresh_from_db()
    assert verify(selectors.bundle(game, organizer)).ok


def _some_bet(market: Market, rng: random.Random, person: UUID, client_seed: str) -> Bet:
    backed = [runner.name for runner in market.runners.all() if runner.price or market.kind == "pool"]
    return bet(market, rng.choice(backed), rng.randrange(1, 400), person, client_seed=client_seed)
