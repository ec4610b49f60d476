"""Figures of play: time, stakes, and returns, of a session, a day, or since any time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from accounts.models import Player
from ledger import services
from ledger.limits import usage as reality
from ledger.limits.terms import Figures
from ledger.models import PlaySession, StakeTable, Transfer
from tests.ledger.betting.markets import bet, open_pool
from tests.money import AT, CURRENCY, cash, fresh_key, fund

pytestmark = pytest.mark.django_db

Api = Callable[[Player | None], Any]
HOUR = timedelta(hours=1)


def play(session: PlaySession, table: StakeTable, winnings: int | None, at: Any = AT) -> UUID:
    game = uuid4()
    services.take_stake(
        session=session, game=game, stake=520, max_win=2080, stake_table=table, event=3, at=at
    )
    if winnings is not None:
        services.settle_stake(game=game, winnings=winnings, event=9, at=at)
    return game


def figures(player: Player, **more: Any) -> tuple[int, int, int, int, int]:
    made = reality.of_range(player=player.pk, **{"since": AT, "until": AT + HOUR, "now": AT, **more})
    return made.seconds, made.stakes, made.staked, made.returned, made.net


def test_the_figures_of_a_session_have_its_games_and_time(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    play(cashed_in, vegas, 700)
    play(cashed_in, vegas, 0)
    services.refund_stake(game=play(cashed_in, vegas, None), event=9, at=AT)
    bet(open_pool(), "H", 200, player.pk)
    expected = Figures(AT, AT + HOUR, 3600, 2, 1040, 700)
    assert reality.of_session(cashed_in, now=AT + HOUR) == expected
    services.cash_out(session=cashed_in, key="out", at=AT + HOUR)
    cashed_in.refresh_from_db()
    assert reality.of_session(cashed_in, now=AT + 5 * HOUR) == expected
    assert expected.net == -340


def test_the_figures_of_a_player_include_bets(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    play(cashed_in, vegas, 700)
    bet(open_pool(), "H", 200, player.pk)
    assert figures(player) == (3600, 2, 720, 700, -20)


def test_an_open_game_counts_as_lost_until_it_is_settled(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    game = play(cashed_in, vegas, None)
    assert figures(player)[1:] == (1, 520, 0, -520)
    services.settle_stake(game=game, winnings=600, event=9, at=AT + HOUR)
    assert figures(player)[1:] == (1, 520, 600, 80)
    assert figures(player, since=AT + timedelta(seconds=1))[1:] == (0, 0, 600, 600)


def test_a_refunded_stake_is_in_no_figure(player: Player) -> None:
    fund(cash(player.pk), 5000)
    old = bet(open_pool(), "H", 200, player.pk, at=AT - HOUR)
    new = bet(open_pool(), "H", 300, player.pk)
    for made in (old, new):
        services.cancel_bet(bet=made, player=player.pk, key=fresh_key(), at=AT)
    assert figures(player)[1:] == (0, 0, 0, 0)


def test_reversed_winnings_do_not_count_as_returned(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    game = play(cashed_in, vegas, 700)
    won = Transfer.objects.get(subject=f"game:{game}", reason="winnings")
    subject = f"game:{game}"
    services.reverse(
        transfer=won.uuid, key=f"{subject}:r", actor="test", reason="a ruling", at=AT, settles_escrow=True
    )
    assert figures(player)[1:] == (1, 520, 0, -520)


def test_figures_of_play_over_rest(api: Api, player: Player, vegas: StakeTable) -> None:
    client, now = api(player), timezone.now()
    shown = client.get("/api/v1/wallet/reality/").json()
    assert (shown["currency"], shown["session"], shown["since"]) == (CURRENCY, None, None)
    fund(cash(player.pk), 5000)
    session = services.open_session(
        player=player.pk, amount=2000, currency=CURRENCY, key="s", at=now - 2 * HOUR
    )
    play(session, vegas, 700, now - 2 * HOUR)
    play(session, vegas, 0, now)
    shown = client.get("/api/v1/wallet/reality/", {"since": (now - HOUR).isoformat()}).json()
    reported = {
        name: (shown[name]["stakes"], shown[name]["staked"], shown[name]["returned"], shown[name]["net"])
        for name in ("session", "day", "week", "month", "since")
    }
    whole = (2, 1040, 700, -340)
    assert reported == {
        **dict.fromkeys(["session", "day", "week", "month"], whole),
        "since": (1, 520, 0, -520),
    }
    assert 7200 <= shown["session"]["seconds"] <= 7300
    assert 3600 <= shown["since"]["seconds"] <= 3700
    inside = client.get(f"/api/v1/play-sessions/{session.pk}/").json()["reality"]
    assert (inside["stakes"], inside["net"]) == (2, -340)


def test_statement_has_figures_of_play_in_its_range(
    api: Api, player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    play(cashed_in, vegas, 700, AT)
    play(cashed_in, vegas, 0, AT + HOUR)
    client, address = api(player), "/api/v1/wallet/statement/"

    def reported(**range: Any) -> dict[str, Any]:
        shown = client.get(
            address, {name.rstrip("_"): f"{at:%Y-%m-%dT%H:%M:%SZ}" for name, at in range.items()}
        )
        return dict(shown.json()["reality"])

    both = reported(from_=AT, until=AT + 2 * HOUR)
    assert (both["stakes"], both["staked"], both["returned"], both["net"]) == (2, 1040, 700, -340)
    assert both["seconds"] == 7200
    assert reported(from_=AT + HOUR, until=AT + 2 * HOUR)["net"] == -520
    assert reported(until=AT + 30 * timedelta(minutes=1))["net"] == 180
    assert reported()["stakes"] == 0
