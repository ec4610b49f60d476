"""Manual pairing of the next round: preview, record, opening, and proof."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from staff.models import ActionRecord
from tests.concurrency import at_once
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.money import cash, fund
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import FEE, NOW, enter, later, rich, start, status_of
from tests.tournaments.test_api import Api, at, refused
from tests.tournaments.test_pairing_constraints import (
    SWISS,
    assert_proven,
    begun,
    end_round,
    keep_apart,
    play_next,
)
from tournaments import record, services
from tournaments.errors import (
    InvalidManualPairing,
    ManualPairingNotSupported,
    NoManualPairing,
    PreviewStale,
    WrongStatus,
)
from tournaments.models import Seat, Status, Tournament
from tournaments.rounds import manual_pairing, stalls
from tournaments.rounds import selectors as round_selectors

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Layout = dict[str, Any]


def layout(*tables: list[int], byes: tuple[int, ...] = ()) -> Layout:
    return {"tables": list(tables), "byes": list(byes)}


def turned(tournament: Tournament) -> Layout:
    """Return the engine's pairing with neighbouring tables mixed."""
    seen = manual_pairing.preview(
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


def see(tournament: Tournament, wanted: Layout, number: int | None = None) -> manual_pairing.Preview:
    return manual_pairing.preview(
        tournament_id=tournament.pk,
        number=number or next_round(tournament),
        actor=tournament.organizer,
        **wanted,
    )


def lay_out(tournament: Tournament, wanted: Layout, token: str | None = None, number: int | None = None):
    number = number or next_round(tournament)
    return manual_pairing.pair_manually(
        tournament_id=tournament.pk,
        number=number,
        token=token or see(tournament, wanted, number).token or "",
        actor=tournament.organizer,
        reason="a wager",
        now=NOW,
        **wanted,
    )


def give_back(tournament: Tournament) -> None:
    manual_pairing.drop_pairing(
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


def test_the_round_is_opened_with_the_manual_pairing_and_verified(published: Publish):
    tournament = begun(published, 7, rounds=4)
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
    assert status_of(tournament) == Status.FINISHED
    assert_proven(tournament)
    types = [event.type for event in store.read(tournament.pk)]
    assert (types.count("round-paired"), types.count("round-laid-out")) == (3, 1)
    [event] = [one for one in store.read(tournament.pk) if one.type == "round-laid-out"]
    assert seen.engine is not None
    assert event.data["engine"]["tables"] == [list(table.seats) for table in seen.engine.tables]
    assert (event.data["reason"], event.data["by"]) == ("a wager", str(tournament.organizer_id))
    document = round_selectors.round_document(tournament, 3, None, now=NOW)
    assert (document["algorithm"], document["known"]) == ("by-hand", event.data["known"])


def test_a_round_that_waits_for_its_opening_is_visible_and_opened_when_resumed(
    api: Api, tournament: Tournament, organizer: Player
):
    before = api(None).get(at(tournament, "standings")).json()["standings"]
    pause(tournament)
    wanted = turned(tournament)
    lay_out(tournament, wanted)
    run_due(later(600))
    assert tournament.played_rounds.count() == 1
    assert api(None).get(at(tournament, "standings")).json()["standings"] == before
    client = api(organizer)
    for path in (
        at(tournament), at(tournament, "rounds"), at(tournament, "rounds", 1), at(tournament, "standings", 1),
        at(tournament, "pairings"), at(tournament, "events"), at(tournament, "entries"),
    ):  # fmt: skip
        assert client.get(path).status_code == 200, path
    refused(client.get(at(tournament, "rounds", 2)), 404, "not-found")
    assert client.get(at(tournament)).json()["round"] == 1
    resume(tournament)
    run_due(later(600))
    assert seated(tournament, 2) == wanted["tables"]


def test_the_first_round_is_delayed_on_request(published: Publish):
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


def test_the_last_manual_pairing_applies_until_it_is_withdrawn(tournament: Tournament):
    wanted = turned(tournament)
    lay_out(tournament, wanted)
    second = layout(*wanted["tables"][::-1])
    lay_out(tournament, second)
    play_next(tournament)
    assert seated(tournament, 2) == second["tables"]
    lay_out(tournament, turned(tournament))
    give_back(tournament)
    with pytest.raises(NoManualPairing):
        give_back(tournament)
    play_next(tournament)
    assert record.load(tournament.pk).played[2].by_hand is False


def test_a_round_robin_continues_its_schedule_afterwards(published: Publish):
    tournament = begun(published, 4, format="round-robin", rounds=0)
    wanted = turned(tournament)
    lay_out(tournament, wanted)
    play_next(tournament)
    assert seated(tournament, 2) == wanted["tables"]
    play_next(tournament)
    assert status_of(tournament) == Status.FINISHED
    assert_proven(tournament)


# --- changes before the opening ------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["leaves", "comes"])
def test_only_a_withdrawal_makes_a_manual_pairing_invalid(published: Publish, action: str):
    tournament = begun(published, 4, late_until=5)
    pause(tournament)
    lay_out(tournament, turned(tournament))
    if action == "leaves":
        player = tournament.entries.get(number=2).player
        services.withdraw(tournament_id=tournament.pk, player=player, now=NOW)
    else:
        enter(tournament, rich("late"))
        # Round 2 is paired, so they are in round 3.
        assert tournament.entries.get(number=5).first == 3
    assert stalls.state_of(Tournament.objects.get(pk=tournament.pk)) == "paused"
    resume(tournament)
    run_due(later(60))
    tournament.refresh_from_db()
    if action == "comes":
        assert tournament.stalled == ""
        return
    needed = stalls.needed(tournament, tournament.organizer)
    assert needed is not None
    assert (
        needed["reason"] == "The manual pairing of round 2 is invalid: entry 2 does not play in this round."
    )
    assert (needed["cause"], needed["round"]) == ("layout-broken", 2)
    assert [one["action"] for one in needed["actions"]][:2] == ["delete-pairing", "pair-manually"]
    assert tournament.played_rounds.count() == 1
    give_back(tournament)
    resume(tournament)
    run_due(later(60))
    assert sorted(entry for table in seated(tournament, 2) for entry in table)[0:2] in (
        [1, 3],
        [1, 4],
        [3, 4],
    )


def test_a_preview_token_is_valid_for_one_pairing_and_version(tournament: Tournament):
    wanted = turned(tournament)
    other = layout(*wanted["tables"][::-1])
    token = see(tournament, wanted).token
    assert token
    with pytest.raises(PreviewStale):
        lay_out(tournament, other, token)
    keep_apart(tournament, 1, 2)
    with pytest.raises(PreviewStale):
        lay_out(tournament, wanted, token)
    token = see(tournament, wanted).token
    lay_out(tournament, wanted, token)
    with pytest.raises(PreviewStale):
        lay_out(tournament, wanted, token)


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_record_one_manual_pairing(tournament: Tournament):
    wanted = turned(tournament)
    token = see(tournament, wanted).token
    answers = at_once(*[lambda: lay_out(tournament, wanted, token)] * 3)
    assert [isinstance(answer, PreviewStale) for answer in answers].count(True) == 2
    types = [event.type for event in store.read(tournament.pk)]
    assert types.count("round-laid-out") == 1


# --- refusals ------------------------------------------------------------------------------------------


def test_an_impossible_pairing_is_not_recorded(tournament: Tournament):
    before = store.head(tournament.pk)
    seen = see(tournament, layout([1, 2], [3, 3]))
    assert seen.token is None
    assert set(seen.faults) == {"entry 3 is seated 2 times", "entry 4 has no place"}
    with pytest.raises(InvalidManualPairing, match="entry 4 has no place"):
        lay_out(tournament, layout([1, 2], [3, 3]), "x" * 64)
    assert store.head(tournament.pk) == before


def test_only_the_next_round_is_paired_manually_and_only_before_it_begins(published: Publish):
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


def test_some_formats_refuse_manual_pairing(published: Publish):
    people = rich("cid"), rich("dan")
    for format in ("knockout", "double-knockout", "duplicate"):
        game = {} if format == "duplicate" else {"rules": "ace-race", "config": {}}
        tournament = published(format=format, **game)
        enter(tournament, *people)
        services.start(tournament_id=tournament.pk, actor=tournament.organizer, hold="x", now=NOW)
        with pytest.raises(ManualPairingNotSupported, match=format):
            see(tournament, layout([1, 2]))


# --- over REST -----------------------------------------------------------------------------------------


def test_a_manual_pairing_is_previewed_recorded_and_withdrawn(
    api: Api, tournament: Tournament, organizer: Player
):
    [[one, two], _] = seated(tournament, 1)
    three, four = {1, 2, 3, 4} - {one, two}
    wanted = layout([one, two], [three, four])
    staff_client, path = api(organizer), at(tournament, "rounds", 2, "pairing")
    seen = staff_client.post(path + "preview/", wanted).json()
    pairs = sorted((sorted((one, two)), sorted((three, four))))
    assert seen["faults"] == []
    assert [(one["what"], one["entries"]) for one in seen["warnings"]] == [("rematch", two) for two in pairs]
    assert "have met before, in round 1" in seen["warnings"][0]["message"]
    assert seen["comparison"]["pairs_only_manual"] == pairs
    assert seen["engine"]["algorithm"] == "swiss-pairs@1"
    result = {**wanted, "token": seen["token"], "reason": "a wager"}
    refused(staff_client.put(path, {**result, "tables": [[three, four], [one, two]]}), 409, "preview-stale")
    faulty = refused(
        staff_client.put(path, {**result, "tables": [[one, two]]}), 409, "invalid-manual-pairing"
    )
    assert len(faulty["faults"]) == 2
    refused(staff_client.put(path, wanted), 400, "invalid-input")
    refused(staff_client.put(path, {**result, "tables": [["1", 2]]}), 400, "invalid-input")
    for _ in range(2):
        result["token"] = staff_client.post(path + "preview/", wanted).json()["token"]
        for _ in range(2):
            recorded = staff_client.put(path, result)
            assert (recorded.status_code, recorded.json()["warnings"]) == (200, seen["warnings"])
        assert staff_client.delete(path).status_code == 204
        refused(staff_client.delete(path), 409, "no-manual-pairing")
    actions = ActionRecord.objects.filter(subject=tournament.subject).order_by("pk")
    assert [one.action for one in actions] == ["lay-out-round", "give-round-back"] * 2
    types = [event.type for event in store.read(tournament.pk)]
    assert (types.count("round-laid-out"), types.count("layout-dropped")) == (2, 2)
    refused(staff_client.post(at(tournament, "rounds", 4, "pairing", "preview"), wanted), 409, "wrong-status")


def test_entrants_and_bettors_may_not_pair_manually(api: Api, published: Publish, administrator: Player):
    tournament = published(**SWISS, rounds=2)
    fund(cash(administrator.pk), FEE)
    enter(tournament, administrator, *(rich(name) for name in ("cid", "dan", "eva")))
    started = api(tournament.organizer).post(at(tournament, "start"), {"hold": "a wager"}).json()
    assert (started["status"], started["paused"]) == ("running", "a wager")
    staff_client, path = api(administrator), at(tournament, "rounds", 1, "pairing")
    wanted = layout([1, 2], [3, 4])
    refused(staff_client.post(path + "preview/", wanted), 403, "interested-party")
    refused(staff_client.put(path, {**wanted, "token": "x", "reason": "x"}), 403, "interested-party")
    said = {"constraint": "apart", "entries": [1, 2], "reason": "x"}
    refused(staff_client.post(at(tournament, "pairs"), said), 403, "interested-party")
