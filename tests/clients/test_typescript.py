"""The TypeScript client in Node: games, lost answers, streams, pages, and refusals."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from racecard_client import Client
from tests.browser.relay import Relay
from tests.clients.conftest import player
from tests.installation import PATIENCE, ROOT, Installation
from tools import frontend

pytestmark = pytest.mark.processes

PAGE = ROOT / "docs" / "typescript-client.md"

PRELUDE = """
import { changes, connect, feed, follow, NOTHING, once, Problem, rows, unwrap } from "@racecard/client";
const [url, token, game_id] = process.argv.slice(2);
const api = connect(url, token);
const game = async () => unwrap(await api.GET("/api/v1/games/{game_id}/", { params: { path: { game_id } } }));
const move = async (type, header = once()) =>
  api.POST("/api/v1/games/{game_id}/moves/", { params: { path: { game_id }, header }, body: { move: { type } } });
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which Node finds the built package."""
    frontend.build_package()
    folder = tmp_path_factory.mktemp("typescript")
    packages = folder / "node_modules" / "@racecard"
    packages.mkdir(parents=True)
    (packages / "client").symlink_to(frontend.SHARED)
    return folder


def token_of(client: Client) -> str:
    return client.session.headers["Authorization"].removeprefix("Bearer ")


def start(folder: Path, script: str, *words: str, **given: str) -> subprocess.Popen[str]:
    path = folder / f"{len(list(folder.glob('*.mjs')))}.mjs"
    path.write_text(script)
    command = [str(frontend.programs() / "node"), str(path), *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=folder, env={**os.environ, **given}, stdout=pipe, stderr=pipe, text=True
    )


def run(folder: Path, script: str, *words: str, **given: str) -> str:
    """The output of a script."""
    process = start(folder, script, *words, **given)
    try:
        output, error = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        output, error = process.communicate()
    assert process.returncode == 0, output + error
    return output


def value(folder: Path, script: str, *words: str) -> Any:
    """What a script prints as JSON."""
    return json.loads(run(folder, PRELUDE + script, *words))


def test_the_example_plays_to_the_end_and_follows(client: Client, server: Installation, folder: Path) -> None:
    example = (frontend.SHARED / "examples" / "play.mjs").read_text()
    lines = run(folder, example, server.address, token_of(client)).splitlines()
    assert [line.split()[0] for line in lines] == [str(number) for number in range(1, len(lines) + 1)]
    assert lines[-1].endswith(" finished")


@pytest.mark.nightly
def test_the_examples_of_the_page_run(client: Client, server: Installation, folder: Path) -> None:
    blocks = re.findall(r"^```js\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 7
    given = {"RACECARD_URL": server.address, "RACECARD_TOKEN": token_of(client)}
    lines = run(folder, "".join(blocks), **given).splitlines()
    assert lines[0] == "open"
    assert lines[-4].endswith(" finished")
    assert lines[-3].endswith(" true")
    assert lines[-2].endswith(" idle-aces")
    assert lines[-1].startswith("409 ")


def test_a_lost_answer_is_asked_for_again_and_moves_once(client: Client, wire: Relay, folder: Path) -> None:
    game = client.play("idle-aces")
    wire.lose_answer(f"POST /api/v1/games/{game.id}/moves/".encode())
    script = """
        const { data, response } = await move("draw");
        console.log(JSON.stringify([data.version, response.headers.get("Idempotent-Replay")]));
    """
    moved = value(folder, script, wire.address, token_of(client), str(game.id))
    assert moved == [game.version + 1, "true"]
    assert client.game(game.id).version == game.version + 1


def test_a_stream_resumes_after_its_connection_was_cut(client: Client, wire: Relay, folder: Path) -> None:
    game = client.play("idle-aces")
    script = """
        for await (const one of follow(api, game_id, { after: 0 })) {
          console.log(one.kind === "event" ? one.event.version : one.kind);
        }
    """
    follower = start(folder, PRELUDE + script, wire.address, token_of(client), str(game.id))
    assert follower.stdout is not None
    try:
        heard = [follower.stdout.readline().strip() for _ in range(game.version)]
        wire.cut()
        client.move(game.id, {"type": "draw"})
        wire.mend()
        heard.append(follower.stdout.readline().strip())
        last = client.move(game.id, {"type": "resign"}).version
        output, error = follower.communicate(timeout=PATIENCE)
    finally:
        follower.kill()
    assert follower.returncode == 0, error
    assert heard + output.split() == [str(version) for version in range(1, last + 1)]


def test_a_stream_that_is_left_closes_its_connection(
    client: Client, server: Installation, folder: Path
) -> None:
    """Node loses the signal of a request when it collects garbage, and does not exit while a connection is open."""
    game = client.play("idle-aces")
    script = """
        import { setFlagsFromString } from "node:v8";
        import { runInNewContext } from "node:vm";
        setFlagsFromString("--expose-gc");
        const collect = runInNewContext("gc");
        for await (const one of follow(api, game_id, { after: 0 })) {
          for (let times = 0; times < 5; times += 1) {
            collect();
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          console.log(one.event.version);
          break;
        }
    """
    assert value(folder, script, server.address, token_of(client), str(game.id)) == 1


TOURNAMENT = """
import django; django.setup()
from django.utils import timezone
from tests.conftest import person
from tests.tournaments import playing
from accounts.roles import Role
from tournaments import services
organizer, now = person("club", Role.ORGANIZER), timezone.now()
drafted = services.create(organizer=organizer, terms=playing.terms(fee=0, prizes=()), now=now)
services.publish(tournament_id=drafted.pk, actor=organizer, now=now, seed=playing.SEED)
print(drafted.pk)
"""


@pytest.mark.nightly
def test_a_feed_and_the_changes_follow_tournaments_and_games(
    client: Client, server: Installation, wire: Relay, folder: Path
) -> None:
    tournament = server.run("-c", TOURNAMENT).stdout.strip()
    game = client.play("idle-aces")
    token = token_of(client)
    past = client.session.get("/api/v1/changes/", params={"after": "now"}).json()["next"]
    script = """
        const subjects = { [`game:${game_id}`]: 1, [`tournament:${process.argv[5]}`]: 0 };
        for await (const { subject, event } of feed(api, subjects)) {
          console.log(subject, event.version);
          if (event.type === "finished") break;
        }
    """
    follower = start(folder, PRELUDE + script, wire.address, token, str(game.id), tournament)
    assert follower.stdout is not None
    before = client.session.get(f"/api/v1/tournaments/{tournament}/").json()["version"]
    try:
        heard = {follower.stdout.readline().strip() for _ in range(before + game.version - 1)}
        wire.cut()
        entries = f"/api/v1/tournaments/{tournament}/entries/"
        client.session.post(entries, json={}, headers={"Idempotency-Key": "enter"})
        wire.mend()
        heard.add(follower.stdout.readline().strip())
        last = client.move(game.id, {"type": "resign"}).version
        output, error = follower.communicate(timeout=PATIENCE)
    finally:
        follower.kill()
    assert follower.returncode == 0, error
    games = {f"game:{game.id} {version}" for version in range(2, last + 1)}
    assert heard | set(output.splitlines()) == games | {
        f"tournament:{tournament} {version}" for version in range(1, before + 2)
    }
    script = """
        const found = [];
        for await (const { results } of changes(api, { after: process.argv[5], every: 100 })) {
          found.push(...results.map(({ id, event }) => [id, event.type]));
          if (found.some(([id]) => id === game_id)) break;
        }
        console.log(JSON.stringify(found));
    """
    found = value(folder, script, server.address, token, str(game.id), past)
    assert [tournament, "entered"] in found
    assert found[-1] == [str(game.id), "finished"]


def test_refusals_are_problems_with_their_code(client: Client, server: Installation, folder: Path) -> None:
    game = client.play("idle-aces")
    client.move(game.id, {"type": "draw"})
    reader = player(server.address, ("read",))
    script = """
        const at = (game_id) => ({ params: { path: { game_id } } });
        const open = { params: { header: once() }, body: { rules: "idle-aces", config: {} } };
        const attempts = [
          async () => unwrap(await connect(url, "no-such-token").GET("/api/v1/games/{game_id}/", at(game_id))),
          async () => unwrap(await connect(url, process.argv[5]).POST("/api/v1/games/", open)),
          async () => unwrap(await api.GET("/api/v1/games/{game_id}/", at("00000000-0000-4000-8000-000000000000"))),
          async () => unwrap(await move("fly")),
          async () => unwrap(await move("draw", { ...once(), "If-Match": '"1"' })),
          async () => { for await (const one of follow(connect(url, "no-such-token"), game_id, { after: 0 })); },
        ];
        const found = [];
        for (const attempt of attempts) {
          await attempt().catch((fault) => found.push([fault instanceof Problem, fault.status, fault.code]));
        }
        console.log(JSON.stringify(found));
    """
    words = (server.address, token_of(client), str(game.id), token_of(reader))
    assert value(folder, script, *words) == [
        [True, 401, "not-authenticated"],
        [True, 403, "scope-required"],
        [True, 404, "not-found"],
        [True, 400, "unknown-move"],
        [True, 412, "stale-version"],
        [True, 401, "not-authenticated"],
    ]
    reader.close()


def test_a_list_is_read_page_by_page(client: Client, server: Installation, folder: Path) -> None:
    opened = {str(client.play("idle-aces").id) for _ in range(3)}
    script = """
        const query = { mine: true, limit: 1 };
        const first = unwrap(await api.GET("/api/v1/games/", { params: { query } }));
        const ids = [];
        for await (const line of rows(api, first)) ids.push(line.id);
        console.log(JSON.stringify([first.results.length, ids]));
    """
    length, ids = value(folder, script, server.address, token_of(client))
    assert (length, len(ids), set(ids)) == (1, 3, opened)
