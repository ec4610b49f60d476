"""What waits for a player, as a document and as the messages of its stream."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts import bots
from accounts.models import Player
from accounts.services import issue_token, suspend
from audit.services import audit_game
from config.streams import reads
from config.streams import waiting as streams
from config.waiting import waiting
from games import services as games
from games import waiting as of_games
from games.challenges.services import challenge
from games.models import GameRecord, Seat
from games.selectors import legal_moves
from games.suspensions.services import suspend as suspend_game
from notifications import services as notifications
from notifications.models import Notification
from tests.conftest import NOW, person
from tests.tournaments.playing import SEED, enter, terms
from tournaments import services as tournaments
from tournaments.entries import check_in

pytestmark = pytest.mark.django_db

WAITING = "/api/v1/players/me/waiting/"
Api = Callable[[Player | None], APIClient]


def solitaire(player: Player) -> GameRecord:
    game = games.create_game(rules="idle-aces", config={}, seats=1, creator=player, now=NOW)
    games.take_seat(game=game, player=player, client_seed="", now=NOW)
    return games.start_game(game=game, actor=player, now=NOW)


def table(rules: str, *players: Player, start: bool = True, **terms: Any) -> GameRecord:
    game = games.create_game(
        rules=rules, config=terms.pop("config", {}), seats=len(players), creator=players[0], now=NOW, **terms
    )
    for player in players:
        games.take_seat(game=game, player=player, client_seed="", now=NOW)
    return games.start_game(game=game, actor=players[0], now=NOW) if start else game


def shown(player: Player) -> list[Any]:
    return waiting([player.pk], now=NOW)[player.pk].document()["games"]


def test_the_seat_that_is_to_act_has_a_move_waiting(player: Player, rival: Player, api: Api) -> None:
    game = table("ace-race", player, rival, move_limit=60)
    view = api(player).get(f"/api/v1/games/{game.pk}/").json()
    [to_act] = view["to_act"]
    waits, idle = (player, rival) if to_act == 0 else (rival, player)
    [item] = api(waits).get(WAITING).json()["games"]
    assert (item["game"], item["kind"], item["seat"], item["version"]) == (
        str(game.pk),
        "move",
        to_act,
        view["version"],
    )
    assert item["act_by"] is not None
    assert api(idle).get(WAITING).json() == {
        "games": [],
        "challenges": [],
        "tournaments": [],
        "more": False,
        "unread": 0,
    }


def test_a_bot_sees_what_waits_for_it_by_its_token(player: Player) -> None:
    bot = bots.create(owner=player, name="Deep Ace", owner_only=False, now=NOW)
    game, client = solitaire(bot), APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=bot)[1]}")
    [item] = client.get(WAITING).json()["games"]
    assert item["game"] == str(game.pk)


def test_a_race_of_all_seats_waits_from_the_deal_to_the_end(player: Player, rival: Player) -> None:
    game = table("racing-demons", player, rival, config={"pace": "race"}, start=False)
    assert [item["kind"] for item in shown(player)] == ["start"]
    games.start_game(game=game, actor=player, now=NOW)
    for who in (player, rival):
        assert [item["kind"] for item in shown(who)] == ["play"]
    games.void_game(game_id=game.pk, reason="test", now=NOW)
    assert shown(player) == []


def test_a_full_table_waits_for_its_start(player: Player, rival: Player) -> None:
    game = games.create_game(rules="ace-race", config={}, seats=2, creator=player, now=NOW)
    games.take_seat(game=game, player=player, client_seed="", now=NOW)
    assert shown(player) == []
    games.take_seat(game=game, player=rival, client_seed="", now=NOW)
    assert [item["kind"] for item in (*shown(player), *shown(rival))] == ["start", "start"]


@pytest.mark.parametrize("how", ["ended", "suspended", "forfeited"])
def test_what_cannot_be_moved_in_does_not_wait(player: Player, auditor: Player, how: str) -> None:
    game = solitaire(player)
    if how == "ended":
        games.void_game(game_id=game.pk, reason="test", now=NOW)
        assert not Seat.objects.get(game=game).running
    elif how == "suspended":
        suspend_game(game_id=game.pk, by=auditor, reason="looked into", now=NOW)
    else:
        games.forfeit_seats(game_ids=[game.pk], seats=[0])
    assert shown(player) == []


def test_an_audit_finds_a_seat_that_is_marked_wrongly(player: Player) -> None:
    game = solitaire(player)
    assert audit_game(game.pk).ok
    Seat.objects.update(running=False)
    assert [fault.check for fault in audit_game(game.pk).faults] == ["record"]
    games.void_game(game_id=game.pk, reason="test", now=NOW)
    assert audit_game(game.pk).ok
    Seat.objects.update(running=True)
    assert not audit_game(game.pk).ok


def test_it_is_bounded_and_says_so(player: Player, monkeypatch: pytest.MonkeyPatch, api: Api) -> None:
    monkeypatch.setattr(of_games, "MOST", 2)
    made = {str(solitaire(player).pk) for _ in range(3)}
    found = api(player).get(WAITING).json()
    assert len({item["game"] for item in found["games"]} & made) == 2
    assert found["more"]


@pytest.mark.both_databases
def test_finished_games_cost_nothing(player: Player) -> None:
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as made:
            waiting([player.pk], now=NOW)[player.pk].document()
        return len(made)

    solitaire(player)
    few = statements()
    for _ in range(5):
        games.void_game(game_id=solitaire(player).pk, reason="test", now=NOW)
    assert statements() == few
    plan = _plan(player)
    assert "seat_running_games" in plan


def _plan(player: Player) -> str:
    """The plan for many rows, of which few are running."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    running = Seat.objects.filter(running=True, player=player).order_by("created_at", "game")
    return running.explain()


def test_an_open_check_in_waits_until_it_is_made(organizer: Player) -> None:
    at = NOW + timedelta(seconds=3100)
    draft = tournaments.create(
        organizer=organizer,
        terms=terms(fee=0, prizes=(), opens_at=NOW + timedelta(seconds=3600), check_in_seconds=600),
        now=NOW,
    )
    held = tournaments.publish(tournament_id=draft.pk, actor=organizer, now=NOW, seed=SEED)
    cid, dan = person("cid"), person("dan")
    enter(held, cid, dan)

    def waits(who: Player, now: datetime) -> list[str]:
        return [item["tournament"] for item in waiting([who.pk], now=now)[who.pk].document()["tournaments"]]

    assert waits(cid, NOW) == []
    assert waits(cid, at) == waits(dan, at) == [str(held.pk)]
    check_in.check_in(tournament_id=held.pk, player=cid, now=at)
    assert (waits(cid, at), waits(dan, at)) == ([], [str(held.pk)])


def notify(player: Player, count: int) -> list[Notification]:
    rows = [
        Notification(player=player, kind="turn", subject=f"{number}", values={}, in_page=True, created_at=NOW)
        for number in range(count)
    ]
    return Notification.objects.bulk_create(rows)


def test_unread_notifications_are_counted_up_to_a_hundred(player: Player, rival: Player, api: Api) -> None:
    def unread() -> tuple[int, int]:
        found = waiting([player.pk, rival.pk], now=NOW)
        return found[player.pk].unread, found[rival.pk].unread

    rows = notify(player, 3)
    Notification.objects.filter(pk=rows[0].pk).update(in_page=False)
    assert unread() == (2, 0)
    notifications.mark_read(player=player.pk, ids=[rows[1].pk], now=NOW)
    assert unread() == (1, 0)
    assert api(player).get(WAITING).json()["unread"] == 1
    Notification.objects.all().delete()
    notify(player, 120)
    assert unread() == (100, 0)


@pytest.mark.both_databases
def test_players_are_looked_up_together_with_a_fixed_number_of_statements(
    player: Player, rival: Player, stranger: Player, django_assert_num_queries: Any
) -> None:
    notify(player, 120)
    challenge(challenger=player, opponents=[rival.username], rules="ace-race", config={}, now=NOW)
    for players in ([player.pk], [player.pk, rival.pk, stranger.pk]):
        # games; tournaments; challenges received, made, and themselves, with invitations and players; notifications
        with django_assert_num_queries(8):
            waiting(players, now=NOW)


def test_parameters_are_refused_and_the_unknown_are_kept_out(player: Player, api: Api) -> None:
    assert api(player).get(f"{WAITING}?limit=5").status_code == 400
    assert api(None).get(WAITING).status_code == 401


@pytest.fixture
def in_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads of streams close the connections of their thread, which is here that of the test."""
    monkeypatch.setattr(reads, "close_old_connections", lambda: None)


# --- messages ------------------------------------------------------------------------------------------


def state(player: Player) -> streams.State:
    return streams.state_of(waiting([player.pk], now=NOW)[player.pk])


def parts(frame: bytes) -> tuple[str, str, Any]:
    fields = dict(line.split(": ", 1) for line in frame.decode().splitlines() if line)
    return fields["event"], fields["id"], json.loads(fields["data"])


def applied(document: Any, changed: Any) -> Any:
    """The document after a change, as a client computes it."""
    result = {"more": changed["more"], "unread": changed["unread"]}
    for name in ("games", "challenges", "tournaments"):
        new = {item["key"]: item for item in changed[name]}
        kept = {item["key"]: item for item in document[name] if item["key"] not in changed["gone"]}
        result[name] = sorted((kept | new).values(), key=lambda item: item["key"])
    return result


def ordered(document: Any) -> Any:
    nothing = {"games": [], "challenges": [], "tournaments": [], "gone": []}
    return applied(document, nothing | {name: document[name] for name in ("more", "unread")})


def test_changes_lead_from_one_document_to_the_next(player: Player) -> None:
    first, second = solitaire(player), solitaire(player)
    before = state(player)
    event, id, document = parts(streams.whole(before))
    assert (event, id) == ("waiting", before.id)
    games.void_game(game_id=first.pk, reason="test", now=NOW)
    solitaire(player)
    games.play(game_id=second.pk, player=player, move=_a_move(second, player), now=NOW)
    after = state(player)
    event, id, changed = parts(streams.change(before, after))
    assert (event, id) == ("changed", after.id)
    assert changed["gone"] == [f"game:{first.pk}"]
    assert len(changed["games"]) == 2
    assert applied(document, changed) == ordered(after.document)


def _a_move(game: GameRecord, player: Player) -> Any:
    return legal_moves(player, game)[1][0]


def test_a_notification_is_a_change_until_it_is_read(player: Player) -> None:
    solitaire(player)
    before = state(player)
    notify(player, 1)
    after = state(player)
    event, _, changed = parts(streams.change(before, after))
    assert (event, changed["unread"], changed["games"], changed["gone"]) == ("changed", 1, [], [])
    notifications.mark_read(player=player.pk, ids=None, now=NOW)
    assert state(player).id == before.id != after.id


def test_moves_of_a_race_are_no_changes(player: Player, rival: Player) -> None:
    game = table("racing-demons", player, rival, config={"pace": "race"})
    before = state(player)
    games.play(game_id=game.pk, player=player, move=_a_move(game, player), now=NOW)
    after = state(player)
    assert after.document != before.document
    assert after.id == before.id


@pytest.mark.usefixtures("in_this_thread")
def test_only_changed_players_are_read_and_ended_credentials_are_named(player: Player, rival: Player) -> None:
    marks = {who.pk: [state(who).mark] for who in (player, rival)}
    solitaire(player)
    token = issue_token(player=player)[0]
    credential = streams.Credential(player.pk, digest=token.digest)
    looked = streams.look(marks, {player.pk: [credential], rival.pk: []})
    assert (set(looked.states), looked.ended) == ({player.pk}, set())
    suspend(player=player, reason="rude")
    assert streams.look(marks, {player.pk: [credential], rival.pk: []}).ended == {credential}


@pytest.mark.usefixtures("in_this_thread")
def test_a_stream_that_is_behind_is_brought_up_beside_one_that_is_not(player: Player) -> None:
    old = state(player)
    solitaire(player)
    new = state(player)
    for marks in ([old.mark, new.mark], [new.mark, old.mark]):
        assert set(streams.look({player.pk: marks}, {player.pk: []}).states) == {player.pk}
    assert not streams.look({player.pk: [new.mark]}, {player.pk: []}).states
