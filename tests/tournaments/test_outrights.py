"""The market on a tournament's winner: its selections, start, and result follow from the tournament."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from games import early_access
from games.errors import EarlyAccessUsed, StakeNotOffered
from games.models import EarlyAccess, GameRecord
from ledger import services as ledger
from ledger.betting import settlements
from ledger.betting.models import Bet, Market, Settlement
from ledger.errors import InterestedParty, MarketClosed, MarketNotEnded, RunnerWithdrawn, UnknownRunner
from ledger.models import Account
from ledger.selectors import reconcile
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.ledger.betting.markets import bet, bettor, escrow
from tests.ledger.locks import in_order, taken_too_early
from tests.money import AT, available, cash, fund
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.outrights import gained, open_outright, winners_of
from tests.tournaments.playing import (
    NOW,
    close_round,
    enter,
    entrants,
    games_of,
    later,
    play_round,
    promotion,
    rich,
    settle,
    start,
    status_of,
    terms,
)
from tournaments import record, services
from tournaments.betting import outrights
from tournaments.errors import (
    BetsOnOthersForbidden,
    BetsOnRivals,
    NoOutright,
    OrganizerMayNotBet,
    OutrightExists,
    TooFewEntrants,
    WrongStatus,
)
from tournaments.models import Status, Tournament
from tournaments.prizes import settlement
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def field(tournament: Tournament) -> list[str]:
    return [runner.name for runner in market_of(tournament).runners.all()]


# --- opening and selections ----------------------------------------------------------------------------


def test_earlier_and_later_entrants_are_selections(published: Publish) -> None:
    tournament = published()
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    enter(tournament, dan)
    open_outright(tournament)
    assert field(tournament) == ["entry 2"]
    enter(tournament, cid, rich("eva"))
    assert field(tournament) == ["entry 2", "entry 3", "entry 4"]


def test_a_market_is_opened_once_on_a_published_tournament_of_a_limited_field(
    published: Publish, organizer: Player
) -> None:
    with pytest.raises(NoOutright):
        open_outright(published(capacity=513))
    tournament = published(rounds=1)
    with pytest.raises(StakeNotOffered):
        open_outright(tournament, stake_table="vegas-classic")
    open_outright(tournament)
    with pytest.raises(OutrightExists):
        open_outright(tournament, takeout=500)
    with pytest.raises(WrongStatus):
        open_outright(services.create(organizer=organizer, terms=terms(), now=NOW))
    other = published(rounds=1)
    enter(other, rich("cid"), rich("dan"))
    start(other)
    with pytest.raises(WrongStatus):
        open_outright(other)
    services.cancel(tournament_id=other.pk, actor=organizer, reason="fog", now=NOW)
    with pytest.raises(WrongStatus):
        open_outright(other)


def test_entries_continue_when_the_market_is_full(
    published: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = published()
    open_outright(tournament)
    monkeypatch.setattr(outrights, "MOST_RUNNERS", 1)
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    assert field(tournament) == ["entry 1"]
    services.withdraw(tournament_id=tournament.pk, player=dan, now=NOW)


# --- permissions ---------------------------------------------------------------------------------------


def test_an_entrant_may_back_only_themselves_and_the_organizer_no_one(
    published: Publish, organizer: Player
) -> None:
    tournament = published()
    market, cid, dan = open_outright(tournament), rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    assert bet(market, "entry 1", 100, cid.pk).number == 1
    with pytest.raises(BetsOnOthersForbidden):
        bet(market, "entry 2", 100, cid.pk)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    assert bet(market, "entry 2", 100, cid.pk).number == 2
    with pytest.raises(OrganizerMayNotBet):
        bet(market, "entry 2", 100, organizer.pk)
    with pytest.raises(UnknownRunner):
        bet(market, "entry 3", 100)


def test_a_bettor_on_others_cannot_enter(published: Publish) -> None:
    tournament = published()
    market, cid = open_outright(tournament), rich("cid")
    enter(tournament, rich("dan"), cid)
    own = bet(market, "entry 2", 100, cid.pk)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    other = bet(market, "entry 1", 100, cid.pk)
    with pytest.raises(BetsOnRivals):
        enter(tournament, cid)
    ledger.cancel_bet(bet=other, player=cid.pk, key="c", at=NOW)
    enter(tournament, cid)
    own.refresh_from_db()
    assert own.status == "open", "a bet on a withdrawn selection does not count"


def test_betting_and_early_access_exclude_each_other(
    published: Publish, auditor: Player, administrator: Player
) -> None:
    tournament = published(rounds=1)
    market = open_outright(tournament)
    enter(tournament, rich("cid"), rich("dan"))
    for who in (auditor, administrator):
        fund(cash(who.pk), 500)
    taken = bet(market, "entry 1", 100, administrator.pk)
    ledger.cancel_bet(bet=taken, player=administrator.pk, key="c", at=NOW)
    bet(market, "entry 1", 100, auditor.pk)
    start(tournament)
    game = GameRecord.objects.get(pk=games_of(tournament, 1)[0].game)
    with pytest.raises(InterestedParty):
        early_access.record(viewer=auditor, game=game, what="bundle", version=None, now=NOW)
    early_access.record(viewer=administrator, game=game, what="bundle", version=None, now=NOW)


def test_early_access_to_one_game_excludes_from_betting(
    published: Publish, auditor: Player, organizer: Player
) -> None:
    tournament, other = published(), published()
    market = open_outright(tournament)
    enter(tournament, rich("cid"), rich("dan"))
    enter(other, rich("eva"), rich("flo"))
    start(other)
    EarlyAccess.objects.create(
        viewer=auditor,
        game=GameRecord.objects.get(pk=games_of(other, 1)[0].game),
        tournament=tournament.pk,
        what="bundle",
        at=NOW,
        event=1,
    )
    with pytest.raises(EarlyAccessUsed):
        bet(market, "entry 1", 100, auditor.pk)


# --- start ---------------------------------------------------------------------------------------------


def test_the_start_closes_the_betting_with_the_entries(published: Publish) -> None:
    tournament = published(rounds=1, fill_to=4, fee=0)
    market = open_outright(tournament)
    enter(tournament, rich("cid"), rich("dan"))
    made = bet(market, "entry 1", 100)
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    events = {event.type: event.version for event in store.read(tournament.pk)}
    assert (status_of(market), market.closed_event) == ("closed", events["entries-closed"])
    assert not GameRecord.objects.filter(tournament=tournament.pk).exists(), "no card has been dealt"
    assert field(tournament) == ["entry 1", "entry 2", "entry 3", "entry 4"], "bots may win as well"
    with pytest.raises(MarketClosed):
        bet(market, "entry 1", 100)
    with pytest.raises(MarketClosed):
        ledger.cancel_bet(bet=made, player=made.player, key="c", at=AT)


def test_a_start_that_fails_leaves_the_betting_open(published: Publish) -> None:
    tournament = published()
    market = open_outright(tournament)
    enter(tournament, rich("cid"))
    with pytest.raises(TooFewEntrants):
        services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    assert status_of(market) == "open"


def test_bets_on_an_entrant_who_withdraws_are_lost(published: Publish) -> None:
    tournament = published(rounds=1)
    market = open_outright(tournament, takeout=1_000, cancellable=False)
    cid, dan, eva = rich("cid"), rich("dan"), rich("eva")
    enter(tournament, cid, dan, eva)
    gone, others = bet(market, "entry 1", 500), [bet(market, f"entry {n}", 100) for n in (2, 3)]
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    with pytest.raises(RunnerWithdrawn):
        bet(market, "entry 1", 100)
    enter(tournament, cid)
    others.append(bet(market, "entry 4", 100))
    start(tournament)
    play_round(tournament, 1)
    winners = winners_of(tournament)
    assert status_of(market) == "settled"
    assert gained(gone) == 0
    paid = [gained(each) for each in others]
    assert sum(paid) == -30
    assert [gain > 0 for gain in paid] == [f"entry {n}" in winners for n in (2, 3, 4)]


# --- result --------------------------------------------------------------------------------------------


@shared
def backed() -> Tournament:
    """A published tournament of cid and dan, each backed with 1,000 pence at a takeout of 5 per cent."""
    tournament = publish(known("olga", Role.ORGANIZER), rounds=1)
    market = open_outright(tournament, takeout=500)
    enter(tournament, rich("cid"), rich("dan"))
    for name in ("entry 1", "entry 2"):
        bet(market, name, 1_000)
    return tournament


def market_of(tournament: Tournament) -> Market:
    market = outrights.market_on(tournament.pk)
    assert market is not None
    return market


def bets_on(market: Market) -> dict[str, Bet]:
    return {bet.runner.name: bet for bet in market.bets.select_related("runner")}


def played(tournament: Tournament) -> None:
    start(tournament)
    play_round(tournament, 1)
    assert status_of(tournament) == Status.FINISHED


def test_the_end_of_the_tournament_settles_the_market(backed: Tournament) -> None:
    market = market_of(backed)
    bets = bets_on(market)
    played(backed)
    [winner] = winners_of(backed)
    assert {name: gained(each) for name, each in bets.items()} == {
        name: 900 if name == winner else -1_000 for name in bets
    }
    assert (status_of(market), escrow(market), available("house", "takeout")) == ("settled", 0, 100)
    made = Settlement.objects.get(market=market)
    last = store.read(backed.pk)[-1]
    assert (made.winners, made.event, last.type) == ([winner], last.version, "finished")
    assert list(reconcile()) == []


def test_winners_who_tie_share_the_pool(published: Publish) -> None:
    tournament = published(rounds=1)
    market = open_outright(tournament)
    enter(tournament, rich("cid"), rich("dan"), rich("eva"))
    bets = [bet(market, f"entry {n}", stake) for n, stake in ((1, 300), (2, 100), (3, 200))]
    start(tournament)
    for now in (later(600), later(601)):
        rounds.close_round(tournament_id=tournament.pk, number=1, now=now)
    settle(tournament)
    assert winners_of(tournament) == ["entry 1", "entry 2", "entry 3"], "no one has moved"
    assert Settlement.objects.get(market=market).winners == winners_of(tournament)
    assert [gained(each) for each in bets] == [0, 0, 0]


def test_all_stakes_are_refunded_if_no_bet_won(published: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = published(rounds=1)
    market = open_outright(tournament, takeout=500)
    with monkeypatch.context() as full:
        full.setattr(outrights, "MOST_RUNNERS", 0)
        enter(tournament, rich("cid"))
    enter(tournament, rich("dan"), rich("eva"))
    bets = [bet(market, f"entry {n}", 100) for n in (2, 3)]
    played(tournament)
    assert winners_of(tournament) == ["entry 1"], "for whom the market had no room"
    assert (status_of(market), [gained(each) for each in bets]) == ("settled", [0, 0])


@pytest.mark.parametrize("begun", [False, True])
def test_a_cancelled_tournament_refunds_every_stake(
    backed: Tournament, organizer: Player, begun: bool
) -> None:
    market = market_of(backed)
    if begun:
        start(backed)
    services.cancel(tournament_id=backed.pk, actor=organizer, reason="fog", now=NOW)
    run_due(NOW)
    gains = [gained(each) for each in bets_on(market).values()]
    assert (status_of(market), escrow(market), gains) == ("void", 0, [0, 0])
    assert [available(f"player:{each.pk}") for each in entrants(backed)] == [10_000] * 2
    assert Settlement.objects.count() == 1


def test_a_cancelled_free_tournament_refunds_every_stake(published: Publish, organizer: Player) -> None:
    tournament = published(rounds=1, fee=0)
    market = open_outright(tournament)
    enter(tournament, rich("cid"), rich("dan"))
    placed = bet(market, "entry 1", 100)
    start(tournament)
    services.cancel(tournament_id=tournament.pk, actor=organizer, reason="fog", now=NOW)
    run_due(NOW)
    assert (status_of(market), escrow(market), gained(placed)) == ("void", 0, 0)


def test_a_market_voided_by_an_administrator_is_not_settled(published: Publish, organizer: Player) -> None:
    tournament = published(rounds=1)
    market = open_outright(tournament)
    made = bettor()
    enter(tournament, rich("cid"), rich("dan"))
    bet(market, "entry 1", 100, made)
    ledger.void_market(market=market, reason="suspicion", at=NOW, actor="player:adam")
    enter(tournament, rich("eva"))
    played(tournament)
    assert (status_of(market), available(f"player:{made}")) == ("void", 100_000)
    other = published(rounds=1)
    second = open_outright(other)
    ledger.void_market(market=second, reason="suspicion", at=NOW, actor="player:adam")
    services.cancel(tournament_id=other.pk, actor=organizer, reason="fog", now=NOW)
    assert Settlement.objects.filter(market=second).count() == 1


def test_a_correction_settles_the_market_again(backed: Tournament) -> None:
    tournament, market = backed, market_of(backed)
    bets = bets_on(market)
    ruling = {"tournament_id": tournament.pk, "reason": "entry 2 cheated", "actor": "player:adam", "now": NOW}
    outrights.correct(winners=[1], **ruling)
    assert status_of(market) == "open", "there is nothing to be corrected yet"
    played(tournament)
    [winner] = winners_of(tournament)
    loser = next(name for name in bets if name != winner)
    for _ in range(2):
        outrights.correct(winners=[int(loser.removeprefix("entry "))], **ruling)
    assert (gained(bets[winner]), gained(bets[loser])) == (-1_000, 900)
    assert Settlement.objects.filter(market=market).count() == 2
    assert list(reconcile()) == []


# --- crashes, repeated steps, locks --------------------------------------------------------------------


class Crash(Exception):
    pass


def ready_to_finish(tournament: Tournament) -> Market:
    start(tournament)
    close_round(tournament)
    return market_of(tournament)


def test_a_crash_at_any_point_of_the_end_rolls_everything_back(
    backed: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament, market = backed, ready_to_finish(backed)
    for place, name in (
        (outrights, "accounts"),
        (settlement, "_pay"),
        (outrights, "settle"),
        (settlement.games, "reveal_tournament_seed"),
    ):
        real = getattr(place, name)

        def crash(*args: object, real: Callable[..., object] = real, **kwargs: object) -> None:
            real(*args, **kwargs)
            raise Crash

        with monkeypatch.context() as patched:
            patched.setattr(place, name, crash)
            with pytest.raises(Crash), transaction.atomic():
                settle(tournament)
        record.cache.clear()
        assert (status_of(market), escrow(market)) == ("closed", 2_000), name
    for _ in range(2):
        settle(tournament)
    assert (status_of(market), escrow(market)) == ("settled", 0)
    assert Settlement.objects.count() == 1


def test_a_busy_market_is_paid_by_a_job_and_cannot_be_corrected_before(
    backed: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlements, "BETS_SETTLED_AT_ONCE", 1)
    tournament, market = backed, ready_to_finish(backed)
    settle(tournament)
    assert (status_of(market), escrow(market)) == ("settling", 2_000)
    with pytest.raises(MarketNotEnded):
        outrights.correct(tournament_id=tournament.pk, winners=[1], reason="x", actor="player:a", now=NOW)
    run_due(later(601))
    assert (status_of(market), escrow(market)) == ("settled", 0)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_rows_are_locked_in_order(published: Publish, subtests: pytest.Subtests) -> None:
    """Each command is rolled back, so that commands of one moment find the same tournament."""
    tournament = published(rounds=1, rake=500, fill_to=3)
    market = open_outright(tournament, takeout=500)
    cid, eva = rich("cid"), rich("eva")
    enter(tournament, cid, rich("dan"))
    for number in (1, 2):
        bet(market, f"entry {number}", 1_000)
    promotion()

    def each_in_order(**commands: Callable[[], object]) -> None:
        rows = [Tournament.objects.get(pk=tournament.pk), market, *in_order(Account.objects.all())]
        for name, command in commands.items():
            with subtests.test(name):
                waited, early = taken_too_early(command, rows)
                assert waited >= 3
                assert early == []

    each_in_order(
        enter=lambda: services.enter(tournament_id=tournament.pk, player=eva, client_seed="", now=NOW),
        withdraw=lambda: services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW),
        start=lambda: services.start(tournament_id=tournament.pk, actor=None, now=NOW),
    )
    start(tournament)
    close_round(tournament)
    each_in_order(
        finish=lambda: settle(tournament),
        cancel=lambda: services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW),
    )
