"""`racecard simulate`, as it is called."""

import pytest
from typer.testing import CliRunner

from config.cli.main import application
from games.rules.bundle import read, verify


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


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["bridge"], "no game"),
        (["vegas-solitaire@9", "--config", "draw=3"], "no version 9"),
        (["vegas-solitaire@x", "--config", "draw=3"], "no version"),
        (["vegas-solitaire"], "draw: must be given"),
        (["vegas-solitaire", "--config", "draw=2"], "must be one of"),
        (["vegas-solitaire", "--config", "draw"], "KEY=VALUE"),
        (["vegas-solitaire", "--config", "draw=3", "--config", "win_rate=1/7"], "whole pence"),
        (["vegas-solitaire", "--config", "draw=3", "--seats", "2"], "is played with 1 seats"),
        (["vegas-solitaire", "--config", "draw=3", "--bots", "genius"], "no bot"),
        (["racing-aces", "--seats", "9"], "is played with"),
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
