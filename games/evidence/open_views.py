"""The open view of a table: every card where it is, including face-down cards, for viewers of a disclosed game.

A pile that a view only counts is a list here, its top last.
"""

from __future__ import annotations

from typing import Any

from games.rules.registry import manifest
from games.rules.table import Table


def open_view(table: Table) -> dict[str, Any]:
    """Return a spectator's view with all cards."""
    return manifest(table.game.slug).open_view(table.view(None), table.state)
