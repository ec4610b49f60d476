"""`make vectors`: write docs/vectors/, the test vectors of docs/verification-procedure.md.

An implementation in another language reads these files. They are published: a value in them never changes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from eventstore.chain import GENESIS, NotCanonical, canonical, check_canonical, event_hash  # noqa: E402
from eventstore.checkpoints import merkle  # noqa: E402
from eventstore.checkpoints.published import faults, parse  # noqa: E402
from games import rules  # noqa: E402
from games.rules import fairness  # noqa: E402
from games.rules.bundles.form import Unreadable, read  # noqa: E402
from games.rules.cards import PACK, texts  # noqa: E402
from tests.checkpoint_maker import Signer  # noqa: E402

FOLDER = ROOT / "docs" / "vectors"
BUNDLES = ROOT / "tests" / "golden"

SEED = bytes(range(32))
GAME = "7d9f6c1e-0b1a-4c55-9a51-0d6f3f1f2a10"


def documents() -> dict[str, Any]:
    """The content of each file."""
    return {
        "canonical.json": canonical_vectors(),
        "chain.json": chain_vectors(),
        "deal.json": deal_vectors(),
        "seals.json": seal_vectors(),
        "merkle.json": merkle_vectors(),
        "checkpoints.json": checkpoint_vectors(),
        "bundles.json": bundle_vectors(),
    }


def canonical_vectors() -> dict[str, Any]:
    """Texts are JSON documents, as they come in: a parser may lose what makes them invalid."""
    accepted = [
        "null",
        "true",
        " [ 1 , -1, 0, -0 ] ",
        "9007199254740991",
        "-9007199254740991",
        '{"b":1,"a":2,"A":3,"aa":4,"":5}',
        '{"10":1,"9":2,"1":3}',
        r'"\u00e9\u724c\ud83c\udca1"',
        r'"\"\\\/\b\f\n\r\t\u0000\u001f\u007f\u2028"',
        '{"nested":{"list":[{"z":[],"y":{}}]}}',
    ]
    refused = {
        "1.0": "a fraction",
        "1e3": "an exponent",
        "9007199254740992": "beyond 2^53 - 1",
        "-9007199254740992": "beyond 2^53 - 1",
        "NaN": "no JSON",
        '{"a":1,"a":2}': "a key twice in one object",
        '{"\u00e9":1}': "a key that is not ASCII",
        r'"\ud800"': "half a surrogate pair",
        "[1,]": "no JSON",
    }
    return {
        "accepted": [
            {"text": text, "canonical": _canonical(text), "sha256": _sha256(_canonical(text).encode())}
            for text in accepted
        ],
        "refused": [{"text": text, "why": why} for text, why in refused.items() if _is_refused(text)],
    }


def _canonical(text: str) -> str:
    value = read(text.encode())
    check_canonical(value)
    return canonical(value).decode()


def _is_refused(text: str) -> bool:
    try:
        _canonical(text)
    except (Unreadable, NotCanonical):
        return True
    raise AssertionError(f"{text} is accepted")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def chain_vectors() -> dict[str, Any]:
    commitment = fairness.commitment(SEED)
    given: list[tuple[str, int | None, dict[str, Any], str | None]] = [
        ("created", None, {"rules": "racing-aces", "commitment": commitment, "config": {"burn": 0}}, None),
        ("seated", None, {"seat": 0, "player": "p-1", "client_seed": "\u00e9\u724c"}, None),
        ("dealt", None, {}, "0" * 62 + "ff"),
        ("draw", 0, {"move": {"type": "draw"}, "facts": {"cards": ["7H"]}}, None),
        ("voided", None, {"reason": "vector"}, None),
    ]
    events, prev = [], GENESIS
    for version, (type, seat, data, seal) in enumerate(given, start=1):
        at = f"2026-03-01T12:00:0{version}.000000Z"
        envelope = {
            "stream": GAME,
            "version": version,
            "type": type,
            "seat": seat,
            "data": data,
            "seal": seal,
            "at": at,
            "prev": prev,
        }
        hash = event_hash(
            **{**envelope, "data": canonical(data)},  # type: ignore[arg-type]
        )
        events.append({**envelope, "hashed": canonical(envelope).decode(), "hash": hash})
        prev = hash
    return {"stream": GAME, "genesis": GENESIS, "events": events}


def deal_vectors() -> dict[str, Any]:
    """Keys, the streams of numbers, shuffles, the packs of each game, and the seeds of a tournament."""
    keys = []
    for seats, bets in (
        ([], None),
        (["ann", ""], None),
        (["\u00e9\u724c", ""], None),
        (["ann"], ["b1", "", "b1"]),
    ):
        key = fairness.GameKey(SEED, seats, bets)
        message = "racecard/1|" + "|".join([*seats, *(bets or [])])
        keys.append(
            {
                "client_seeds": seats,
                "bet_seeds": bets or [],
                "message": message,
                "game_key": key.digest.hex(),
            }
        )
    key = fairness.GameKey(SEED, ["ann", ""])
    pack = texts(PACK)
    large = 3 * 2**30  # refuses one number in four
    numbers = key.numbers("uniform")
    return {
        "server_seed": SEED.hex(),
        "commitment": fairness.commitment(SEED),
        "keys": keys,
        "game_key": key.digest.hex(),
        "numbers": {label: list(islice(key.numbers(label), 20)) for label in ("deck", "deck|0")},
        "uniform": {
            "label": "uniform",
            "n": large,
            "numbers": list(islice(key.numbers("uniform"), 24)),
            "results": [fairness.uniform(large, numbers) for _ in range(12)],
        },
        "shuffles": [
            {"label": "deck", "cards": cards, "shuffled": key.shuffle(cards, "deck")}
            for cards in (pack, ["AC"], ["AC", "2C"], [card for card in pack if card[0] != "A"])
        ],
        "packs": [
            {
                "rules": slug,
                "seats": (game := rules.get(slug)).seats[-1],
                "packs": _packs(game, key),
            }
            for slug, _ in rules.names()
        ],
        "tournament": _tournament(),
    }


CONFIGS: dict[str, dict[str, Any]] = {"vegas-solitaire": {"draw": 3, "stake": 0}}


def _packs(game: rules.Game, key: fairness.GameKey) -> dict[str, Any]:
    config = game.parse_config(CONFIGS.get(game.slug, {}))
    packs: dict[str, Any] = (game.deal(config, game.seats[-1], key).private or {})["packs"]
    return packs


def _tournament() -> dict[str, Any]:
    client_seeds = ["ann", "", "\u00e9\u724c"]
    entropy = fairness.entropy(client_seeds)
    return {
        "seed": SEED.hex(),
        "commitment": fairness.commitment(SEED),
        "client_seeds": client_seeds,
        "entropy": entropy,
        "lot_key": fairness.lot_key(SEED, entropy),
        "deals": [
            {"round": round, "deal": deal, "server_seed": seed.hex()}
            for round, deal in ((1, 1), (2, 1), (2, 13))
            for seed in [fairness.tournament_server_seed(SEED, round=round, deal=deal)]
        ],
    }


def seal_vectors() -> dict[str, Any]:
    key = fairness.GameKey(SEED, ["ann", ""])
    privates: list[tuple[int, dict[str, Any]]] = [
        (3, {"packs": {"deck": ["7H", "AS"]}}),
        (12, {"move": {"type": "draw"}, "facts": {"card": "X1"}}),
        (12, {"facts": {"card": "X1"}, "move": {"type": "draw"}}),
    ]
    return {
        "game_key": key.digest.hex(),
        "stream": GAME,
        "seals": [
            {
                "version": version,
                "private": private,
                "message": f"seal|{GAME}|{version}|{canonical(private).decode()}",
                "seal": key.seal(GAME, version, private),
            }
            for version, private in privates
        ],
    }


def merkle_vectors() -> dict[str, Any]:
    leaves = [f'{{"hash":"{index:064x}","stream":"s-{index}","version":{index + 1}}}' for index in range(9)]
    hashes = [merkle.leaf_hash(leaf.encode()) for leaf in leaves]
    return {
        "leaves": leaves,
        "leaf_hashes": [one.hex() for one in hashes],
        "roots": [merkle.root(hashes[:size]).hex() for size in range(len(leaves) + 1)],
        "paths": [
            {
                "size": size,
                "index": index,
                "path": [node.hex() for node in merkle.audit_path(hashes[:size], index)],
            }
            for size, index in ((1, 0), (2, 1), (3, 2), (5, 4), (7, 2), (8, 5), (9, 0), (9, 8))
        ],
    }


def checkpoint_vectors() -> dict[str, Any]:
    """A chain in which one key hands over to another, the proof of a stream, and chains with one fault each."""
    signer = Signer()
    heads = [(f"s-{index}", index + 1, f"{index:064x}") for index in range(5)]
    signer.sign(*heads[:3])
    signer.sign(*heads[3:], hands_to="second")
    signer.sign(*heads, at="2026-03-01T12:02:00.000000Z")
    chain = [one.document() for one in signer.history]
    proof = signer.prove(1, 2, known=3)
    thief = Signer("thief")
    thief.history, thief.heads = signer.history[:2], dict(signer.heads)
    stolen = thief.sign(*heads)
    invalid: dict[str, list[Any]] = {
        "the body was changed": [{**chain[0], "body": chain[0]["body"].replace('"leaves":3', '"leaves":4')}],
        "the signature is of another checkpoint": [{**chain[0], "signature": chain[1]["signature"]}],
        "a checkpoint is missing": [chain[0], chain[2]],
        "a key signs that was not handed over to": [*chain[:2], stolen.document()],
    }
    for what, history in invalid.items():
        if not list(faults([parse(one) for one in history])):
            raise AssertionError(what)
    return {
        "chain": chain,
        "bodies": [json.loads(one["body"]) for one in chain],
        "proof": {"stream": heads[2][0], "hash": heads[2][2], "checkpoint": proof.document()},
        "invalid": [{"what": what, "chain": history} for what, history in invalid.items()],
    }


def bundle_vectors() -> dict[str, Any]:
    """The bundles of tests/golden: all checks pass, or the named one fails at the named event."""
    expected = json.loads((BUNDLES / "tampered" / "expected.json").read_text(encoding="utf-8"))
    valid = []
    for path in sorted(BUNDLES.glob("*.json")):
        bundle = json.loads(path.read_bytes())
        valid.append(
            {
                "file": str(path.relative_to(ROOT)),
                "sha256": _sha256(path.read_bytes()),
                "events": len(bundle["events"]),
                "last_hash": bundle["events"][-1]["hash"],
            }
        )
    invalid = [
        {
            "file": f"tests/golden/tampered/{name}.json",
            "check": about["check"],
            "event": about["version"],
            "known": about["kept"],
        }
        for name, about in sorted(expected["bundles"].items())
    ]
    return {"key": expected["key"], "valid": valid, "invalid": invalid}


def text(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, document in documents().items():
        (FOLDER / name).write_text(text(document), encoding="utf-8")
    print(f"racecard: {FOLDER.relative_to(ROOT)} is written")


if __name__ == "__main__":
    main()
