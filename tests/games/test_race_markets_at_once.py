"""Concurrent bets, first draws, early access, and openings have the effect of some serial order."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from uuid import UUID

import pytest

from accounts.models import Player
from eventstore import store
from games import early_access, services
from games.errors import EarlyAccessUsed, NotStarted, RaceBegun
from games.models import EarlyAccess, GameRecord
from games.rules import Refused
from games.rules.bundles.verification import verify
from games.selectors import bundle
from ledger.betting.models import Bet, Market, Settlement
from ledger.errors import InterestedParty, MarketClosed
from ledger.models import Transfer
from ledger.selectors import reconcile
from tests.concurrency import at_once
from tests.conftest import Client
from tests.games.conftest import NOON
from tests.games.races import DRAW, dealt_seeds, draw, open_market, open_table, status_of, types
from tests.ledger.betting.markets import bet, bettor, escrow
from tests.money import cash, fund

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.parametrize("kind", ["fixed", "pool"])
@pytest.mark.parametrize("by_start", [False, True])
def test_a_bet_concurrent_with_the_start_is_accepted_before_it_or_refused(
    organizer: Player, kind: str, by_start: bool
) -> None:
    game = open_table(organizer)
    market = open_market(game, kind)
    people = [bettor() for _ in range(8)]
    off: Callable[[], object] = partial(draw, game, organizer)
    if by_start:
        off = partial(services.start_game, game=game, actor=organizer, now=NOON)
    jobs = [
        partial(bet, market, "CDHS"[number % 4], 100, person, client_seed=f"seed {number}")
        for number, person in enumerate(people)
    ]
    place = random.Random(f"{kind}{by_start}").randrange(len(jobs))
    answers = at_once(*jobs[:place], off, *jobs[place:])
    assert not isinstance(answers.pop(place), Exception)
    accepted = [answer for answer in answers if isinstance(answer, Bet)]
    refused = [answer for answer in answers if not isinstance(answer, Bet)]
    assert all(isinstance(answer, MarketClosed) for answer in refused), refused
    assert types(game) == ["created", "dealt", "draw"]
    in_order = sorted(accepted, key=lambda each: each.number)
    assert dealt_seeds(game) == [each.client_seed for each in in_order]
    assert escrow(market) == 100 * len(accepted)


def test_concurrent_bets_over_http_are_placed_one_after_the_other(
    api: Callable[[Player | None], Client], organizer: Player, player: Player, rival: Player, stranger: Player
) -> None:
    people = [player, rival, stranger]
    market = open_market(open_table(organizer), "fixed")
    price = market.runners.get(name="H").price
    clients = [api(person) for person in people]
    for person in people:
        fund(cash(person.pk), 300)

    def post(client: Client) -> list[int]:
        body = {"runner": "H", "stake": 100, "price": price}
        return [client.post(f"/api/v1/markets/{market.pk}/bets/", body).status_code for _ in range(3)]

    assert at_once(*[partial(post, client) for client in clients]) == [[201] * 3] * len(people)
    market.refresh_from_db()
    made = 3 * len(people)
    assert sorted(market.bets.values_list("number", flat=True)) == list(range(1, made + 1))
    runner = market.runners.get(name="H")
    assert (runner.stakes, escrow(market)) == (100 * made, 100 * made)
    assert market.reserve is not None
    assert market.reserve.amount == runner.returns - runner.stakes
    assert list(reconcile()) == []


def test_concurrent_first_draws_start_the_race_once(organizer: Player) -> None:
    game = open_table(organizer)
    market = open_market(game, "pool")
    bet(market, "H", 100, client_seed="h")
    answers = at_once(
        *[partial(draw, game, organizer)] * 3,
        *[partial(services.start_game, game=game, actor=organizer, now=NOON)] * 2,
    )
    result = types(game)
    drawn = result.count("draw")
    assert result == ["created", "dealt", *["draw"] * drawn]
    assert 3 <= drawn <= 4, "each draw counts, and a start if it came first"
    assert all(isinstance(answer, services.Played) for answer in answers[:3]), answers
    assert all(isinstance(answer, GameRecord | Refused) for answer in answers[3:]), answers
    assert dealt_seeds(game) == ["h"]


def test_an_opening_concurrent_with_the_start_comes_before_it_or_is_refused(organizer: Player) -> None:
    for _ in range(4):
        game = open_table(organizer)
        opened, started = at_once(
            partial(open_market, game, "pool"),
            partial(services.start_game, game=game, actor=organizer, now=NOON),
        )
        assert isinstance(started, GameRecord), started
        if isinstance(opened, Market):
            assert types(game) == ["created", "dealt", "draw"]
            assert (dealt_seeds(game), status_of(opened)) == ([], "closed")
        else:
            assert isinstance(opened, RaceBegun)
            assert types(game) == ["created", "dealt"]
            assert not Market.objects.filter(subject=f"game:{game.pk}").exists()


def test_concurrent_ends_of_a_race_pay_once(organizer: Player) -> None:
    game = open_table(organizer, config={"finish_line": 2})
    market = open_market(game, "pool")
    for suit in "CDHS":
        bet(market, suit, 100)
    answers = at_once(
        *[partial(draw, game, organizer)] * 3,
        partial(services.void_game, game_id=game.pk, reason="test", now=NOON),
        partial(services.expire_game, game_id=game.pk, now=NOON),
    )
    assert all(
        answer is None or isinstance(answer, services.Played | Refused | NotStarted) for answer in answers
    ), answers
    assert types(game)[-1] in ("finished", "voided")
    assert status_of(market) == ("settled" if types(game)[-1] == "finished" else "void")
    assert Settlement.objects.filter(market=market).count() == 1
    paid = Transfer.objects.filter(debit=market.escrow)
    assert sum(transfer.amount for transfer in paid) == 400
    assert escrow(market) == 0
    assert verify(bundle(GameRecord.objects.get(pk=game.pk), organizer)).ok
    assert list(reconcile()) == []


def test_concurrent_early_access_and_bet_exclude_each_other(organizer: Player, auditor: Player) -> None:
    for _ in range(4):
        game = open_table(organizer)
        market = open_market(game, "pool")
        person = _with_money(auditor)
        looked, made = at_once(
            partial(early_access.record, viewer=auditor, game=game, what="bundle", version=None, now=NOON),
            partial(bet, market, "H", 100, person),
        )
        if isinstance(made, Bet):
            assert isinstance(looked, InterestedParty), looked
            assert not EarlyAccess.objects.filter(game=game).exists()
        else:
            assert isinstance(made, EarlyAccessUsed), made
            assert looked is None
            assert escrow(market) == 0


def test_a_seat_concurrent_with_the_start_comes_before_it_or_is_refused(
    organizer: Player, player: Player, rival: Player
) -> None:
    game = open_table(organizer, seats=2)
    open_market(game, "pool")
    services.take_seat(game=game, player=player, client_seed="ann", now=NOON)
    seated, _ = at_once(
        partial(services.take_seat, game=game, player=rival, client_seed="bob", now=NOON),
        partial(services.play, game_id=game.pk, player=organizer, move=DRAW, now=NOON),
    )
    assert seated.seat == 1
    if types(game)[-1] != "draw":
        draw(game, organizer)
    assert store.head(game.pk).version == 5


def _with_money(player: Player) -> UUID:
    fund(cash(player.pk), 1_000)
    return player.pk
