"""The organizer lays the next round out by hand: seen before it is recorded, opened in its time, proven as it was."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from jobs.testing import run_due
from ledger.testing import cash, fund
from tests.conftest import known, person
from tests.databases import shared
from tests.games.test_moves_at_once import at_once
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.test_api import Api, at, refused
from tests.tournaments.test_wishes import SWISS, assert_proven, begun, end_round, keep_apart, play_next
from tournaments import by_hand, record, selectors, services
from tournaments.models import Seat, Status, Tournament
from tournaments.problems import FaultyLayout, NotByHand, NothingLaidOut, PreviewStale, WrongStatus
from tournaments.testing import FEE, NOW, enter, later, rich, start

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Layout = dict[str, Any]


def layout(*tables: list[int], byes: tuple[int, ...] = ()) -> Layout:
    return {"tables": list(tables), "byes": list(byes)}


def turned(tournament: Tournament) -> Layout:
    """Everybody whom the engine would seat, neighbouring tables mixed."""
    seen = by_hand.preview(
        tournament_id=tournament.pk,
        number=next_round(tournament),
        tables=[],
        byes=[],
        actor=tournament.organizer,
    )
    assert seen.engine is not None
    (one, two), (three, four), *rest = [list(table.seats) for table in seen.engine.tables]
    return layout([one, three], [two, four], *rest, byes=seen.engine.byes)


@shared
def tournament() -> Tournament:
    return begun(partial(publish, known("olga", Role.ORGANIZER)), 4)


def next_round(tournament: Tournament) -> int:
    return record.load(tournament.pk).closed + 1


def see(tournament: Tournament, wanted: Layout, number: int | None = None) -> by_hand.Preview:
    return by_hand.preview(
        tournament_id=tournament.pk,
        number=number or next_round(tournament),
        actor=tournament.organizer,
        **wanted,
    )


def lay_out(tournament: Tournament, wanted: Layout, token: str | None = None, number: int | None = None):
    number = number or next_round(tournament)
    return by_hand.lay_out(
        tournament_id=tournament.pk,
        number=number,
        token=token or see(tournament, wanted, number).token or "",
        actor=tournament.organizer,
        reason="a wager",
        now=NOW,
        **wanted,
    )


def give_back(tournament: Tournament) -> None:
    by_hand.give_back(
        tournament_id=tournament.pk, number=next_round(tournament), actor=tournament.organizer, now=NOW
    )


def seated(tournament: Tournament, round: int) -> list[list[int]]:
    tables = tournament.played_rounds.get(number=round).tables.order_by("number")
    return [[seat.entry.number for seat in table.seats.order_by("index")] for table in tables]


def pause(tournament: Tournament) -> None:
    services.pause(tournament_id=tournament.pk, actor=tournament.organizer, reason="a wager", now=NOW)


def resume(tournament: Tournament) -> None:
    services.resume(tournament_id=tournament.pk, actor=tournament.organizer, now=NOW)


# --- recorded and opened -------------------------------------------------------------------------------


def test_the_round_is_opened_with_it_and_proven_with_the_others(published: Publish):
    tournament = begun(published, 7, rounds=5)
    play_next(tournament)
    wanted = turned(tournament)
    seen = lay_out(tournament, wanted)
    two = tuple(sorted(wanted["tables"][2]))
    keep_apart(tournament, *two)
    play_next(tournament)
    assert seated(tournament, 3) == wanted["tables"]
    [bye] = Seat.objects.filter(round__tournament=tournament, round__number=3, table=None)
    assert [bye.entry.number] == wanted["byes"]
    while record.load(tournament.pk).closed < tournament.rounds:
        play_next(tournament)
    tournament.refresh_from_db()
    assert tournament.status == Status.FINISHED
    assert_proven(tournament)
    types = [event.type for event in store.read(tournament.pk)]
    assert (types.count("round-paired"), types.count("round-laid-out")) == (4, 1)
    [event] = [one for one in store.read(tournament.pk) if one.type == "round-laid-out"]
    assert seen.engine is not None
    assert event.data["engine"]["tables"] == [list(table.seats) for table in seen.engine.tables]
    assert (event.data["reason"], event.data["by"]) == ("a wager", str(tournament.organizer_id))
    told = selectors.round_document(tournament, 3, None, now=NOW)
    assert (told["algorithm"], told["known"]) == ("by-hand", event.data["known"])


def test_a_paused_one_waits_with_it_until_it_goes_on(tournament: Tournament):
    pause(tournament)
    wanted = turned(tournament)
    lay_out(tournament, wanted)
    run_due(later(600))
    assert tournament.played_rounds.count() == 1
    resume(tournament)
    run_due(later(600))
    assert seated(tournament, 2) == wanted["tables"]


@pytest.mark.parametrize("format", ["swiss", "round-robin"])
def test_while_it_waits_everything_can_be_looked_at(
    api: Api, published: Publish, organizer: Player, format: str
):
    tournament = begun(published, 5, format=format, rounds=5)
    before = api(None).get(at(tournament, "standings")).json()["standings"]
    pause(tournament)
    lay_out(tournament, turned(tournament))
    assert api(None).get(at(tournament, "standings")).json()["standings"] == before
    for path in (
        at(tournament), at(tournament, "rounds"), at(tournament, "rounds", 1), at(tournament, "standings", 1),
        at(tournament, "pairings"), at(tournament, "events"), at(tournament, "entries"),
    ):  # fmt: skip
        assert api(organizer).get(path).status_code == 200, path
    refused(api(None).get(at(tournament, "rounds", 2)), 404, "not-found")
    assert api(None).get(at(tournament)).json()["round"] == 1


def test_the_first_round_is_held_back_on_request(published: Publish):
    tournament = published(**SWISS, rounds=2)
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "flo")))
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, hold="a wager", now=NOW)
    run_due(NOW)
    assert tournament.played_rounds.count() == 0
    wanted = layout([4, 1], [2, 3])
    lay_out(tournament, wanted)
    resume(tournament)
    run_due(NOW)
    assert seated(tournament, 1) == wanted["tables"]
    end_round(tournament, 1)
    play_next(tournament)
    assert_proven(tournament)


def test_laid_out_anew_the_last_counts_and_given_back_the_engines(tournament: Tournament):
    wanted = turned(tournament)
    lay_out(tournament, wanted)
    anew = layout(*wanted["tables"][::-1])
    lay_out(tournament, anew)
    play_next(tournament)
    assert seated(tournament, 2) == anew["tables"]
    lay_out(tournament, turned(tournament))
    give_back(tournament)
    with pytest.raises(NothingLaidOut):
        give_back(tournament)
    play_next(tournament)
    assert record.load(tournament.pk).played[2].by_hand is False


def test_a_round_robin_goes_on_with_its_schedule_afterwards(published: Publish):
    tournament = begun(published, 4, format="round-robin", rounds=0)
    wanted = turned(tournament)
    lay_out(tournament, wanted)
    play_next(tournament)
    assert seated(tournament, 2) == wanted["tables"]
    play_next(tournament)
    tournament.refresh_from_db()
    assert tournament.status == Status.FINISHED
    assert_proven(tournament)


# --- what happens in between ---------------------------------------------------------------------------


@pytest.mark.parametrize("deed", ["leaves", "comes"])
def test_when_the_field_changes_before_it_is_opened_the_organizer_is_asked(published: Publish, deed: str):
    tournament = begun(published, 4, late_until=5)
    pause(tournament)
    lay_out(tournament, turned(tournament))
    if deed == "leaves":
        player = tournament.entries.get(number=2).player
        services.withdraw(tournament_id=tournament.pk, player=player, now=NOW)
    else:
        enter(tournament, rich("late"))
        # Round 2 is laid out, so they are in the one after it.
        assert tournament.entries.get(number=5).first == 3
    resume(tournament)
    run_due(later(60))
    tournament.refresh_from_db()
    if deed == "comes":
        assert tournament.stalled == ""
        return
    assert tournament.stalled == (
        "Round 2 was laid out by hand, and since then: entry 2 does not play in this round."
    )
    assert tournament.played_rounds.count() == 1
    give_back(tournament)
    resume(tournament)
    run_due(later(60))
    assert sorted(entry for table in seated(tournament, 2) for entry in table)[0:2] in (
        [1, 3],
        [1, 4],
        [3, 4],
    )


def test_a_token_is_for_one_layout_and_one_moment(tournament: Tournament):
    wanted = turned(tournament)
    other = layout(*wanted["tables"][::-1])
    token = see(tournament, wanted).token
    assert token
    with pytest.raises(PreviewStale):
        lay_out(tournament, other, token)
    keep_apart(tournament, 1, 2)
    with pytest.raises(PreviewStale):
        lay_out(tournament, wanted, token)
    lay_out(tournament, wanted)


def test_of_two_who_lay_it_out_at_once_one_is_told_to_look_again(tournament: Tournament):
    wanted = turned(tournament)
    token = see(tournament, wanted).token
    lay_out(tournament, wanted, token)
    with pytest.raises(PreviewStale):
        lay_out(tournament, wanted, token)


@pytest.mark.django_db(transaction=True)
def test_at_once_it_is_recorded_once(tournament: Tournament):
    wanted = turned(tournament)
    token = see(tournament, wanted).token
    answers = at_once(*[lambda: lay_out(tournament, wanted, token)] * 3)
    assert [isinstance(answer, PreviewStale) for answer in answers].count(True) == 2
    types = [event.type for event in store.read(tournament.pk)]
    assert types.count("round-laid-out") == 1


# --- what is refused -----------------------------------------------------------------------------------


def test_what_cannot_be_played_is_not_recorded(tournament: Tournament):
    before = store.head(tournament.pk)
    seen = see(tournament, layout([1, 2], [3, 3]))
    assert seen.token is None
    assert set(seen.faults) == {"entry 3 is placed 2 times", "entry 4 has no place"}
    with pytest.raises(FaultyLayout, match="entry 4 has no place"):
        lay_out(tournament, layout([1, 2], [3, 3]), "x" * 64)
    assert store.head(tournament.pk) == before


def test_only_the_round_that_comes_next_and_only_before_it_is_begun(published: Publish):
    tournament = published(**SWISS, rounds=2)
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "flo")))
    wanted = layout([1, 2], [3, 4])
    with pytest.raises(WrongStatus):
        see(tournament, wanted)
    start(tournament)
    for number in (1, 2, 3):
        with pytest.raises(WrongStatus):
            see(tournament, wanted, number)
    end_round(tournament, 1)
    assert see(tournament, wanted, 2).token
    with pytest.raises(WrongStatus):
        see(tournament, wanted, 3)
    play_next(tournament)
    with pytest.raises(WrongStatus):
        see(tournament, wanted, 3)


@pytest.mark.parametrize("format", ["knockout", "double-knockout", "duplicate"])
def test_formats_whose_results_make_the_tables_refuse_it(published: Publish, format: str):
    game = {} if format == "duplicate" else {"rules": "ace-race", "config": {}}
    tournament = published(format=format, **game)
    enter(tournament, rich("cid"), rich("dan"))
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, hold="x", now=NOW)
    with pytest.raises(NotByHand, match=format):
        see(tournament, layout([1, 2]))


# --- over REST -----------------------------------------------------------------------------------------


def test_previewed_recorded_and_given_back(api: Api, tournament: Tournament, organizer: Player):
    [[one, two], _] = seated(tournament, 1)
    three, four = {1, 2, 3, 4} - {one, two}
    wanted = layout([one, two], [three, four])
    desk, path = api(organizer), at(tournament, "rounds", 2, "pairing")
    seen = desk.post(path + "preview/", wanted).json()
    pairs = sorted((sorted((one, two)), sorted((three, four))))
    assert seen["faults"] == []
    assert [(one["what"], one["entries"]) for one in seen["warnings"]] == [("rematch", two) for two in pairs]
    assert "have met in round 1" in seen["warnings"][0]["says"]
    assert seen["comparison"]["only_here"] == pairs
    assert seen["engine"]["algorithm"] == "swiss-pairs@1"
    told = {**wanted, "token": seen["token"], "reason": "a wager"}
    refused(desk.put(path, {**told, "tables": [[three, four], [one, two]]}), 409, "preview-stale")
    faulty = refused(desk.put(path, {**told, "tables": [[one, two]]}), 409, "faulty-layout")
    assert len(faulty["faults"]) == 2
    refused(desk.put(path, wanted), 400, "invalid-input")
    refused(desk.put(path, {**told, "tables": [["1", 2]]}), 400, "invalid-input")
    recorded = desk.put(path, told)
    assert (recorded.status_code, recorded.json()["warnings"]) == (200, seen["warnings"])
    assert desk.delete(path).status_code == 204
    refused(desk.delete(path), 409, "nothing-laid-out")
    refused(desk.post(at(tournament, "rounds", 4, "pairing", "preview"), wanted), 409, "wrong-status")


def test_who_plays_or_has_backed_somebody_lays_out_nothing(
    api: Api, published: Publish, administrator: Player
):
    tournament = published(**SWISS, rounds=2)
    fund(cash(administrator.pk), FEE)
    enter(tournament, administrator, *(rich(name) for name in ("cid", "dan", "eva")))
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, hold="x", now=NOW)
    desk, path = api(administrator), at(tournament, "rounds", 1, "pairing")
    wanted = layout([1, 2], [3, 4])
    refused(desk.post(path + "preview/", wanted), 403, "interested-party")
    refused(desk.put(path, {**wanted, "token": "x", "reason": "x"}), 403, "interested-party")
    said = {"wish": "apart", "entries": [1, 2], "reason": "x"}
    refused(desk.post(at(tournament, "pairs"), said), 403, "interested-party")


def test_started_with_the_first_round_held_back(api: Api, published: Publish, organizer: Player):
    tournament = published(**SWISS, rounds=2)
    enter(tournament, rich("cid"), rich("dan"))
    started = api(organizer).post(at(tournament, "start"), {"hold": "a wager"}).json()
    assert (started["status"], started["paused"]) == ("running", "a wager")


def test_who_may(
    api: Api, published: Publish, organizer: Player, player: Player, auditor: Player, administrator: Player
):
    tournament, other = begun(published, 4), person("otto", Role.ORGANIZER)
    wanted = turned(tournament)
    path, before = at(tournament, "rounds", 2, "pairing"), store.head(tournament.pk)
    told = {**wanted, "token": see(tournament, wanted).token, "reason": "a wager"}
    deeds = (
        lambda client: client.post(path + "preview/", wanted),
        lambda client: client.put(path, told),
        lambda client: client.delete(path),
    )
    for deed in deeds:
        refused(deed(api(None)), 401, "not-authenticated")
        for who in (player, auditor, other):
            refused(deed(api(who)), 403, "forbidden")
    assert store.head(tournament.pk) == before
    assert [deed(api(administrator)).status_code for deed in deeds] == [200, 200, 204]
