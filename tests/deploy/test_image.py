"""The image of deploy/Containerfile, built and run by podman in every role.

Needs podman, the network, and the base image, which podman fetches or has. Where no registry can be reached, Debian's
packages make one: `mmdebstrap --variant=minbase bookworm - | podman import - docker.io/library/debian:bookworm-slim`.
RACECARD_PODMAN_BUILD has further options of `podman build`, for instance for certificates of one's own.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator

import httpx
import pytest

from tests.installation import ROOT, until
from tools.release import build
from tools.services import free_port, throw_away

pytestmark = [pytest.mark.soak, pytest.mark.processes, pytest.mark.timeout(1800)]

IMAGE = "localhost/racecard-test"
HARDENED = ("--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--network", "host")


def podman(*words: str, check: bool = True) -> str:
    done = subprocess.run(["podman", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    assert shutil.which("podman"), "podman is missing: apt-get install podman"
    context = tmp_path_factory.mktemp("context")
    (context / "requirements").mkdir()
    shutil.copy(ROOT / "requirements" / "run.txt", context / "requirements")
    (context / "dist").mkdir()
    build(context / "dist")
    options = shlex.split(os.environ.get("RACECARD_PODMAN_BUILD", ""))
    file = str(ROOT / "deploy" / "Containerfile")
    podman("build", "--network", "host", *options, "--file", file, "--tag", IMAGE, str(context))
    yield IMAGE
    podman("rmi", "--force", IMAGE, check=False)


class Roles:
    """Containers that share a volume and servers."""

    def __init__(self, image: str, settings: dict[str, str]) -> None:
        self.image, self.started = image, list[str]()
        self.volume = podman("volume", "create")
        variables = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
        self.options = [*HARDENED, "--volume", f"{self.volume}:/var/lib/racecard", *variables]

    def run(self, *words: str) -> str:
        return podman("run", "--rm", *self.options, self.image, *words)

    def start(self, *words: str) -> str:
        self.started.append(podman("run", "--detach", *self.options, self.image, *words))
        return self.started[-1]

    def close(self) -> None:
        for one in self.started:
            podman("rm", "--force", "--time", "1", one, check=False)
        podman("volume", "rm", "--force", self.volume, check=False)


@pytest.fixture
def servers() -> Iterator[dict[str, str]]:
    with throw_away() as (postgres, valkey):
        yield {"DATABASE_URL": postgres.url, "REDIS_URL": valkey.url}


def answers(address: str, path: str) -> bool:
    try:
        return httpx.get(f"{address}{path}", timeout=30).is_success
    except httpx.TransportError:
        return False


def test_one_image_runs_every_role(image: str, servers: dict[str, str]) -> None:
    roles = Roles(image, servers)
    try:
        roles.run("manage", "migrate", "--no-input")
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        web = roles.start("run", "web", "--port", str(port))
        worker, ticker = roles.start("run", "worker"), roles.start("run", "ticker")
        until(lambda: answers(address, "/readyz?whole=1"), "requests are answered and jobs are done")

        assert podman("exec", web, "id", "--user") == "10001"
        assert "Read-only file system" in podman("exec", web, "sh", "-c", "touch /opt/x 2>&1 || true")
        assert podman("exec", web, "sh", "-c", "command -v pg_dump")
        assert '"name": "keys"' in podman("exec", web, "sh", "-c", "racecard doctor --json || true")

        before = set(podman("top", web, "hpid").split())
        podman("kill", "--signal", "HUP", web)

        def is_replaced() -> bool:
            assert answers(address, "/api/v1/rules/")
            return (
                len(before & set(podman("top", web, "hpid").split())) <= 3
            )  # the heading, uvicorn, and its tracker

        until(is_replaced, "the web processes are replaced while they answer")
        for one in (web, worker, ticker):
            podman("stop", "--time", "60", one)
            assert podman("inspect", "--format", "{{.State.ExitCode}}", one) in ("0", "143")
    finally:
        roles.close()


def test_one_container_is_a_whole_installation(image: str) -> None:
    roles = Roles(image, {})
    try:
        port = free_port()
        roles.start("serve", "--no-demo", "--port", str(port))
        until(lambda: answers(f"http://127.0.0.1:{port}", "/readyz?whole=1"), "it serves, and does its jobs")
    finally:
        roles.close()
