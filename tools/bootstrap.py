"""Create `.venv` from the hashed requirements, with only the standard library.

`python3 tools/bootstrap.py run` installs what serving needs, `… client` also the Node that builds the web client, and
`… dev` also what development and tests need; `… bench` creates `.venv-bench` with the libraries that the benchmarks
compare with. A stamp in the environment makes a second call with unchanged requirements a no-op.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEVELS = ("run", "client", "dev")
"""Each includes the ones before it, in the same environment."""
BENCH = "bench"
PLUGINS = "plugins.txt"
"""In the root, if there are plug-ins: pip's requirements of their distributions. `uv sync` would remove them."""


def environment(level: str) -> Path:
    return ROOT / (".venv-bench" if level == BENCH else ".venv")


def python_of(level: str) -> Path:
    return environment(level) / "bin" / "python"


def stamp_of(level: str) -> Path:
    return environment(level) / "racecard.stamp"


def requirements(level: str) -> Path:
    return ROOT / "requirements" / f"{level}.txt"


def fingerprint(level: str) -> str:
    """The inputs of the environment: the lock files, the packaging, the interpreter, and the location of the tree."""
    digest = hashlib.sha256(f"{level}|{sys.version}|{ROOT}".encode())
    paths = (requirements(level), ROOT / "requirements" / "uv.txt", ROOT / "pyproject.toml", ROOT / PLUGINS)
    for path in filter(Path.exists, paths):
        digest.update(path.read_bytes())
    return f"{level} {digest.hexdigest()}"


def is_ready(level: str) -> bool:
    """A development environment can also serve."""
    stamp = stamp_of(level)
    if not python_of(level).exists() or not stamp.exists():
        return False
    enough = (BENCH,) if level == BENCH else LEVELS[LEVELS.index(level) :]
    return stamp.read_text().strip() in {fingerprint(candidate) for candidate in enough}


def say(text: str) -> None:
    print(f"racecard: {text}", flush=True)


def quietly(command: Sequence[str], folder: Path = ROOT, environment: Mapping[str, str] | None = None) -> int:
    """Run a command and return its exit code. What it writes is shown only if it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        print(done.stdout, flush=True)
    return done.returncode


def run(*command: str) -> None:
    if code := quietly(command, ROOT):
        sys.exit(f"racecard: '{' '.join(command[:4])} …' failed with exit code {code}; see above.")


def make_environment(folder: Path) -> None:
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        sys.exit(
            "racecard: this Python has no 'ensurepip'. On Debian or Ubuntu: "
            f"apt-get install python{version}-venv; then try again."
        )
    say(f"making a virtual environment in {folder.name}")
    venv.create(folder, with_pip=True, clear=True)


def works(python: Path) -> bool:
    """Whether the environment works. False if its interpreter was removed or replaced."""
    if not python.exists():
        return False
    command = (str(python), "-c", "import sys, pip; print(sys.version)")
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return answer.returncode == 0 and answer.stdout.strip() == sys.version


def main(level: str) -> None:
    if sys.version_info < (3, 11):
        sys.exit(f"racecard: Python 3.11 or newer is needed, this is {sys.version.split()[0]}.")
    if level not in (*LEVELS, BENCH):
        sys.exit(f"racecard: usage: bootstrap.py {'|'.join((*LEVELS, BENCH))}")
    if is_ready(level):
        return
    started = time.monotonic()
    python = python_of(level)
    if not works(python):
        make_environment(environment(level))
    stamp_of(level).unlink(missing_ok=True)
    say("installing uv (by hash)")
    pip = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "uv.txt"))
    # As pip does: on a network that inspects TLS only the system knows the certificate authority.
    uv = (str(python), "-m", "uv", "--system-certs", "pip")
    say(f"installing the packages of requirements/{level}.txt (by hash), a minute or two the first time")
    run(*uv, "sync", "--quiet", "--python", str(python), "--require-hashes", str(requirements(level)))
    run(*uv, "install", "--quiet", "--python", str(python), "--no-deps", "--no-build-isolation", "-e", ".")
    if (ROOT / PLUGINS).exists():
        say(f"installing the plug-ins of {PLUGINS}")
        run(*uv, "install", "--quiet", "--python", str(python), "-r", PLUGINS)
    stamp_of(level).write_text(fingerprint(level) + "\n")
    say(f"environment ready in {time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "run")
