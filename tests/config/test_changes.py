"""The change feed shows what a spectator may see, in one order, at a bounded cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from config import changes
from eventstore import store
from eventstore.models import Event
from games import services as games
from tests.conftest import NOW, Client
from tests.games.tables import dealt
from tests.tournaments import playing
from tournaments import services as tournaments
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
Api = Callable[[Player | None], Client]
CHANGES = "/api/v1/changes/"


def pages(client: Client, path: str = CHANGES) -> Iterator[dict[str, Any]]:
    """The pages until the present, each from `next` of the one before."""
    while True:
        answer = client.get(path)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        yield page
        path = page["next"]
        if not page["more"] and not page["results"]:
            return


def everything(client: Client, path: str = CHANGES) -> list[tuple[str, UUID, int]]:
    return [
        (one["kind"], UUID(one["id"]), one["event"]["version"])
        for page in pages(client, path)
        for one in page["results"]
    ]


def versions(subject: UUID) -> list[int]:
    return list(range(1, store.head(subject).version + 1))


def shown(changes: list[tuple[str, UUID, int]], subject: UUID) -> list[int]:
    return [version for _, id, version in changes if id == subject]


@pytest.fixture
def contest(organizer: Player) -> Tournament:
    drafted = tournaments.create(organizer=organizer, terms=playing.terms(), now=NOW)
    return tournaments.publish(tournament_id=drafted.pk, actor=organizer, now=NOW, seed=playing.SEED)


def test_public_events_come_once_in_the_order_in_which_they_happened(
    api: Api, player: Player, stranger: Player, contest: Tournament
) -> None:
    game = dealt("vegas-solitaire", [player], now=NOW).pk
    client = api(stranger)
    found = everything(client)
    assert found == [("tournament", contest.pk, one) for one in versions(contest.pk)] + [
        ("game", game, one) for one in versions(game)
    ]
    assert everything(client, f"{CHANGES}?limit=1") == found
    assert everything(api(player)) == found, "whoever asks"


def test_private_games_drafts_and_disputes_never_appear(
    api: Api, player: Player, organizer: Player, contest: Tournament
) -> None:
    dealt("vegas-solitaire", [player], now=NOW, private=True)
    tournaments.create(organizer=organizer, terms=playing.terms(name="Drafted"), now=NOW)
    for who in (player, organizer):
        assert {id for _, id, _ in everything(api(who))} == {contest.pk}


def test_the_private_part_of_an_event_is_left_out(api: Api, player: Player, stranger: Player) -> None:
    game = dealt("idle-aces", [player], now=NOW)
    games.play(game_id=game.pk, player=player, move={"type": "resign"}, now=NOW)
    assert Event.objects.filter(stream=game.pk, private__isnull=False).exists()
    found = [one["event"] for page in pages(api(player)) for one in page["results"]]
    assert {event["private"] for event in found} == {None}
    listed = api(stranger).get(f"/api/v1/games/{game.pk}/events/").json()["results"]
    assert [{**event, "private": None} for event in listed] == found


def test_a_deal_in_play_elsewhere_is_hidden(api: Api, stranger: Player, contest: Tournament) -> None:
    ann, bob = playing.rich("ann"), playing.rich("bob")
    playing.enter(contest, ann, bob)
    playing.start(contest)
    tables = playing.games_of(contest, 1)
    assert len(tables) == 2
    ids = {one.game for one in tables}
    client = api(stranger)
    assert not ids & {id for _, id, _ in everything(client)}
    for one in tables:
        assert client.get(f"/api/v1/games/{one.game}/").status_code == 404
    playing.play_round(contest, 1)
    assert ids <= {id for _, id, _ in everything(client)}, "read from the beginning"


def test_a_reader_continues_after_an_empty_page(api: Api, player: Player, stranger: Player) -> None:
    client = api(stranger)
    first = client.get(f"{CHANGES}?limit=7").json()
    assert (first["results"], first["more"]) == ([], False)
    game = dealt("vegas-solitaire", [player], now=NOW).pk
    assert shown(everything(client, first["next"]), game) == versions(game)
    *_, last = pages(client)
    games.play(game_id=game, player=player, move={"type": "draw"}, now=NOW)
    assert shown(everything(client, last["next"]), game) == [4]


def test_now_leaves_out_what_exists(api: Api, player: Player) -> None:
    client = api(player)
    game = dealt("vegas-solitaire", [player], now=NOW).pk
    begun = client.get(f"{CHANGES}?after=now").json()
    assert (begun["results"], begun["more"]) == ([], False)
    games.play(game_id=game, player=player, move={"type": "draw"}, now=NOW)
    assert shown(everything(client, begun["next"]), game) == [4]


def test_a_page_reads_a_bounded_number_of_events(
    api: Api, player: Player, stranger: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "SCANNED", 4)
    for _ in range(3):
        dealt("vegas-solitaire", [player], now=NOW, private=True)
    game = dealt("vegas-solitaire", [player], now=NOW).pk
    client = api(stranger)
    found = list(pages(client))
    assert [len(page["results"]) for page in found] == [0, 0, 3, 0]
    assert [page["more"] for page in found] == [True, True, True, False]
    assert shown(everything(client), game) == [1, 2, 3]


def test_a_page_takes_four_statements_however_much_has_happened(
    api: Api, player: Player, stranger: Player, contest: Tournament
) -> None:
    client = api(stranger)
    client.get(CHANGES)

    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(CHANGES).status_code == 200
        return len(captured)

    few = statements()
    for _ in range(5):
        dealt("vegas-solitaire", [player], now=NOW)
    assert few == statements() == 4, "the token, the events, the games, the tournaments"


def test_a_cursor_shows_nothing_and_cannot_be_made(api: Api, player: Player) -> None:
    client = api(player)
    dealt("vegas-solitaire", [player], now=NOW)
    [cursor] = parse_qs(urlsplit(client.get(f"{CHANGES}?limit=1").json()["next"]).query)["after"]
    position = changes._position(cursor)
    assert position is not None
    assert changes.cursor(position) == cursor
    changed = ("A" if cursor[0] != "A" else "B") + cursor[1:]
    for wrong in (changed, cursor[:-2], "x", "%C3%A4", "0", cursor + cursor):
        answer = client.get(f"{CHANGES}?after={wrong}")
        assert (answer.status_code, answer.json()["code"]) == (400, "bad-cursor"), wrong
    for query in ("limit=0", "limit=201", "limit=x", "since=1"):
        assert client.get(f"{CHANGES}?{query}").status_code == 400


def test_the_feed_needs_a_caller(api: Api) -> None:
    assert api(None).get(CHANGES).status_code == 401
