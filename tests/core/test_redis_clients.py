"""Addresses of Redis, and clients that follow the master that Sentinel names."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache.backends.redis import RedisCache
from kombu import Connection
from redis.exceptions import RedisError

from core import redis_clients
from core.redis_clients import watched
from tests.installation import until
from tools.services import Server, Valkey

URL = "sentinel://user:p%40ss@a:26380,b/main/3?sentinel_password=other"


def test_the_parts_of_an_address_of_sentinel() -> None:
    found = watched(URL)
    assert found is not None
    assert found.sentinels == (("a", 26380), ("b", 26379))
    assert (found.name, found.db, found.username, found.password) == ("main", 3, "user", "p@ss")
    assert found.sentinel_options == {"password": "other"}
    assert found.broker_url() == "sentinel://user:p%40ss@a:26380/3;sentinel://user:p%40ss@b:26379/3"


def test_other_addresses_are_those_of_the_server() -> None:
    assert watched("redis://127.0.0.1:6379/0") is None
    assert watched("") is None
    pool = redis_clients.client("redis://:secret@db:6380/2", socket_timeout=3).connection_pool
    kept = pool.connection_kwargs
    assert (kept["host"], kept["port"], kept["db"], kept["password"]) == ("db", 6380, 2, "secret")
    assert kept["socket_timeout"] == 3


@pytest.mark.parametrize("url", ["sentinel://a:26379", "sentinel:///main/0", "sentinel://a/main/nought"])
def test_an_address_without_sentinel_or_master_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"names no sentinel|invalid literal"):
        watched(url)


class Watcher(Server):
    """One Sentinel, whose word is enough for a failover."""

    name = "sentinel"

    def __init__(self, folder: Path, program: Path, master: Server) -> None:
        super().__init__(folder)
        self.program, self.settings = program, folder / "sentinel.conf"
        self.settings.write_text(
            f"port {self.port}\ndir {folder}\nsentinel monitor main 127.0.0.1 {master.port} 1\n"
            "sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 3000\n"
        )

    def start(self) -> None:
        self._launch([str(self.program), str(self.settings), "--sentinel"], "+monitor master main")


class Follower(Valkey):
    name = "follower"

    def follow(self, master: Valkey) -> None:
        self.start()
        redis_clients.client(self.url).replicaof("127.0.0.1", master.port)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[Valkey, Watcher]]:
    master, follower = Valkey(tmp_path), Follower(tmp_path)
    watcher = Watcher(tmp_path, master.program, master)
    started: list[Server] = []
    try:
        master.start()
        started.append(master)
        follower.follow(master)
        started.append(follower)
        until(lambda: redis_clients.client(master.url).info("replication")["connected_slaves"], "it follows")
        watcher.start()
        started.append(watcher)
        yield master, watcher
    finally:
        for one in started:
            one.kill()
        shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.mark.soak
@pytest.mark.postgres
@pytest.mark.processes
def test_clients_follow_the_master(servers: tuple[Valkey, Watcher]) -> None:
    """The counters, the cache, and the broker, across a failover."""
    master, watcher = servers
    url = f"sentinel://127.0.0.1:{watcher.port}/main/0"
    found = watched(url)
    assert found is not None
    client = redis_clients.client(url, socket_timeout=2, socket_connect_timeout=2)
    options = {"pool_class": "core.redis_clients.Pool", "socket_timeout": 2, "socket_connect_timeout": 2}
    cache = RedisCache(url, {"OPTIONS": options})

    def works() -> Any:
        try:
            cache.set("name", "value", 60)
            with Connection(found.broker_url(), transport_options={"master_name": found.name}) as broker:
                size = broker.default_channel.queue_declare(queue="test").message_count
            return client.incr("count") and cache.get("name") == "value" and size == 0
        except (RedisError, OSError):
            return False

    assert works()
    before = watcher.log.read_text()
    until(lambda: "+slave" in before or "+slave" in watcher.log.read_text(), "the follower is known", 30)
    master.kill()
    assert not works()
    until(works, "another server is the master", 60)
