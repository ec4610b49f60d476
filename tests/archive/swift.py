"""OpenStack Swift with its S3 API: a real S3-compatible store, from PyPI, as four processes in a folder."""

from __future__ import annotations

import getpass
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
STORES = ("account", "container", "object")
USER, KEY = "test:tester", "testing"
PATIENCE = 180.0

COMMON = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {conf}
devices = {devices}
mount_check = false
log_address = {conf}/no-syslog
"""
STORE = """
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""
PIPELINE = ("catch_errors", "gatekeeper", "listing_formats", "s3api", "tempauth")
PROXY = f"""
[pipeline:main]
pipeline = {" ".join(PIPELINE)} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {KEY} .admin
""" + "".join(
    f"[filter:{name}]\nuse = egg:swift#{name}\n" for name in ("catch_errors", "gatekeeper", "listing_formats")
)


class Swift:
    """A running store. `stop` and `start` take the entrance away and bring it back."""

    def __init__(self, folder: Path) -> None:
        self.conf = folder / "conf"
        self.conf.mkdir(parents=True)
        self.devices = folder / "devices"
        (self.devices / "one").mkdir(parents=True)
        self.ports = {kind: _free_port() for kind in (*STORES, "proxy")}
        self.address = f"http://127.0.0.1:{self.ports['proxy']}"
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._configure()

    def _configure(self) -> None:
        hashes = "[swift-hash]\nswift_hash_path_suffix = one\nswift_hash_path_prefix = two\n"
        policy = "[storage-policy:0]\nname = one\ndefault = yes\n"
        (self.conf / "swift.conf").write_text(hashes + policy)
        for kind in (*STORES, "proxy"):
            text = (COMMON + (PROXY if kind == "proxy" else STORE)).format(
                port=self.ports[kind],
                user=getpass.getuser(),
                conf=self.conf,
                devices=self.devices,
                kind=kind,
            )
            (self.conf / f"{kind}-server.conf").write_text(text)
        for kind in STORES:
            self._ring(kind, "create", "4", "1", "0")
            self._ring(kind, "add", f"r1z1-127.0.0.1:{self.ports[kind]}/one", "1")
            self._ring(kind, "rebalance")

    def _ring(self, kind: str, *words: str) -> None:
        command = [sys.executable, str(BIN / "swift-ring-builder"), f"{kind}.builder", *words]
        subprocess.run(command, cwd=self.conf, check=True, stdout=subprocess.DEVNULL)

    def start(self, *kinds: str) -> None:
        for kind in kinds or (*STORES, "proxy"):
            with (self.conf / f"{kind}.log").open("ab") as log:
                self._running[kind] = subprocess.Popen(
                    [
                        sys.executable,
                        str(BIN / f"swift-{kind}-server"),
                        str(self.conf / f"{kind}-server.conf"),
                    ],
                    stdout=log,
                    stderr=log,
                    env=os.environ | {"EVENTLET_NO_GREENDNS": "yes"},
                )
        deadline = time.monotonic() + PATIENCE
        for kind in self._running:
            while not _answers(self.ports[kind]):
                if time.monotonic() > deadline or self._running[kind].poll() is not None:
                    raise TimeoutError((self.conf / f"{kind}.log").read_text())
                time.sleep(0.05)

    def stop(self, *kinds: str) -> None:
        for kind in kinds or tuple(self._running):
            process = self._running.pop(kind)
            process.kill()
            process.wait()

    def client(self) -> Any:
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=self.address,
            region_name="us-east-1",
            aws_access_key_id=USER,
            aws_secret_access_key=KEY,
        )


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def swift(folder: Path) -> Iterator[Swift]:
    with ExitStack() as stack:
        server = Swift(folder)
        stack.callback(server.stop)
        server.start()
        yield server
