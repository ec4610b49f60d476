"""The tampered bundles of tests/golden: each is found by the expected check, at the expected event."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.cli.main import application
from eventstore.checkpoints.inclusion import Trusted
from eventstore.checkpoints.published import parse_many
from games.rules.bundles.verification import CHECKS, PROOF_CHECKS, read, verify
from tests.golden.tampered import make

FOLDER = Path(make.__file__).parent
EXPECTED = json.loads((FOLDER / "expected.json").read_bytes())
KEPT = Trusted((EXPECTED["key"],), tuple(parse_many((FOLDER / make.KEPT).read_text())))


def document(name: str):
    return read((FOLDER / f"{name}.json").read_bytes())


def test_the_files_equal_the_output_of_their_script() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {*make.SAMPLES, "expected"}
    assert EXPECTED["bundles"] == {name: one.expected for name, one in make.SAMPLES.items()}
    for name, one in make.SAMPLES.items():
        assert document(name) == one.forged(), name
    assert list(KEPT.known) == make.honest().history[3:]


def test_every_check_has_a_tampered_bundle() -> None:
    assert {one["check"] for one in EXPECTED["bundles"].values()} == {*CHECKS, *PROOF_CHECKS}


@pytest.mark.parametrize("name", EXPECTED["bundles"])
def test_the_fault_is_found_at_the_changed_event(name: str) -> None:
    expected = EXPECTED["bundles"][name]
    report = verify(document(name), KEPT if expected["kept"] else None)
    assert not report.ok
    first = report.faults[0]
    assert (first.check, first.version) == (expected["check"], expected["version"])
    assert expected["why"] in first.why
    assert report.checks[expected["check"]] == "failed"


@pytest.mark.parametrize(
    "name", ["a-whole-stream-replaced", "a-history-written-anew", "a-checkpoint-by-another-key"]
)
def test_consistent_forgeries_are_found_only_with_stored_checkpoints(name: str) -> None:
    bundle = document(name)
    del bundle["checkpoint"]
    assert verify(bundle).ok
    assert not verify(document(name), KEPT).ok


def test_racecard_verify_refuses_all_of_them() -> None:
    kept = ("--key", EXPECTED["key"], "--known", str(FOLDER / make.KEPT))
    files = [str(FOLDER / f"{name}.json") for name in EXPECTED["bundles"]]
    done = CliRunner().invoke(application("verify"), ["verify", *kept, *files])
    assert done.exit_code == 1
    assert f"{len(files)} bundles, {len(files)} invalid" in done.output
