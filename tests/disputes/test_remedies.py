"""Test the effects of each remedy on stakes, pots, matches, and bets."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.test import override_settings

from accounts.models import Player
from disputes import services
from disputes.errors import (
    BadRemedy,
    CannotRejudge,
    MatchInPlay,
    NothingChanges,
    RulingStale,
    SecondAuditorRequired,
)
from disputes.models import Dispute
from disputes.rulings import services as rulings
from eventstore import store
from games import selectors, state
from games import services as games
from games.errors import GameInPlay
from games.matches import services as matches
from games.models import GameRecord, MatchStatus, Status
from games.rules.bundles.verification import verify
from ledger.models import GameStake, PlaySession, Transfer
from tests.disputes.conftest import LATER, Opens, decide, ruled, shown
from tests.due_jobs import run_due
from tests.games import chosen
from tests.games.conftest import cashed_in, classic, staked  # noqa: F401
from tests.games.races import open_market, open_table, to_the_end
from tests.games.staked import NOON, dealt, match_of, money_of, play_out
from tests.ledger.betting.markets import bet
from tests.money import available, cash, fund

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Staked = Callable[..., tuple[GameRecord, PlaySession]]


def changes(ruling: Any) -> dict[str, int]:
    return {one["owner"]: one["change"] for one in ruling.effects["money"]}


def purse(player: Player) -> int:
    return available(f"player:{player.pk}", "session") + available(f"player:{player.pk}")


# --- pots ------------------------------------------------------------------------------------------------


def test_void_refunds_buy_ins(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    before = store.read(played.pk)
    made = ruled(opened(played, people[0]), auditor, decide("void"))
    assert money_of(people) == [1000, 1000]
    assert sorted(changes(made).values()) == [-520, 520]
    assert store.read(played.pk) == before
    assert GameRecord.objects.get(pk=played.pk).outcome == played.outcome


def test_decided_outcome_resettles_pot(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    assert played.outcome is not None
    winner = played.outcome["places"][0][0]
    other = 1 - winner
    ruled(opened(played, people[0]), auditor, decide("corrected", outcome={"places": [[other], [winner]]}))
    money = money_of(people)
    assert (money[other], money[winner]) == (1520, 480)


def test_pot_of_race_follows_corrected_winner(
    opened: Opens, people: list[Player], auditor: Player, subtests: pytest.Subtests
) -> None:
    suits = chosen.suits(2, winners=[0])
    [third, *_] = [suit for suit in "CDHS" if suit not in suits]
    for terms, paid in [
        ({"outcome": {"winner": suits[1]}}, [-101, 101]),
        ({"outcome": {"winner": third}}, [0, 0]),
        ({"outcome": {"winner": None}}, [0, 0]),
        ({"options": {"suits": "none"}}, [0, 0]),
    ]:
        with subtests.test(terms=terms):
            for who in people:
                fund(cash(who.pk), 1000)
            before = money_of(people)
            game = chosen.opened(people[0], seats=2)
            chosen.sit_down(game, people, suits)
            game = chosen.raced(game, people[0])
            assert money_of(people) == [before[0] + 101, before[1] - 101]
            ruled(opened(game, people[1]), auditor, decide("corrected", **terms))
            assert money_of(people) == [had + change for had, change in zip(before, paid, strict=True)]


def test_spent_winnings_become_debt(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    assert played.outcome is not None
    winner = people[played.outcome["places"][0][0]]
    from ledger import services as ledger

    outside = ledger.account(owner="house", purpose="external", currency="XTS")
    has = available(f"player:{winner.pk}")  # the whole pot, or half of it where two win
    leg = ledger.Leg(cash(winner.pk), outside, has, "spent")
    ledger.post(key="spent", legs=[leg], actor="test", at=NOON)
    ruled(opened(played, people[0]), auditor, decide("void"))
    assert available(f"player:{winner.pk}", "receivable") == 480 - has
    assert available(f"player:{winner.pk}") == 520


def test_dismissal_on_appeal_restores_result(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, other_auditor: Player
) -> None:
    before = money_of(people)
    dispute = opened(played, people[0])
    ruled(dispute, auditor, decide("void"))
    rulings.appeal(dispute_id=dispute.pk, actor=people[1], reason="no", now=LATER)
    made = ruled(dispute, other_auditor, decide("dismissed"))
    assert money_of(people) == before
    assert made.effects["result"] == {"was": {"kind": "void"}, "becomes": {"kind": "recorded"}}


def test_bundle_lists_and_verifies_rulings_with_transfers(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, stranger: Player
) -> None:
    before = selectors.bundle(played, people[0])
    made = ruled(opened(played, people[0]), auditor, decide("void"))
    bundle = selectors.bundle(played, people[0])
    assert bundle["transfers"] == before["transfers"]
    [found] = bundle["rulings"]
    assert (found["id"], found["finding"], found["remedy"]) == (str(made.pk), "upheld", "void")
    moved = {row["id"] for row in found["transfers"]}
    own = {row["id"] for row in bundle["transfers"]}
    every = {
        str(id) for id in Transfer.objects.filter(subject=f"game:{played.pk}").values_list("uuid", flat=True)
    }
    assert moved
    assert moved == every - own
    assert verify(bundle).faults == ()
    for broken in (
        {**found, "remedy": None},
        {**found, "transfers": [*found["transfers"], bundle["transfers"][0]]},
        {**found, "transfers": found["transfers"][1:]},
    ):
        assert not verify({**bundle, "rulings": [broken]}).ok
    assert selectors.verification(played)["ok"]
    assert selectors.bundle(played, stranger)["rulings"][0]["transfers"] == "withheld"


# --- what is shown ---------------------------------------------------------------------------------------


def test_ruling_needs_token_of_its_preview(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    dispute = opened(played, people[0])
    moved = Transfer.objects.count()
    preview = shown(dispute, auditor, decide("void"))
    assert Transfer.objects.count() == moved
    assert preview.effects.moved() == {"XTS": 520}
    assert [event.type for event in store.read(dispute.pk)] == ["opened"]
    ruling: dict[str, Any] = {"dispute_id": dispute.pk, "actor": auditor, "now": LATER}
    for token in ("", "1.0", preview.token + "0"):
        with pytest.raises(RulingStale):
            rulings.rule(decision=decide("void"), token=token, **ruling)
    services.pin(dispute_id=dispute.pk, actor=auditor, version=2, now=LATER)
    with pytest.raises(RulingStale):
        rulings.rule(decision=decide("void"), token=preview.token, **ruling)
    assert not dispute.rulings.exists()


def test_other_ruling_makes_preview_stale(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, other_auditor: Player
) -> None:
    mine, theirs = (opened(played, who) for who in people)
    preview = shown(mine, auditor, decide("void"))
    ruled(theirs, other_auditor, decide("void"))
    with pytest.raises(NothingChanges):
        rulings.rule(
            dispute_id=mine.pk, decision=decide("void"), token=preview.token, actor=auditor, now=LATER
        )


@override_settings(RACECARD_DISPUTE_SECOND_PERSON={"XTS": 519})
def test_large_amount_needs_second_person(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, administrator: Player
) -> None:
    before = money_of(people)
    dispute = opened(played, people[0])
    made = ruled(dispute, auditor, decide("void"))
    assert (made.state, dispute.status) == ("proposed", "proposed")
    with pytest.raises(SecondAuditorRequired):
        rulings.approve(dispute_id=dispute.pk, actor=auditor, now=LATER)
    rulings.refuse(dispute_id=dispute.pk, actor=administrator, reason="look at event 5", now=LATER)
    dispute.refresh_from_db()
    assert dispute.status == "open"
    ruled(dispute, auditor, decide("void"))
    done = rulings.approve(dispute_id=dispute.pk, actor=administrator, reason="I saw it too", now=LATER)
    assert (done.state, done.decided_why) == ("standing", "I saw it too")
    assert money_of(people) == [1000, 1000] != before
    events = store.read(dispute.pk)
    types = [event.type for event in events]
    assert types == ["opened", "proposed", "refused", "proposed", "approved", "ruled"]
    assert [events[at].data["reason"] for at in (2, 4)] == ["look at event 5", "I saw it too"]


def test_limit_of_the_currency_decides_on_a_second_person(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    with override_settings(RACECARD_DISPUTE_SECOND_PERSON={"EUR": 10**9}):
        assert ruled(opened(played, people[0]), auditor, decide("void")).state == "proposed"
    with override_settings(RACECARD_DISPUTE_SECOND_PERSON={"XTS": 520}):
        assert ruled(opened(played, people[1]), auditor, decide("void")).state == "standing"


# --- results that cannot be ------------------------------------------------------------------------------


def test_remedy_must_fit_game(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    dispute = opened(played, people[0])
    for decision in (
        decide("corrected", outcome={"places": [[0]]}),
        decide("corrected", outcome={"places": [[0, 0], [1]]}),
        decide("corrected", outcome={"winner": "H"}),
        decide("corrected", options={"seats": 3}),
        decide("points", way="swap", entries=[1, 2]),
        decide("replay", version=3),
    ):
        with pytest.raises((BadRemedy, CannotRejudge)):
            shown(dispute, auditor, decision)
    with pytest.raises(NothingChanges):
        shown(dispute, auditor, decide("corrected", options={}))


def test_result_of_running_game_cannot_be_corrected(
    opened: Opens, people: list[Player], auditor: Player
) -> None:
    game = dealt("ace-race", people)
    dispute = opened(game, people[0])
    with pytest.raises(GameInPlay):
        shown(dispute, auditor, decide("corrected", outcome={"places": [[0], [1]]}))
    games.void_game(game_id=game.pk, reason="over", now=NOON)


# --- stakes ----------------------------------------------------------------------------------------------


@pytest.fixture
def collected(staked: Staked, player: Player) -> tuple[GameRecord, PlaySession]:  # noqa: F811
    """A staked game of Vegas Solitaire that ended without a card: 520 pence went to the bank."""
    game, session = staked(player)
    games.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    return GameRecord.objects.get(pk=game.pk), session


def test_void_refunds_stake(
    opened: Opens, collected: tuple[GameRecord, PlaySession], player: Player, auditor: Player
) -> None:
    game, _ = collected
    had = purse(player)
    made = ruled(opened(game, player), auditor, decide("void"))
    assert purse(player) == had + 520
    assert changes(made) == {f"player:{player.pk}": 520, "house:vegas-classic": -520}
    assert verify(selectors.bundle(game, player)).faults == ()
    assert GameStake.objects.get(game=game.pk).status == "settled"


def test_winnings_after_session_end_go_to_cash(
    opened: Opens,
    collected: tuple[GameRecord, PlaySession],
    player: Player,
    auditor: Player,
    other_auditor: Player,
) -> None:
    from ledger import services as ledger

    game, session = collected
    ledger.cash_out(session=session, key="out", at=NOON)
    had = available(f"player:{player.pk}")
    dispute = opened(game, player)
    ruled(dispute, auditor, decide("corrected", outcome={"cards": 20}))
    assert available(f"player:{player.pk}") == had + 20 * 40
    rulings.appeal(dispute_id=dispute.pk, actor=player, reason="there were 21", now=LATER)
    ruled(dispute, other_auditor, decide("corrected", outcome={"cards": 21}))
    assert available(f"player:{player.pk}") == had + 21 * 40
    assert available(f"player:{player.pk}", "session") == 0


def test_other_options_change_winnings(
    opened: Opens,
    staked: Staked,  # noqa: F811
    player: Player,
    auditor: Player,
) -> None:
    game, _ = staked(player)
    chance = random.Random(7)
    while not (outcome := state.load(game.pk)[1].outcome):
        moves = state.load(game.pk)[1].legal_moves(0)
        to_foundation = [move for move in moves if move.get("to") == "foundation"]
        going_on = [move for move in moves if move["type"] in ("draw", "flip", "move")]
        move = (to_foundation or [chance.choice(going_on)] if going_on else [{"type": "collect"}])[0]
        if state.load(game.pk)[1].moves > 60:
            move = {"type": "collect"}
        games.play(game_id=game.pk, player=player, move=move, now=NOON)
    had = purse(player)
    assert outcome["cards"]
    decision = decide("corrected", options={"win_rate": "5/52"})
    ruled(opened(GameRecord.objects.get(pk=game.pk), player), auditor, decision)
    assert purse(player) == had + 10 * outcome["cards"]


# --- matches ---------------------------------------------------------------------------------------------


def test_ruling_on_deal_changes_pot_of_match(opened: Opens, people: list[Player], auditor: Player) -> None:
    match, game = match_of(people, deals=1)
    game = play_out(game, people)
    dispute = opened(game, people[0])
    assert game.outcome is not None
    winner = game.outcome["places"][0][0]
    decision = decide("corrected", outcome={"places": [[1 - winner], [winner]]})
    with pytest.raises(MatchInPlay):
        shown(dispute, auditor, decision)
    matches.open_next_deal(game_id=game.pk, now=NOON)
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    run_due(NOON)
    ruled(dispute, auditor, decision)
    money = money_of(people)
    assert (money[1 - winner], money[winner]) == (1520, 480)


# --- races -----------------------------------------------------------------------------------------------


def test_ruling_resettles_bets(opened: Opens, player: Player, rival: Player, auditor: Player) -> None:
    game = open_table(player, seats=1)
    games.take_seat(game=game, player=rival, client_seed="", now=NOON)
    market = open_market(game, "pool")
    bets = [bet(market, suit, 1000) for suit in ("C", "D", "H", "S")]
    winner = to_the_end(game, player)["winner"]
    assert winner is not None
    other = next(suit for suit in ("C", "D") if suit != winner)
    game = GameRecord.objects.get(pk=game.pk)
    made = ruled(opened(game, rival), auditor, decide("corrected", outcome={"winner": other}))
    owners = {one.runner.name: f"player:{one.player}" for one in bets}
    assert changes(made) == {owners[other]: 4000, owners[winner]: -4000}
    [found] = selectors.bundle(game, auditor)["rulings"]
    assert sorted(row["amount"] for row in found["transfers"]) == [4000, 4000]


# --- games that are still on -----------------------------------------------------------------------------


def test_dismissal_resumes_suspended_game(opened: Opens, people: list[Player], auditor: Player) -> None:
    game = dealt("ace-race", people)
    dispute = opened(game, people[0])
    services.suspend(dispute_id=dispute.pk, actor=auditor, reason="the turn is disputed", now=LATER)
    assert store.suspended_at(game.pk)
    dispute.refresh_from_db()
    ruled(dispute, auditor, decide("dismissed"))
    assert not store.suspended_at(game.pk)
    assert not Dispute.objects.get().suspends
    play_out(game, people)
    run_due(LATER)


def test_replay_continues_suspended_game_from_version(
    opened: Opens, people: list[Player], auditor: Player
) -> None:
    game = dealt("ace-race", people)
    seat = state.load(game.pk)[1].to_act()[0]
    move = state.load(game.pk)[1].legal_moves(seat)[0]
    games.play(game_id=game.pk, player=people[seat], move=move, now=NOON)
    version = store.head(game.pk).version - 1
    dispute = opened(game, people[0])
    services.suspend(dispute_id=dispute.pk, actor=auditor, reason="the move is disputed", now=LATER)
    dispute.refresh_from_db()
    made = ruled(dispute, auditor, decide("replay", version=version))
    assert made.game is not None
    child = GameRecord.objects.get(pk=made.game)
    assert (child.parent_id, child.status) == (game.pk, Status.ACTIVE)
    assert GameRecord.objects.get(pk=game.pk).status == Status.VOID
    assert money_of(people) == [480, 480]
    play_out(child, people)
    run_due(LATER)


def test_void_ends_running_game(opened: Opens, people: list[Player], auditor: Player) -> None:
    game = dealt("ace-race", people)
    made = ruled(opened(game, people[0]), auditor, decide("void"))
    assert GameRecord.objects.get(pk=game.pk).status == Status.VOID
    assert (made.effects["plays"], money_of(people)) == ("called-off", [1000, 1000])


def test_replay_redeals_ended_game(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    made = ruled(opened(played, people[0]), auditor, decide("replay"))
    assert money_of(people) == [1000, 1000]
    redealt = GameRecord.objects.get(pk=made.game)
    assert (redealt.parent_id, redealt.status) == (played.pk, Status.OPEN)
    for who in people:
        fund(cash(who.pk), 1)
