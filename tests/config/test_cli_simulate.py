"""`racecard simulate`, as it is called."""

import gc
import json
import tracemalloc

import pytest
from typer.testing import CliRunner

from config.cli.main import application
from config.cli.simulate import Figure, Plan, played
from games import rules
from games.rules.bundles.verification import read, verify


def simulate(*arguments):
    return CliRunner().invoke(application("simulate"), ["simulate", *map(str, arguments)])


def test_it_writes_a_bundle_a_game_and_says_what_they_add_up_to(tmp_path):
    done = simulate(
        "vegas-solitaire", "--games", 7, "--seed", "club", "--config", "draw=3", "--out", tmp_path / "a"
    )
    assert done.exit_code == 0, done.stderr
    files = sorted((tmp_path / "a").iterdir())
    assert [file.name for file in files] == [f"vegas-solitaire-{number:06d}.json" for number in range(7)]
    assert all(verify(read(file.read_bytes())).ok for file in files)
    assert "7 games of Vegas Solitaire, seed club" in done.stdout
    for figure in ("moves", "cards", "winnings", "complete"):
        assert figure in done.stdout


def test_the_same_seed_writes_the_same_files(tmp_path):
    for folder in ("a", "b"):
        done = simulate(
            *("racing-aces@1", "--games", 3, "--seed", "x", "--out", tmp_path / folder),
            *("--seats", 2, "--config", "burn=2", "--config", "finish_line=6"),
        )
        assert done.exit_code == 0, done.stderr
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


NEEDED = {"vegas-solitaire": ["draw=1", "stake=520", "win_rate=5/52"]}
TABLES = [(game["slug"], seats) for game in rules.catalogue() for seats in game["seats"]]


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_every_game_is_played_at_every_size_of_table(tmp_path, slug, seats):
    config = [part for pair in NEEDED.get(slug, []) for part in ("--config", pair)]
    bots = "random" if seats < 2 else "steady,random"
    done = simulate(
        slug, "--seats", seats, "--bots", bots, "--games", 1, "--out", tmp_path, "--json", *config
    )
    assert done.exit_code == 0, done.stderr
    for file in tmp_path.iterdir():
        report = verify(read(file.read_bytes()))
        assert report.ok, report.faults
    output = json.loads(done.stdout)
    assert (output["rules"], output["games"]) == (slug, 1)
    if seats > 1 and slug != "racing-aces":
        assert [seat["bot"] for seat in output["seats"]] == [
            ["steady", "random"][n % 2] for n in range(seats)
        ]
        assert sum(seat["first"] for seat in output["seats"]) >= 1
        assert output["bots"]["steady"]["games"] == -(-seats // 2)


def test_several_processes_play_the_same_games(tmp_path):
    alone, together = tmp_path / "alone", tmp_path / "together"
    result = []
    for folder, jobs in ((alone, 1), (together, 2)):
        done = simulate(
            *("racing-demons", "--seats", 2, "--games", 5, "--bots", "steady,random"),
            *("--jobs", jobs, "--out", folder, "--json"),
        )
        assert done.exit_code == 0, done.stderr
        result.append(done.stdout)
    assert result[0] == result[1]
    assert [file.read_bytes() for file in sorted(alone.iterdir())] == [
        file.read_bytes() for file in sorted(together.iterdir())
    ]


def test_without_a_folder_the_report_is_the_same(tmp_path):
    common = ("ace-race", "--seats", 3, "--games", 4, "--json")
    written = simulate(*common, "--out", tmp_path)
    assert simulate(*common).stdout == written.stdout
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.slow
def test_an_ended_game_leaves_no_memory(tmp_path):
    plan = Plan("vegas-solitaire", 1, {"draw": 3, "stake": 0}, ("steady",), 1, "flat", None)
    played(plan, range(5))
    tracemalloc.start()
    try:
        played(plan, range(5, 15))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        played(plan, range(15, 45))
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 50_000
    finally:
        tracemalloc.stop()


def test_a_needed_option_has_the_value_that_the_game_suggests():
    done = simulate("vegas-solitaire", "--games", 1, "--json")
    assert json.loads(done.stdout)["config"]["draw"] == 3
    done = simulate("vegas-solitaire", "--games", 1, "--config", "draw=1", "--json")
    assert json.loads(done.stdout)["config"]["draw"] == 1


def test_parts_add_up_to_the_whole():
    whole, parts = Figure(), [Figure(), Figure(), Figure()]
    for number, value in enumerate([3, -4, 10**15, 7, 7, -2]):
        whole.add(value)
        parts[number % 3].add(value)
    total = Figure()
    for part in parts:
        total.merge(part)
    assert total.document() == whole.document()
    assert Figure().document() == {"mean": 0.0, "deviation": 0.0, "least": None, "most": None}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["bridge"], "no game"),
        (["vegas-solitaire@9", "--config", "draw=3"], "no version 9"),
        (["vegas-solitaire@x", "--config", "draw=3"], "no version"),
        (["racing-aces@" + "1" * 5000], "no version"),
        (["racing-aces", "--seed", "\udcff"], "not UTF-8"),
        (["vegas-solitaire", "--config", "draw=2"], "must be one of"),
        (["vegas-solitaire", "--config", "draw"], "KEY=VALUE"),
        (["vegas-solitaire", "--config", "draw=3", "--config", "win_rate=1/7"], "whole pence"),
        (["vegas-solitaire", "--config", "draw=3", "--seats", "2"], "is played with 1 seats"),
        (["vegas-solitaire", "--config", "draw=3", "--bots", "genius"], "no bot"),
        (["racing-aces", "--seats", "9"], "is played with"),
        (["ace-race", "--seats", "5"], "is played with 2, 3, 4, 6 seats"),
        (["ace-race", "--seats", "2", "--bots", "steady,random,steady"], "3 bots for 2 seats"),
        (["ace-race", "--seats", "2", "--config", "dealer=2"], "names seat 2 of 2"),
        (["racing-aces", "--games", "0"], "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_simulated_says_why(tmp_path, arguments, why):
    done = simulate(*arguments, "--out", tmp_path)
    assert done.exit_code == 2
    assert why in " ".join(done.stderr.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []


def test_out_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    done = simulate("racing-aces", "--out", tmp_path / "file")
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr


def test_a_bundle_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "racing-aces-000001.json").mkdir()
    done = simulate("racing-aces", "--games", 2, "--out", tmp_path)
    assert done.exit_code == 2
    assert "Is a directory" in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
