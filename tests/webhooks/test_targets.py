"""Targets of a webhook: every form of an address that is not public is refused."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks.targets import Refused, Target, refusal, target


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://hooks.example.org", Target("hooks.example.org", 443, "/")),
        ("https://Hooks.Example.ORG:8443/a/b?c=d&e", Target("hooks.example.org", 8443, "/a/b?c=d&e")),
        ("https://xn--bcher-kva.example/x", Target("xn--bcher-kva.example", 443, "/x")),
        ("https://93.184.216.34/", Target("93.184.216.34", 443, "/")),
        ("https://[2606:2800:220:1:248:1893:25c8:1946]:1024/", Target("2606:2800:220:1:248:1893:25c8:1946", 1024, "/")),
    ],
)  # fmt: skip
def test_a_public_https_address_is_a_target(url: str, found: Target) -> None:
    assert target(url) == found


NO_TARGETS = [
    "", "hooks.example.org", "//hooks.example.org/", "https://", "https:///path",
    "http://hooks.example.org/", "ftp://hooks.example.org/", "file:///etc/passwd", "gopher://hooks.example.org/",
    "https://user@hooks.example.org/", "https://user:pass@hooks.example.org/", "https://@hooks.example.org/",
    "https://hooks.example.org#x", "https://hooks.example.org/#",
    "https://hooks.example.org:80/", "https://hooks.example.org:22/", "https://hooks.example.org:0/",
    "https://hooks.example.org:1023/", "https://hooks.example.org:65536/", "https://hooks.example.org:x/",
    "https://hooks.example.org:-1/",
    "https://localhost/", "https://localhost:8443/", "https://hooks/", "https://hooks.example.org./",
    "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/",
    "https://0x7f.1/", "https://10.0.0.1/", "https://192.168.0.1/", "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/", "https://[::]/", "https://[::ffff:8.8.8.8]/", "https://[fe80::1%25eth0]/", "https://[x]/",
    "https://hooks.example.org\\@127.0.0.1/", "https://hooks.example.org /",
    "https://hooks.example.org/\r\nHost: x",
    "https://hooks.example.org/\x00", "https://bücher.example/", "https://１２７.0.0.1/", "https://-.example/",
    "https://a..example/", "https://%31%32%37.0.0.1/", "https://hooks.example.org/" + "x" * 500,
]  # fmt: skip


def test_any_other_is_refused(subtests: pytest.Subtests) -> None:
    for url in NO_TARGETS:
        with subtests.test(url=url), pytest.raises(Refused):
            target(url)


NOT_PUBLIC = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/29",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
    "::/128", "::1/128", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
    "2001::/32", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7",
    "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip


def test_an_address_that_is_not_public_is_refused(subtests: pytest.Subtests) -> None:
    for network in map(ip_network, NOT_PUBLIC):
        inside = {network[0], network[-1], network[network.num_addresses // 2]}
        with subtests.test(block=str(network)):
            assert {refusal(str(address)) for address in inside} == {"not a public address"}


@given(st.sampled_from(NOT_PUBLIC), st.integers(0, 2**128))
def test_so_is_every_other_of_its_block(block: str, number: int) -> None:
    network = ip_network(block)
    assert refusal(str(network[number % network.num_addresses])) is not None


@given(st.integers(0, 2**32 - 1))
def test_an_embedded_ipv4_address_is_refused(number: int) -> None:
    inner = int(IPv4Address(number))
    prefixes = (0, 0xFFFF << 32, 0x64FF9B << 96, (0x2002 << 112) | (inner << 48), 0x20010000 << 96)
    for prefix in prefixes:
        assert refusal(str(IPv6Address(prefix | inner))) is not None


@pytest.mark.parametrize("text", ["", "hooks.example.org", "127.0.0.1:80", "1.2.3", "fe80::1%eth0"])
def test_an_address_that_is_not_public_is_none(text: str) -> None:
    assert refusal(text) is not None


@pytest.mark.parametrize(
    "text", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "2a00::1"]
)
def test_a_public_address_is_reached(text: str) -> None:
    assert refusal(text) is None
