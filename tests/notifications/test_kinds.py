"""Each kind follows from what has really happened, once, and reaches only those whom it concerns."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from accounts import bots
from accounts.models import Player
from accounts.moderation import block
from disputes import services as disputes
from disputes.rulings import services as rulings
from eventstore import store
from eventstore.store import EMPTY, NewEvent
from games import services as games
from games import state
from games.challenges import services as challenges
from games.models import GameRecord
from games.tables.rematch import rematch
from jobs.models import Job
from ledger import services as ledger
from notifications import follower, kinds
from notifications.models import Notification, Progress
from tests.disputes.conftest import LATER, decide
from tests.due_jobs import run_due
from tests.games.staked import dealt, play_out
from tests.games.tables import dealt as dealt_for_points
from tests.ledger.payouts.cast import ADAM, ask, prize
from tests.ledger.payouts.cast import LATER as PAYOUT_TIME
from tests.money import cash, fund
from tests.notifications.conftest import Follow
from tests.tournaments.conftest import publish
from tests.tournaments.playing import NOW, enter, later, play_round, promotion, rich, start
from tests.tournaments.test_waiting_list import come, withdraw
from tests.waiting import wait_until_final
from tournaments import services as tournaments
from tournaments.entries import check_in

pytestmark = pytest.mark.django_db


def is_current(row: Notification) -> bool:
    kind = kinds.find(row.kind)
    assert kind is not None
    return kind.is_current(row.player_id, row.values)


def test_a_round_is_announced_to_those_who_sit_in_it(follow: Follow, organizer: Player) -> None:
    tournament = publish(organizer, rounds=1, fill_to=3)
    promotion()
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    assert follow() == []
    start(tournament)
    assert follow() == ["cid: Round 1 of Sunday duplicate", "dan: Round 1 of Sunday duplicate"]
    assert follow() == []
    assert [is_current(row) for row in Notification.objects.all()] == [True, True]
    play_round(tournament, 1)
    assert [is_current(row) for row in Notification.objects.filter(kind="round")] == [False, False]


def test_prizes_are_announced_with_place_and_amount(follow: Follow, organizer: Player) -> None:
    tournament = publish(organizer, rounds=1, prizes=(10_000,))
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    start(tournament)
    follow()
    play_round(tournament, 1)
    [announced] = follow()
    [row] = Notification.objects.filter(kind="prize")
    assert announced == f"{row.player.username}: Prize: Sunday duplicate"
    assert (row.values["place"], row.values["amount"]) == (1, 1000)
    kind = kinds.find("prize")
    assert kind is not None
    assert kind.render(row.values, "en")[1] == "You finished in place 1 and won 10.00 play money."
    assert kind.render(row.values, "de")[1] == "Du bist auf Platz 1 und gewinnst 10,00 Spielgeld."
    assert kind.render(row.values, "pl")[1] == "Zajmujesz miejsce 1 i wygrywasz 10,00 w żetonach."
    assert is_current(row)
    row.values["amount"] = 1
    assert not is_current(row)


def test_a_place_from_the_waiting_list_is_announced_to_its_player(follow: Follow, organizer: Player) -> None:
    tournament = publish(organizer, capacity=2, waiting_list=5, prizes=(10_000,))
    entered, waits = [rich("in1"), rich("in2")], [rich("cid"), rich("dan")]
    for player in (*entered, *waits):
        come(tournament, player)
    assert follow() == []
    withdraw(tournament, entered[0])
    assert follow() == ["cid: You have a place: Sunday duplicate"]
    [row] = Notification.objects.all()
    assert is_current(row)
    withdraw(tournament, waits[0])
    assert not is_current(row)
    assert follow() == ["dan: You have a place: Sunday duplicate"]


def test_the_check_in_is_announced_when_it_opens_to_those_who_have_to_confirm(
    follow: Follow, organizer: Player
) -> None:
    times = {"opens_at": later(3600), "check_in_seconds": 600}
    tournament = publish(organizer, capacity=2, waiting_list=5, prizes=(10_000,), **times)
    for name in ("cid", "dan", "eva"):
        come(tournament, rich(name))
    assert follow() == []
    run_due(later(2999))
    assert not Notification.objects.exists()
    run_due(later(3000))
    rows = Notification.objects.order_by("player__username").select_related("player")
    assert [row.player.username for row in rows] == ["cid", "dan", "eva"]
    assert {row.kind for row in rows} == {"check-in"}
    assert all(map(is_current, rows))
    check_in.check_in(tournament_id=tournament.pk, player=rows[0].player, now=later(3100))
    assert [is_current(row) for row in rows] == [False, True, True]
    assert Job.objects.filter(kind="tournaments.check_in_opens").count() == 1


def test_no_check_in_is_announced_for_a_cancelled_tournament(follow: Follow, organizer: Player) -> None:
    tournament = publish(organizer, opens_at=later(3600), check_in_seconds=600)
    enter(tournament, rich("cid"))
    follow()
    tournaments.cancel(tournament_id=tournament.pk, actor=organizer, reason="rain", now=later(60))
    run_due(later(3000))
    assert not Notification.objects.exists()


def test_a_ruling_is_announced_to_the_parties_without_its_content(
    follow: Follow, player: Player, rival: Player, auditor: Player
) -> None:
    game = play_out(dealt("ace-race", [player, rival]), [player, rival])
    dispute = disputes.open_dispute(
        game_id=game.pk, actor=player, version=1, claim="my King was not accepted", now=LATER
    )
    assert follow() == []
    decision = decide("dismissed")
    token = rulings.preview(dispute_id=dispute.pk, decision=decision, actor=auditor, now=LATER).token
    rulings.rule(dispute_id=dispute.pk, decision=decision, token=token, actor=auditor, now=LATER)
    assert follow() == ["ann: Ruling on a dispute: Ace Race", "bob: Ruling on a dispute: Ace Race"]
    rows = list(Notification.objects.all())
    assert all(row.values == {"dispute": str(dispute.pk), "name": "Ace Race"} for row in rows)
    assert all(map(is_current, rows))


def test_a_challenge_is_announced_until_it_is_answered(
    follow: Follow, player: Player, rival: Player, stranger: Player
) -> None:
    order = {"rules": "ace-race", "config": {}, "now": NOW}
    made = challenges.challenge(challenger=player, opponents=[rival.username, stranger.username], **order)
    announced = follow()
    assert sorted(announced) == sorted(f"{one.username}: Challenge: Ace Race" for one in (rival, stranger))
    mine, other = (Notification.objects.get(player=one) for one in (rival, stranger))
    kind = kinds.find("challenge")
    assert kind is not None
    assert kind.link(mine.values) == "/"
    assert mine.values == {"challenge": str(made.pk), "rules": "ace-race", "name": "Ace Race"}
    assert is_current(mine)
    challenges.accept(challenge_id=made.pk, player=rival, now=NOW)
    assert (is_current(mine), is_current(other)) == (False, True)
    challenges.withdraw(challenge_id=made.pk, player=player, now=NOW)
    assert not is_current(other)
    assert follow() == []


def test_a_rematch_is_announced_to_the_others_until_they_come(
    follow: Follow, player: Player, rival: Player
) -> None:
    game = finished(player, rival)
    assert follow() == []
    rematch(ended=game, player=player, now=NOW)
    assert follow() == ["bob: Rematch: Ace Race"]
    [row] = Notification.objects.all()
    kind = kinds.find("rematch")
    assert kind is not None
    assert kind.link(row.values) == f"/games/{game.pk}/"
    assert row.values == {"game": str(game.pk), "rules": "ace-race", "name": "Ace Race"}
    assert is_current(row)
    rematch(ended=game, player=rival, now=NOW)
    assert not is_current(row)
    assert follow() == []


def test_a_rematch_is_not_announced_to_a_player_who_has_blocked_the_other(
    follow: Follow, player: Player, rival: Player
) -> None:
    game = finished(player, rival)
    assert follow() == []
    block(player=rival, other=player.pk, now=NOW)
    rematch(ended=game, player=player, now=NOW)
    assert follow() == []


def test_a_rematch_with_the_bot_of_a_blocked_player_is_not_announced(
    follow: Follow, player: Player, rival: Player
) -> None:
    bot = bots.create(owner=player, name="Deep Ace", owner_only=False, now=NOW)
    game = finished(bot, rival)
    assert follow() == []
    block(player=rival, other=player.pk, now=NOW)
    rematch(ended=game, player=bot, now=NOW)
    assert follow() == []


def finished(*people: Player) -> GameRecord:
    """Return a game that the server has played to its end."""
    game = dealt_for_points("ace-race", list(people), now=NOW)
    while not state.load(game.pk)[1].ended:
        games.expire_game(game_id=game.pk, now=NOW)
    return game


def payout_of(player: Player, amount: int = 400) -> UUID:
    fund(cash(player.pk), 1000)
    return ask(amount, player.pk).pk


def test_decisions_on_a_withdrawal_are_announced_to_its_player(follow: Follow, player: Player) -> None:
    approved, rejected, cancelled, held = (payout_of(player) for _ in range(4))
    assert follow() == []
    ledger.approve_payout(payout=approved, actor=ADAM, at=PAYOUT_TIME)
    ledger.hold_payout(payout=held, actor=ADAM, reason="whose account?", at=PAYOUT_TIME)
    ledger.reject_payout(payout=rejected, actor=ADAM, reason="not yours", at=PAYOUT_TIME)
    ledger.cancel_withdrawal(payout=cancelled, player=player.pk, at=PAYOUT_TIME)
    assert follow() == ["ann: Payout approved", "ann: Payout rejected"]
    ledger.pay_payout(payout=approved, actor=ADAM, at=PAYOUT_TIME)
    assert follow() == ["ann: Payout paid"]
    kind = kinds.find("payout")
    assert kind is not None
    row = Notification.objects.get(values__state="approved")
    assert (
        kind.render(row.values, "en")[1] == "Your withdrawal of 4.00 play money is approved and will be sent."
    )
    assert kind.link(row.values) == "/wallet/payouts/"
    assert "not yours" not in str([row.values for row in Notification.objects.all()])
    assert is_current(row)


def test_a_prize_that_waited_is_announced_once_it_is_paid(follow: Follow, player: Player) -> None:
    waits = prize(900, player.pk)
    assert follow() == []
    ledger.approve_payout(payout=waits.pk, actor=ADAM, at=PAYOUT_TIME)
    assert follow() == ["ann: Payout paid"]


def test_a_step_that_is_not_committed_is_not_announced(follow: Follow, player: Player) -> None:
    payout = payout_of(player)
    with transaction.atomic():
        ledger.approve_payout(payout=payout, actor=ADAM, at=PAYOUT_TIME)
        transaction.set_rollback(True)
    assert follow() == []


def test_history_is_not_announced_by_a_new_installation(organizer: Player) -> None:
    tournament = publish(organizer, rounds=1)
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    Progress.objects.all().delete()
    wait_until_final()
    follower.follow(now=NOW)
    assert not Notification.objects.exists()
    assert Progress.objects.get(source="events").position == (store.last_position() or [0])[-1]


def test_a_defect_of_a_handler_holds_up_no_other(
    follow: Follow, organizer: Player, monkeypatch: pytest.MonkeyPatch, quiet: None
) -> None:
    def broken(events: Any, now: Any) -> Any:
        raise ValueError("a defect")

    monkeypatch.setattr(follower, "_event_handlers", [(None, broken), *follower._event_handlers])
    tournament = publish(organizer, rounds=1)
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    assert len(follow()) == 2


def test_a_move_of_the_name_of_a_tournaments_event_announces_nothing(
    follow: Follow, player: Player, rival: Player
) -> None:
    stream = GameRecord().pk
    for type in ("round-opened", "admitted", "prizes", "ruled", "published", "entered"):
        store.append(stream, [NewEvent(type, {})], kind="game", expected=store.head(stream) or EMPTY, at=NOW)
    assert follow(NOW + timedelta(hours=1)) == []
