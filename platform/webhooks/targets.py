"""Allowed targets of webhooks: public https addresses. Pure.

The address is checked, not the name: a name may resolve to any address, and to another one the next time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

MOST_URL = 500

_NAME = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
)
_UNICAST = ip_network("2000::/3")
"""The allocated global unicast range of IPv6; other ranges are local, mapped, translated, or reserved."""

_REFUSED = tuple(
    ip_network(block)
    for block in (
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # protocols: Teredo, ORCHID, benchmarking
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address within
        "3fff::/20",  # documentation
    )
)


class Refused(ValueError):
    """A refused target, with the reason."""


@dataclass(frozen=True, slots=True)
class Target:
    """`path` with its query."""

    host: str
    port: int
    path: str


def target(url: str) -> Target:
    """Raises Refused."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url or len(url) > MOST_URL:
        raise Refused(f"an address of printable ASCII characters without spaces, at most {MOST_URL} of them")
    try:
        parts = urlsplit(url)
        port = 443 if parts.port is None else parts.port
    except ValueError:
        raise Refused("no address that can be read") from None
    host = parts.hostname or ""
    if parts.scheme != "https":
        raise Refused("https alone")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise Refused("no user or password in it")
    if parts.fragment or "#" in url:
        raise Refused("no fragment in it")
    if port != 443 and not 1024 <= port <= 65535:
        raise Refused("port 443, or one from 1024 on")
    _check_host(host)
    path = parts.path or "/"
    return Target(host, port, f"{path}?{parts.query}" if parts.query else path)


def _check_host(host: str) -> None:
    """A name with a dot whose last part is not a number, or a public address."""
    if _NAME.fullmatch(host):
        return
    if refusal(host) is None:
        return
    raise Refused("a host name such as hooks.example.org, or a public address")


def refusal(address: str) -> str | None:
    """Why connections to this address are refused; None if they are allowed."""
    try:
        found = ip_address(address)
    except ValueError:
        return "no address"
    return None if _is_public(found) else "not a public address"


def _is_public(found: IPv4Address | IPv6Address) -> bool:
    if not found.is_global or found.is_multicast or found.is_reserved or found.is_unspecified:
        return False
    if isinstance(found, IPv6Address) and (found not in _UNICAST or found.scope_id is not None):
        return False
    return not any(found in block for block in _REFUSED if block.version == found.version)
