"""Published checkpoints for verifiers: signatures, the chain, and the keys. Pure.

Nothing here trusts a database. A checkpoint is the signed text and contains the hash of the one before, so a stored
checkpoint confirms all before it. A key hands over to the next in a separate checkpoint, which the next key also
signs. Only the signatures need more than the standard library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, TypedDict

from eventstore.chain import canonical
from eventstore.checkpoints import merkle

FORMAT = "racecard-checkpoint/1"
KEY_FORMAT = "racecard-key/1"

_HEX64 = re.compile(r"[0-9a-f]{64}").fullmatch
_FIELDS = ("body", "hash", "signature", "key")


class NotPublished(ValueError):
    """This is no exported checkpoint."""

    def __init__(self, why: str = "this is no exported checkpoint") -> None:
        super().__init__(why)


class CheckpointOutput(TypedDict):
    number: int
    body: Annotated[str, "Canonical JSON, to the letter as it was signed."]
    hash: str
    signature: str
    key: str


@dataclass(frozen=True)
class Published:
    """A checkpoint as in a file: enough to check it and to compare it with other copies."""

    number: int
    body: str
    hash: str
    signature: str
    key: str

    def document(self) -> CheckpointOutput:
        return {
            "number": self.number,
            "body": self.body,
            "hash": self.hash,
            "signature": self.signature,
            "key": self.key,
        }

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """Its parsed body. Raises ValueError if the body is not that of a checkpoint."""
        return _content(self.body)

    @property
    def at(self) -> str:
        return str(self.content["at"])

    @property
    def signer_next(self) -> str:
        """The key that signs the next checkpoint."""
        return self.successor or self.key

    @property
    def successor(self) -> str | None:
        """The key that it hands over to, if any."""
        handover = self.content.get("next_key")
        return handover["key"] if handover else None

    @property
    def lost(self) -> str | None:
        """The key that it replaces without that key's signature, if any."""
        return self.content.get("lost_key")

    def root(self, source: str) -> tuple[bytes, int] | None:
        """The Merkle root of a source and its number of leaves; None if it does not cover that source."""
        part = self.content["sources"].get(source)
        return None if part is None else (bytes.fromhex(part["root"]), part["leaves"])

    def fault(self) -> str | None:
        """Why it is invalid; None if it is valid."""
        if merkle.leaf_hash(self.body.encode()).hex() != self.hash:
            return "the hash is not that of the body"
        if not is_signed(self.key, self.signature, self.body.encode()):
            return "the signature does not fit"
        try:
            content = self.content
        except ValueError as error:
            return str(error)
        if content["number"] != self.number:
            return f"by its body it is checkpoint {content['number']}"
        handover = content.get("next_key")
        if handover and not is_signed(
            handover["key"],
            handover["consent"],
            handover_text(self.key, handover["key"], self.number, content["previous"]),
        ):
            return "the key that it hands over to has not agreed to it"
        return None


def parse(document: Any) -> Published:
    """Parse one exported checkpoint. Raises NotPublished."""
    try:
        number, texts = document["number"], [document[name] for name in _FIELDS]
    except (KeyError, TypeError, IndexError):
        raise NotPublished from None
    if type(number) is not int or not all(isinstance(text, str) and text.isascii() for text in texts):
        raise NotPublished
    return Published(number, *texts)


def parse_many(text: str) -> list[Published]:
    """The checkpoints in a file: one document, one per line, or a page of the API. Raises NotPublished."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            return [parse(json.loads(line)) for line in text.splitlines() if line.strip()]
        except (json.JSONDecodeError, RecursionError):
            raise NotPublished("this holds no exported checkpoints") from None
    if isinstance(found, dict) and isinstance(found.get("results"), list):
        return [parse(one) for one in found["results"]]
    return [parse(found)]


def _content(body: str) -> dict[str, Any]:
    try:
        content = json.loads(body)
        if not _is_content(content):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError(f"the body is not that of a checkpoint ({FORMAT})") from None
    found: dict[str, Any] = content
    return found


def _is_content(content: Any) -> bool:
    handover, lost = content.get("next_key"), content.get("lost_key")
    return (
        content["format"] == FORMAT
        and type(content["number"]) is int
        and isinstance(content["at"], str)
        and _is_hex(content["previous"])
        and all(_is_part(part) for part in content["sources"].values())
        and (handover is None or (_is_hex(handover["key"]) and isinstance(handover["consent"], str)))
        and (lost is None or _is_hex(lost))
    )


def _is_part(part: Any) -> bool:
    return (
        _is_hex(part["root"])
        and type(part["leaves"]) is int
        and part["leaves"] >= 0
        and {"after", "until"} <= part.keys()
    )


def _is_hex(value: Any) -> bool:
    return isinstance(value, str) and _HEX64(value) is not None


def is_key(text: str) -> bool:
    """Whether it has the form of a public key."""
    return _is_hex(text.lower())


# --- signatures ------------------------------------------------------------------------------------------


def is_signed(key: str, signature: str, message: bytes) -> bool:
    """Whether the signature of `message` is that of the Ed25519 public key (both hex)."""
    # Imported here, because verification of games without checkpoints needs only the standard library.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def handover_text(old: str, new: str, number: int, previous: str) -> bytes:
    """The text that the new key signs when the old one hands over to it, in checkpoint `number` after `previous`."""
    return canonical({"format": KEY_FORMAT, "from": old, "to": new, "number": number, "previous": previous})


# --- the chain -------------------------------------------------------------------------------------------


def link_fault(before: Published, after: Published) -> str | None:
    """Why `after` does not follow `before`, if both are valid; None if it does."""
    content = after.content
    if after.number != before.number + 1 or content["previous"] != before.hash:
        return "it does not follow the one before"
    for name, part in content["sources"].items():
        earlier = before.content["sources"].get(name)
        if earlier is not None and part["after"] != earlier["until"]:
            return f"{name}: it does not begin where the one before ended"
    if gone := before.content["sources"].keys() - content["sources"].keys():
        return f"it leaves out {', '.join(sorted(gone))}"
    return _key_fault(before, after)


def _key_fault(before: Published, after: Published) -> str | None:
    expected = before.signer_next
    if after.lost is not None:
        return (
            None if after.lost == expected != after.key else "it takes the place of a key that did not sign"
        )
    if after.key != expected:
        return f"it is signed by {after.key}, and {expected} was to sign"
    return None


def faults(checkpoints: Sequence[Published]) -> Iterator[tuple[int, str]]:
    """The faults of checkpoints in the order of their numbers: of each one, and of the links between them."""
    broken = set()
    for one in checkpoints:
        if why := one.fault():
            broken.add(one.number)
            yield one.number, why
    for before, after in pairwise(checkpoints):
        if after.number > before.number + 1:
            yield after.number, f"{_missing(before.number + 1, after.number - 1)} before it"
        elif not broken & {before.number, after.number} and (why := link_fault(before, after)):
            yield after.number, why


def _missing(first: int, last: int) -> str:
    return f"checkpoint {first} is missing" if first == last else f"checkpoints {first} to {last} are missing"


def merged(*histories: Iterable[Published]) -> tuple[list[Published], list[tuple[int, str]]]:
    """The checkpoints of several files by number, and the numbers under which they differ."""
    found: dict[int, Published] = {}
    different = {}
    for history in histories:
        for one in history:
            if found.setdefault(one.number, one).hash != one.hash:
                different[one.number] = f"two different ones were published as checkpoint {one.number}"
    return [found[number] for number in sorted(found)], sorted(different.items())


# --- trust -----------------------------------------------------------------------------------------------


class Trust:
    """The trusted keys, and those that they have handed over to."""

    def __init__(self, keys: Iterable[str], handovers: Iterable[Published] = ()) -> None:
        self._until: dict[str, int | None] = dict.fromkeys(keys)
        self._since = dict.fromkeys(self._until, 1)
        for one in sorted(handovers, key=lambda one: one.number):
            if "next_key" in one.body and self.covers(one) and one.fault() is None and one.successor:
                self._until[one.key] = one.number
                self._since.setdefault(one.successor, one.number + 1)
                self._until.setdefault(one.successor, None)

    def covers(self, one: Published) -> bool:
        """Whether a trusted key could sign this number: not before it was handed to, nor after it handed over."""
        until = self._until.get(one.key)
        return (
            one.key in self._until
            and one.number >= self._since[one.key]
            and (until is None or one.number <= until)
        )
