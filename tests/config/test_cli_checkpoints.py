"""`racecard checkpoints`, and `racecard verify` with what somebody kept."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.cli.main import application
from tests.checkpoint_maker import House, public_key

GOLDEN = Path(__file__).parents[1] / "golden"
GAME = json.loads((GOLDEN / "vegas-expired.json").read_bytes())
LAST = GAME["events"][-1]
HEAD = (GAME["game"]["id"], LAST["version"], LAST["hash"])


def called(*arguments):
    return CliRunner().invoke(application(arguments[0]), list(map(str, arguments)))


@pytest.fixture
def house():
    made = House()
    for number in range(1, 6):
        made.sign(("another", number, "f" * 64), *([HEAD] if number == 3 else []))
    return made


@pytest.fixture
def keep(tmp_path):
    def written(name, *checkpoints):
        path = tmp_path / name
        path.write_text("".join(json.dumps(one.document()) + "\n" for one in checkpoints))
        return path

    return written


@pytest.fixture
def proven(house, tmp_path):
    """The bundle with its proof, as fetched by somebody who keeps `known`."""

    def written(known=None, **change):
        path = tmp_path / "bundle.json"
        proof = house.prove(3, 1, known=known).document() | change
        path.write_text(json.dumps(GAME | {"checkpoint": proof}))
        return path

    return written


# racecard checkpoints


def test_two_exports_tell_one_history(house, keep):
    done = called("checkpoints", keep("old", *house.history[:3]), keep("new", *house.history[1:]))
    assert done.exit_code == 0, done.output
    assert "checkpoints 1 to 5 are one history" in done.output
    assert f"signed by {public_key('first')}" in done.output


def test_an_export_that_contradicts_an_older_one(house, keep):
    other = House()
    for _ in range(5):
        other.sign(("another", 1, "e" * 64))
    done = called("checkpoints", "--json", keep("old", house.history[2]), keep("new", *other.history))
    assert done.exit_code == 1
    assert {"checkpoint": 3, "why": "two different ones were published as checkpoint 3"} in json.loads(
        done.output
    )["faults"]


def test_a_gap_is_no_proof(house, keep):
    done = called("checkpoints", keep("some", house.history[0], house.history[3]))
    assert done.exit_code == 1
    assert "checkpoint 4: checkpoints 2 to 3 are missing before it" in done.output


def test_the_keys_are_followed(house, keep):
    house.sign(hands_to="second")
    house.sign()
    export = keep("all", *house.history)
    assert called("checkpoints", export, "--key", public_key("first").upper()).exit_code == 0
    done = called("checkpoints", export, "--key", public_key("second"))
    assert done.exit_code == 1
    assert f"checkpoint 1: signed by {public_key('first')}, no key you trust" in done.output


def test_a_lost_key_is_told(house, keep):
    house.key = "second"
    house.sign(lost="first")
    done = called("checkpoints", keep("all", *house.history))
    assert done.exit_code == 0
    assert f"with checkpoint 6 the key {public_key('first')} was given up as lost" in done.output


@pytest.mark.parametrize("content", ["", "x", "{}", "[]"])
def test_what_cannot_be_read(tmp_path, content):
    path = tmp_path / "export"
    path.write_text(content)
    for arguments in (("checkpoints", path), ("verify", GOLDEN / "racing-aces.json", "--known", path)):
        done = called(*arguments)
        assert done.exit_code == 2
        assert "Traceback" not in done.output


# racecard verify --key --known


def test_a_game_is_held_fast_by_a_checkpoint_that_was_kept(house, proven, keep):
    done = called(
        "verify", proven(5), "--key", public_key("first"), "--known", keep("kept", house.history[4])
    )
    assert done.exit_code == 0, done.output
    assert "as of checkpoint 3 of 2026-03-01T12:00:00.000000Z" in done.output
    assert "held fast by what you kept" in done.output


def test_a_game_that_comes_later_than_what_was_kept(house, proven, keep):
    done = called("verify", proven(2), "--known", keep("kept", house.history[1]))
    assert done.exit_code == 0
    assert "later than what you kept, and of one history with it" in done.output
    assert (
        "checkpoint: a checkpoint covers the last event, and a key that is trusted vouches for it (not run)"
        in (done.output)
    )


def test_without_anything_kept_a_proof_passes_for_nothing(proven):
    report = json.loads(called("verify", "--json", proven()).output)
    assert (report["ok"], report["checks"]["checkpoint"], report["checks"]["known"]) == (
        True,
        "not-run",
        "not-run",
    )
    assert report["checkpoint"]["number"] == 3


def test_a_proof_that_was_asked_for_and_is_not_there(house, keep):
    done = called("verify", GOLDEN / "vegas-expired.json", "--known", keep("kept", house.history[4]))
    assert done.exit_code == 1
    assert "the bundle carries no proof that a checkpoint covers it" in done.output


def test_a_key_that_nobody_trusts(proven):
    done = called("verify", proven(), "--key", public_key("second"))
    assert done.exit_code == 1
    assert "no key you trust" in done.output
    assert called("verify", proven(), "--key", "x").exit_code == 2


def test_a_rewritten_game_shows_against_what_was_kept(house, proven, keep):
    """All is whole in itself and signed by the right key; only what was kept says otherwise."""
    other = House()
    for number in range(1, 6):
        other.sign(("another", number, "e" * 64), *([HEAD] if number == 3 else []))
    done = called(
        "verify", proven(5), "--key", public_key("first"), "--known", keep("kept", other.history[3])
    )
    assert done.exit_code == 1
    assert "two different ones were published as checkpoint 4" in done.output


def test_a_path_that_leads_elsewhere(proven):
    done = called("verify", proven(index=0))
    assert done.exit_code == 1
    assert "checkpoint 3: the path does not lead from event 7 to the root that was signed" in done.output


def test_a_proof_that_does_not_reach_the_end(house, tmp_path):
    """What was appended after the checkpoint is anybody's to write."""
    event = GAME["events"][-2]
    house.sign((GAME["game"]["id"], event["version"], event["hash"]))
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(GAME | {"checkpoint": house.prove(6).document()}))
    done = called("verify", path, "--key", public_key("first"))
    assert done.exit_code == 1
    assert "event 7 is wrong: checkpoint 6 covers no more than event 6" in done.output


@pytest.mark.parametrize("change", [{"version": 8}, {"chain": []}, {"path": 1}])
def test_a_proof_of_another_form(proven, change):
    done = called("verify", proven(**change))
    assert done.exit_code == 1
    assert "`checkpoint`: " in done.output or "`checkpoint.version`" in done.output
