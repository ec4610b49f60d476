"""Write the tampered bundles of this folder: `python -m tests.golden.tampered.make`.

Each is a bundle of the folder above after one forgery. Unless the chain itself is forged, all hashes are recomputed,
and also seals and signatures where a seed or a key suffices. `expected.json` names for each bundle the check that finds
the forgery, the event, and whether the public key and stored checkpoints are needed.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eventstore.chain import GENESIS, canonical, event_hash
from games.rules.fairness import GameKey
from tests.checkpoint_maker import Signer, public_key

FOLDER = Path(__file__).parent
BUNDLES = FOLDER.parent
RACE, STAKED, CUP, VOID = (
    "ace-race-two-won-by-a-gift",
    "vegas-draw-1-staked-5-52",
    "vegas-of-a-tournament",
    "vegas-void-refunded",
)
KEPT = "kept.jsonl"

Bundle = dict[str, Any]
Forge = Callable[[Bundle], Bundle | None]


class Sample:
    def __init__(self, forge: Forge, of: str, check: str, version: int | None, why: str, kept: bool) -> None:
        self.forge, self.of, self.kept = forge, of, kept
        self.expected = {"check": check, "version": version, "why": why, "kept": kept}

    def forged(self) -> Bundle:
        bundle = json.loads((BUNDLES / f"{self.of}.json").read_bytes())
        return self.forge(bundle) or bundle


SAMPLES: dict[str, Sample] = {}


def sample(
    check: str, version: int | None, why: str, *, of: str = RACE, kept: bool = False
) -> Callable[[Forge], Forge]:
    """Register a forgery. `kept`: it is verified with the public key and stored checkpoints."""

    def named(forge: Forge) -> Forge:
        SAMPLES[forge.__name__.replace("_", "-")] = Sample(forge, of, check, version, why, kept)
        return forge

    return named


def rechain(bundle: Bundle) -> None:
    """Recompute versions, links, and hashes."""
    prev = GENESIS
    for version, event in enumerate(bundle["events"], start=1):
        event |= {"version": version, "prev": prev}
        parts = {name: event[name] for name in ("version", "type", "seat", "seal", "at", "prev")}
        prev = event["hash"] = event_hash(stream=bundle["game"]["id"], data=canonical(event["data"]), **parts)


def reseal(bundle: Bundle) -> None:
    """Recompute the seals of the private parts with the key of the game's seeds, then the chain."""
    seeds = [seat["client_seed"] for seat in bundle["game"]["seats"]]
    key = GameKey(bytes.fromhex(bundle["game"]["server_seed"]), seeds)
    for version, event in enumerate(bundle["events"], start=1):
        if event["private"] is not None:
            event["seal"] = key.seal(bundle["game"]["id"], version, event["private"])
    rechain(bundle)


# --- format --------------------------------------------------------------------------------------------


@sample("format", None, "the bundle has the keys")
def a_key_too_many(bundle: Bundle) -> None:
    bundle["note"] = "checked"


# --- chain ---------------------------------------------------------------------------------------------


@sample("chain", 10, "the hash does not fit the event's contents")
def a_changed_event(bundle: Bundle) -> None:
    bundle["events"][9]["data"]["facts"]["giveaway"] = True


@sample("chain", 10, "version 11 stands where 10 should")
def an_event_removed(bundle: Bundle) -> None:
    del bundle["events"][9]


@sample("chain", 11, "version 10 stands where 11 should")
def an_event_put_in(bundle: Bundle) -> None:
    bundle["events"].insert(10, copy.deepcopy(bundle["events"][9]))


@sample("chain", 10, "version 11 stands where 10 should")
def two_events_swapped(bundle: Bundle) -> None:
    events = bundle["events"]
    events[9], events[10] = events[10], events[9]


@sample("chain", 1, "the hash does not fit the event's contents")
def the_stream_of_another_game(bundle: Bundle) -> None:
    bundle["game"]["id"] = bundle["game"]["id"][:-1] + "0"


@sample("order", 11, "is earlier than the event before")
def time_going_back(bundle: Bundle) -> None:
    bundle["events"][10]["at"] = "2026-01-01T01:00:00.000000Z"
    rechain(bundle)


# --- seeds ---------------------------------------------------------------------------------------------


@sample("commitment", None, "the server seed is not the one committed to")
def another_server_seed(bundle: Bundle) -> None:
    bundle["game"]["server_seed"] = "00" * 32


@sample("commitment", None, "the server seed is shown, but the game has not ended")
def the_end_cut_off(bundle: Bundle) -> None:
    """A running game shows no seed and has no winner."""
    del bundle["events"][-1]
    bundle["outcome"] = None


@sample("tournament-seed", None, "the server seed is not that of this round and deal", of=CUP)
def the_deal_of_another_round(bundle: Bundle) -> None:
    bundle["game"]["tournament"]["round"] = 3


@sample("client-seeds", None, "`game.seats` is not who sat, and with which seed")
def another_player_in_the_seat(bundle: Bundle) -> None:
    bundle["game"]["seats"][0]["player"] = bundle["game"]["seats"][1]["player"]


# --- game ----------------------------------------------------------------------------------------------


@sample("events", 17, "`finished` follows the end")
def something_after_the_end(bundle: Bundle) -> None:
    bundle["events"].append(copy.deepcopy(bundle["events"][-1]))
    rechain(bundle)


@sample("events", 51, "`voided` stands where `finished` must", of=STAKED)
def a_game_that_never_ends(bundle: Bundle) -> None:
    """The winnings are collected, but the operator voids the game instead of finishing it."""
    bundle["events"][-1] |= {"type": "voided", "data": {"reason": "a power cut"}}
    bundle["outcome"] = None
    rechain(bundle)


@sample("deal", 4, "what was sealed is not what the seeds and moves give")
def a_stacked_pack(bundle: Bundle) -> None:
    pack = bundle["events"][3]["private"]["packs"]["deck"]
    pack[0], pack[-1] = pack[-1], pack[0]
    reseal(bundle)


@sample("seals", 9, "the seal does not fit what is shown")
def a_gift_that_was_another_card(bundle: Bundle) -> None:
    """The card that was sealed with the gift is not the one that is shown afterwards."""
    bundle["events"][8]["private"]["move"]["gifts"][0]["card"] = "AS"


@sample("moves", 10, "it is the turn of seat 1")
def a_move_of_the_other_seat(bundle: Bundle) -> None:
    bundle["events"][9]["seat"] = 0
    rechain(bundle)


@sample("moves", 11, "6S is not in the hand")
def a_card_from_nowhere(bundle: Bundle) -> None:
    bundle["events"][10]["data"]["move"]["cards"][2] = "6S"
    rechain(bundle)


@sample("facts", 10, "`play` must have the data")
def a_fact_made_up(bundle: Bundle) -> None:
    bundle["events"][9]["data"]["facts"]["giveaway"] = True
    rechain(bundle)


@sample("outcome", 16, "`finished` must have the data")
def another_winner(bundle: Bundle) -> None:
    outcome = {"result": "won", "winners": [0], "places": [[0], [1]], "hands": [0, 10]}
    bundle["events"][-1]["data"]["outcome"] = bundle["outcome"] = outcome
    rechain(bundle)


@sample("outcome", None, "`outcome` is not that of the last event")
def another_outcome_beside_the_events(bundle: Bundle) -> None:
    bundle["outcome"]["winners"] = [0]


# --- money ---------------------------------------------------------------------------------------------


@sample("escrow", None, "the game still holds 24", of=STAKED)
def a_transfer_left_out(bundle: Bundle) -> None:
    del bundle["transfers"][1]


@sample("money", None, "gained -104, by the outcome -24", of=STAKED)
def winnings_to_somebody_else(bundle: Bundle) -> None:
    bundle["transfers"][2]["credit"] = "player:somebody/session"


@sample("money", None, "gained -520, by the outcome 0", of=VOID)
def a_stake_given_back_to_the_house(bundle: Bundle) -> None:
    bundle["transfers"][1]["credit"] = "house/bank"


# --- checkpoints ---------------------------------------------------------------------------------------


def head(bundle: Bundle, version: int = 0) -> tuple[str, int, str]:
    event = bundle["events"][version - 1]
    return bundle["game"]["id"], event["version"], event["hash"]


def installation(bundle: Bundle, key: str = "first") -> Signer:
    """Return a signer of four checkpoints, of which the second covers the game."""
    signer = Signer(key)
    for number in range(1, 5):
        signer.sign(("another-game", number, "f" * 64), *([head(bundle)] if number == 2 else []))
    return signer


def honest() -> Signer:
    return installation(json.loads((BUNDLES / f"{RACE}.json").read_bytes()))


def replaced(bundle: Bundle) -> Bundle:
    """Replace the game by another that is legal and consistent in every hash and seal."""
    for event in bundle["events"]:
        event["at"] = event["at"].replace("01:29", "01:30")
    rechain(bundle)
    return bundle


@sample("checkpoint", None, "the path does not lead from event 16 to the root that was signed", kept=True)
def a_whole_stream_replaced(bundle: Bundle) -> Bundle:
    return replaced(bundle) | {"checkpoint": honest().prove(2, 1, known=4).document()}


@sample("checkpoint", 16, "checkpoint 5 covers no more than event 15", kept=True)
def an_end_that_no_checkpoint_covers(bundle: Bundle) -> Bundle:
    signer = honest()
    signer.sign(head(bundle, 15))
    return bundle | {"checkpoint": signer.prove(5, known=4).document()}


@sample("checkpoint", None, "no key you trust", kept=True)
def a_checkpoint_by_another_key(bundle: Bundle) -> Bundle:
    """A forger without the key signs all checkpoints again. They also differ from the stored ones."""
    signer = installation(replaced(bundle), key="thief")
    return bundle | {"checkpoint": signer.prove(2, 1).document()}


@sample("checkpoint", None, "checkpoint 2: the signature does not fit", kept=True)
def a_checkpoint_changed(bundle: Bundle) -> Bundle:
    proof = honest().prove(2, 1, known=4).document()
    proof["chain"][0]["signature"] = proof["chain"][1]["signature"]
    return bundle | {"checkpoint": proof}


@sample("checkpoint", None, "checkpoint 4: checkpoint 3 is missing before it", kept=True)
def a_checkpoint_left_out(bundle: Bundle) -> Bundle:
    proof = honest().prove(2, 1, known=4).document()
    del proof["chain"][1]
    return bundle | {"checkpoint": proof}


@sample("known", None, "two different ones were published as checkpoint 4", kept=True)
def a_history_written_anew(bundle: Bundle) -> Bundle:
    """The operator has the database and the key, so all is consistent and signed. It differs from the stored ones."""
    signer = installation(replaced(bundle))
    return bundle | {"checkpoint": signer.prove(2, 1, known=4).document()}


@sample("checkpoint", None, "the bundle carries no proof", kept=True)
def a_proof_withheld(bundle: Bundle) -> None:
    """The bundle is unchanged, but has no proof although one is required."""


def main() -> None:
    for name, each in SAMPLES.items():
        (FOLDER / f"{name}.json").write_text(_text(each.forged()))
    expected = {
        "key": public_key("first"),
        "bundles": {name: each.expected for name, each in SAMPLES.items()},
    }
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    (FOLDER / KEPT).write_text(json.dumps(honest().history[3].document()) + "\n")


def _text(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
