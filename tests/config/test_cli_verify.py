"""`racecard verify`, as it is called."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.cli.main import application

GOLDEN = Path(__file__).parents[1] / "golden"
WHOLE = GOLDEN / "vegas-expired.json"


def verify(*arguments, stdin=b""):
    return CliRunner().invoke(application("verify"), ["verify", *map(str, arguments)], input=stdin)


def test_a_whole_bundle():
    done = verify(WHOLE)
    assert done.exit_code == 0, done.output
    assert "is valid, 7 events" in done.stdout


def test_a_wrong_bundle_names_the_first_wrong_event_and_why(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_bytes(WHOLE.read_bytes().replace(b'"seat":0,"data"', b'"seat":1,"data"', 1))
    done = verify(wrong)
    assert done.exit_code == 1
    assert "event 4 is wrong: the hash does not fit the event's contents" in done.stdout


def test_several_of_which_one_is_wrong(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    done = verify(WHOLE, wrong, GOLDEN / "racing-aces.json")
    assert done.exit_code == 1
    assert "3 bundles, 1 invalid" in done.stdout


def test_standard_input():
    assert verify("-", stdin=WHOLE.read_bytes()).exit_code == 0
    assert verify("-", stdin=b"[]").exit_code == 1


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"a":1,"a":2}', b"[" * 100_000])
def test_what_cannot_be_read_says_so(tmp_path, content):
    path = tmp_path / "bundle [x].json"
    path.write_bytes(content)
    done = verify(path)
    assert done.exit_code == 1
    assert "cannot be read" in done.stdout
    assert "Traceback" not in done.output


def test_a_missing_file_and_a_folder(tmp_path):
    done = verify(tmp_path / "none.json", tmp_path)
    assert done.exit_code == 1
    assert "No such file or directory" in done.stdout
    assert "Is a directory" in done.stdout
    assert "Traceback" not in done.output


def test_json_reports(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    done = verify("--json", WHOLE, broken, "-", stdin=b"{}")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["ok"] for report in reports] == [True, False, False]
    assert reports[0]["checks"]["deal"] == "passed"
    assert reports[2]["checks"]["format"] == "failed"
    assert done.exit_code == 1


def test_quiet_says_only_what_is_wrong():
    assert verify("--quiet", WHOLE).stdout == ""
    assert "is not an object" in verify("-q", "-", stdin=b"[]").stdout


def test_a_bundle_is_needed():
    assert verify().exit_code == 2


def test_a_game_that_is_still_on_is_not_said_to_be_proved():
    bundle = json.loads(WHOLE.read_bytes())
    bundle["events"] = bundle["events"][:4]
    bundle["game"]["server_seed"] = bundle["outcome"] = None
    done = verify("-", stdin=json.dumps(bundle).encode())
    assert done.exit_code == 0, done.output
    assert "is not disclosed yet; its 4 events are valid so far" in done.stdout
    assert "is valid" not in done.stdout
    assert "deal: the packs follow from the seeds (not run)" in done.stdout
