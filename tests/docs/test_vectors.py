"""The test vectors for verifiers in other languages are those of the code, and other implementations agree."""

from __future__ import annotations

import hashlib
import json

import rfc8785

from tools import vectors


def test_the_files_are_fresh() -> None:
    made = {name: vectors.text(document) for name, document in vectors.documents().items()}
    assert {path.name: path.read_text() for path in vectors.FOLDER.iterdir()} == made, "run: make vectors"


def test_canonical_form_is_that_of_rfc_8785() -> None:
    for one in vectors.canonical_vectors()["accepted"]:
        assert rfc8785.dumps(json.loads(one["text"])).decode() == one["canonical"]


def test_hashed_texts_are_the_canonical_envelopes() -> None:
    for event in vectors.chain_vectors()["events"]:
        envelope = {key: value for key, value in event.items() if key not in ("hashed", "hash")}
        assert rfc8785.dumps(envelope).decode() == event["hashed"]
        assert hashlib.sha256(event["hashed"].encode()).hexdigest() == event["hash"]


def test_the_check_values_of_the_rulebook_are_among_them() -> None:
    rulebook = (vectors.ROOT / "docs" / "rules.md").read_text()
    deal = vectors.deal_vectors()
    published = [deal["commitment"], *(one["game_key"] for one in deal["keys"][:3])]
    published += [" ".join(deal["shuffles"][0]["shuffled"]), deal["tournament"]["deals"][1]["server_seed"]]
    assert [value for value in published if value not in rulebook] == []


def test_every_bundle_of_the_samples_is_listed() -> None:
    listed = {one["file"] for group in ("valid", "invalid") for one in vectors.bundle_vectors()[group]}
    there = {str(path.relative_to(vectors.ROOT)) for path in vectors.BUNDLES.rglob("*.json")}
    assert listed == there - {"tests/golden/tampered/expected.json"}
