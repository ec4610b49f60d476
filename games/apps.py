"""The games as an application: what they register at start-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core import checks
from django.db import connections

from eventstore.audits import Checks, Part, StreamRecords, register

LATEST = 1000
"""Games whose rules the system check looks up."""


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        from accounts.bots import end_access
        from games import archive, turns
        from games.challenges import notices as challenges
        from games.evidence import refused
        from games.money import markets, names, reconciliation, stakes
        from games.tables import rematch
        from ledger.hooks import register_exclusion

        register(audit_checks)
        refused.register()
        markets.register()
        names.register()
        reconciliation.register()
        stakes.register_staked_games()
        register_exclusion(lambda player: end_access(owner=player))
        turns.register()
        rematch.register()
        challenges.register()
        checks.register(check_rules, checks.Tags.database)
        checks.register(archive.check_settings)


def audit_checks() -> Checks:
    from eventstore.checks import checkpoints
    from games import early_access as access
    from games import state
    from games.checks import early_access, games, suspensions

    return Checks(
        {
            games.PART: {**games.CHECKS, **checkpoints.OF_A_STREAM},
            early_access.PART: early_access.CHECKS,
            suspensions.PART: suspensions.CHECKS,
        },
        [Part("early-access", early_access.audit), Part("suspensions", suspensions.audit)],
        {
            state.KIND: games.GameStreams,
            access.KIND: lambda _: StreamRecords([access.STREAM]),
        },
    )


def check_rules(
    app_configs: Any, databases: Sequence[str] | None = None, **_: Any
) -> list[checks.CheckMessage]:
    """Check that the games of all stake tables and the latest games are installed; otherwise none can be read."""
    from games.models import GameRecord
    from games.rules.registry import manifests
    from ledger.models import StakeTable

    stored: set[str] = set()
    for using in databases or ():
        if {GameRecord._meta.db_table, StakeTable._meta.db_table} <= {
            *connections[using].introspection.table_names()
        }:
            latest = GameRecord.objects.using(using).order_by("-created_at", "-id")
            stored |= {*latest.values_list("rules", flat=True)[:LATEST]}
            stored |= {*StakeTable.objects.using(using).values_list("rules", flat=True)}
    return [
        checks.Error(
            f"The game {slug} is not installed, but the database has games or stake tables of it.",
            hint="Install the plug-in again (docs/adding-a-game.md).",
            id="games.E001",
        )
        for slug in sorted(stored - manifests().keys())
    ]
