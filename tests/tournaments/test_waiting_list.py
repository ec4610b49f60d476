"""The waiting list: players wait without payment, and enter when a place is free."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from ledger import services as ledger
from ledger.limits.services import exclude
from tests.concurrency import at_once
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.ledger.betting.markets import bet
from tests.money import CURRENCY, available, cash, fund
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.outrights import open_outright
from tests.tournaments.playing import FEE, NOW, enter, later, play_round, rich, start, status_of, types
from tests.tournaments.test_api import TERMS, Api, at, refused
from tournaments import record, roles, services
from tournaments.entries import check_in, registration, waiting
from tournaments.errors import AlreadyWaiting, BadTerms, CheckInClosed, NotWaiting, TournamentFull
from tournaments.formats.replay import replay
from tournaments.models import Entry, StaffRole, Status, Tournament, Waiting
from tournaments.prizes import money

pytestmark = pytest.mark.django_db


Queue = tuple[Tournament, list[Player], list[Player]]


def come(tournament: Tournament, player: Player, now=NOW) -> Entry | Waiting:
    return services.enter_or_wait(
        tournament_id=tournament.pk, player=player, client_seed=f"of {player.username}", now=now
    )


def full(published: Publish, *names: str, **changes: Any) -> tuple[Tournament, list[Player], list[Player]]:
    """Return a full tournament with room for two, its entrants, and waiting players of these names."""
    tournament = published(**{"capacity": 2, "waiting_list": 5, "prizes": (10_000,), **changes})
    entered, waits = [rich("in1"), rich("in2")], [rich(name) for name in names]
    for player in (*entered, *waits):
        come(tournament, player)
    return tournament, entered, waits


@shared
def queue() -> Queue:
    """A full tournament for which cid and dan wait."""
    return full(partial(publish, known("olga", Role.ORGANIZER)), "cid", "dan")


def withdraw(tournament: Tournament, player: Player, now=NOW) -> None:
    services.withdraw(tournament_id=tournament.pk, player=player, now=now)


def field(tournament: Tournament) -> list[str]:
    return [entry.player.username for entry in tournament.entries.standing().select_related("player")]


def line(tournament: Tournament) -> list[str]:
    return [one.player.username for one in tournament.waiting.in_line()]


def ended(player: Player) -> tuple[str, str]:
    last = Waiting.objects.filter(player=player).latest("number")
    return last.ended, last.code


def spend(player: Player, amount: int) -> None:
    """Take the amount out of the player's wallet."""
    outside = ledger.account(owner="house", purpose="external", currency=CURRENCY)
    leg = ledger.Leg(cash(player.pk), outside, amount, "spent")
    ledger.post(key=f"spent:{player.pk}", legs=[leg], actor="test", at=NOW)


# --- entering ------------------------------------------------------------------------------------------


def test_a_waiting_player_pays_when_a_place_is_free(queue: Queue):
    tournament, [one, _], [cid, dan] = queue
    market = open_outright(tournament)
    assert [available(f"player:{each.pk}") for each in (cid, dan)] == [10_000, 10_000]
    assert waiting.own(tournament, dan) == {
        "place": 2, "since": NOW, "client_seed": "of dan", "checked_in": False, "ended": None, "code": None,
    }  # fmt: skip
    withdraw(tournament, one)
    assert (field(tournament), line(tournament)) == (["in2", "cid"], ["dan"])
    assert [available(f"player:{each.pk}") for each in (one, cid, dan)] == [10_000, 9_500, 10_000]
    assert available(tournament.subject, "escrow") == 2 * FEE
    assert types(tournament)[-3:] == ["withdrawn", "admitted", "entered"]
    assert store.read(tournament.pk)[-2].data == {"waiting": 1, "player": str(cid.pk)}
    assert market.runners.filter(name="entry 3", withdrawn_at=None).exists()
    start(tournament)
    assert record.load(tournament.pk).client_seeds[3] == "of cid"
    for round in (1, 2):
        play_round(tournament, round)
    assert status_of(tournament) == Status.FINISHED
    assert ended(dan) == ("started", "")
    replayed = replay(str(tournament.pk), [event.public() for event in store.read(tournament.pk)])
    assert replayed.difference is None


def test_a_disqualification_before_the_start_frees_a_place_too(published: Publish, organizer: Player):
    tournament, _, _ = full(published, "cid")
    registration.disqualify(tournament_id=tournament.pk, number=1, actor=organizer, reason="x", now=NOW)
    assert (field(tournament), line(tournament)) == (["in2", "cid"], [])


def test_a_player_who_cannot_enter_is_skipped_and_sees_the_reason(
    api: Api, published: Publish, organizer: Player
):
    tournament, [one, _], [cid, dan, eva, flo, _] = full(published, "cid", "dan", "eva", "flo", "gus")
    market = open_outright(tournament)
    spend(cid, 9_600)
    exclude(player=dan.pk, months=6, key="dan", actor="dan", at=NOW)
    bet(market, "entry 2", 100, eva.pk)
    roles.give(tournament_id=tournament.pk, player_id=flo.pk, role=StaffRole.JUDGE, actor=organizer, now=NOW)
    withdraw(tournament, one)
    assert (field(tournament), line(tournament)) == (["in2", "gus"], [])
    why = ["insufficient-funds", "play-stopped", "bets-on-rivals", "judge-may-not-play"]
    assert [ended(each) for each in (cid, dan, eva, flo)] == [("passed-over", code) for code in why]
    events = [event.data for event in store.read(tournament.pk) if event.type == "waiting-ended"]
    assert events == [{"waiting": [number], "why": "passed-over"} for number in (1, 2, 3, 4)]
    assert api(cid).get(at(tournament)).json()["waiting"]["code"] == "insufficient-funds"
    assert api(organizer).get(at(tournament)).json()["waiting"] is None
    assert available(f"player:{cid.pk}") == 400


def test_a_waiting_player_without_money_is_passed_over_for_the_next(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
):
    tournament, [one, _], [cid, _] = queue
    spend(cid, 9_600)
    monkeypatch.setattr(money, "require_funds", lambda *_: None)
    withdraw(tournament, one)
    assert (field(tournament), line(tournament)) == (["in2", "dan"], [])
    assert ended(cid) == ("passed-over", "insufficient-funds")
    assert types(tournament).count("admitted") == 1


def test_a_locked_or_erased_account_is_skipped_without_payment(queue: Queue):
    tournament, [one, _], [cid, _] = queue
    Player.objects.filter(pk=cid.pk).update(is_active=False)
    withdraw(tournament, one)
    assert (field(tournament), line(tournament)) == (["in2", "dan"], [])
    assert ended(cid) == ("passed-over", "forbidden")
    assert available(f"player:{cid.pk}") == 10_000


def test_a_player_who_leaves_the_waiting_list_is_not_admitted(queue: Queue):
    tournament, [one, _], [cid, _] = queue
    waiting.leave(tournament_id=tournament.pk, player=cid, now=NOW)
    with pytest.raises(NotWaiting):
        waiting.leave(tournament_id=tournament.pk, player=cid, now=NOW)
    assert line(tournament) == ["dan"]
    withdraw(tournament, one)
    assert field(tournament) == ["in2", "dan"]
    assert ended(cid) == ("left", "")
    # They may join the list again, as the last.
    come(tournament, cid)
    assert waiting.own(tournament, cid)["place"] == 1


def test_without_a_waiting_list_or_with_a_full_one_no_player_can_wait(published: Publish):
    tournament, _, [cid] = full(published, "cid", waiting_list=1)
    with pytest.raises(TournamentFull, match="waiting list"):
        come(tournament, rich("dan"))
    with pytest.raises(AlreadyWaiting):
        come(tournament, cid)
    with pytest.raises(TournamentFull):
        services.enter(tournament_id=tournament.pk, player=rich("eva"), client_seed="", now=NOW)
    without = published(capacity=2, prizes=(10_000,))
    enter(without, rich("x1"), rich("x2"))
    with pytest.raises(TournamentFull):
        come(without, cid)
    with pytest.raises(BadTerms) as wrong:
        published(waiting_list=-1)
    assert wrong.value.extra["field"] == "waiting_list"


# --- the start and the end -----------------------------------------------------------------------------

TIMES = {"opens_at": later(3600), "check_in_seconds": 600}


def test_at_the_start_present_waiting_players_take_the_places_of_absent_entrants(published: Publish):
    tournament, [one, _], [_, dan, eva] = full(published, "cid", "dan", "eva", **TIMES)
    with pytest.raises(CheckInClosed):
        waiting.check_in_waiting(tournament_id=tournament.pk, player=dan, now=NOW)
    check_in.check_in(tournament_id=tournament.pk, player=one, now=later(3100))
    for each in (eva, dan, dan):
        waiting.check_in_waiting(tournament_id=tournament.pk, player=each, now=later(3100))
    run_due(later(3600))
    assert status_of(tournament) == Status.RUNNING
    assert field(tournament) == ["in1", "dan"]
    assert [ended(each)[0] for each in Player.objects.filter(username__in=("cid", "eva"))] == ["started"] * 2
    assert [available(f"player:{each.pk}") for each in (dan, eva)] == [9_500, 10_000]
    assert available(tournament.subject, "escrow") == 2 * FEE


def test_places_of_absent_entrants_are_filled_once_if_one_player_cannot_pay(
    published: Publish, monkeypatch: pytest.MonkeyPatch
):
    tournament, _, [cid, dan, eva, flo] = full(published, "cid", "dan", "eva", "flo", **TIMES)
    for each in (cid, dan, flo):
        waiting.check_in_waiting(tournament_id=tournament.pk, player=each, now=later(3100))
    spend(cid, 9_600)
    monkeypatch.setattr(money, "require_funds", lambda *_: None)
    run_due(later(3600))
    assert (field(tournament), line(tournament)) == (["dan", "flo"], [])
    assert [available(f"player:{each.pk}") for each in (cid, dan, eva, flo)] == [400, 9_500, 10_000, 9_500]
    assert available(tournament.subject, "escrow") == 2 * FEE
    assert [ended(each) for each in (cid, eva)] == [("passed-over", "insufficient-funds"), ("started", "")]
    assert types(tournament).count("admitted") == 2


def test_a_player_admitted_during_check_in_must_have_confirmed_presence(published: Publish):
    tournament, [one, other], [_, dan] = full(published, "cid", "dan", **TIMES)
    waiting.check_in_waiting(tournament_id=tournament.pk, player=dan, now=later(3100))
    withdraw(tournament, one, later(3100))
    withdraw(tournament, other, later(3100))
    there = {entry.player.username: entry.checked_in_at for entry in tournament.entries.standing()}
    assert there == {"cid": None, "dan": later(3100)}


def test_a_cancellation_clears_the_waiting_list_and_refunds_all(queue: Queue):
    tournament, entered, waits = queue
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    run_due(NOW)
    assert [available(f"player:{each.pk}") for each in (*entered, *waits)] == [10_000] * 4
    assert [ended(each) for each in waits] == [("cancelled", "")] * 2
    [event] = [one for one in store.read(tournament.pk) if one.type == "waiting-ended"]
    assert event.data == {"waiting": [1, 2], "why": "cancelled"}


# --- concurrency ---------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_withdrawals_admit_the_one_waiting_player_once(published: Publish):
    tournament, [one, other], [cid] = full(published, "cid")
    answers = at_once(lambda: withdraw(tournament, one), lambda: withdraw(tournament, other))
    assert answers == [None, None]
    assert (field(tournament), line(tournament)) == (["cid"], [])
    assert types(tournament).count("admitted") == 1
    assert [available(f"player:{each.pk}") for each in (one, other, cid)] == [10_000, 10_000, 9_500]


@pytest.mark.django_db(transaction=True)
def test_a_player_who_leaves_the_list_when_a_place_is_free_is_admitted_or_removed(published: Publish):
    tournament, [one, _], [cid] = full(published, "cid")
    answers = at_once(
        lambda: withdraw(tournament, one),
        lambda: waiting.leave(tournament_id=tournament.pk, player=cid, now=NOW),
    )
    admitted = "cid" in field(tournament)
    assert isinstance(answers[1], NotWaiting) == admitted
    assert available(f"player:{cid.pk}") == (9_500 if admitted else 10_000)


@pytest.mark.django_db(transaction=True)
def test_the_last_place_on_the_waiting_list_is_taken_once(published: Publish):
    tournament, _, _ = full(published, waiting_list=1)
    people = [rich(f"p{number}") for number in range(4)]
    answers = at_once(*[lambda each=each: come(tournament, each) for each in people])
    assert [isinstance(answer, Waiting) for answer in answers].count(True) == 1
    assert [isinstance(answer, TournamentFull) for answer in answers].count(True) == 3


# --- database and REST ---------------------------------------------------------------------------------


def test_the_database_allows_one_place_on_the_waiting_list_for_a_player(published: Publish):
    tournament, _, [cid] = full(published, "cid")
    with pytest.raises(IntegrityError), transaction.atomic():
        Waiting.objects.create(tournament=tournament, player=cid, number=9, since=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Waiting.objects.filter(player=cid).update(ended="admitted")
    with pytest.raises(IntegrityError), transaction.atomic():
        Waiting.objects.filter(player=cid).update(code="insufficient-funds")


def test_players_join_and_leave_the_waiting_list_over_rest(
    api: Api, organizer: Player, player: Player, rival: Player, stranger: Player
):
    client = api(organizer)
    terms = {**TERMS, "capacity": 2, "waiting_list": 2, "fee": FEE, "prizes": [10_000]}
    draft = client.post("/api/v1/tournaments/", terms).json()
    assert draft["waiting_list"] == 2
    client.post(at(draft, "publish"))
    for each in (player, rival, stranger):
        fund(cash(each.pk), FEE)
    for each in (player, rival):
        assert api(each).post(at(draft, "entries"), {}).status_code == 201
    waits = api(stranger).post(at(draft, "entries"), {"client_seed": "mine"})
    assert (waits.status_code, waits.json()["place"], waits.json()["ended"]) == (202, 1, None)
    refused(api(stranger).post(at(draft, "entries"), {}), 409, "already-waiting")
    assert api(stranger).get(at(draft)).json()["waiting"]["place"] == 1
    [shown] = api(None).get(at(draft, "waiting")).json()["results"]
    assert (shown["place"], shown["player"], shown["name"]) == (1, str(stranger.pk), None)
    assert api(player).get(at(draft, "waiting")).json()["results"][0]["name"] == "eve"
    refused(api(stranger).post(at(draft, "waiting", "check-in"), {}), 409, "check-in-closed")
    refused(api(None).delete(at(draft, "waiting")), 401, "not-authenticated")
    refused(api(player).delete(at(draft, "waiting")), 409, "not-waiting")
    assert api(stranger).delete(at(draft, "waiting")).status_code == 204
    assert api(stranger).get(at(draft)).json()["waiting"]["ended"] == "left"
    api(stranger).post(at(draft, "entries"), {})
    assert api(player).delete(at(draft, "entries")).status_code == 204
    seen = api(stranger).get(at(draft)).json()
    assert (seen["entry"]["entry"], seen["waiting"]["ended"]) == (3, "admitted")
