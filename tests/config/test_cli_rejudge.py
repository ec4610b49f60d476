"""`racecard rejudge`, as it is called."""

import json

import pytest
from typer.testing import CliRunner

from config.cli.main import application
from games import bots
from games.bots.simulation import simulate
from games.rules import get


def rejudge(*arguments, **more):
    return CliRunner().invoke(application("rejudge"), ["rejudge", *map(str, arguments)], **more)


@pytest.fixture(scope="module")
def race(tmp_path_factory):
    """A race of demons in which seats moved as they liked."""
    game = get("racing-demons")
    played = simulate(
        game, game.parse_config({}), seats=2, bots=[bots.get(game.slug)], seed="rejudge", number=1
    )
    file = tmp_path_factory.mktemp("bundles") / "race.json"
    file.write_text(json.dumps(played.bundle))
    return file


def test_it_names_the_event_that_would_have_been_otherwise(race):
    done = rejudge(race, "--config", "pace=turns")
    assert done.exit_code == 1
    assert "pace race → turns" in done.stdout
    assert "the move would have been refused" in done.stdout
    result = rejudge(race, "--config", "pace=turns", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["same"] is False
    assert f"event {document['otherwise']['version']}:" in done.stdout
    assert document["otherwise"]["how"] == "refused"


def test_a_game_valid_under_both_readings_is_unchanged(race):
    done = rejudge("-", "--config", "pace=race", "--config", "stuck=burn", input=race.read_bytes())
    assert done.exit_code == 0
    assert "every event is the same under both values" in done.stdout
    assert json.loads(rejudge(race, "--config", "stuck=burn", "--json").stdout)["same"] is True


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--config", "time_limit=60"], "no option of Racing Demons; its options are pace, stuck"),
        (["--config", "pace=stroll"], "must be one of"),
        (["--config", "pace"], "KEY=VALUE"),
        (["--config", "pace=" + "[" * 100_000], "must be one of"),
    ],
)
def test_what_cannot_be_said_says_why(race, arguments, why):
    done = rejudge(race, *arguments)
    assert done.exit_code == 2
    assert why in done.stderr
    result = rejudge(race, *arguments, "--json")
    assert (result.exit_code, json.loads(result.stdout)["same"]) == (2, None)


def test_a_file_that_is_not_a_bundle(tmp_path, race):
    (tmp_path / "no.json").write_text("[")
    for path in (tmp_path / "no.json", tmp_path / "nowhere"):
        done = rejudge(path, "--config", "pace=turns")
        assert (done.exit_code, "Traceback" in done.stderr) == (2, False)
    assert rejudge(race).exit_code == 2
