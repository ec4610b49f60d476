"""Event streams of a real server, read by real clients."""

from __future__ import annotations

import contextlib
import json
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings

from eventstore import feed
from tests.conftest import PLAYER_SCOPES
from tests.installation import PATIENCE, Installation, installation, until
from tools.services import free_port

pytestmark = [pytest.mark.postgres, pytest.mark.processes]

VEGAS = {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}}
STREAM = {"Accept": "text/event-stream"}
PASSWORD = "correct horse battery"


class StreamServer(Installation):
    known: set[str]

    def __init__(self, folder: Path, **servers: str) -> None:
        super().__init__(folder, **servers)
        self.known = set()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StreamServer]:
    with installation(StreamServer(tmp_path_factory.mktemp("streams"))) as one:
        one.migrate()
        one.serve_web()
        yield one


class Client:
    """A signed-in client with its own token."""

    def __init__(self, server: StreamServer, name: str) -> None:
        self.http = httpx.Client(base_url=f"{server.address}/api/v1/", timeout=30)
        if name not in server.known:
            self.post("players/", username=name, password=PASSWORD)
            server.known.add(name)
        answer = self.post("tokens/", username=name, password=PASSWORD, scopes=PLAYER_SCOPES)
        self.http.headers["Authorization"] = f"Bearer {answer['token']}"

    def post(self, path: str, **body: Any) -> Any:
        answer = self.http.post(path, json=body, headers={"Idempotency-Key": str(uuid.uuid4())})
        assert answer.is_success, answer.text
        return answer.json()

    def game(self, **more: Any) -> str:
        game = str(self.post("games/", **VEGAS, **more)["id"])
        self.post(f"games/{game}/seats/", client_seed="")
        self.post(f"games/{game}/start/")
        return game

    def draw(self, game: str) -> int:
        return int(self.post(f"games/{game}/moves/", move={"type": "draw"})["version"])

    @contextlib.contextmanager
    def stream(self, path: str, **headers: str) -> Iterator[Callable[[], Frame]]:
        with self.http.stream("GET", path, headers={**STREAM, **headers}) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
            yield Frames(answer).read


class Frame(dict[str, str]):
    """The fields of one event of the stream."""

    @property
    def json(self) -> Any:
        return json.loads(self["data"])


class Frames:
    def __init__(self, answer: httpx.Response) -> None:
        self.lines = answer.iter_lines()

    def read(self) -> Frame:
        """The next event; raises StopIteration at the end of the stream."""
        frame = Frame()
        while True:
            line = next(self.lines)
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                frame[name] = value
            elif "data" in frame:
                return frame


@pytest.fixture
def ann(server: StreamServer) -> Client:
    return Client(server, "ann")


@pytest.fixture
def eve(server: StreamServer) -> Client:
    return Client(server, "eve")


def problem(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_what_was_and_what_comes(ann: Client) -> None:
    game = ann.game()
    listed = ann.http.get(f"games/{game}/events/").json()["results"]
    with ann.stream(f"games/{game}/events/") as read:
        frames = [read() for _ in listed]
        assert [frame.json for frame in frames] == listed
        assert [frame["id"] for frame in frames] == ["1", "2", "3"]
        waits = []
        for _ in range(5):
            started = time.monotonic()
            version = ann.draw(game)
            live = read()
            waits.append(time.monotonic() - started)
            assert (live["id"], live.json["type"]) == (str(version), "draw")
        # Each begins right after a look at the heads. Without a hint every one would wait for the next look.
        assert min(waits) < feed.SAFETY_INTERVAL / 2


def test_resumed_by_the_last_event_id(ann: Client) -> None:
    game = ann.game()
    ann.draw(game)
    with ann.stream(f"games/{game}/events/", **{"Last-Event-ID": "3"}) as read:
        assert read()["id"] == "4"
        ann.draw(game)
        assert read()["id"] == "5"
    with ann.stream(f"games/{game}/events/?after=4") as read:
        assert read()["id"] == "5"
    with ann.stream(f"games/{game}/events/?after=1", **{"Last-Event-ID": "4"}) as read:
        assert read()["id"] == "5"


def test_a_spectator_gets_no_card_that_only_the_seat_may_see(ann: Client, eve: Client) -> None:
    game = ann.game()
    with eve.stream(f"games/{game}/events/") as read:
        dealt = next(frame.json for frame in (read(), read(), read()) if frame.json["type"] == "dealt")
        assert dealt["private"] is None
        assert len(dealt["seal"]) == 64
        ann.draw(game)
        assert read().json == eve.http.get(f"games/{game}/events/?after=3").json()["results"][0]


def test_a_feed_follows_many_and_resumes_them_all(ann: Client) -> None:
    one, other = ann.game(), ann.game()
    with ann.stream(f"feed/?game={one}@3&game={other}@2") as read:
        first = read()
        assert (first.json["game"], first.json["event"]["version"]) == (other, 3)
        ann.draw(one)
        second = read()
        assert (second.json["game"], second.json["event"]["version"]) == (one, 4)
    ann.draw(one)
    ann.draw(other)
    with ann.stream(f"feed/?game={one}&game={other}", **{"Last-Event-ID": second["id"]}) as read:
        found = {(frame.json["game"], frame.json["event"]["version"]) for frame in (read(), read())}
        assert found == {(one, 5), (other, 4)}


def test_a_game_that_the_caller_may_not_see_is_not_found(ann: Client, eve: Client) -> None:
    hidden = ann.game(private=True)
    for path in (f"games/{hidden}/events/", f"feed/?game={hidden}", f"games/{uuid.uuid4()}/events/"):
        assert problem(eve.http.get(path, headers=STREAM)) == (404, "not-found")
    assert problem(eve.http.get(f"tournaments/{uuid.uuid4()}/events/", headers=STREAM)) == (404, "not-found")
    with ann.stream(f"games/{hidden}/events/") as read:
        assert read()["id"] == "1"


REFUSED: list[tuple[str, dict[str, str], tuple[int, str]]] = [
    ("feed/", {}, (400, "invalid-input")),
    ("feed/?game=7", {}, (400, "invalid-input")),
    ("feed/?market=7", {}, (400, "invalid-input")),
    ("feed/?game=%ff", {}, (400, "invalid-input")),
    ("feed/?game={game}@-1", {}, (400, "invalid-input")),
    ("feed/?game={game}@9999999999999999", {}, (400, "invalid-input")),
    ("feed/?" + "&".join(f"game={uuid.UUID(int=n)}" for n in range(101)), {}, (400, "invalid-input")),
    ("feed/?game={game}", {"Last-Event-ID": "4"}, (400, "invalid-input")),
    ("feed/?game={game}@99", {}, (409, "cursor-ahead")),
    ("games/{game}/events/", {"Last-Event-ID": "x"}, (400, "invalid-input")),
    ("games/{game}/events/", {"Last-Event-ID": "99"}, (409, "cursor-ahead")),
    ("games/{game}/events/?after=1.5", {}, (400, "invalid-input")),
    ("games/{game}/events/?after=1&after=2", {}, (400, "invalid-input")),
    ("games/{game}/events/?at=1", {}, (400, "invalid-input")),
    ("games/{game}/events/", {"Authorization": "Bearer nonsense"}, (401, "not-authenticated")),
    ("games/{game}/events/", {"Authorization": ""}, (401, "not-authenticated")),
    ("players/me/waiting/?after=1", {}, (400, "invalid-input")),
    ("players/me/waiting/", {"Authorization": ""}, (401, "not-authenticated")),
]


def test_what_cannot_be_streamed(ann: Client) -> None:
    game = ann.game()
    for path, headers, expected in REFUSED:
        answer = ann.http.get(path.replace("{game}", game), headers={**STREAM, **headers})
        assert problem(answer) == expected, (path, headers)
        assert uuid.UUID(answer.headers["X-Request-ID"])
    assert problem(ann.http.post("feed/", json={})) == (405, "method-not-allowed")


def test_a_player_has_so_many_streams(ann: Client, eve: Client) -> None:
    game = ann.game()
    with contextlib.ExitStack() as open_streams:
        readers = [
            open_streams.enter_context(ann.stream(f"games/{game}/events/"))
            for _ in range(settings.STREAMS_PER_PLAYER)
        ]
        assert {read()["id"] for read in readers} == {"1"}
        with ann.http.stream("GET", f"games/{game}/events/", headers=STREAM) as answer:
            assert answer.status_code == 429
            answer.read()
            assert problem(answer) == (429, "too-many-streams")
        other = open_streams.enter_context(eve.stream(f"games/{game}/events/"))
        assert other()["id"] == "1"

    def accepted() -> bool:
        with ann.http.stream("GET", f"games/{game}/events/", headers=STREAM) as answer:
            return answer.status_code == 200

    until(accepted, "closed streams count no longer", patience=settings.STREAM_LEASE_SECONDS / 2)


WAITING = "players/me/waiting/"


def test_what_waits_is_sent_whole_and_then_by_its_changes(server: StreamServer) -> None:
    zoe = Client(server, "zoe")
    first = zoe.game()
    with zoe.stream(WAITING) as read:
        frame = read()
        assert frame["event"] == "waiting"
        assert [item["game"] for item in frame.json["games"]] == [first]
        version = zoe.draw(first)
        moved = read()
        assert (moved["event"], [item["version"] for item in moved.json["games"]]) == ("changed", [version])
        second = zoe.game()
        new = read()
        while new.json["games"][0]["kind"] != "move":  # the table was full for a moment
            new = read()
        assert [item["game"] for item in new.json["games"]] == [second]
    with zoe.stream(WAITING, **{"Last-Event-ID": new["id"]}) as read:
        zoe.draw(second)
        assert read()["event"] == "changed"  # nothing has been sent again
    with zoe.stream(WAITING, **{"Last-Event-ID": new["id"]}) as read:
        assert read()["event"] == "waiting"


def test_a_bot_is_told_of_a_challenge_accepts_it_and_plays(server: StreamServer, ann: Client) -> None:
    owner, bot = Client(server, "olaf"), Client(server, "olaf")
    account = owner.post("players/me/bots/", name="Deep Ace")
    token = owner.post(f"players/me/bots/{account['id']}/tokens/")["token"]
    bot.http.headers["Authorization"] = f"Bearer {token}"
    with bot.stream(WAITING) as read:
        assert read().json["challenges"] == []
        made = ann.post("challenges/", opponents=[account["id"]], rules="ace-race")
        [challenge] = read().json["challenges"]
        assert (challenge["id"], challenge["yours"]) == (made["id"], False)
        bot.post(f"challenges/{challenge['id']}/accept/")
        frame = read().json
        assert frame["gone"] == [challenge["key"]]
        if not frame["games"]:  # the other seat acts first
            game = f"games/{made['game']}/"
            while moves := ann.http.get(game).json()["legal_moves"]:
                ann.post(f"{game}moves/", move=moves[0])
            frame = read().json
        [item] = frame["games"]
        view = bot.http.get(f"games/{item['game']}/").json()
        assert (item["game"], item["version"]) == (made["game"], view["version"])
        bot.post(f"games/{item['game']}/moves/", move=view["legal_moves"][0])


def test_a_revoked_token_closes_its_streams_within_15_seconds(server: StreamServer, ann: Client) -> None:
    yan, game = Client(server, "yan"), ann.game()
    with yan.stream(f"games/{game}/events/") as read, yan.stream(WAITING) as read_waiting:
        for _ in range(3):
            read()
        assert read_waiting().json["games"] == []
        ann.game()  # is not for yan
        assert yan.http.delete("tokens/current/").is_success
        revoked = time.monotonic()
        for next_frame in (read, read_waiting):
            last = next_frame()
            assert (last["event"], last.json["code"]) == ("closed", "not-authenticated")
            with pytest.raises(StopIteration):
                next_frame()
        assert time.monotonic() - revoked < 15


def test_a_revoked_token_gets_no_event_more(ann: Client, eve: Client) -> None:
    game = ann.game()
    with eve.stream(f"games/{game}/events/?after=3") as read:
        assert eve.http.delete("tokens/current/").is_success
        ann.draw(game)
        assert read()["event"] == "closed"


def test_a_token_without_the_scope_follows_nothing(ann: Client) -> None:
    game = ann.game()
    made = ann.post("tokens/", username="ann", password=PASSWORD, scopes=["play", "account"])
    headers = {**STREAM, "Authorization": f"Bearer {made['token']}"}
    for path in (f"games/{game}/events/", f"feed/?game={game}"):
        answer = ann.http.get(path, headers=headers)
        assert problem(answer) == (403, "scope-required")
        assert answer.json()["scopes"] == ["read"]


def test_many_readers_all_get_everything(ann: Client) -> None:
    game = ann.game()
    readers = 10

    def follow() -> list[int]:
        with ann.stream(f"games/{game}/events/") as read:
            return [int(read()["id"]) for _ in range(13)]

    with ThreadPoolExecutor(readers) as threads:
        following = [threads.submit(follow) for _ in range(readers)]
        for _ in range(10):
            ann.draw(game)
        assert [one.result(timeout=PATIENCE) for one in following] == [list(range(1, 14))] * readers


def test_a_body_that_comes_in_chunks_is_read_whole(ann: Client) -> None:
    game = ann.post("games/", **VEGAS)["id"]

    def sent(*chunks: bytes) -> httpx.Response:
        headers = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": "application/json"}
        return ann.http.post(f"games/{game}/seats/", content=iter(chunks), headers=headers)

    assert problem(sent(b'{"client_seed":', b'"a|b"}')) == (400, "invalid-client-seed")
    assert problem(sent(*[b" " * 65_536] * 5)) == (413, "body-too-large")
    assert sent(b'{"client_seed":', b'"ann"}').json()["fairness"]["client_seeds"] == ["ann"]


def test_json_pages_still_come_from_the_api(ann: Client) -> None:
    answer = ann.http.get(f"games/{ann.game()}/events/", headers={"Accept": "application/json"})
    assert answer.headers["content-type"] == "application/json"
    assert len(answer.json()["results"]) == 3


def test_the_server_ends_at_once_though_streams_are_open(
    tmp_path: Path, server: StreamServer, ann: Client
) -> None:
    """A second process of the same installation: clients of the one that ends resume at the other."""
    game = ann.game()
    port, server.port = server.port, free_port()
    try:
        second = server.start_web()
        address = server.address
    finally:
        server.port = port
    streaming = {**STREAM, "Authorization": ann.http.headers["Authorization"]}

    def connect() -> Any:
        with contextlib.suppress(httpx.ConnectError):
            context = httpx.stream("GET", f"{address}/api/v1/games/{game}/events/", headers=streaming)
            return context, context.__enter__()
        return None

    context, answer = until(connect, "the second process serves")
    read = Frames(answer).read
    assert [read()["id"] for _ in range(3)] == ["1", "2", "3"]
    started = time.monotonic()
    assert second.stop(signal.SIGTERM) in (0, -signal.SIGTERM)
    assert time.monotonic() - started < 5
    with pytest.raises(StopIteration):
        read()
    context.__exit__(None, None, None)
    ann.draw(game)
    with ann.stream(f"games/{game}/events/", **{"Last-Event-ID": "3"}) as resumed:
        assert resumed()["id"] == "4"
