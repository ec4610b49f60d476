"""The set-up's stamp: what makes it run again, and what must not."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import bootstrap, frontend, lock


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that looks as if it had been set up for development."""
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    (tmp_path / "requirements").mkdir()
    for level in ("run", "client", "dev", "bench", "uv"):
        (tmp_path / "requirements" / f"{level}.txt").write_text(f"{level}==1\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    bootstrap.python_of("dev").parent.mkdir(parents=True)
    bootstrap.python_of("dev").touch()
    bootstrap.stamp_of("dev").write_text(bootstrap.fingerprint("dev") + "\n")
    return tmp_path


def test_a_development_environment_serves_for_running_too(tree: Path) -> None:
    assert bootstrap.is_ready("dev")
    assert bootstrap.is_ready("run")


def test_a_running_environment_does_not_serve_for_development(tree: Path) -> None:
    bootstrap.stamp_of("run").write_text(bootstrap.fingerprint("run"))
    assert bootstrap.is_ready("run")
    assert not bootstrap.is_ready("dev")


def test_the_benchmarks_have_their_own_environment(tree: Path) -> None:
    assert not bootstrap.is_ready("bench")
    assert bootstrap.environment("bench") != bootstrap.environment("dev")


@pytest.mark.parametrize("name", ["requirements/dev.txt", "requirements/uv.txt", "pyproject.toml"])
def test_a_changed_lock_or_packaging_sets_up_again(tree: Path, name: str) -> None:
    with (tree / name).open("a") as file:
        file.write("# changed\n")
    assert not bootstrap.is_ready("dev")


def test_packages_are_fetched_with_the_certificates_of_the_system(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both installers trust the same authorities, including a network's own that inspects TLS."""
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(bootstrap, "run", lambda *command: commands.append(command))
    monkeypatch.setattr(bootstrap, "works", lambda python: True)
    bootstrap.stamp_of("dev").unlink()
    bootstrap.main("dev")
    with_uv = [command for command in commands if "uv" in command]
    assert len(with_uv) == 2
    assert all("--system-certs" in command for command in with_uv)


def test_plug_ins_are_installed_after_every_synchronization(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / bootstrap.PLUGINS).write_text("go-fish\n")
    assert not bootstrap.is_ready("dev")
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(bootstrap, "run", lambda *command: commands.append(command))
    monkeypatch.setattr(bootstrap, "works", lambda python: True)
    bootstrap.main("dev")
    assert commands[-1][-2:] == ("-r", bootstrap.PLUGINS)
    assert bootstrap.is_ready("dev")


def test_locks_are_made_with_the_certificates_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: commands.append(command))
    lock.compile_requirements("run", ["pyproject.toml"])
    assert ["--system-certs" in command for command in commands] == [True]


def test_an_environment_without_an_interpreter_is_not_ready(tree: Path) -> None:
    bootstrap.python_of("dev").unlink()
    assert not bootstrap.is_ready("dev")


NOISE = "".join(f"chunk-{number}.js\n" for number in range(300))


def finishing(returncode: int) -> Callable[..., subprocess.CompletedProcess[str]]:
    return lambda command, **_: subprocess.CompletedProcess(command, returncode, NOISE)


def test_the_first_set_up_and_build_say_a_line_a_step(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the lines of `serve` (tests/config/test_serve.py) the first `make run` prints at most 25."""
    monkeypatch.setattr(subprocess, "run", finishing(0))
    monkeypatch.setattr(bootstrap, "make_environment", lambda folder: None)
    monkeypatch.setattr(bootstrap, "works", lambda python: True)
    monkeypatch.setattr(frontend, "STAMPS", tree / "stamps")
    monkeypatch.setattr(frontend.licences, "texts", lambda packages: "")
    monkeypatch.setattr(frontend, "LICENCES", tree / "licences.txt")
    monkeypatch.setattr(frontend, "BUILT_OF", tree / "built")
    bootstrap.stamp_of("dev").unlink()
    bootstrap.main("run")
    bootstrap.main("client")
    frontend.build()
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("racecard: ") for line in lines)
    assert "installing the packages" in lines[1]
    assert len(lines) <= 10


def test_a_step_that_fails_shows_everything_that_it_wrote(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(subprocess, "run", finishing(1))
    with pytest.raises(SystemExit, match="failed with exit code 1"):
        bootstrap.run("uv", "sync")
    with pytest.raises(frontend.ClientError, match="ended with 1"):
        frontend.npm("run", "build")
    assert capsys.readouterr().out.count(NOISE) == 2
