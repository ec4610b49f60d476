"""`racecard compare`, as it is called."""

import json

import pytest
from typer.testing import CliRunner

from config.cli.main import application

pytestmark = pytest.mark.slow


def compare(*arguments):
    return CliRunner().invoke(application("compare"), ["compare", *map(str, arguments)])


def document(*arguments):
    done = compare(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


VEGAS = ("vegas-solitaire", "--config", "stake=0")


def test_it_says_who_leads_and_how_surely():
    done = compare(*VEGAS, "--bots", "steady,random", "--games", 12, "--jobs", 1)
    assert done.exit_code == 0, done.stderr
    output = " ".join(done.stdout.replace("│", " ").split())
    for words in ("cards", "12 deals", "lead", "95%", "won : lost", "sign test", "normal approximation"):
        assert words in output
    assert "12/12" in done.stderr


@pytest.mark.slow
def test_any_number_of_processes_finds_the_same():
    requested = (*VEGAS, "--bots", "strong,steady,random", "--games", 4, "--seed", "club", "--playouts", 2)
    one = document(*requested, "--jobs", 1)
    assert document(*requested, "--jobs", 2) == one
    assert [pair["bots"] for pair in one["pairs"]] == [
        ["strong", "steady"],
        ["strong", "random"],
        ["steady", "random"],
    ]
    assert {pair["deals"] for pair in one["pairs"]} == {4}
    assert one["config"]["draw"] == 3, "as the game suggests"


@pytest.mark.parametrize(("slug", "seats"), [("ace-race", 3), ("racing-demons", 2)])
def test_a_table_plays_each_deal_once_for_each_seat(slug, seats):
    body = document(slug, "--bots", "steady,random", "--games", 2 * seats, "--seats", seats, "--jobs", 1)
    (pair,) = body["pairs"]
    assert body["seats"] == seats
    assert pair["deals"] == 2
    assert pair["first"] + (seats - 1) * pair["second"] == pytest.approx(1)
    assert pair["lead"]["mean"] > 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("bridge",), "bridge"),
        (("vegas-solitaire", "--config", "draw=2"), "draw"),
        ((*VEGAS, "--bots", "steady"), "two different bots"),
        ((*VEGAS, "--bots", "steady,steady"), "two different bots"),
        ((*VEGAS, "--bots", "steady,genius"), "genius"),
        (("ace-race", "--seats", 5), "2, 3, 4, 6 seats"),
        (("racing-aces", "--bots", "steady,random"), "no decisions"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, why):
    done = compare(*arguments)
    assert done.exit_code == 2
    assert why in " ".join(done.stderr.replace("│", " ").split())
