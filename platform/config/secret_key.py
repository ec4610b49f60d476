"""The secret key of an installation, in a file of its data folder."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def load_or_create_secret(path: Path) -> str:
    """The text in `path`; without a file, a new random secret that only the owner may read.

    Two processes that start at once agree: the file is written completely and linked into place, never overwritten.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(48))
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()
