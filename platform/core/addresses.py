"""Which callers an address identifies. Pure."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

SITE = 64
"""Bits of an IPv6 address that identify a household. The household chooses the rest, for every request if it likes."""


def caller_at(address: str) -> str:
    """The address under which a caller is counted.

    >>> caller_at("203.0.113.7"), caller_at("::ffff:203.0.113.7"), caller_at("2001:db8:1:2:3:4:5:6")
    ('203.0.113.7', '203.0.113.7', '2001:db8:1:2::')
    """
    try:
        found = ip_address(address)
    except ValueError:  # a socket in the file system has no address
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), SITE), strict=False).network_address)


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
