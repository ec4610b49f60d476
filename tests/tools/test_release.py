"""The wheel has what an installation runs and nothing else, and the command finds it there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.installation import ROOT
from tools import frontend, licences, python_client, release

FOLDERS = ("platform", "audit", "disputes", "games", "ledger", "tournaments")
IGNORED = shutil.ignore_patterns("__pycache__", "node_modules", "dist", "golden_database", "screenshots")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the project with a client of two files, and the sdist."""
    tree = tmp_path_factory.mktemp("release") / "tree"
    shutil.copytree(ROOT / "docs", tree / "docs", ignore=IGNORED)
    for name in (*FOLDERS, "frontend", "tests", "tools"):
        shutil.copytree(ROOT / name, tree / name, ignore=IGNORED)
    for name in ("pyproject.toml", "README.md", "LICENSE", "manage.py", ".gitignore"):
        shutil.copy(ROOT / name, tree / name)
    client = tree / "frontend" / "dist"
    (client / "static").mkdir(parents=True)
    (client / "index.html").write_text("<p>client</p>")
    (client / "static" / "index.js").write_text("client()")
    return release.build(tree / "dist", tree)


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.mark.nightly
@pytest.mark.processes
def test_the_wheel_has_what_runs_and_the_licences(built: Path) -> None:
    found = names(built)
    sources = {
        f"racecard/{path.relative_to(ROOT)}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so") and path.name != "racecard.py"
    }
    others = {"__init__.py", "manage.py", "docs/errors.md", "frontend/dist/index.html"}
    others |= {"frontend/dist/static/index.js"}
    package = {name for name in found if name.startswith("racecard/")}
    assert package == sources | {f"racecard/{name}" for name in others}
    about = {name.partition("/")[2] for name in found - package}
    assert about == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt"),
        *("licenses/LICENSE", "licenses/docs/licences.md"),
    }


@pytest.mark.nightly
@pytest.mark.processes
def test_the_sdist_builds_the_same_wheel(built: Path) -> None:
    release.check_sdist(built)
    [sdist] = built.parent.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"tests/conftest.py", "frontend/package-lock.json", "frontend/dist/index.html"} <= held


@pytest.mark.nightly
@pytest.mark.processes
def test_the_command_runs_from_the_unpacked_wheel(built: Path, tmp_path: Path) -> None:
    """No folder of the repository is on the path: the packages of this environment are, without its project."""
    with zipfile.ZipFile(built) as archive:
        archive.extractall(tmp_path / "site")
    bundle = ROOT / "tests" / "golden" / "racing-aces.json"
    code = (
        "import sys; sys.path[:] = [one for one in sys.path if one not in sys.argv[1].split(':')];"
        "sys.argv[1:] = sys.argv[2:]; import racecard; racecard.main()"
    )
    ours = f"{ROOT}:{ROOT / 'platform'}"
    environment = {"HOME": str(tmp_path), "PATH": os.defpath, "PYTHONPATH": str(tmp_path / "site")}

    def run(*words: str) -> str:
        command = [sys.executable, "-c", code, ours, *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "is valid" in run("verify", str(bundle))
    run("manage", "check")
    assert (tmp_path / ".local" / "share" / "racecard" / "secret.key").exists()


@pytest.mark.nightly
@pytest.mark.processes
def test_the_clients_have_the_licence(tmp_path: Path) -> None:
    wheel = python_client.build(tmp_path)
    [licence] = [name for name in names(wheel) if name.endswith(".dist-info/licenses/LICENSE")]
    text = (ROOT / "LICENSE").read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(licence) == text
    with tarfile.open(frontend.package(tmp_path)) as package:
        member = package.extractfile("package/LICENSE")
        assert member is not None
        assert member.read() == text


def test_the_bill_names_every_package_with_its_licence() -> None:
    shipped = licences.python_packages()
    document = release.bill(
        {one.name: "1" for one in shipped}, {"name": "r", "version": "1", "license": "MIT"}
    )
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(document) is None
    parts = {part["name"]: part for part in json.loads(document)["components"]}
    assert set(parts) == {one.name for one in (*shipped, *licences.npm_packages())}
    assert all(part["licenses"] for part in parts.values())
