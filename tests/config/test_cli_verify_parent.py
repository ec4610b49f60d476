"""`racecard verify --parent`: a continued game agrees with its parent up to the version."""

from __future__ import annotations

import copy
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from config.cli.main import application
from eventstore.chain import format_at, parse_at
from games.rules import get
from games.rules import table as tables
from games.rules.bundles import record
from games.rules.bundles.record import Recording
from games.rules.fairness import GameKey, commitment
from games.rules.table import CONTINUED, Parent

SEED = bytes(range(32))
KEY = GameKey(SEED, ["ann"])
AT = "2026-03-01T12:00:{:02d}.000000Z"
Bundle = dict[str, Any]


def begin(stream: str, *, parent: Parent | None = None, first: int = 0) -> Recording:
    """Five events: a table, a seat, the deal and two draws."""
    game = get("vegas-solitaire")
    config = game.parse_config({"draw": 1, "stake": 0})
    result = Recording(stream)
    table = result.append(
        tables.create(game, config, commitment=commitment(SEED), parent=parent), at=AT.format(first)
    )
    table = result.append(tables.seat(table, 0, player="ann", seed="ann"), at=AT.format(first + 1))
    table = result.append(tables.deal(table, KEY), at=AT.format(first + 2), key=KEY)
    for second in (3, 4):
        draw = tables.decide(table, 0, {"type": "draw"}, KEY)
        table = result.append(*draw, at=AT.format(first + second), key=KEY)
    return result


def bundle(given: Recording) -> Bundle:
    assert given.table is not None
    return record.bundle(game_id=given.stream, table=given.table, events=given.events, server_seed=SEED)


@pytest.fixture(scope="module")
def parent() -> Bundle:
    result = begin("parent")
    assert result.table is not None
    draw = tables.decide(result.table, 0, {"type": "draw"}, KEY)
    table = result.append(*draw, at=AT.format(8), key=KEY)
    result.append(tables.void(table, reason=CONTINUED), at=AT.format(30))
    return bundle(result)


def child_of(parent: Bundle, *, hash: str | None = None) -> Bundle:
    named = Parent("parent", 5, hash or parent["events"][4]["hash"])
    result = begin("child", parent=named, first=26)
    assert result.table is not None
    result.append(*tables.decide(result.table, 0, {"type": "collect"}, KEY), at=AT.format(59), key=KEY)
    return bundle(result)


def verify(folder: Path, child: Bundle, *parents: Bundle, options: tuple[str, ...] = ()) -> Result:
    paths = []
    for number, one in enumerate((child, *parents)):
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(json.dumps(one))
    named = [word for path in paths[1:] for word in ("--parent", str(path))]
    return CliRunner().invoke(application("verify"), ["verify", str(paths[0]), *named, *options])


def test_a_child_proves_itself_alone(tmp_path: Path, parent: Bundle) -> None:
    done = verify(tmp_path, child_of(parent))
    assert done.exit_code == 0, done.output
    assert "is valid, 7 events" in done.stdout


def test_both_agree_up_to_the_version(tmp_path: Path, parent: Bundle) -> None:
    done = verify(tmp_path, child_of(parent), parent)
    assert done.exit_code == 0, done.output
    assert "continues from event 5 of game parent, and agrees with it" in done.stdout


def test_as_json(tmp_path: Path, parent: Bundle) -> None:
    output = json.loads(verify(tmp_path, child_of(parent), parent, options=("--json",)).stdout)
    assert output["ok"]
    assert output["parent"]["ok"]
    assert output["parent"]["parent"]["version"] == 5


def test_the_hash_that_it_names_is_the_parents(tmp_path: Path, parent: Bundle) -> None:
    done = verify(tmp_path, child_of(parent, hash="0" * 64), parent)
    assert done.exit_code == 1
    assert "event 5: the hash that it names is not that of its parent's event" in done.stdout


def test_an_event_that_differs_is_named(tmp_path: Path, parent: Bundle) -> None:
    """Here the child's second draw was never made in the parent, though each game proves itself."""
    other = begin("parent")
    assert other.table is not None
    other.append(tables.void(other.table, reason=CONTINUED), at=AT.format(30))
    changed = bundle(other)
    undone = Recording("child")
    game = get("vegas-solitaire")
    named = Parent("parent", 5, changed["events"][4]["hash"])
    table = undone.append(
        tables.create(
            game,
            game.parse_config({"draw": 1, "stake": 0}),
            commitment=commitment(SEED),
            parent=named,
        ),
        at=AT.format(26),
    )
    table = undone.append(tables.seat(table, 0, player="ann", seed="ann"), at=AT.format(27))
    table = undone.append(tables.deal(table, KEY), at=AT.format(28), key=KEY)
    table = undone.append(*tables.decide(table, 0, {"type": "draw"}, KEY), at=AT.format(29), key=KEY)
    table = undone.append(*tables.decide(table, 0, {"type": "undo"}, KEY), at=AT.format(30), key=KEY)
    undone.append(*tables.decide(table, 0, {"type": "collect"}, KEY), at=AT.format(31), key=KEY)
    done = verify(tmp_path, bundle(undone), changed)
    assert done.exit_code == 1
    assert "event 5: its `type` is not that of its parent's event" in done.stdout


def test_its_clock_is_the_parents_moved_as_a_whole(tmp_path: Path, parent: Bundle) -> None:
    events = begin("child", parent=Parent("parent", 5, parent["events"][4]["hash"]), first=26)
    late = Recording("child")
    for event in events.events:
        at = parse_at(event["at"]) + timedelta(seconds=event["version"] == 5)
        fact = tables.Fact(event["type"], event["seat"], event["data"], event["private"])
        table = late.append(fact, at=format_at(at), key=KEY)
    late.append(*tables.decide(table, 0, {"type": "collect"}, KEY), at=AT.format(59), key=KEY)
    done = verify(tmp_path, bundle(late), parent)
    assert done.exit_code == 1
    assert "event 5: its time is not 0:00:26 after its parent's" in done.stdout


def test_a_parent_that_was_changed_does_not_prove_itself(tmp_path: Path, parent: Bundle) -> None:
    wrong = copy.deepcopy(parent)
    wrong["events"][5]["at"] = AT.format(9)
    done = verify(tmp_path, child_of(parent), wrong)
    assert done.exit_code == 1
    assert "event 6: its parent is not valid" in done.stdout


def test_a_parent_that_ended_otherwise_is_none(tmp_path: Path, parent: Bundle) -> None:
    result = begin("parent")
    assert result.table is not None
    result.append(tables.void(result.table, reason="no-show"), at=AT.format(30))
    done = verify(tmp_path, child_of(parent), bundle(result))
    assert done.exit_code == 1
    assert "did not end as a continued game does" in done.stdout


def test_a_game_without_a_parent_and_a_parent_that_is_not_there(tmp_path: Path, parent: Bundle) -> None:
    done = verify(tmp_path, parent, parent)
    assert done.exit_code == 1
    assert "it continues no other game" in done.stdout
    done = verify(tmp_path, child_of(parent), bundle(begin("another")))
    assert done.exit_code == 1
    assert "the bundle of its parent parent was not given" in done.stdout


def test_a_parent_that_is_not_a_bundle_is_refused(tmp_path: Path, parent: Bundle) -> None:
    done = verify(tmp_path, child_of(parent), {})
    assert done.exit_code == 2


@pytest.mark.parametrize(
    "wrong",
    [{}, {"game": "x", "version": 0, "hash": "0" * 64}, {"game": "x", "version": 1, "hash": "0"}, "x", None],
)
def test_a_parent_has_its_form(tmp_path: Path, parent: Bundle, wrong: Any) -> None:
    result = Recording("child")
    made = begin("child", parent=Parent("parent", 5, parent["events"][4]["hash"]))
    table: Any = None
    for event in made.events:
        data = {**event["data"], "parent": wrong} if event["type"] == "created" else event["data"]
        fact = tables.Fact(event["type"], event["seat"], data, event["private"])
        table = result.append(fact, at=event["at"], key=KEY)
    result.append(*tables.decide(table, 0, {"type": "collect"}, KEY), at=AT.format(59), key=KEY)
    done = verify(tmp_path, bundle(result))
    assert done.exit_code == 1
    assert "event 1 is wrong: `parent" in done.stdout
