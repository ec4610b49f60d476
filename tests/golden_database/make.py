"""Make the golden backup of this version: `python tests/golden_database/make.py`, once per release and database.

A real installation plays a staked game, leaves one open, plays a whole tournament, is checkpointed and backed up, and
the backup is packed next to this script, with the names that clients rely on (`contract.py`). Every later release must
restore, migrate, and verify it, and keep the names. Never replace an old one: the output of an old release cannot be
produced again.

With DATABASE_URL set (to an empty database that may be thrown away) it makes PostgreSQL's, otherwise SQLite's.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="racecard-golden-") as folder:
        os.environ["RACECARD_DATA"] = str(Path(folder) / "data")
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        live_a_little()
        pack(Path(folder) / "backup")
        record_names()


def live_a_little() -> None:
    from django.contrib.auth.models import Group

    from accounts.roles import Role, make_groups
    from accounts.services import sign_up
    from config.checkpoints import make_and_publish
    from games import services as games
    from ledger import services as ledger
    from tests.money import CURRENCY, bankroll
    from tests.tournaments import playing as testing
    from tests.tournaments.playing import NOW, SEED
    from tournaments import services as tournaments

    make_groups()
    organizer = sign_up(username="olga", password="correct horse battery", now=NOW)
    organizer.groups.add(Group.objects.get(name=Role.ORGANIZER.value))
    ann, bob = testing.rich("ann"), testing.rich("bob")
    table = bankroll()

    session = ledger.open_session(
        player=ann.pk, amount=2_000, currency=CURRENCY, key="golden-session", at=NOW
    )
    staked = games.create_game(
        rules="vegas-solitaire",
        config={"draw": 3, "stake": 520},
        seats=1,
        creator=ann,
        stake_table=table,
        play_session=session,
        server_seed=SEED,
        now=NOW,
    )
    practice = games.create_game(
        rules="vegas-solitaire",
        config={"draw": 1, "stake": 0},
        seats=1,
        creator=ann,
        server_seed=SEED,
        now=NOW,
    )
    for game, moves in ((staked, ("draw", "draw", "collect")), (practice, ("draw", "draw"))):
        games.take_seat(game=game, player=ann, client_seed="golden", now=NOW)
        games.start_game(game=game, actor=ann, now=NOW)
        for move in moves:
            games.play(game_id=game.pk, player=ann, move={"type": move}, now=NOW)
    make_and_publish(NOW)

    draft = tournaments.create(organizer=organizer, terms=testing.terms(), now=NOW)
    contest = tournaments.publish(tournament_id=draft.pk, actor=organizer, now=NOW, seed=SEED)
    testing.enter(contest, ann, bob)
    testing.start(contest)
    for number in (1, 2):
        testing.play_round(contest, number)
    contest.refresh_from_db()
    assert contest.status == "finished", contest.status
    make_and_publish(NOW)


def pack(folder: Path) -> None:
    from django.db import connection
    from django.utils import timezone

    from config.backup import backup

    backup(to=folder, now=timezone.now())
    archive = HERE / f"{version('racecard')}-{connection.vendor}.tar.xz"
    with tarfile.open(archive, "w:xz") as packed:
        packed.add(folder, arcname="backup")
    print(f"{archive.name}: {archive.stat().st_size:,} bytes")


def record_names() -> None:
    from tests.golden_database.contract import contract, write

    write(contract(), HERE / f"{version('racecard')}.json")


if __name__ == "__main__":
    main()
