"""Secrets of the installation in files that only their owner may read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def load_or_create(path: Path, make: Callable[[], str]) -> str:
    """The text in `path`; without a file, what `make` returns, which is stored there.

    Two processes that start at once agree: the file is written completely and linked into place, never overwritten.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_text(make())
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()
