"""`racecard rtp`, as it is called."""

import json

import pytest
from typer.testing import CliRunner

from config.cli.main import application


def rtp(*arguments):
    return CliRunner().invoke(application("rtp"), ["rtp", *map(str, arguments)])


def document(*arguments):
    done = rtp(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_it_says_what_comes_back_and_how_sure_that_is():
    done = rtp("--draw", 3, "--win-rate", "5/52", "--games", 40, "--jobs", 1)
    assert done.exit_code == 0, done.stderr
    for words in (
        "return to player",
        "95% interval",
        "normal approximation",
        "house edge",
        "games completed",
    ):
        assert words in " ".join(done.stdout.replace("│", " ").split())
    assert "40 games, 3 Draw, 5/52 a card, steady, seed 1" in done.stdout
    assert "48 to 51" in done.stdout
    assert "40/40" in done.stderr


def test_any_number_of_processes_finds_the_same():
    requested = ("--draw", 1, "--games", 24, "--seed", "club")
    one = document(*requested, "--jobs", 1)
    assert document(*requested, "--jobs", 2) == one
    assert sum(one["cards"]["games"].values()) == one["games"] == 24
    assert one["config"] == {"draw": 1, "stake": 520, "win_rate": "1/13"}
    assert document("--draw", 1, "--games", 24, "--seed", "another", "--jobs", 1)["cards"] != one["cards"]


def test_figures_agree_with_each_other():
    body = document("--draw", 3, "--games", 30, "--jobs", 1, "--stake", 104, "--win-rate", "1/13")
    cards = sum(int(cards) * games for cards, games in body["cards"]["games"].items())
    assert body["pence_per_card"] == 8
    assert body["return"]["mean"] == pytest.approx(8 * cards / (30 * 104))
    assert body["return"]["low"] < body["return"]["mean"] < body["return"]["high"]
    assert body["house_edge"] == pytest.approx(1 - body["return"]["mean"])
    assert body["complete_rate"] == body["cards"]["games"].get("52", 0) / 30


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "--draw"),
        (["--draw", 2], "must be one of"),
        (["--draw", 3, "--win-rate", "1/7"], "whole pence"),
        (["--draw", 3, "--win-rate", "much"], "win_rate"),
        (["--draw", 3, "--stake", 0], "where money is at stake"),
        (["--draw", 3, "--stake", 105], "stake"),
        (["--draw", 3, "--bot", "genius"], "no bot"),
        (["--draw", 3, "--games", 1], "greater than or equal to 2"),
        (["--draw", 3, "--jobs", -1], "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_said_says_why(arguments, why):
    done = rtp(*arguments)
    assert done.exit_code == 2
    assert why in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""
