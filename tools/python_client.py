"""Generate the REST part of the Python client from docs/openapi.json, and build its wheel.

`python -m tools.python_client` writes `clients/python/racecard_client/rest/`, which is not in the repository, unless it
is there for the same description. With `--check` it also type-checks the client.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from tools.locks import locked

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTION = ROOT / "docs" / "openapi.json"
PROJECT = ROOT / "clients" / "python"
REST = PROJECT / "racecard_client" / "rest"
LOCK = ROOT / "build" / "python-client.lock"

CONFIG = {
    "project_name_override": "racecard-client",
    "package_name_override": "rest",
    "post_hooks": [],
}
"""No post-hooks: the code is only run, and formatting it would take most of the time."""


class GeneratorError(Exception):
    """The description has something that the generator does not handle."""


def digest() -> str:
    """A digest of all that the generated code depends on."""
    inputs = hashlib.sha256(DESCRIPTION.read_bytes())
    inputs.update(f"{version('openapi-python-client')} {json.dumps(CONFIG)}".encode())
    return inputs.hexdigest()


def generate() -> bool:
    """Generate the REST part. Return False if it is up to date.

    Raises GeneratorError if an operation or a schema would be left out.
    """
    with locked(LOCK):  # the tests run in several processes
        return _generate()


def _generate() -> bool:
    stamp, wanted = REST / "description.sha256", digest()
    if stamp.exists() and stamp.read_text() == wanted:
        return False
    with tempfile.TemporaryDirectory(prefix="racecard-client-") as folder:
        config, made = Path(folder) / "config.json", Path(folder) / "rest"
        config.write_text(json.dumps(CONFIG))
        command = [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"),
            *("--path", str(DESCRIPTION), "--config", str(config)),
            *("--meta", "none", "--output-path", str(made)),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise GeneratorError(done.stdout + done.stderr)
        (made / "description.sha256").write_text(wanted)
        shutil.rmtree(REST, ignore_errors=True)
        shutil.move(made, REST)
    return True


def build(folder: Path) -> Path:
    """Build the client's wheel into `folder`. Return it."""
    generate()
    shutil.copy(ROOT / "LICENSE", PROJECT)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
    [wheel] = folder.glob("racecard_client-*.whl")
    return wheel


def main() -> int:
    try:
        generate()
    except GeneratorError as error:
        print(error, file=sys.stderr)
        return 1
    if "--check" in sys.argv:
        return subprocess.run([sys.executable, "-m", "mypy"], cwd=PROJECT, check=False).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
