"""An installation in which every table that grows has thousands of rows, for tests of what a page reads.

`python -m tests.grown` fills the migrated, empty database that DATABASE_URL or RACECARD_DATA names; `tests.templates`
runs it once for each state of the sources. Games, stakes, and transfers are true copies of played ones (`bench._bulk`).
The rows of all other tables are copies of one row, inserted without triggers, foreign keys, and checks: they are only
read. Of each table half of the rows belong to one player (`heavy`), eight to ann, and the rest to fifteen others; rare
values of a column have three rows each.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID, uuid4

if TYPE_CHECKING:
    from django.db.models import Field, Model

    from bench._bulk import Owner
    from tests.security.world import World

GAMES = 7_500
ROWS = 3_000
"""Of each other table."""

OVER = timedelta(days=60)


class Grown(NamedTuple):
    world: World
    """Has a resource at every address."""
    heavy: Owner
    """The player with half of all rows."""


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "platform"))
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django
    from django.conf import settings
    from django.db import connection

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    django.setup()
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA synchronous = OFF")
        described = pickle.dumps(tuple(grow()))  # the class belongs to `__main__` here
        cursor.execute(f"CREATE TABLE grown (described {_bytes()})")
        cursor.execute("INSERT INTO grown VALUES (%s)", [described])


def _bytes() -> str:
    from django.db import connection

    return "blob" if connection.vendor == "sqlite" else "bytea"


def described() -> Grown:
    """Read what the database of this process contains."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT described FROM grown")
        return Grown(*pickle.loads(bytes(cursor.fetchone()[0])))


def grow() -> Grown:
    from django.utils import timezone

    from bench import _bulk, growth
    from ledger.reports import rollups
    from tests.security.world import World
    from tests.waiting import wait_until_final

    now = timezone.now()
    world, first = World(), now - OVER
    owners = _bulk.owners(16, first)
    _bulk.load(_bulk.played(owners[0], first), growth.shares(owners), first=first, last=now, games=GAMES)
    wait_until_final()
    rollups.follow()
    _Rows(world, owners, first).insert()
    _bulk._after()
    return Grown(world, owners[0])


Value = Callable[[int], Any]
"""Returns the value of a column in a row by the row's number."""


def mostly(usual: Any, *rare: Any) -> Value:
    """Return a column that has each rare value three times in `ROWS` rows."""
    return lambda n: rare[k - 1] if 0 < (k := n * 7919 % 1000) <= len(rare) else usual


def of(values: Sequence[Any]) -> Value:
    return lambda n: values[n % len(values)]


class _Rows:
    def __init__(self, world: World, owners: list[Owner], first: datetime) -> None:
        self.world, self.owners, self.first = world, owners, first
        self.ann = world.people["player"].pk

    def who(self, n: int) -> UUID:
        if n % 2 == 0:
            return self.owners[0].player
        return self.ann if n % 400 == 1 else self.owners[n % len(self.owners)].player

    def seldom(self, n: int) -> UUID:
        """For what nobody has thousands of: a third of the rows belong to the heavy player."""
        return self.who(n if n % 2 else 1) if n % 3 else self.owners[0].player

    def each(self, n: int) -> UUID:
        """For what a person has a few of."""
        return self.others[n]

    def at(self, n: int) -> datetime:
        return self.first + n * OVER / ROWS

    def insert(self) -> None:
        from django.db import connection

        from core import triggers

        with triggers.removed(), connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("PRAGMA foreign_keys = OFF")
                cursor.execute("PRAGMA ignore_check_constraints = ON")
            else:
                cursor.execute("SET session_replication_role = replica")
                cursor.execute(
                    "SELECT conrelid::regclass::text, conname FROM pg_constraint "
                    "WHERE contype = 'c' AND connamespace = current_schema()::regnamespace AND conrelid <> 0 "
                    "AND coninhcount = 0"  # those of partitions go with those of their table
                )
                for table, name in cursor.fetchall():
                    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
            self._all()
            if connection.vendor == "postgresql":
                cursor.execute("SET session_replication_role = origin")

    def _all(self) -> None:
        self._people()
        self._money()
        self._play()
        self._notifications()

    def _people(self) -> None:
        from allauth.account.models import EmailAddress
        from allauth.mfa.models import Authenticator
        from allauth.socialaccount.models import SocialAccount
        from allauth.usersessions.models import UserSession
        from django.contrib.sessions.models import Session

        from accounts.models import Player, Token
        from audit.models import AuditReport
        from jobs.models import Job
        from staff.models import ActionRecord
        from webhooks.models import Delivery, Hook

        who, at = self.who, self.at
        # Copies of a bot would all be those of its owner.
        row = Player.objects.get(pk=self.ann)
        self.many(Player, row, is_bot=mostly(False, True), is_active=mostly(True, False))
        self.others = list(Player.objects.filter(username__contains="-").values_list("pk", flat=True))
        self.many(Token, player=self.each, token_key=lambda n: f"{n:015x}")
        self.many(EmailAddress, user=self.each, email=lambda n: f"{n}@example.org")
        self.many(Authenticator, user=self.each, type=of(["totp"]))
        self.many(SocialAccount, user=self.each, uid=str)
        self.many(UserSession, user=self.each, session_key=str, ip=of(["10.0.0.1"]))
        self.many(Session, expire_date=at)
        self.many(
            ActionRecord,
            actor=who,
            action=mostly("ledger.freeze", "ledger.release", "games.suspend"),
            subject=mostly("installation", f"player:{self.ann}"),
        )
        self.many(
            Job,
            kind=mostly("games.bot", "jobs.metrics"),
            due=at,
            done=lambda n: None if n % 1000 < 2 else at(n),
            failed=lambda n: at(n) if n % 1000 == 1 else None,
            lease_until=of([None]),
            begun=of([None]),
        )
        self.many(Hook, owner=self.each, created_at=at)
        hook = self.world.ids["hook_id"]
        self.many(
            Delivery,
            hook=lambda n: hook,
            state=mostly("delivered", "failed", "waiting"),
            subject=mostly("tournament:x", "tournament:y"),
            created_at=at,
            ended_at=lambda n: None if n * 7919 % 1000 == 2 else at(n),
            position=lambda n: n + 1000,
        )
        self.many(
            AuditReport,
            at=at,
            scope=mostly("game", "ledger", "tournament", "installation"),
            ok=mostly(True, False),
        )

    def _money(self) -> None:
        from ledger.models import (
            Account,
            Bet,
            BuyIn,
            Freeze,
            Hold,
            LimitChange,
            Market,
            Payout,
            PayoutBatch,
            PayoutStep,
            PlaySession,
            PlayStop,
            Pot,
            ProtectedPlayer,
            Reconciliation,
            StakeLine,
        )

        who, at = self.who, self.at

        def before(n: int) -> datetime:
            return at(n) - OVER

        market = self.world.ids["market_id"]
        escrows = (
            Account.objects.filter(kind="game", purpose="escrow")
            .order_by("-pk")
            .values_list("pk", flat=True)[:ROWS]
        )
        known = Market.objects.get(pk=market)
        self.many(
            Market,
            known,
            escrow=of(list(escrows)),
            status=mostly("settled", "open", "closed", "settling", "void"),
            subject=lambda n: f"game:{uuid4()}",
            opened_at=at,
        )
        bet = Bet.objects.get(pk=self.world.ids["bet_id"])
        self.many(
            Bet,
            bet,
            number=lambda n: n + 1000,
            player=who,
            status=mostly("lost", "open", "won", "cancelled", "refunded"),
            placed_at=at,
        )
        self.many(
            Hold,
            at=at,
            subject=mostly("house:many", "game:few"),
            state=mostly("released", "held", "captured"),
        )
        holds = list(Hold.objects.filter(payout=None).values_list("pk", flat=True)[:ROWS])
        self.many(
            PayoutBatch,
            made_at=at,
            paid_at=lambda n: at(n) if n % 100 else None,
            currency=mostly("XTS", "EUR"),
        )
        self.many(
            Payout,
            version=of([1]),
            batch=of(list(PayoutBatch.objects.values_list("pk", flat=True))),
            hold=lambda n: holds[n],
            payee=lambda n: f"player:{self.seldom(n)}",
            kind=mostly("withdrawal", "prize"),
            state=mostly("paid", "approved", "checked", "held", "rejected", "requested"),
            currency=mostly("XTS", "EUR"),
            requested_at=at,
        )
        self.many(
            PayoutStep,
            payout=of(list(Payout.objects.filter(steps=None).values_list("pk", flat=True))),
            number=of([1]),
        )
        self.many(
            Freeze,
            player=who,
            subject=mostly("game:many", "game:few"),
            at=at,
            released_at=lambda n: at(n) if n % 1000 else None,
        )
        self.many(ProtectedPlayer, player=self.each)
        for model, kinds in ((LimitChange, ("deposit", "loss")), (PlayStop, ("time-out", "self-exclusion"))):
            self.many(model, protected=self.each, kind=mostly(*kinds), at=at)
        self.many(
            PlaySession,
            player=self.seldom,
            opened_at=before,
            closed_at=before,
            currency=mostly("XTS", "EUR"),
            cash_out=of([0]),
        )
        self.many(
            Pot,
            subject=lambda n: f"game:{uuid4()}",
            escrow=of(list(escrows)),
            status=mostly("settled", "open", "void"),
            opened_at=at,
        )
        self.many(
            BuyIn,
            pot=of(list(Pot.objects.values_list("pk", flat=True))),
            event=lambda n: n + 1000,
            player=who,
            purse=lambda n: self.owners[0].purse,
            status=mostly("paid", "refunded"),
            taken_at=at,
            ended_at=at,
        )
        self.many(Reconciliation, at=at)
        self.many(
            StakeLine,
            player=lambda n: str(who(n)),
            currency=of(["XTS"]),
            kind=mostly("game", "bet", "table", "tournament"),
            state=mostly("settled", "open", "refunded", "cancelled"),
            key=lambda n: str(uuid4()),
            at=at,
        )

    def _play(self) -> None:
        from disputes.models import Dispute, Party
        from games.models import EarlyAccess, GameRecord, Match, RefusedCommand
        from tournaments.models import Entry, Rating, RatingChange, Tournament, Waiting

        who, seldom, at, ids = self.who, self.seldom, self.at, self.world.ids
        games = list(
            GameRecord.objects.filter(rules="vegas-solitaire", stake__gt=0).values_list("pk", flat=True)[
                :ROWS
            ]
        )
        status = mostly("finished", "open", "active", "void")
        self.many(
            Match,
            status=mostly("finished", "running", "void"),
            creator=who,
            created_at=at,
            private=of([False]),
        )
        matches = list(Match.objects.filter(games=None).values_list("pk", flat=True))
        self.many(
            GameRecord,
            GameRecord.objects.get(pk=games[0]),
            match=of(matches),
            match_number=of([1]),
            creator=who,
            status=status,
            rules=mostly("vegas-solitaire", "idle-aces"),
            stake=of([0]),
            stake_table=of([None]),
            play_session=of([None]),
            created_at=at,
        )
        self.many(EarlyAccess, viewer=who, game=of(games), at=at)
        self.many(RefusedCommand, game=of([ids["game_id"], *games[:3]]), player=who, at=at)
        self.many(
            Dispute,
            game=of(games),
            opener=seldom,
            status=mostly("withdrawn", "open", "proposed", "ruled", "appealed"),
            opened_at=at,
        )
        disputes = list(
            Dispute.objects.filter(game__in=games).order_by("opened_at").values_list("pk", flat=True)
        )
        self.many(Party, dispute=of(disputes), player=who, opened_at=at)
        before = list(Tournament.objects.values_list("pk", flat=True))
        self.many(
            Tournament,
            Tournament.objects.get(pk=ids["tournament_id"]),
            organizer=lambda n: self.ann if n % 400 == 1 else self.owners[0 if n % 2 else n % 16].player,
            name=lambda n: f"{'Open' if n % 4 else 'Rare'} {n}",
            status=mostly("finished", "draft", "published", "running", "cancelled"),
            rules=mostly("vegas-solitaire", "ace-race"),
            created_at=at,
            opens_at=at,
        )
        held = list(Tournament.objects.exclude(pk__in=before).values_list("pk", flat=True))
        self.many(Entry, tournament=lambda n: held[n], player=seldom, entered_at=at)
        self.many(
            Waiting, tournament=lambda n: held[n], player=seldom, since=at, ended_at=at, ended=of(["left"])
        )
        self.many(Rating, player=self.each, rules=mostly("vegas-solitaire", "ace-race"), worth=lambda n: n)
        self.many(
            RatingChange,
            player=who,
            rules=of(["vegas-solitaire"]),
            number=lambda n: n,
            tournament=lambda n: held[n],
            at=at,
        )

    def _notifications(self) -> None:
        from games.models import GameRecord, TurnCheck
        from notifications.models import Choices, Delivery, Notification, Preference, Watch

        who, at = self.who, self.at
        about = {"game": str(self.world.ids["game_id"]), "rules": "ace-race", "name": "Ace Race"}
        self.many(
            Notification,
            player=who,
            kind=of(["turn"]),
            occurrence=str,
            values=lambda n: about,
            in_page=mostly(True, False),
            created_at=at,
            read_at=lambda n: at(n) if n % 3 else None,
        )
        rows = list(Notification.objects.order_by("created_at").values_list("pk", flat=True))
        self.many(
            Delivery,
            notification=of(rows),
            player=who,
            channel=of(["email"]),
            due=at,
            claimed_at=at,
            ended_at=lambda n: None if n * 7919 % 1000 == 1 else at(n),
            outcome=mostly("sent", "", "failed", "dropped"),
        )
        self.many(Preference, player=self.each, kind=of(["turn"]), channel=of(["email"]))
        self.many(Choices, player=self.each, digest=of(["daily"]))
        self.many(Watch, player=who, stream=lambda n: uuid4(), seen_at=at)
        games = list(GameRecord.objects.values_list("pk", flat=True)[:ROWS])
        self.many(TurnCheck, game=of(games), due=at)

    def many(self, model: type[Model], row: Model | None = None, times: int = ROWS, **varied: Value) -> None:
        """Insert copies of a row of the model, by default of any."""
        from django.db import connection, transaction

        from bench._bulk import insert

        example = row or model._default_manager.first() or self._invented(model)
        fields: list[Field[Any, Any]] = [
            field for field in model._meta.concrete_fields if not _is_assigned(field)
        ]
        unknown = varied.keys() - {field.name for field in fields}
        assert not unknown, f"{model._meta.label} has no {unknown}"
        values = [
            _prepared(field, varied.get(field.name) or _different(field, getattr(example, field.attname)))
            or of([field.get_db_prep_save(getattr(example, field.attname), connection)])
            for field in fields
        ]
        rows = ([value(n) for value in values] for n in range(times))
        with transaction.atomic():
            insert(model, [field.column for field in fields], rows)

    def _invented(self, model: type[Model]) -> Model:
        """Return a row with plausible values, of a table that is empty."""
        made = model()
        for field in model._meta.concrete_fields:
            if getattr(made, field.attname) is None and not field.null and not _is_assigned(field):
                setattr(made, field.attname, self._plausible(field))
        return made

    def _plausible(self, field: Field[Any, Any]) -> Any:
        if field.related_model is not None:
            related: Any = field.related_model
            return related._default_manager.values_list("pk", flat=True).first()
        kind = field.get_internal_type()
        if kind == "DateTimeField":
            return self.first
        if kind == "DateField":
            return self.first.date()
        if kind == "UUIDField":
            return uuid4()
        return {"BinaryField": b"", "JSONField": {}, "CharField": "", "TextField": ""}.get(kind, 0)


def _is_assigned(field: Field[Any, Any]) -> bool:
    """Whether the database assigns the value."""
    return "Auto" in field.get_internal_type() or field.get_internal_type() == "IdentityField"


def _prepared(field: Field[Any, Any], value: Value | None) -> Value | None:
    """Return the values of a column as the database takes them."""
    from django.db import connections

    connection = connections["default"]
    return value and (lambda n: field.get_db_prep_save(value(n), connection))


def _different(field: Field[Any, Any], usual: Any) -> Value | None:
    """Return the values of a unique column that is not varied on purpose. None: all rows have the usual value."""
    if not field.unique:
        return None
    if field.null:
        return lambda n: None
    if field.get_internal_type() == "UUIDField":
        return lambda n: uuid4()
    return lambda n: f"{n:x}-{usual}"[: field.max_length]


if __name__ == "__main__":
    main()
