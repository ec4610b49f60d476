"""`racecard checkpoints`, and `racecard verify` with stored checkpoints."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.cli.main import application
from tests.checkpoint_maker import Signer, public_key

GOLDEN = Path(__file__).parents[1] / "golden"
GAME = json.loads((GOLDEN / "vegas-expired.json").read_bytes())
LAST = GAME["events"][-1]
HEAD = (GAME["game"]["id"], LAST["version"], LAST["hash"])


def called(*arguments):
    return CliRunner().invoke(application(arguments[0]), list(map(str, arguments)))


@pytest.fixture
def signer():
    made = Signer()
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
def proven(signer, tmp_path):
    """The bundle with its proof, as requested with `known`."""

    def written(known=None, **change):
        path = tmp_path / "bundle.json"
        proof = signer.prove(3, 1, known=known).document() | change
        path.write_text(json.dumps(GAME | {"checkpoint": proof}))
        return path

    return written


# racecard checkpoints


def test_two_exports_are_one_history(signer, keep):
    done = called("checkpoints", keep("old", *signer.history[:3]), keep("new", *signer.history[1:]))
    assert done.exit_code == 0, done.output
    assert "checkpoints 1 to 5 are consistent" in done.output
    assert f"signed by {public_key('first')}" in done.output


def test_an_export_that_contradicts_an_older_one(signer, keep):
    other = Signer()
    for _ in range(5):
        other.sign(("another", 1, "e" * 64))
    done = called("checkpoints", "--json", keep("old", signer.history[2]), keep("new", *other.history))
    assert done.exit_code == 1
    assert {"checkpoint": 3, "why": "two different ones were published as checkpoint 3"} in json.loads(
        done.output
    )["faults"]


def test_a_gap_is_reported(signer, keep):
    done = called("checkpoints", keep("some", signer.history[0], signer.history[3]))
    assert done.exit_code == 1
    assert "checkpoint 4: checkpoints 2 to 3 are missing before it" in done.output


def test_the_keys_are_followed(signer, keep):
    signer.sign(hands_to="second")
    signer.sign()
    export = keep("all", *signer.history)
    assert called("checkpoints", export, "--key", public_key("first").upper()).exit_code == 0
    done = called("checkpoints", export, "--key", public_key("second"))
    assert done.exit_code == 1
    assert f"checkpoint 1: signed by {public_key('first')}, no key you trust" in done.output


def test_a_lost_key_is_reported(signer, keep):
    signer.key = "second"
    signer.sign(lost="first")
    done = called("checkpoints", keep("all", *signer.history))
    assert done.exit_code == 0
    assert f"with checkpoint 6 the key {public_key('first')} was declared lost" in done.output


@pytest.mark.parametrize("content", ["", "x", "{}", "[]"])
def test_what_cannot_be_read(tmp_path, content):
    path = tmp_path / "export"
    path.write_text(content)
    for arguments in (("checkpoints", path), ("verify", GOLDEN / "racing-aces.json", "--known", path)):
        done = called(*arguments)
        assert done.exit_code == 2
        assert "Traceback" not in done.output


# racecard verify --key --known


def test_a_stored_checkpoint_confirms_a_game(signer, proven, keep):
    done = called(
        "verify", proven(5), "--key", public_key("first"), "--known", keep("kept", signer.history[4])
    )
    assert done.exit_code == 0, done.output
    assert "as of checkpoint 3 of 2026-03-01T12:00:00.000000Z" in done.output
    assert "confirmed by your stored checkpoints" in done.output


def test_a_game_later_than_the_stored_checkpoints(signer, proven, keep):
    done = called("verify", proven(2), "--known", keep("kept", signer.history[1]))
    assert done.exit_code == 0
    assert "later than your stored checkpoints, and consistent with them" in done.output
    assert "checkpoint: a checkpoint covers the last event, and a trusted key has signed it (not run)" in (
        done.output
    )


def test_without_keys_and_checkpoints_a_proof_is_not_run(proven):
    report = json.loads(called("verify", "--json", proven()).output)
    assert (report["ok"], report["checks"]["checkpoint"], report["checks"]["known"]) == (
        True,
        "not-run",
        "not-run",
    )
    assert report["checkpoint"]["number"] == 3


def test_a_requested_proof_that_is_missing(signer, keep):
    done = called("verify", GOLDEN / "vegas-expired.json", "--known", keep("kept", signer.history[4]))
    assert done.exit_code == 1
    assert "the bundle carries no proof that a checkpoint covers it" in done.output


def test_an_untrusted_key(proven):
    done = called("verify", proven(), "--key", public_key("second"))
    assert done.exit_code == 1
    assert "no key you trust" in done.output
    assert called("verify", proven(), "--key", "x").exit_code == 2


def test_a_stored_checkpoint_reveals_a_rewritten_game(signer, proven, keep):
    """All is whole in itself and signed by the right key; only what was kept says otherwise."""
    other = Signer()
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


def test_a_proof_that_does_not_reach_the_end(signer, tmp_path):
    """Events after the checkpoint are not protected."""
    event = GAME["events"][-2]
    signer.sign((GAME["game"]["id"], event["version"], event["hash"]))
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(GAME | {"checkpoint": signer.prove(6).document()}))
    done = called("verify", path, "--key", public_key("first"))
    assert done.exit_code == 1
    assert "event 7 is wrong: checkpoint 6 covers no more than event 6" in done.output


@pytest.mark.parametrize("change", [{"version": 8}, {"chain": []}, {"path": 1}])
def test_a_proof_of_another_form(proven, change):
    done = called("verify", proven(**change))
    assert done.exit_code == 1
    assert "`checkpoint`: " in done.output or "`checkpoint.version`" in done.output
