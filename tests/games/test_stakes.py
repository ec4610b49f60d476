"""A stake and its deal, and winnings and the end of a game, are each stored together or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from eventstore import store
from games import selectors, services, state
from games.models import GameRecord, Status
from games.rules.bundles.verification import verify
from ledger.errors import BankLimit, GameInProgress, InsufficientFunds
from ledger.models import Hold, PlaySession, StakeTable
from ledger.selectors import balance, transfers_of
from tests.games.conftest import NOON, at_stake_table
from tests.money import change

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Staked = Callable[..., tuple[GameRecord, PlaySession]]
CashedIn = Callable[..., PlaySession]


def in_session(player: Player) -> int:
    return balance(owner=f"player:{player.pk}", purpose="session", currency="XTS").available


def in_escrow(game: GameRecord) -> int:
    return balance(owner=f"game:{game.pk}", purpose="escrow", currency="XTS").total


def test_the_deal_takes_the_stake_and_reserves_the_rest_of_the_maximum(
    player: Player, staked: Staked
) -> None:
    game, _ = staked(player, stake=520)
    assert in_session(player) == 10_000 - 520
    assert in_escrow(game) == 520
    assert Hold.objects.get().amount == 40 * 52 - 520
    [transfer] = transfers_of(f"game:{game.pk}")
    assert (transfer["reason"], transfer["amount"], transfer["event"]) == ("stake", 520, 3)


def test_collect_pays_the_winnings_to_the_session(player: Player, staked: Staked) -> None:
    game, _ = staked(player)
    played = None
    while moves := [m for m in selectors.legal_moves(player, game)[1] if m.get("to") == "foundation"]:
        played = services.play(game_id=game.pk, player=player, move=moves[0], now=NOON)
    for _ in range(10):
        services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOON)
    won = played.view["winnings"] if played else 0
    ended = services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert in_session(player) == 10_000 - 520 + won
    assert in_escrow(game) == 0
    assert {t["event"] for t in transfers_of(f"game:{game.pk}")} == {3, ended.version - 1}
    assert not Hold.objects.filter(state="held").exists()
    record = GameRecord.objects.get(pk=game.pk)
    assert record.outcome is not None
    assert record.outcome["winnings"] == won
    report = verify(selectors.bundle(record, player))
    assert (report.faults, report.checks["money"], report.checks["escrow"]) == ((), "passed", "passed")
    assert selectors.verification(record)["ok"] is True


def test_a_deal_without_enough_money_in_the_session_is_refused(
    player: Player, classic: StakeTable, cashed_in: CashedIn
) -> None:
    game = at_stake_table(player, classic, cashed_in(player, 500))
    with pytest.raises(InsufficientFunds):
        services.start_game(game=game, actor=player, now=NOON)
    assert store.head(game.pk).version == 2
    assert GameRecord.objects.get().status == Status.OPEN
    assert (in_session(player), transfers_of(f"game:{game.pk}")) == (500, [])


def test_a_deal_that_the_bank_cannot_cover_is_refused(
    player: Player, classic: StakeTable, cashed_in: CashedIn
) -> None:
    change(classic, bank_limit=1000)
    game = at_stake_table(player, classic, cashed_in(player))
    with pytest.raises(BankLimit):
        services.start_game(game=game, actor=player, now=NOON)
    assert store.head(game.pk).version == 2
    assert in_session(player) == 10_000


def test_a_second_staked_game_at_the_same_time_is_refused(
    player: Player, staked: Staked, classic: StakeTable
) -> None:
    _, session = staked(player)
    second = at_stake_table(player, classic, session)
    with pytest.raises(GameInProgress):
        services.start_game(game=second, actor=player, now=NOON)
    assert store.head(second.pk).version == 2


def test_a_failed_payment_rolls_the_move_back(
    player: Player, staked: Staked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies between the event and its transfers."""
    game, _ = staked(player)
    before = store.head(game.pk)

    def dies(**_: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr("games.play.stream.ledger.settle_stake", dies)
        with pytest.raises(ConnectionError):
            services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert store.head(game.pk) == before
    assert GameRecord.objects.get().status == Status.ACTIVE
    assert in_escrow(game) == 520
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert in_escrow(game) == 0


def test_a_void_game_refunds_the_stake(player: Player, staked: Staked) -> None:
    game, _ = staked(player)
    services.void_game(game_id=game.pk, reason="a fault of the server", now=NOON)
    services.void_game(game_id=game.pk, reason="again", now=NOON)
    assert (in_session(player), in_escrow(game)) == (10_000, 0)
    record = GameRecord.objects.get()
    assert (record.status, record.outcome) == (Status.VOID, None)
    report = verify(selectors.bundle(record, player))
    assert report.ok, report.faults
    assert report.checks["money"] == "passed"


def test_voiding_a_table_that_was_never_dealt_moves_no_money(
    player: Player, classic: StakeTable, cashed_in: CashedIn
) -> None:
    game = at_stake_table(player, classic, cashed_in(player))
    services.void_game(game_id=game.pk, reason="no one came", now=NOON)
    assert transfers_of(f"game:{game.pk}") == []
    assert verify(selectors.bundle(GameRecord.objects.get(), player)).ok


def test_strangers_do_not_see_the_money(
    api: Callable[[Player | None], Any],
    player: Player,
    stranger: Player,
    administrator: Player,
    staked: Staked,
) -> None:
    game, _ = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    bundle = f"/api/v1/games/{game.pk}/bundle/"
    assert api(stranger).get(bundle).json()["transfers"] == "withheld"
    assert verify(api(stranger).get(bundle).json()).checks["money"] == "not-run"
    for who in (player, administrator):
        assert isinstance(api(who).get(bundle).json()["transfers"], list)


def test_an_ordinary_move_writes_only_its_stream(player: Player, staked: Staked) -> None:
    game, _ = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOON)
    head, table = state.load(game.pk)
    state.cache.put(game.pk, head, table)
    with CaptureQueriesContext(connection) as queries:
        services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOON)
    statements = [query["sql"] for query in queries.captured_queries]
    assert not [sql for sql in statements if "eventstore_" not in sql and "SAVEPOINT" not in sql]
    if connection.vendor == "postgresql":
        assert len(statements) == 1
