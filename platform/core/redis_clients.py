"""Clients of Redis, at one address (`redis://…`) or at that of the master that Sentinel names (`sentinel://…`)."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from redis import ConnectionPool, Redis, sentinel

SCHEME = "sentinel"
SENTINEL_PORT = 26379


class Watched(NamedTuple):
    """A master, and the sentinels that know its address."""

    sentinels: tuple[tuple[str, int], ...]
    name: str
    db: int
    username: str | None
    password: str | None
    """Of Redis."""
    sentinel_password: str | None
    credentials: str
    """`user:password@` as in the address, or empty."""

    @property
    def sentinel_options(self) -> dict[str, Any]:
        return {"password": self.sentinel_password} if self.sentinel_password else {}

    def broker_url(self) -> str:
        """The address in the form of Celery's broker, which has no place for the master's name."""
        return ";".join(
            f"{SCHEME}://{self.credentials}{host}:{port}/{self.db}" for host, port in self.sentinels
        )


def watched(url: str) -> Watched | None:
    """The parts of `sentinel://user:password@host:port,host:port/NAME/DB?sentinel_password=…`; None for another scheme.

    Ports are 26379 unless given, and the database is 0. Raises ValueError.
    """
    parts = urlsplit(url)
    if parts.scheme != SCHEME:
        return None
    credentials, at, hosts = parts.netloc.rpartition("@")
    username, _, password = credentials.partition(":")
    name, _, db = parts.path.strip("/").partition("/")
    if not hosts or not name:
        raise ValueError("names no sentinel or no master; it is sentinel://host:26379,host:26379/NAME/0")
    query = parse_qs(parts.query)
    return Watched(
        tuple(_address(host) for host in hosts.split(",")),
        name,
        int(db or 0),
        unquote(username) or None,
        unquote(password) or None,
        query.get("sentinel_password", [None])[0],
        credentials + at,
    )


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.strip().partition(":")
    return host, int(port or SENTINEL_PORT)


class Pool:
    """The class of the connection pool of Django's cache."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> ConnectionPool:
        """A pool of connections to the server, or to the present master. Raises ValueError."""
        found = watched(url)
        if found is None:
            return ConnectionPool.from_url(url, **options)
        asked: dict[str, Any] = {
            name: options[name] for name in ("socket_timeout", "socket_connect_timeout") if name in options
        }
        asked |= found.sentinel_options
        made: Any = sentinel  # its classes have no types
        sentinels = made.Sentinel(found.sentinels, sentinel_kwargs=asked)
        login: dict[str, Any] = {"username": found.username, "password": found.password}
        pool: ConnectionPool = made.SentinelConnectionPool(
            found.name, sentinels, db=found.db, **login, **options
        )
        return pool


def client(url: str, **options: Any) -> Redis:
    """A client of the server, or of the present master. `options` are those of its connections."""
    return Redis(connection_pool=Pool.from_url(url, **options))
