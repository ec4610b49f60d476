"""`make release`: build what a release publishes in dist/, and try the wheels in an empty environment.

dist/ then has the wheel and the sdist, both with the built web client, the wheel of the Python client, the TypeScript
client as an npm package, the documentation, a software bill of materials (CycloneDX), and the SHA-256 of each file. The
environment is a temporary folder, of which the repository is no part.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from tools import docs, frontend, licences, python_client

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PINS = ROOT / "requirements" / "run.txt"
OWN = ("racecard", "racecard-client")
PATIENCE = 120.0
"""Seconds in which the server must answer: the first start compiles every module."""


class ReleaseError(Exception):
    """The release is not as it must be."""


def say(text: str) -> None:
    print(f"racecard: {text}", flush=True)


def build(folder: Path, root: Path = ROOT) -> Path:
    """Build wheel and sdist from the project in `root`. Return the wheel."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
    [wheel] = folder.glob("racecard-*.whl")
    return wheel


def check_sdist(wheel: Path) -> None:
    """Build the wheel from the sdist next to it, and compare. Raises ReleaseError if the two differ."""
    [sdist] = wheel.parent.glob("*.tar.gz")
    with tempfile.TemporaryDirectory(prefix="racecard-sdist-") as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        [tree] = Path(folder).iterdir()
        if build(tree / "dist", tree).read_bytes() != wheel.read_bytes():
            raise ReleaseError("the sdist builds another wheel")


# --- the bill of materials ------------------------------------------------------------------------------


def bill(installed: dict[str, str], project: dict[str, str]) -> str:
    """The CycloneDX document of the installed packages (version by name) and of those in the client's bundle."""
    bom = Bom()
    product = bom.metadata.component = Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=project["version"],
        licenses=[LicenseExpression(project["license"])],
    )
    known = {one.name: one.licence for one in licences.python_packages()}
    parts = [_component("pypi", name, version, known[name]) for name, version in sorted(installed.items())]
    parts += [_component("npm", one.name, one.version, one.licence) for one in licences.npm_packages()]
    bom.components.update(parts)
    bom.register_dependency(product, parts)
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def _component(kind: str, name: str, version: str, licence: str) -> Component:
    scope, _, short = name.rpartition("/")
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        purl=PackageURL(kind, scope or None, short, version),
        bom_ref=f"{kind}:{name}",
        licenses=[LicenseExpression(licence)],
    )


# --- the trial ------------------------------------------------------------------------------------------


class Environment:
    """An empty environment with the wheels, and an empty home folder."""

    def __init__(self, folder: Path, *wheels: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.bin = folder / "venv" / "bin"
        self._uv("venv", "--quiet", "--python", sys.executable, str(self.bin.parent))
        pins = ("--constraint", str(PINS))
        self._uv("pip", "install", "--quiet", "--python", str(self.bin / "python"), *pins, *map(str, wheels))

    def _uv(self, *words: str) -> str:
        command = [sys.executable, "-m", "uv", "--system-certs", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=self.home).stdout

    def packages(self) -> dict[str, str]:
        """The version of each installed package besides the project's own two."""
        listed = json.loads(
            self._uv("pip", "list", "--quiet", "--format", "json", "--python", str(self.bin / "python"))
        )
        return {one["name"]: one["version"] for one in listed if one["name"] not in OWN}

    @property
    def variables(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": f"{self.bin}{os.pathsep}{os.defpath}", "LANG": "C.UTF-8"}

    def run(self, *words: str) -> str:
        """The output of a `racecard` command."""
        return self._run("racecard", *words)

    def python(self, program: str, *words: str) -> str:
        """The output of a Python program."""
        return self._run("python", "-c", program, *words)

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            [str(self.bin / command[0]), *command[1:]],
            cwd=self.home,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            named = " ".join(command)
            raise ReleaseError(f"{named} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    @contextmanager
    def serve(self, port: int) -> Iterator[str]:
        """The address of a server, which is stopped as by Ctrl-C."""
        log = self.home / "server.log"
        command = [str(self.bin / "racecard"), "serve", "--port", str(port)]
        with log.open("wb") as output:
            server = subprocess.Popen(
                command,
                cwd=self.home,
                env=self.variables,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            deadline = time.monotonic() + PATIENCE
            while "serving at" not in log.read_text(errors="replace"):
                if server.poll() is not None or time.monotonic() > deadline:
                    raise ReleaseError(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
            server.send_signal(signal.SIGINT)
            if code := server.wait(PATIENCE):
                raise ReleaseError(f"the server ended with {code}")
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


PLAY = """
import json, sys
from pathlib import Path

from racecard_client import Client, Receipt, answered
from racecard_client.rest.api.players import players_create
from racecard_client.rest.models import SignUpInputRequest

url, password = sys.argv[1], "a horse on the stairs"
with Client(url) as guest:
    answered(players_create.sync(client=guest.rest, body=SignUpInputRequest(username="ann", password=password)))
with Client.sign_in(url, "ann", password) as client:
    game = client.play("idle-aces", client_seed="ann was here")
    receipts, moves = [], game.legal_moves
    while moves:
        move = moves[0] if len(receipts) < 100 else {"type": "resign"}
        played = client.move(game.id, move)
        receipts.append(Receipt.of(played))
        moves = played.legal_moves
    Path("game.json").write_text(json.dumps(client.verify(game.id, receipts)))
    print(client.rest.token)
"""
"""Sign up, play a game to its end, verify its bundle with the Python client, and print the token of the player."""


def try_out(wheel: Path, python: Path, archive: Path, port: int = 8600) -> dict[str, str]:
    """Serve, play, and verify with the two wheels alone, and play with the TypeScript client.

    Return the packages that were installed with the wheels.
    """
    with tempfile.TemporaryDirectory(prefix="racecard-release-") as folder:
        environment = Environment(Path(folder), wheel, python)
        with environment.serve(port) as url:
            page = httpx.get(url).raise_for_status().text
            script = page.partition('src="')[2].partition('"')[0]
            for path in (script, "/static/licences.txt", "/docs/errors/insufficient-funds/"):
                httpx.get(f"{url}{path}").raise_for_status()
            token = environment.python(PLAY, url).strip()
            try_client(archive, url, token)
        if "is valid" not in environment.run("verify", "game.json"):
            raise ReleaseError("the bundle does not verify")
        environment.run("audit")
        return environment.packages()


def try_client(archive: Path, url: str, token: str) -> None:
    """Install the TypeScript client in an empty folder, and play with its example. Raises ReleaseError."""
    with tempfile.TemporaryDirectory(prefix="racecard-client-") as name:
        folder = Path(name)
        shutil.copy(frontend.SHARED / "examples" / "play.mjs", folder)
        (folder / "package.json").write_text("{}")
        frontend.npm("install", "--silent", "--no-audit", "--no-fund", str(archive), folder=folder)
        command = [str(frontend.programs() / "node"), "play.mjs", url, token]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if done.returncode or not done.stdout.endswith(" finished\n"):
            raise ReleaseError(f"the TypeScript client's game: {done.stdout[-500:]}{done.stderr}")


def main() -> int:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = f"{project['name']}-{project['version']}"
    shutil.rmtree(DIST, ignore_errors=True)
    try:
        frontend.build()
        say("building wheel and sdist")
        wheel = build(DIST)
        check_sdist(wheel)
        python = python_client.build(DIST)
        archive = frontend.package(DIST)
        subprocess.run([sys.executable, "-m", "tools.docs"], cwd=ROOT, check=True)
        with tarfile.open(DIST / f"{name}-docs.tar.gz", "w:gz") as site:
            site.add(docs.SITE, f"{name}-docs")
        say("trying wheels and clients in empty folders: serve, play, verify")
        installed = try_out(wheel, python, archive)
    except (
        ReleaseError,
        frontend.ClientError,
        python_client.GeneratorError,
        subprocess.CalledProcessError,
    ) as error:
        say(f"NO RELEASE: {error}")
        return 1
    (DIST / f"{name}.cdx.json").write_text(bill(installed, project), encoding="utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(DIST.iterdir())
    ]
    (DIST / "SHA256SUMS").write_text("\n".join([*sums, ""]))
    say(f"{DIST.relative_to(ROOT)}/ has {', '.join(path.name for path in sorted(DIST.iterdir()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
