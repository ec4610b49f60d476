"""Matches: the next deal is opened once, with the same players and new seeds, until the match is over."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Player
from eventstore import store
from games import early_access, selectors, services, state
from games.matches import api as match_documents
from games.matches import services as matches
from games.models import GameRecord, Match, MatchStatus, Status
from games.rules.bundles.verification import verify
from games.services import BotSeat
from jobs.models import Job
from ledger.errors import InterestedParty
from tests.concurrency import at_once
from tests.due_jobs import run_due
from tests.games.conftest import NOON

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

MATCHES = "/api/v1/matches/"
PAUSE = timedelta(seconds=30)


def opened(people: list[Player], *, deals: int = 2, **more: Any) -> tuple[Match, GameRecord]:
    """Return a match whose first deal has been made."""
    bots = more.get("bots", ())
    match = matches.open_match(
        rules="ace-race",
        config=more.pop("config", {}),
        seats=len(people) + len(bots),
        deals=deals,
        creator=people[0] if people else None,
        now=NOON,
        **more,
    )
    game = match.games.get()
    for who in people:
        services.take_seat(game=game, player=who, client_seed=who.username, now=NOON)
    return match, services.start_game(game=game, actor=None, now=NOON)


def play_out(game: GameRecord, people: list[Player], now: datetime = NOON, seed: int = 1) -> GameRecord:
    """Make at least one move of a person, then let the server play until the deal is over."""
    by_id = {str(who.pk): who for who in people}
    table = state.load(game.pk)[1]
    rng = random.Random(seed)
    seat = table.to_act()[0]
    who = by_id[table.seats[seat].player]
    services.play(game_id=game.pk, player=who, move=rng.choice(table.legal_moves(seat)), now=now)
    while not state.load(game.pk)[1].ended:
        services.expire_game(game_id=game.pk, now=now)
    return GameRecord.objects.get(pk=game.pk)


def newest(match: Match) -> GameRecord:
    return match.games.order_by("match_number").last()  # type: ignore[return-value]


def test_the_next_deal_has_the_same_players_the_next_dealer_and_the_last_winner(
    player: Player, rival: Player
) -> None:
    people = [player, rival]
    match, first = opened(people, config={"dealer": 1}, move_limit=60)
    first = play_out(first, people)
    run_due(NOON)
    second = newest(match)
    assert (second.match_number, second.status, second.move_limit) == (2, Status.OPEN, 60)
    assert first.outcome is not None
    winners = first.outcome["winners"]
    expected = {**first.config, "dealer": 0, "previous_winner": winners[0] if len(winners) == 1 else None}
    assert second.config == expected
    assert second.commitment != first.commitment
    services.take_seat(game=second, player=rival, client_seed="fresh", now=NOON)
    services.take_seat(game=second, player=player, client_seed="", now=NOON)
    matches.deal_when_seated(game=second, now=NOON)
    table = state.load(second.pk)[1]
    assert [table.seats[seat].player for seat in (0, 1)] == [str(player.pk), str(rival.pk)]
    assert [table.seats[seat].client_seed for seat in (0, 1)] == ["", "fresh"]
    second = play_out(second, people, seed=2)
    run_due(NOON)
    match.refresh_from_db()
    assert (match.status, match.ended_at, match.games.count()) == (MatchStatus.FINISHED, NOON, 2)
    for game in (first, second):
        assert verify(selectors.bundle(game, player)).ok


def test_players_who_send_no_seed_are_seated_with_an_empty_one(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, first = opened(people)
    play_out(first, people)
    run_due(NOON)
    second = newest(match)
    services.take_seat(game=second, player=rival, client_seed="fresh", now=NOON)
    run_due(NOON + PAUSE - timedelta(seconds=1))
    assert newest(match).status == Status.OPEN
    run_due(NOON + PAUSE)
    table = state.load(second.pk)[1]
    assert table.status == "active"
    assert [table.seats[seat].client_seed for seat in (0, 1)] == ["", "fresh"]


def test_bots_keep_their_seats_and_deal_without_a_pause() -> None:
    bots = [BotSeat(0), BotSeat(1, "random"), BotSeat(2)]
    match, _ = opened([], deals=3, bots=bots)
    run_due(NOON)
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    games = list(match.games.order_by("match_number"))
    assert [game.status for game in games] == [Status.FINISHED] * 3
    assert [game.config["dealer"] for game in games] == [0, 1, 2]
    seatings = [list(game.seatings.values_list("seat", "player", "bot")) for game in games]
    assert seatings[0] == seatings[1] == seatings[2]
    assert [bot for _, _, bot in seatings[0]] == ["steady", "random", "steady"]
    shown = match_documents.document(match, None)
    assert shown["played"] == 3
    assert sum(standing["wins"] for standing in shown["standings"]) >= 3
    assert not Job.objects.open().filter(kind__in=("games.next_deal", "games.deal_on")).exists()


def test_seats_of_later_deals_are_reserved(api: Api, player: Player, rival: Player, stranger: Player) -> None:
    people = [player, rival]
    match, first = opened(people, private=True)
    play_out(first, people)
    run_due(NOON)
    seats = f"/api/v1/games/{newest(match).pk}/seats/"
    assert api(stranger).post(seats, {}).status_code == 404
    invited = api(stranger).post(seats, {"invite": match.invite})
    assert (invited.status_code, invited.json()["code"]) == (409, "seats-taken")
    wrong = api(rival).post(seats, {"seat": 0})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid-table")
    sat = api(rival).post(seats, {"client_seed": "mine"})
    assert (sat.status_code, sat.json()["seat"], sat.json()["status"]) == (201, 1, "open")
    last = api(player).post(seats, {"client_seed": "too"})
    assert (last.status_code, last.json()["status"]) == (201, "active"), "all have sat down: it is dealt"
    assert last.json()["match"] == {"id": str(match.pk), "number": 2}


def test_a_voided_deal_is_played_again_by_the_same_dealer(player: Player, rival: Player) -> None:
    match, first = opened([player, rival], config={"dealer": 1, "previous_winner": 0})
    services.void_game(game_id=first.pk, reason="a misdeal", now=NOON)
    run_due(NOON)
    again = newest(match)
    assert (again.match_number, again.config) == (2, first.config)
    assert match_documents.document(match, None)["played"] == 0


def test_a_table_that_is_not_started_ends_the_match(player: Player) -> None:
    match = matches.open_match(rules="ace-race", config={}, seats=2, deals=5, creator=player, now=NOON)
    run_due(NOON + timedelta(hours=24))
    match.refresh_from_db()
    assert (match.status, match.games.count()) == (MatchStatus.VOID, 1)


def test_a_match_without_players_ends_with_its_deal(player: Player, rival: Player) -> None:
    match, first = opened([player, rival], deals=100)
    while not state.load(first.pk)[1].ended:
        services.expire_game(game_id=first.pk, now=NOON)
    run_due(NOON)
    match.refresh_from_db()
    assert (match.status, match.games.count()) == (MatchStatus.FINISHED, 1)


def test_continuing_twice_opens_one_deal(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, first = opened(people)
    play_out(first, people)
    for _ in range(3):
        matches.open_next_deal(game_id=first.pk, now=NOON)
    run_due(NOON)
    assert list(match.games.order_by("match_number").values_list("match_number", flat=True)) == [1, 2]
    with pytest.raises(IntegrityError), transaction.atomic():
        GameRecord.objects.filter(match=match).update(match_number=1)


@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_open_one_deal(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, first = opened(people)
    play_out(first, people)
    answers = at_once(*[partial(matches.open_next_deal, game_id=first.pk, now=NOON)] * 4)
    assert not [answer for answer in answers if isinstance(answer, Exception)], answers
    assert match.games.count() == 2
    assert store.head(newest(match).pk).version == 1


def test_players_of_a_match_get_no_early_access_to_its_deals(auditor: Player, rival: Player) -> None:
    """This includes the pause: a player with early access could not be seated, and the match would stall."""
    people = [auditor, rival]
    match, first = opened(people)
    play_out(first, people)
    run_due(NOON)
    second = match.games.get(match_number=2)
    with pytest.raises(InterestedParty):
        early_access.record(viewer=auditor, game=second, what="bundle", version=None, now=NOON)
    run_due(NOON + PAUSE)
    second.refresh_from_db()
    assert second.status == Status.ACTIVE


@pytest.mark.django_db(transaction=True)
def test_the_last_seat_and_the_end_of_the_pause_make_one_deal(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, first = opened(people)
    play_out(first, people)
    run_due(NOON)
    second = newest(match)
    services.take_seat(game=second, player=player, client_seed="a", now=NOON)

    def sit() -> None:
        services.take_seat(game=second, player=rival, client_seed="b", now=NOON)
        matches.deal_when_seated(game=second, now=NOON)

    results = at_once(sit, partial(matches.deal_after_pause, game_id=second.pk, now=NOON))
    matches.deal_after_pause(game_id=second.pk, now=NOON)
    types = [event.type for event in store.read(second.pk)]
    assert types == ["created", "seated", "seated", "dealt"], results


# --- over REST ------------------------------------------------------------------------------------


def test_a_match_is_played_over_rest(api: Api, player: Player, rival: Player) -> None:
    client = api(player)
    made = client.post(MATCHES, {"rules": "ace-race", "seats": 3, "deals": 2, "bots": [2], "pause": 5})
    assert made.status_code == 201, made.json()
    match = made.json()
    assert made["Location"] == f"{MATCHES}{match['id']}/"
    assert match["seats"][2]["bot"] == "steady"
    assert (match["status"], match["played"], match["game"]) == ("running", 0, match["games"][0]["game"])
    game = f"/api/v1/games/{match['game']}/"
    for who in (player, rival):
        assert api(who).post(f"{game}seats/", {"client_seed": who.username}).status_code == 201
    assert client.post(f"{game}start/", {}).status_code == 200
    assert client.get(f"{MATCHES}{match['id']}/").json()["games"][0]["status"] == "active"
    assert [line["id"] for line in client.get(f"{MATCHES}?mine=true").json()["results"]] == [match["id"]]
    assert api(None).get(f"{MATCHES}?status=finished").json()["results"] == []
    repeated = client.post(MATCHES, {"rules": "ace-race", "deals": 2}, key="once")
    assert client.post(MATCHES, {"rules": "ace-race", "deals": 2}, key="once").json() == repeated.json()
    assert Match.objects.count() == 2


def test_a_private_match_is_visible_to_its_participants(
    api: Api, player: Player, rival: Player, stranger: Player, auditor: Player
) -> None:
    match = api(player).post(MATCHES, {"rules": "ace-race", "deals": 2, "private": True}).json()
    address = f"{MATCHES}{match['id']}/"
    assert api(stranger).get(address).status_code == 404
    assert api(None).get(MATCHES).json()["results"] == []
    assert api(auditor).get(address).json()["invite"] is None
    seen = api(rival).get(f"{address}?invite={match['invite']}")
    assert (seen.status_code, seen.json()["invite"]) == (200, None)
    seats = f"/api/v1/games/{match['game']}/seats/"
    assert api(rival).post(seats, {"invite": match["invite"]}).status_code == 201
    assert api(rival).get(address).json()["invite"] == match["invite"]


def test_impossible_matches_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    client = api(player)
    for body, code in [
        *((body, "invalid-input") for body in ({}, {"rules": "ace-race"})),
        *(({"rules": "ace-race", "deals": deals}, "invalid-input") for deals in (0, 101, "2")),
        *(({"rules": "ace-race", "deals": 2, "pause": pause}, "invalid-input") for pause in (601, 4)),
        ({"rules": "ace-race", "deals": 2, "hints": True}, "invalid-input"),
        ({"rules": "ace-race", "deals": 2, "seats": 5}, "invalid-table"),
        ({"rules": "ace-race", "deals": 2, "seats": 2, "config": {"dealer": 2}}, "invalid-config"),
        ({"rules": "ace-race", "deals": 2, "bots": [{"seat": 1, "bot": "genius"}]}, "invalid-table"),
        ({"rules": "vegas-solitaire", "deals": 2, "config": {"draw": 1, "stake": 0}}, "invalid-table"),
        ({"rules": "patience", "deals": 2}, "unknown-rules"),
    ]:
        with subtests.test(body=body, code=code):
            refused = client.post(MATCHES, body)
            assert (refused.status_code, refused.json()["code"]) == (400, code), refused.json()
            assert not Match.objects.exists()
            assert not GameRecord.objects.exists()
