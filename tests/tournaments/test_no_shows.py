"""An absent player forfeits the table that waits for them. The others play on, or have won."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.roles import Role
from audit.services import audit_tournament
from games import services as games
from games import state
from games.models import Seat as GameSeat
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import FEE, NOW, begin, games_of, later, promotion, standings, status_of
from tests.tournaments.test_api import Api, at, refused
from tournaments import formats, record, selectors, services
from tournaments.errors import BadTerms
from tournaments.formats.checker import check_all
from tournaments.models import Seat, Status, TableGame, Tournament
from tournaments.rounds import no_shows

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ACE_RACE: dict[str, Any] = {
    "format": "swiss",
    "rules": "ace-race",
    "config": {},
    "rounds": 1,
    "prizes": (10_000,),
    "no_show_seconds": 60,
}
DEMONS = {**ACE_RACE, "rules": "racing-demons", "config": {"pace": "turns"}}


begun = partial(begin, **ACE_RACE)


@shared
def tournament() -> Tournament:
    return begun(partial(publish, known("olga", Role.ORGANIZER)), "cid", "dan")


def move(one: TableGame, *, now: int = 0) -> int:
    """Make the first legal move of the seat that the game waits for, and return the seat."""
    table = state.load(one.game)[1]
    [seat] = table.to_act()
    player = Seat.objects.get(table=one.table, index=seat).entry.player
    games.play(game_id=one.game, player=player, move=table.legal_moves(seat)[0], now=later(now))
    return seat


def waited_for(one: TableGame) -> list[int]:
    return state.load(one.game)[1].to_act()


def forfeits(tournament: Tournament) -> list[dict[str, Any]]:
    return [one["data"] for one in selectors.events_for(None, tournament.pk) if one["type"] == "no-show"]


def results(tournament: Tournament) -> dict[int, str]:
    return {one.entry: one.ended for one in record.load(tournament.pk).results}


def entry_at(one: TableGame, seat: int) -> int:
    return Seat.objects.get(table=one.table, index=seat).entry.number


def assert_finished(tournament: Tournament) -> None:
    assert status_of(tournament) == Status.FINISHED
    assert available(tournament.subject, "escrow") == 0
    history = record.load(tournament.pk).snapshot()
    assert check_all(formats.get(tournament.format), history) == ()


@pytest.mark.parametrize("rules", [ACE_RACE, pytest.param(DEMONS, marks=pytest.mark.nightly)])
def test_a_player_who_moved_wins_against_a_no_show(published: Publish, rules: dict[str, Any]):
    tournament = begun(published, "cid", "dan", **rules)
    [one] = games_of(tournament, 1)
    here = move(one)
    while waited_for(one) == [here]:
        move(one)
    [absent] = waited_for(one)
    run_due(later(59))
    assert forfeits(tournament) == []
    run_due(later(60))
    assert forfeits(tournament) == [{"round": 1, "table": 1, "seat": absent, "entry": entry_at(one, absent)}]
    assert_finished(tournament)
    assert results(tournament) == {entry_at(one, here): "void", entry_at(one, absent): "forfeit"}
    first, second = standings(tournament)
    assert (first["entry"], first["prize"]) == (entry_at(one, here), 2 * FEE)
    assert (first["totals"][0], second["totals"][0]) == (2, 0)
    assert state.load(one.game)[1].status == "void"


def test_a_game_without_moves_waits_for_each_seat_in_turn(tournament: Tournament):
    [one] = games_of(tournament, 1)
    [first] = waited_for(one)
    run_due(later(60))
    assert [each["seat"] for each in forfeits(tournament)] == [first]
    assert waited_for(one) == [1 - first], "the server has played for the absent seat"
    run_due(later(119))
    assert len(forfeits(tournament)) == 1
    move(one, now=119)
    run_due(later(121))
    assert_finished(tournament)
    assert results(tournament)[entry_at(one, 1 - first)] == "void"


def test_two_no_shows_have_no_winner(tournament: Tournament):
    for seconds in (60, 120):
        run_due(later(seconds))
    assert len(forfeits(tournament)) == 2
    assert_finished(tournament)
    assert set(results(tournament).values()) == {"forfeit"}
    assert [one["totals"][0] for one in standings(tournament)] == [0, 0]


def test_after_the_first_move_only_the_round_limits_thinking_time(tournament: Tournament):
    [one] = games_of(tournament, 1)
    seen = {move(one)}
    while len(seen) < 2:
        seen.add(move(one))
    run_due(later(599))
    assert forfeits(tournament) == []
    assert not state.load(one.game)[1].ended
    run_due(later(600))
    assert_finished(tournament)
    assert set(results(tournament).values()) == {"expired"}


def test_a_move_in_one_game_of_the_table_prevents_a_forfeit(published: Publish):
    tournament = begun(published, "cid", "dan", **DEMONS, games=2)
    first, second = games_of(tournament, 1)
    seen = {move(first)}
    while len(seen) < 2:
        seen.add(move(first))
    run_due(later(300))
    assert forfeits(tournament) == []
    assert not state.load(second.game)[1].ended


def test_every_game_of_the_table_is_forfeited(published: Publish):
    tournament = begun(published, "cid", "dan", **DEMONS, games=2)
    first, second = games_of(tournament, 1)
    here = move(first)
    while waited_for(first) == [here]:
        move(first)
    run_due(later(60))
    assert_finished(tournament)
    history = [(one.entry, one.ended) for one in record.load(tournament.pk).results]
    assert sorted(history) == sorted(
        [(entry_at(first, here), "void")] * 2 + [(entry_at(first, 1 - here), "forfeit")] * 2
    )
    assert state.load(second.game)[1].status == "void"


def test_at_a_larger_table_the_others_play_on_and_the_server_plays_for_the_absent(published: Publish):
    tournament = begun(published, "cid", "dan", "eva", seats=3, sizes=(3,), fewest=3)
    [one] = games_of(tournament, 1)
    [absent] = waited_for(one)
    run_due(later(60))
    assert [each["seat"] for each in forfeits(tournament)] == [absent]
    assert not state.load(one.game)[1].ended
    for second in range(61, 400):
        if state.load(one.game)[1].ended:
            break
        if waited_for(one) == [absent]:
            run_due(later(second + 2))
        else:
            assert move(one, now=second) != absent
    run_due(later(600))
    assert_finished(tournament)
    assert len(forfeits(tournament)) == 1
    ended = results(tournament)
    assert ended.pop(entry_at(one, absent)) == "forfeit"
    assert set(ended.values()) <= {"finished", "expired"}
    last = standings(tournament)[-1]
    assert (last["entry"], last["totals"][0]) == (entry_at(one, absent), 0)


def test_a_bot_never_forfeits(published: Publish):
    promotion()
    tournament = begun(published, "cid", fill_to=2)
    run_due(later(120))
    assert_finished(tournament)
    assert results(tournament) == {1: "forfeit", 2: "void"}


def test_an_audit_compares_the_forfeited_seats_with_the_events(published: Publish):
    tournament = begun(published, "cid", "dan", "eve", "fay", seats=4, sizes=(4,), fewest=4)
    [one] = games_of(tournament, 1)
    move(one)
    run_due(later(60))
    assert len(forfeits(tournament)) == 1
    assert audit_tournament(tournament.pk).faults == []
    flagged = GameSeat.objects.filter(game=one.game)
    for changed in ({"forfeited": False}, {"forfeited": True}):
        flagged.update(**changed)
        [fault] = audit_tournament(tournament.pk).faults
        assert (fault.part, fault.check) == ("tournaments", "record")
        assert f"the seats forfeited in game {one.game}" in fault.why


def test_a_repeated_check_has_no_effect(published: Publish):
    tournament = begun(published, "cid", "dan", "eva", seats=3, sizes=(3,), fewest=3)
    run_due(later(60))
    before = record.head(tournament)
    for _ in range(2):
        assert no_shows.watch(tournament_id=tournament.pk, number=1, table=1, now=later(60)) is not None
    assert record.head(tournament) == before
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=later(60))
    assert no_shows.watch(tournament_id=tournament.pk, number=1, table=1, now=later(900)) is None
    assert no_shows.watch(tournament_id=tournament.pk, number=2, table=1, now=later(900)) is None


def test_in_a_knockout_the_present_player_advances(published: Publish):
    tournament = begun(published, "cid", "dan", format="knockout", rounds=0)
    [one] = games_of(tournament, 1)
    here = move(one)
    while waited_for(one) == [here]:
        move(one)
    run_due(later(60))
    assert_finished(tournament)
    assert standings(tournament)[0]["entry"] == entry_at(one, here)


def test_the_round_shows_no_shows(api: Api, tournament: Tournament):
    assert api(None).get(at(tournament)).json()["no_show_seconds"] == 60
    run_due(later(60))
    [table] = api(None).get(at(tournament, "rounds", 1)).json()["tables"]
    assert sorted(seat["forfeited"] for seat in table["seats"]) == [False, True]


def test_a_player_who_forfeited_cannot_move(api: Api, published: Publish):
    """The forfeit covers all games of the table; a player who is still awaited can move."""
    tournament = begun(published, "cid", "dan", "eva", **DEMONS, seats=3, sizes=(3,), fewest=3, games=2)
    one, other = games_of(tournament, 1)
    run_due(later(60))
    [late, *_] = [each["seat"] for each in forfeits(tournament)]
    absent = Seat.objects.get(table=one.table, index=late).entry.player
    for game in (one, other):
        seen = state.load(game.game)[1].version
        body = {"move": {"type": "draw"}}
        refused(api(absent).post(f"/api/v1/games/{game.game}/moves/", body), 403, "seat-forfeited")
        assert state.load(game.game)[1].version == seen
    assert waited_for(one) != [late]
    assert move(one, now=61) != late


def test_by_default_there_are_no_forfeits(published: Publish):
    tournament = begun(published, "cid", "dan", no_show_seconds=0)
    run_due(later(599))
    assert forfeits(tournament) == []


def test_an_unusable_no_show_limit_is_refused(published: Publish):
    for changes in (
        {"no_show_seconds": 600},
        {"no_show_seconds": -1},
        {"rules": "racing-demons", "config": {"pace": "race", "time_limit": 60}},
        {"format": "duplicate", "rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}},
    ):
        with pytest.raises(BadTerms) as refused:
            published(**{**ACE_RACE, **changes})
        assert refused.value.extra["field"] == "no_show_seconds"


def test_the_database_refuses_a_forfeit_without_a_table(published: Publish):
    begun(published, "cid", "dan", "eva")
    with pytest.raises(IntegrityError), transaction.atomic():
        Seat.objects.filter(table=None).update(forfeited_at=NOW)
