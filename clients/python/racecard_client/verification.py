"""Receipts of moves, and verification of bundles by the rules of the package `racecard`, if it is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from racecard_client.errors import BundleInvalid, RulesNotInstalled
from racecard_client.rest.models import PlayedOutput


class Receipt(NamedTuple):
    """The version and hash with which the server has answered a move. They commit it to every event so far."""

    version: int
    hash: str

    @classmethod
    def of(cls, played: PlayedOutput) -> Receipt:
        return cls(played.version, played.hash_)


def verify_bundle(bundle: Mapping[str, Any], receipts: Iterable[Receipt] = ()) -> None:
    """Check that a bundle is a complete and correct game, and the one of which the receipts are.

    Raises BundleInvalid, and RulesNotInstalled without the package `racecard`.
    """
    report = _verify()(dict(bundle))
    faults = [f"event {fault.version}: {fault}" if fault.version else str(fault) for fault in report.faults]
    hashes = {event["version"]: event["hash"] for event in bundle["events"]} if not faults else {}
    faults += [
        f"event {version}: the hash is not the one of the receipt"
        for version, hash in receipts
        if not report.faults and hashes.get(version) != hash
    ]
    if faults:
        raise BundleInvalid(faults)


def _verify() -> Callable[[dict[str, Any]], Any]:
    """The function of the rules. In a wheel, they lie inside the package `racecard`."""
    module = "games.rules.bundles.verification"
    try:
        try:
            found = importlib.import_module(module)
        except ImportError:
            importlib.import_module("racecard").use_package()
            found = importlib.import_module(module)
    except ImportError as error:
        raise RulesNotInstalled("install the package racecard to verify bundles") from error
    verify: Callable[[dict[str, Any]], Any] = found.verify
    return verify
