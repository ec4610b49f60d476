"""Pairing constraints: set before a round is paired, and proven from the events."""

from __future__ import annotations

from functools import partial

import pytest

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from games import services as games
from staff.models import ActionRecord
from tests.concurrency import at_once
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, begin, enter, games_of, later, rich, start, status_of
from tests.tournaments.test_api import Api, at, refused
from tournaments import formats, record
from tournaments.errors import (
    BadPair,
    NoPairingConstraint,
    PairingConstraintExists,
    PairingConstraintsNotSupported,
    WrongStatus,
)
from tournaments.formats.checker import check_all
from tournaments.formats.replay import replay
from tournaments.models import Status, Tournament
from tournaments.rounds import manual_pairing

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SWISS = {"format": "swiss", "rules": "ace-race", "config": {}, "prizes": (10_000,), "gap_seconds": 60}


def begun(published: Publish, entrants: int = 6, **changes: object) -> Tournament:
    """A tournament whose first round is over and whose next opens in a minute."""
    tournament = published(**{**SWISS, "rounds": 5, **changes})
    enter(tournament, *(rich(f"p{number}") for number in range(1, entrants + 1)))
    start(tournament)
    end_round(tournament, 1)
    return tournament


@shared
def tournament() -> Tournament:
    return begun(partial(publish, known("olga", Role.ORGANIZER)), rounds=3)


def end_round(tournament: Tournament, round: int) -> None:
    """End the round without moves, which is the quickest way."""
    now = later(60 * (round - 1))
    for one in games_of(tournament, round):
        games.void_game(game_id=one.game, reason="no time", now=now)
    run_due(now)


def play_next(tournament: Tournament) -> None:
    """Open the next round a minute later, and end it."""
    round = record.load(tournament.pk).closed + 1
    run_due(later(60 * (round - 1)))
    end_round(tournament, round)


def keep_apart(tournament: Tournament, *entries: int, first: int | None = None) -> None:
    manual_pairing.keep_apart(
        tournament_id=tournament.pk,
        entries=entries,
        first=first,
        actor=tournament.organizer,
        reason="sisters",
        now=NOW,
    )


def bring_together(tournament: Tournament, *entries: int) -> None:
    manual_pairing.bring_together(
        tournament_id=tournament.pk, entries=entries, actor=tournament.organizer, reason="a wager", now=NOW
    )


def release(tournament: Tournament, what: manual_pairing.What, *entries: int) -> None:
    manual_pairing.release(
        tournament_id=tournament.pk,
        what=what,
        entries=entries,
        actor=tournament.organizer,
        reason="they ask for it",
        now=NOW,
    )


def met(tournament: Tournament, round: int, *entries: int) -> bool:
    pairing = record.load(tournament.pk).played[round - 1]
    return any(set(entries) <= set(table.seats) for table in pairing.tables)


def finish(tournament: Tournament) -> None:
    while record.load(tournament.pk).closed < tournament.rounds:
        play_next(tournament)
    assert status_of(tournament) == Status.FINISHED


def assert_proven(tournament: Tournament) -> None:
    state = record.load(tournament.pk)
    assert check_all(formats.get(tournament.format), state.snapshot()) == ()
    replayed = replay(str(tournament.pk), [event.public() for event in store.read(tournament.pk)])
    assert (replayed.difference, replayed.pairings) == (None, len(state.played))


def test_a_constraint_set_after_round_two_is_replayed(published: Publish):
    tournament = begun(published, 4, rounds=4)
    play_next(tournament)
    # Four meet all others in three rounds, so the third would pair those who have not met.
    [other] = {2, 3, 4} - {
        entry for entry in (2, 3, 4) for round in (1, 2) if met(tournament, round, 1, entry)
    }
    two = (1, other)
    keep_apart(tournament, *reversed(two))
    finish(tournament)
    assert not any(met(tournament, round, *two) for round in (3, 4))
    assert_proven(tournament)
    [event] = [one for one in store.read(tournament.pk) if one.type == "kept-apart"]
    assert event.data == {
        "entries": list(two), "from": 3, "reason": "sisters", "by": str(tournament.organizer_id),
    }  # fmt: skip


def test_a_required_pair_meets_in_the_next_round_only(tournament: Tournament):
    [first, _] = record.load(tournament.pk).played[0].tables[0].seats
    # Entrants who have just met would not meet again without the constraint.
    other = next(entry for entry in range(1, 7) if met(tournament, 1, first, entry) and entry != first)
    bring_together(tournament, first, other)
    finish(tournament)
    assert met(tournament, 2, first, other)
    assert not met(tournament, 3, first, other)
    state = record.load(tournament.pk).played[1].relaxed
    assert [(one.what, one.entries) for one in state] == [("rematch", tuple(sorted((first, other))))]
    assert_proven(tournament)


def test_a_removed_constraint_no_longer_applies(published: Publish):
    tournament = begun(published, 4, rounds=4)
    free = next(other for other in (2, 3, 4) if not met(tournament, 1, 1, other))
    keep_apart(tournament, 1, free)
    play_next(tournament)
    assert not met(tournament, 2, 1, free)
    release(tournament, "apart", free, 1)
    finish(tournament)
    assert met(tournament, 3, 1, free)
    assert manual_pairing.constraints_in(tournament) == [
        {"constraint": "apart", "entries": [1, free], "first": 2, "last": 2}
    ]
    assert_proven(tournament)


def test_a_constraint_can_be_set_before_the_start_for_a_later_round(published: Publish):
    tournament = published(**SWISS, rounds=3)
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "flo")))
    keep_apart(tournament, 1, 3)
    keep_apart(tournament, 1, 4, first=2)
    start(tournament)
    assert not met(tournament, 1, 1, 3)
    assert record.load(tournament.pk).snapshot().apart == {(1, 3), (1, 4)}
    assert manual_pairing.constraints_in(tournament)[1] == {
        "constraint": "apart",
        "entries": [1, 4],
        "first": 2,
        "last": None,
    }


def test_an_impossible_constraint_is_refused(tournament: Tournament):
    before = store.head(tournament.pk)
    for entries in ((1, 1), (1, 77), (1,), (1, 2, 3)):
        with pytest.raises(BadPair):
            keep_apart(tournament, *entries)
    for first in (1, 4):
        with pytest.raises(BadPair):
            keep_apart(tournament, 1, 2, first=first)
    with pytest.raises(NoPairingConstraint):
        release(tournament, "apart", 1, 2)
    assert store.head(tournament.pk) == before
    bring_together(tournament, 1, 2)
    with pytest.raises(PairingConstraintExists):
        keep_apart(tournament, 2, 1)
    with pytest.raises(PairingConstraintExists):
        bring_together(tournament, 2, 3)
    with pytest.raises(NoPairingConstraint):
        release(tournament, "apart", 1, 2)
    finish(tournament)
    with pytest.raises(WrongStatus):
        keep_apart(tournament, 1, 2)


def test_no_constraint_after_the_last_round_is_paired(published: Publish):
    tournament = begin(published, "cid", "dan", **SWISS, rounds=1)
    with pytest.raises(WrongStatus):
        keep_apart(tournament, 1, 2)


def test_formats_with_a_schedule_or_a_bracket_refuse_constraints(published: Publish):
    people = rich("cid"), rich("dan")
    for format in ("round-robin", "knockout", "double-knockout", "duplicate"):
        game = {} if format == "duplicate" else {"rules": "ace-race", "config": {}}
        tournament = published(format=format, **game)
        enter(tournament, *people)
        for say in (keep_apart, bring_together):
            with pytest.raises(PairingConstraintsNotSupported, match=format):
                say(tournament, 1, 2)


APART = {"constraint": "apart", "entries": [2, 1], "reason": "sisters"}


def test_constraints_are_added_listed_and_removed(api: Api, tournament: Tournament, organizer: Player):
    client = api(organizer)
    said = client.post(at(tournament, "pairs"), APART)
    shown = [{"constraint": "apart", "entries": [1, 2], "first": 2, "last": None}]
    assert (said.status_code, said.json()["results"]) == (201, shown)
    assert api(None).get(at(tournament, "pairs")).json()["results"] == shown
    refused(
        client.post(at(tournament, "pairs"), {**APART, "constraint": "together"}),
        409,
        "pairing-constraint-exists",
    )
    together = {"constraint": "together", "entries": [3, 4], "reason": "a wager"}
    refused(client.post(at(tournament, "pairs"), {**together, "first": 3}), 400, "invalid-input")
    assert client.post(at(tournament, "pairs"), together).status_code == 201
    refused(client.post(at(tournament, "pairs"), {**APART, "entries": [1]}), 400, "invalid-input")
    refused(client.post(at(tournament, "pairs"), {**APART, "entries": [5, 99]}), 400, "bad-pair")
    freed = client.post(at(tournament, "pairs", "release"), APART)
    assert [one["constraint"] for one in freed.json()["results"]] == ["together"]
    refused(client.post(at(tournament, "pairs", "release"), APART), 409, "no-pairing-constraint")
    recorded = ActionRecord.objects.filter(subject=tournament.subject).order_by("pk")
    assert [one.action for one in recorded] == ["say-of-pair", "say-of-pair", "release-pair"]


@pytest.mark.django_db(transaction=True)
def test_a_constraint_set_by_two_concurrent_requests_is_recorded_once(published: Publish):
    tournament = begun(published, 4)
    answers = at_once(*[lambda: keep_apart(tournament, 1, 2)] * 3)
    assert [isinstance(answer, PairingConstraintExists) for answer in answers].count(True) == 2
    assert len(manual_pairing.constraints_in(tournament)) == 1
