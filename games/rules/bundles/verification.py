"""Verification of a bundle: a finished game is executed again from its document alone (RULEBOOK 8)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeGuard

from core.checks import Fault, Verdict
from eventstore.chain import chain
from eventstore.checkpoints.inclusion import Trusted
from games.rules import buy_in
from games.rules.bundles import form
from games.rules.bundles.form import PROOF, PROOF_CHECKS, WITHHELD, Malformed, Proof, Unreadable, read
from games.rules.bundles.rejudge import Rejudge, Sealed, Wrong, same
from games.rules.buy_in import BuyIn
from games.rules.fairness import tournament_server_seed
from games.rules.table import CONTINUED, Table

__all__ = [
    "CHECKS",
    "PROOF_CHECKS",
    "BundleReport",
    "Trusted",
    "Unreadable",
    "read",
    "verify",
    "verify_in_play",
]

PART = "games"
"""The part of an audit in which a bundle is checked."""

CHECKS = {
    "format": "the document has the keys and forms of a bundle",
    "chain": "versions count from 1 without gaps and every hash fits",
    "order": "no event is earlier than the one before",
    "commitment": "the server seed is the one committed to",
    "tournament-seed": "in a tournament, the server seed follows from its seed, round and deal",
    "client-seeds": "seats, seeds and suits are those of the events; in a tournament every seed is its entropy",
    "events": "event types are known and in their order; nothing follows the end",
    "deal": "the packs follow from the seeds",
    "seals": "what was sealed is what is shown",
    "moves": "every move was legal for its seat",
    "facts": "every move revealed what is recorded",
    "outcome": "the outcome is the one recorded",
    "escrow": "the game's escrow is at zero",
    "money": "the transfers agree with the outcome",
}
_ENDS = ("finished", "voided")


@dataclass(frozen=True, slots=True)
class BundleReport:
    """The result of a bundle's verification."""

    checks: dict[str, Verdict]
    """By the names of CHECKS, and of PROOF_CHECKS where there is a proof or one was asked for.

    Of a game that is still on, what needs its end is not run.
    """
    faults: tuple[Fault, ...]
    """The first wrong event first, then what is wrong with the whole."""
    game: str | None
    events: int
    ended: bool
    proof: Proof | None = None

    @property
    def ok(self) -> bool:
        return not self.faults

    @property
    def version(self) -> int | None:
        """The first event that is wrong."""
        return self.faults[0].version if self.faults else None

    @property
    def why(self) -> str | None:
        return self.faults[0].why if self.faults else None

    def document(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "game": self.game,
            "events": self.events,
            "ended": self.ended,
            "version": self.version,
            "why": self.why,
            "checks": dict(self.checks),
            "faults": [
                {"check": fault.check, "version": fault.version, "why": fault.why} for fault in self.faults
            ],
            **({"checkpoint": self.proof._asdict()} if self.proof else {}),
        }


def verify(document: object, trusted: Trusted | None = None) -> BundleReport:
    """Check a bundle. Whatever JSON comes in, a report comes out.

    `trusted`: the keys and checkpoints that confirm its proof. Without any, a proof is only checked for faults.
    """
    notes = _Notes()
    if _has_form(document, notes):
        _check(document, notes)
        if PROOF in document or trusted:
            notes.checks |= dict.fromkeys(PROOF_CHECKS, "not-run")
            notes.proof = form.judge_proof(document, trusted or Trusted(), notes, ended=_ended(document))
        return notes.report(document)
    return notes.report(None)


def verify_in_play(document: dict[str, Any], seed: bytes | None) -> BundleReport:
    """Check the bundle of a game in play with its secret seed: everything but its end."""
    notes = _Notes()
    if not _has_form(document, notes):
        return notes.report(None)
    chained = _check_chain(document, notes)
    committed = None if seed is None else hashlib.sha256(seed).hexdigest()
    if seed is None or committed != document["game"]["commitment"]:
        why = "the server seed does not match its commitment" if seed else "the server seed is missing"
        notes.fail("commitment", why)
    else:
        notes.passed("commitment")
        _judge({**document, "game": {**document["game"], "server_seed": seed.hex()}}, chained, notes)
    return notes.report(document)


def _has_form(document: object, notes: _Notes) -> TypeGuard[dict[str, Any]]:
    try:
        form.check(document)
    except Malformed as error:
        notes.fail("format", error.why, error.version)
        return False
    except RecursionError:
        notes.fail("format", "the document is nested too deeply")
        return False
    notes.passed("format")
    return True


class _Notes:
    """The results so far."""

    def __init__(self) -> None:
        self.checks: dict[str, Verdict] = dict.fromkeys(CHECKS, "not-run")
        self.faults: list[Fault] = []
        self.proof: Proof | None = None

    def passed(self, *checks: str) -> None:
        for check in checks:
            if self.checks[check] == "not-run":
                self.checks[check] = "passed"

    def fail(self, check: str, why: str, version: int | None = None) -> None:
        self.checks[check] = "failed"
        self.faults.append(Fault(PART, check, "", why, version))

    def judge(self, check: str, holds: bool, why: str) -> None:
        if holds:
            self.passed(check)
        else:
            self.fail(check, why)

    def report(self, document: Mapping[str, Any] | None) -> BundleReport:
        """`document` is None where not even its form is good."""
        faults = tuple(sorted(self.faults, key=lambda fault: (fault.version is None, fault.version or 0)))
        return BundleReport(
            checks=self.checks,
            faults=faults,
            game=document["game"]["id"] if document else None,
            events=len(document["events"]) if document else 0,
            ended=bool(document and _ended(document)),
            proof=self.proof,
        )


def _ended(bundle: Mapping[str, Any]) -> bool:
    return bundle["events"][-1]["type"] in _ENDS


def _check(bundle: dict[str, Any], notes: _Notes) -> None:
    """Everything after the form. The game is judged up to where its chain breaks."""
    _check_commitment(bundle, notes)
    _check_tournament_seed(bundle["game"], notes)
    chained = _check_chain(bundle, notes)
    if notes.checks["commitment"] == "failed":
        return
    table = _judge(bundle, chained, notes)
    if table is not None:
        _check_client_seeds(bundle["game"], table, notes)
        _check_outcome(bundle, table, notes)
        _check_money(bundle, table, notes)


# --- seeds --------------------------------------------------------------------------------------


def _check_commitment(bundle: Mapping[str, Any], notes: _Notes) -> None:
    seed, ended = bundle["game"]["server_seed"], _ended(bundle)
    if seed is None:
        if ended and not _shares_a_deal_in_play(bundle):
            notes.fail("commitment", "the game has ended, but its server seed is not shown")
        return
    if not ended:
        notes.fail("commitment", "the server seed is shown, but the game has not ended")
        return
    kept = hashlib.sha256(bytes.fromhex(seed)).hexdigest() == bundle["game"]["commitment"]
    notes.judge("commitment", kept, "the server seed is not the one committed to")


def _shares_a_deal_in_play(bundle: Mapping[str, Any]) -> bool:
    """Return whether this is a bundle from early access to a game whose deal is still being played."""
    game = bundle["game"]
    still_on = game["tournament"] is not None and game["tournament"]["seed"] is None
    still_on |= bundle["events"][-1]["data"].get("reason") == CONTINUED
    return still_on and game["server_seed"] is None and bundle["outcome"] is None


def _check_tournament_seed(game: Mapping[str, Any], notes: _Notes) -> None:
    """Not run until the tournament's seed is revealed."""
    tournament = game["tournament"]
    if tournament is None:
        notes.passed("tournament-seed")
        return
    if tournament["seed"] is None:
        return
    seed = bytes.fromhex(tournament["seed"])
    if hashlib.sha256(seed).hexdigest() != tournament["commitment"]:
        notes.fail("tournament-seed", "the tournament's seed is not the one committed to")
    elif game["server_seed"] is not None:
        derived = tournament_server_seed(seed, round=tournament["round"], deal=tournament["deal"])
        follows = game["server_seed"] == derived.hex()
        notes.judge("tournament-seed", follows, "the server seed is not that of this round and deal")


def _check_client_seeds(game: Mapping[str, Any], table: Table, notes: _Notes) -> None:
    seats = table.seats_document()
    if not same(game["seats"], seats):
        notes.fail("client-seeds", "`game.seats` is not who sat, and with which seed and suit")
    if game["bet_seeds"] != list(table.bet_seeds or ()):
        notes.fail("client-seeds", "`game.bet_seeds` is not what was dealt with")
    tournament = game["tournament"]
    if tournament and any(seat["client_seed"] != tournament["entropy"] for seat in seats):
        notes.fail("client-seeds", "a seat's client seed is not the tournament's entropy")
    notes.passed("client-seeds")


# --- the chain ----------------------------------------------------------------------------------


def _check_chain(bundle: Mapping[str, Any], notes: _Notes) -> list[bytes]:
    """Return the canonical data of the events before the chain breaks."""
    events = bundle["events"]
    chained, broken = chain(events, stream=bundle["game"]["id"])
    moments = [event["at"] for event in events[: len(chained)]]
    for version, (before, at) in enumerate(pairwise(moments), start=2):
        if at < before:
            notes.fail("order", f"{at} is earlier than the event before", version)
            break
    if broken:
        notes.fail("chain", broken[1], broken[0])
    else:
        notes.passed("chain", "order")
    return chained


# --- the game, again ----------------------------------------------------------------------------


def _judge(bundle: Mapping[str, Any], chained: list[bytes], notes: _Notes) -> Table | None:
    """Return the table after the last event; None after a fault or a sealed deal.

    `chained` has the canonical data of the events that are judged.
    """
    game = Rejudge(bundle["game"])
    for event, written in zip(bundle["events"], chained, strict=False):
        try:
            game.step(event, written)
        except Wrong as wrong:
            notes.fail(wrong.check, wrong.why, event["version"])
            return None
        except Sealed:
            return None
    if len(chained) < len(bundle["events"]):
        return None
    if game.due:
        version = len(chained) + 1
        notes.fail("events", f"the game is over, but `{game.due[0].type}` does not follow", version)
        return None
    notes.passed("events", "moves", "facts")
    if game.key is not None:
        notes.passed("deal", "seals")
    return game.table


def _check_outcome(bundle: Mapping[str, Any], table: Table, notes: _Notes) -> None:
    if _shares_a_deal_in_play(bundle):
        return
    if not same(bundle["outcome"], table.outcome):
        notes.fail("outcome", "`outcome` is not that of the last event")
    elif table.ended:
        notes.passed("outcome")


# --- the money ----------------------------------------------------------------------------------


def _check_money(bundle: Mapping[str, Any], table: Table, notes: _Notes) -> None:
    """Not run where transfers are withheld, the game is on, or a market decides what is paid."""
    if bundle["transfers"] == WITHHELD or not table.ended:
        return
    gained = _gains(bundle["transfers"])
    why = _escrow_fault(gained, bundle["game"]["id"]) or _rulings_fault(bundle["rulings"])
    notes.judge("escrow", why is None, why or "")
    if table.bet_seeds is None and (stakes := _stakes(bundle, table)) is not None:
        why = _money_fault(gained, stakes)
        notes.judge("money", why is None, why or "")


RAKE = "house/rake"

Gained = Mapping[tuple[str, str], int]
"""The gain of each account, by account and currency: credits minus debits."""


class Stakes(NamedTuple):
    """The gains that follow from the outcome."""

    players: dict[str, int]
    """Gains in pence; players who are not listed gain nothing."""
    rake: int | None
    """The rake of a pot; None without a pot."""
    currency: str | None
    """The currency of the pot."""


def _gains(transfers: list[dict[str, Any]]) -> Gained:
    gained: dict[tuple[str, str], int] = defaultdict(int)
    for transfer in transfers:
        gained[transfer["debit"], transfer["currency"]] -= transfer["amount"]
        gained[transfer["credit"], transfer["currency"]] += transfer["amount"]
    return gained


def _stakes(bundle: Mapping[str, Any], table: Table) -> Stakes | None:
    """Return the gains of an ended game; None if the outcome alone does not determine them."""
    pot = _pot(bundle, table)
    if pot is None:
        players = _of_the_game(table)
        return None if players is None else Stakes(players, None, None)
    if table.outcome is None:
        return Stakes({}, 0, pot.currency)
    shares = pot.shares(table.outcome, len(table.seats))
    players = {table.seats[seat].player: pence - pot.amount for seat, pence in shares.awards.items()}
    return Stakes(players, shares.rake, pot.currency)


def _escrow_fault(gained: Gained, game: str) -> str | None:
    escrow = f"game:{game}/"
    left = [pence for (account, _), pence in gained.items() if pence and account.startswith(escrow)]
    return f"the game still holds {sum(left)}" if left else None


def _rulings_fault(rulings: list[dict[str, Any]]) -> str | None:
    """Each ruling takes out of a game's escrow what it puts in."""
    for ruling in rulings:
        if ruling["transfers"] == WITHHELD:
            continue
        for (account, _), pence in _gains(ruling["transfers"]).items():
            if account.startswith("game:") and pence:
                return f"the ruling {ruling['id']} leaves {pence} on {account}"
    return None


def _money_fault(gained: Gained, due: Stakes) -> str | None:
    """The first thing in which the transfers disagree with what the outcome asks for."""
    actual: dict[str, int] = defaultdict(int)
    for (account, _), pence in gained.items():
        if account.startswith("player:"):
            actual[account.removeprefix("player:").partition("/")[0]] += pence
    for player in sorted(actual.keys() | due.players.keys()):
        if actual.get(player, 0) != due.players.get(player, 0):
            return (
                f"player {player} gained {actual.get(player, 0)}, by the outcome {due.players.get(player, 0)}"
            )
    currencies = {currency for _, currency in gained}
    if len(currencies) > 1:
        return "the transfers are in more than one currency"
    if due.currency is not None and currencies - {due.currency}:
        return f"the buy-ins are in {due.currency}, the transfers in {currencies.pop()}"
    kept = sum(pence for (account, _), pence in gained.items() if account == RAKE)
    if due.rake is not None and kept != due.rake:
        return f"the rake was {kept}, {due.rake} by the terms"
    return None


def _pot(bundle: Mapping[str, Any], table: Table) -> BuyIn | None:
    """The terms that the stream begins with; None for a table without buy-ins."""
    terms = bundle["events"][0]["data"].get("buy_in")
    return None if terms is None else buy_in.read(terms, table.game, table.game.config_json(table.config))


def _of_the_game(table: Table) -> dict[str, int] | None:
    """Return the gains by player; a void game has none."""
    if table.status == "void":
        return {}
    gained = table.game.gains(table.state)
    if gained is None:
        return None
    expected: dict[str, int] = defaultdict(int)
    for seat, pence in enumerate(gained):
        expected[table.seats[seat].player] += pence
    return expected
