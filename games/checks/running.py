"""Verify a game in play with its secret seed: everything except its end. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from core.checks import Fault
from eventstore.chain import chain_fault
from games.rules.bundles import form
from games.rules.bundles.form import Malformed
from games.rules.bundles.rejudge import Rejudge, Sealed, Wrong
from games.rules.bundles.verification import CHECKS, PART, BundleReport


def verify(document: Mapping[str, Any], seed: bytes | None) -> BundleReport:
    """Verify a bundle without its seed, which is given separately. See `games.rules.bundles.verification.verify`."""
    checks: dict[str, Any] = dict.fromkeys(CHECKS, "not-run")
    faults: list[Fault] = []

    def note(check: str, why: str | None, version: int | None = None) -> None:
        if why is not None:
            checks[check] = "failed"
            faults.append(Fault(PART, check, "", why, version))
        elif checks[check] == "not-run":
            checks[check] = "passed"

    events = document["events"]
    try:
        form.check(dict(document))
    except (Malformed, RecursionError) as error:
        note("format", str(error), getattr(error, "version", None))
        return _report(document, checks, faults)
    note("format", None)
    broken = chain_fault(events, stream=document["game"]["id"])
    note("chain", *(reversed(broken) if broken else (None,)))
    _order(events, note)
    if seed is None:
        note("commitment", "the server seed is missing")
        return _report(document, checks, faults)
    if hashlib.sha256(seed).hexdigest() != document["game"]["commitment"]:
        note("commitment", "the server seed does not match its commitment")
        return _report(document, checks, faults)
    note("commitment", None)
    if broken is None:
        _play(document, seed, note)
    return _report(document, checks, faults)


def _order(events: list[dict[str, Any]], note: Any) -> None:
    for before, event in pairwise(events):
        if event["at"] < before["at"]:
            note("order", "it is earlier than the previous event", event["version"])
            return
    note("order", None)


def _play(document: Mapping[str, Any], seed: bytes, note: Any) -> None:
    game = Rejudge({**document["game"], "server_seed": seed.hex()})
    for event in document["events"]:
        try:
            game.step(event)
        except Wrong as wrong:
            note(wrong.check, wrong.why, event["version"])
            return
        except Sealed:
            return
    if game.due:
        note("events", f"`{game.due[0].type}` does not follow", len(document["events"]) + 1)
        return
    for check in ("events", "moves", "facts"):
        note(check, None)
    if game.key is not None:
        note("deal", None)
        note("seals", None)


def _report(document: Mapping[str, Any], checks: dict[str, Any], faults: list[Fault]) -> BundleReport:
    return BundleReport(
        checks=checks,
        faults=tuple(faults),
        game=document["game"]["id"],
        events=len(document["events"]),
        ended=False,
    )
