"""The installation's key, by which its checkpoints are known: one file, which only its owner may read."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey as Private
from django.conf import settings

__all__ = ["Private", "WrongKey", "next_key", "public_key", "signing_key", "to_sign"]


class WrongKey(RuntimeError):
    """The installation does not hold the key that has to sign its next checkpoint."""

    def __init__(self, wanted: str, held: str) -> None:
        super().__init__(
            f"The next checkpoint is to be signed by {wanted}, and {key_file().name} holds {held}. Bring that key back "
            "(from a backup, or from the machine where it was changed); if it is lost, see docs/checkpoints.md."
        )
        self.wanted, self.held = wanted, held


def key_file() -> Path:
    return Path(settings.RACECARD_CHECKPOINT_KEY)


def signing_key() -> Private:
    """The installation's, made at the first call and readable by its owner only."""
    return _load_or_make(key_file())


def next_key() -> Private:
    """The one that is to follow; it waits beside the other until a checkpoint hands over to it."""
    return _load_or_make(_next_file())


def public_key(key: Private | None = None) -> str:
    """Hex of the Ed25519 public key by which the installation's checkpoints are known."""
    return (key or signing_key()).public_key().public_bytes_raw().hex()


def to_sign(wanted: str) -> Private:
    """The installation's key if its public key is `wanted`, which may still wait beside it. Raises WrongKey."""
    held, waiting = signing_key(), _next_file()
    if public_key(held) != wanted and _holds(waiting, wanted):
        with suppress(
            FileNotFoundError
        ):  # another process is as far, after one that ended between signing and this
            waiting.replace(key_file())
        held = signing_key()
    if public_key(held) != wanted:
        raise WrongKey(wanted, public_key(held))
    return held


def _holds(path: Path, wanted: str) -> bool:
    try:
        return public_key(_read(path)) == wanted
    except FileNotFoundError:
        return False


def _next_file() -> Path:
    """Named as a key, so that a backup takes it too."""
    return key_file().with_name(f"{key_file().stem}.next.key")


def _load_or_make(path: Path) -> Private:
    if not path.exists():
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_text(Private.generate().private_bytes_raw().hex())
        try:
            os.link(fresh, path)  # whole or not at all, and never over another's
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return _read(path)


def _read(path: Path) -> Private:
    return Private.from_private_bytes(bytes.fromhex(path.read_text().strip()))
