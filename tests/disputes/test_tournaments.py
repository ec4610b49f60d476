"""Test disputes of tournament games: standings and prizes follow rulings and rulings."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from disputes import money
from disputes import selectors as bundles
from disputes.errors import NotYourGame
from disputes.models import Dispute
from disputes.rulings import services as rulings
from eventstore import store
from games import selectors as game_selectors
from games import state
from games.models import GameRecord
from games.rules.bundles.verification import verify
from ledger.errors import InterestedParty
from tests.conftest import Client, known, person
from tests.databases import shared
from tests.disputes.conftest import Opens, decide, ruled, shown
from tests.due_jobs import run_due
from tests.tournaments.conftest import publish, published  # noqa: F401
from tests.tournaments.playing import enter, later, rich, start
from tournaments import record
from tournaments.errors import RoundNotClosed
from tournaments.formats.replay import replay
from tournaments.models import Status, TableGame, Tournament
from tournaments.report import proofs
from tournaments.rounds import selectors as round_selectors
from webhooks import services as webhooks
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db
SWISS = {"format": "swiss", "rules": "ace-race", "config": {}, "gap_seconds": 3600, "prizes": (10_000,)}
AFTER = later(20_000)


@shared
def held() -> Tournament:
    """Return a finished tournament of one round and two players, with its prize paid."""
    tournament = publish(known("olga", Role.ORGANIZER), **{**SWISS, "rounds": 1})
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    run_due(later(600))
    run_due(later(4200))
    tournament.refresh_from_db()
    assert tournament.status == Status.FINISHED
    return tournament


def game_of(tournament: Tournament) -> GameRecord:
    [one] = TableGame.objects.filter(table__round__tournament=tournament)
    return GameRecord.objects.get(pk=one.game)


def prizes(tournament: Tournament) -> dict[int, int]:
    rows = round_selectors.standings(tournament, None)["standings"]
    return {row["entry"]: row["prize"] for row in rows if row["prize"]}


def proven(tournament: Tournament) -> None:
    found = replay(str(tournament.pk), [event.public() for event in store.read(tournament.pk)])
    assert found.difference is None, found.difference
    assert [one.fault for one in proofs(tournament) if one.fault] == []


def players(tournament: Tournament) -> list[Player]:
    """Return the players by seat."""
    table = state.load(game_of(tournament).pk)[1]
    return [Player.objects.get(pk=table.seats[seat].player) for seat in sorted(table.seats)]


def test_prize_follows_outcome_and_appeal(
    held: Tournament, opened: Opens, auditor: Player, other_auditor: Player
) -> None:
    before = prizes(held)
    game = game_of(held)
    assert game.outcome is not None
    loser = game.outcome["places"][-1][-1]
    decision = decide("corrected", outcome={"places": [[loser], [1 - loser]]})
    dispute = opened(game, players(held)[loser], now=AFTER)
    made = ruled(dispute, auditor, decision, now=AFTER)
    assert prizes(held) != before
    assert made.effects["tournament"]["standings"]
    assert {row["entry"] for row in made.effects["tournament"]["prizes"]} == {1, 2}
    proven(held)
    bundle = game_selectors.bundle(game, auditor)
    assert bundle["rulings"][0]["transfers"] == list(bundles.transfers(made)) != []
    assert verify(bundle).faults == ()
    rulings.appeal(dispute_id=dispute.pk, actor=players(held)[0], reason="no", now=AFTER)
    ruled(dispute, other_auditor, decide("dismissed"), now=AFTER)
    assert prizes(held) == before
    proven(held)


def test_points_are_adjusted_like_correction(
    held: Tournament, opened: Opens, organizer: Player, auditor: Player
) -> None:
    winner = min(prizes(held))
    dispute = opened(game_of(held), organizer, now=AFTER)
    made = ruled(dispute, auditor, decide("points", way="forfeit", entries=[winner]), now=AFTER)
    assert prizes(held).keys() == {3 - winner}
    assert made.effects["result"]["becomes"]["kind"] == "points"
    [corrected] = [event for event in store.read(held.pk) if event.type == "result-corrected"]
    assert corrected.data["evidence"] == {"version": 1, "hash": dispute.hash}
    assert corrected.data["reason"] == f"ruling 1 on dispute {dispute.pk}"
    proven(held)


@override_settings(RACECARD_DISPUTE_SECOND_PERSON={"XTS": 1})
def test_moved_prize_needs_second_person(
    held: Tournament, opened: Opens, organizer: Player, auditor: Player, other_auditor: Player
) -> None:
    before = prizes(held)
    dispute = opened(game_of(held), organizer, now=AFTER)
    ruled(dispute, auditor, decide("points", way="forfeit", entries=[min(before)]), now=AFTER)
    assert prizes(held) == before
    rulings.approve(dispute_id=dispute.pk, actor=other_auditor, now=AFTER)
    assert prizes(held) != before


def test_tournament_game_has_no_hold(held: Tournament, opened: Opens) -> None:
    game = game_of(held)
    opened(game, players(held)[0], now=AFTER)
    assert money.current_hold(game) is None


def test_only_its_organizer_disputes_game(held: Tournament, opened: Opens, organizer: Player) -> None:
    assert opened(game_of(held), organizer, now=AFTER).seat is None
    with pytest.raises(NotYourGame):
        opened(game_of(held), person("otto"), now=AFTER)


def test_tournament_judge_cannot_rule(held: Tournament, opened: Opens, auditor: Player) -> None:
    from tournaments.models import StaffRole, TournamentRole

    dispute = opened(game_of(held), players(held)[0], now=AFTER)
    TournamentRole.objects.create(tournament=held, player=auditor, role=StaffRole.HELPER, given_at=AFTER)
    with pytest.raises(InterestedParty):
        shown(dispute, auditor, decide("void"), now=AFTER)


def test_result_is_corrected_after_round_closes(
    published: Callable[..., Tournament],  # noqa: F811
    opened: Opens,
    auditor: Player,
) -> None:
    tournament = published(**{**SWISS, "rounds": 1, "gap_seconds": 3600})
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "flo")))
    start(tournament)
    one = TableGame.objects.filter(table__round__tournament=tournament).first()
    assert one is not None
    from games import services as games

    while not state.load(one.game)[1].ended:
        games.expire_game(game_id=one.game, now=later(10))
    game = GameRecord.objects.get(pk=one.game)
    seat = state.load(game.pk)[1].seats[0].player
    dispute = opened(game, Player.objects.get(pk=seat), now=later(20))
    with pytest.raises(RoundNotClosed):
        shown(dispute, auditor, decide("void"), now=later(20))


def test_webhooks_omit_claim(held: Tournament, opened: Opens, organizer: Player, auditor: Player) -> None:
    hook, _ = webhooks.register(
        owner=organizer.pk, url="https://hooks.example.org/in", subject=held.subject, now=AFTER
    )
    dispute = opened(game_of(held), players(held)[0], claim="the secret Queen", now=AFTER)
    ruled(dispute, auditor, decide("dismissed"), now=AFTER)
    bodies: list[dict[str, Any]] = [
        json.loads(one.body) for one in Delivery.objects.filter(hook=hook).order_by("position")
    ]
    assert [body["type"] for body in bodies] == ["dispute.opened", "dispute.ruled"]
    assert bodies[1]["data"]["remedy"] == "dismissed"
    assert "Queen" not in str(bodies)
    assert "as the log shows" not in str(bodies)
    assert Dispute.objects.get().status == "ruled"
    assert record.load(held.pk).corrections == 0


def test_organizer_sees_that_game_can_be_disputed(
    held: Tournament, api: Callable[[Player | None], Client]
) -> None:
    game = game_of(held)
    GameRecord.objects.filter(pk=game.pk).update(ended_at=timezone.now())
    client, at = api(held.organizer), f"/api/v1/games/{game.pk}/disputes/"
    document = client.get(f"{at}mine/").json()
    assert (document["can_open"], document["seat"]) == (True, None)
    made = client.post(at, {"version": 1, "claim": "the wrong deal"})
    assert (made.status_code, made.json()["seat"]) == (201, None)
    document = client.get(f"{at}mine/").json()
    assert (document["why_not"]["code"], document["dispute"]["id"]) == ("dispute-open", made.json()["id"])
