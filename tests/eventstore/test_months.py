"""Streams by month: their ids, and the partitions of events on PostgreSQL."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from core import triggers
from core.commands import Command
from eventstore import months, store
from eventstore.checkpoints import service as checkpoint
from eventstore.months import Month, MonthInUse, dated, month_of, new_stream, random_part, within
from eventstore.store import EMPTY, NewEvent

MARCH = datetime(2031, 3, 5, 12, tzinfo=UTC)
APRIL = datetime(2031, 4, 5, 12, tzinfo=UTC)
ZEROS, EFFS = "0" * 64, "f" * 64

postgresql = [pytest.mark.django_db, pytest.mark.postgres]


# --- ids ---------------------------------------------------------------------------------------------


def test_the_id_of_a_stream_contains_the_month_in_which_it_began():
    stream = new_stream(MARCH)
    assert month_of(stream) == Month.of(MARCH) == Month.parse("2031-03")
    assert (stream.version, stream.variant) == (8, uuid4().variant)
    assert Month.of(MARCH).first < stream < Month.of(APRIL).first


def test_other_ids_contain_no_month():
    assert month_of(uuid4()) is None
    assert month_of(UUID(int=0)) is None


def test_the_random_part_does_not_depend_on_the_month():
    id = uuid4()
    assert random_part(dated(id, MARCH)) == random_part(dated(id, APRIL))
    assert random_part(dated(id, MARCH)) != random_part(dated(uuid4(), MARCH))
    assert random_part(id) == str(id)


@pytest.mark.parametrize("year", [1, 1970, 2099, 9999])
def test_any_clock_gives_a_month(year):
    at = datetime(year, 12, 31, tzinfo=UTC)
    assert month_of(new_stream(at)) == Month.of(at)


# --- partitions --------------------------------------------------------------------------------------


def rows(sql, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall()


def refused(sql, *parameters):
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)


def begun(at, *more, stream=None):
    stream = stream or new_stream(at)
    events = [NewEvent(type, {}) for type in ("begun", *more)]
    store.append(stream, events, kind="test", expected=EMPTY, at=at)
    return stream


def table_of(stream):
    [(table,)] = rows(
        "SELECT DISTINCT tableoid::regclass::text FROM eventstore_event WHERE stream_id = %s", stream
    )
    return table


@pytest.fixture
def march(db):
    months.make(Month.of(MARCH))
    return Month.of(MARCH)


@pytest.mark.django_db
@pytest.mark.postgres
class TestPlaces:
    def test_migrate_makes_the_partitions_of_the_next_months(self):
        now = datetime.now(UTC)
        assert {Month.of(now).after(number) for number in range(months.AHEAD)} <= set(months.months())

    def test_an_event_is_in_the_partition_of_its_month(self, march):
        assert table_of(begun(MARCH, "a", "b")) == march.table

    def test_later_events_stay_in_the_month_in_which_their_stream_began(self, march):
        months.make(Month.of(APRIL))
        stream = begun(MARCH)
        store.append(stream, [NewEvent("a", {})], kind="test", expected=store.head(stream), at=APRIL)
        assert table_of(stream) == march.table

    def test_a_stream_without_month_is_in_the_first_partition(self):
        assert table_of(begun(MARCH, stream=uuid4())) == months.UNDATED

    @pytest.mark.parametrize("year", [1, 1999, 2098, 9999])
    def test_no_clock_loses_an_event(self, year):
        stream = begun(datetime(year, 6, 1, tzinfo=UTC), "a")
        assert table_of(stream) == months.DEFAULT
        assert [event.type for event in store.read(stream)] == ["begun", "a"]

    def test_all_events_are_read_in_their_order(self, march):
        streams = [begun(MARCH), begun(APRIL), begun(MARCH, stream=uuid4()), begun(MARCH)]
        assert [row[0] for row in rows("SELECT stream_id FROM eventstore_event ORDER BY position")] == streams


@pytest.mark.django_db
@pytest.mark.postgres
class TestMaking:
    def test_months_are_made_once(self):
        made = months.make_due(MARCH)
        assert made == [Month.of(MARCH).after(number) for number in range(months.AHEAD + 1)]
        assert months.make_due(MARCH) == []
        assert triggers.missing() == []

    def test_a_month_that_has_events_in_the_default_partition_stays_there(self):
        stream = begun(MARCH)
        assert Month.of(MARCH) not in months.make_due(MARCH)
        assert table_of(stream) == months.DEFAULT
        with pytest.raises(DatabaseError), transaction.atomic():
            months.make(Month.of(MARCH))
        store.append(stream, [NewEvent("a", {})], kind="test", expected=store.head(stream), at=MARCH)
        assert store.head(stream).version == 2

    @pytest.mark.parametrize("checked", [True, False])
    def test_the_default_partition_is_not_read_again_to_attach_a_month_that_was_checked(self, checked):
        begun(APRIL)
        notices = []

        def note(notice):
            notices.append(notice.message_primary)

        rows("SELECT set_config('client_min_messages', 'debug1', true)")
        connection.connection.add_notice_handler(note)
        try:
            months.make(Month.of(MARCH), checked=checked)
        finally:
            connection.connection.remove_notice_handler(note)
        implied = [one for one in notices if "default partition" in one and "implied by existing" in one]
        assert len(implied) == checked
        begun(MARCH)

    def test_a_month_that_cannot_be_made_is_not_excluded_any_longer(self):
        begun(MARCH)
        with pytest.raises(IntegrityError):
            months.make(Month.of(MARCH), checked=True)
        assert table_of(begun(MARCH)) == months.DEFAULT


EVENT = (
    "INSERT INTO {table} (stream_id, version, type, schema, data, at, prev, hash, epoch, xact{column}) "
    "VALUES (%s, %s, 'x', 1, '\\x7b7d', '2031-03-05T12:00:00.000000Z', %s, %s, 0, pg_current_xact_id()::text::bigint"
    "{value})"
)


def insert(table, stream, version, prev):
    own = table != months.TABLE
    sql = EVENT.format(table=table, column=", position" if own else "", value=", 99" if own else "")
    return sql, stream, version, prev, EFFS


@pytest.mark.django_db
@pytest.mark.postgres
class TestInvariants:
    """Raw SQL on the table and on each kind of partition, also on those made or attached later."""

    @pytest.fixture(params=["month", "undated", "default", "attached"])
    def stream(self, request):
        if request.param == "month":
            months.make(Month.of(MARCH))
        if request.param == "attached":
            with connection.cursor() as cursor:
                cursor.execute("CREATE TABLE by_hand (LIKE eventstore_event INCLUDING CONSTRAINTS)")
                first, last = Month.of(MARCH).first, Month.of(APRIL).first
                cursor.execute(
                    f"ALTER TABLE eventstore_event ATTACH PARTITION by_hand FOR VALUES FROM ('{first}') TO ('{last}')"
                )
        return begun(MARCH, "a", "b", stream=uuid4() if request.param == "undated" else None)

    @pytest.fixture(params=["table", "partition"])
    def table(self, request, stream):
        return months.TABLE if request.param == "table" else table_of(stream)

    def test_nothing_is_changed_or_removed(self, table, stream):
        refused(f"UPDATE {table} SET seat = 1 WHERE stream_id = %s AND version = 2", stream)
        refused(f"UPDATE {table} SET stream_id = %s WHERE stream_id = %s", new_stream(APRIL), stream)
        refused(f"DELETE FROM {table} WHERE stream_id = %s AND version = 3", stream)

    def test_an_event_continues_its_stream(self, table, stream):
        head, other = store.head(stream).hash, new_stream(MARCH) if month_of(stream) else uuid4()
        refused(*insert(table, stream, 5, head))  # after a gap
        refused(*insert(table, stream, 3, store.read(stream)[1].hash))  # a second one of a version
        refused(*insert(table, stream, 4, "e" * 64))  # with another history
        refused(*insert(table, stream, 4, head))  # beyond the head
        refused(*insert(table, other, 1, ZEROS))  # without a stream

    def test_a_command_takes_effect_once(self, stream):
        command = Command("c" * 64, EFFS)
        new = [NewEvent("x", {})]
        store.append(stream, new, kind="test", expected=store.head(stream), at=MARCH, command=command)
        with pytest.raises(store.CommandKnown):
            store.append(stream, new, kind="test", expected=store.head(stream), at=MARCH, command=command)
        [(index,)] = rows(
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid "
            "WHERE indisunique AND indpred IS NOT NULL AND relname = %s",
            table_of(stream),
        )
        assert "(stream_id, command_id) WHERE (command_id IS NOT NULL)" in index


@pytest.mark.django_db
@pytest.mark.postgres
class TestTriggers:
    def test_partitions_cannot_be_truncated(self, march):
        begun(MARCH)
        for table in [months.TABLE, march.table, months.UNDATED, months.DEFAULT]:
            refused(f"TRUNCATE {table}")

    def test_an_event_belongs_into_its_partition(self, march):
        refused(*insert(months.UNDATED, new_stream(MARCH), 1, ZEROS))

    @pytest.mark.parametrize("trigger", ["append_only", "fits"])
    def test_a_trigger_that_is_disabled_on_a_partition_is_reported(self, march, trigger):
        name = f"eventstore_event_{trigger}"
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {march.table} DISABLE TRIGGER {name}")
        assert triggers.missing() == [name]
        triggers.install()
        assert triggers.missing() == []

    def test_a_trigger_that_a_partition_lacks_is_reported(self, march):
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER {march.table}_no_truncate ON {march.table}")
        assert triggers.missing() == [f"{march.table}_no_truncate"]
        triggers.install()
        assert triggers.missing() == []


@pytest.mark.django_db
@pytest.mark.postgres
class TestPlans:
    """Each statement about a stream reads one partition, however many there are."""

    @pytest.fixture(autouse=True)
    def many(self, db):
        for number in range(12):
            months.make(Month.of(MARCH).after(number))

    def test_a_read_and_an_append_use_one_partition(self, monkeypatch):
        stream = begun(MARCH, "a", "b")
        tables = [month.table for month in months.months()] + [months.UNDATED, months.DEFAULT]
        seen = []

        def explained(execute, sql, parameters, many, context):
            with connection.connection.cursor() as plain:
                plain.execute("SAVEPOINT explained")
                plan = plain.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {sql}", parameters).fetchall()
                plain.execute("ROLLBACK TO explained")
            text = "\n".join(line for (line,) in plan if "never executed" not in line)
            seen.append({table for table in tables if table in text})
            return execute(sql, parameters, many, context)

        with connection.execute_wrapper(explained):
            store.read(stream, after=1)
            store.find_command(stream, "c" * 64)
            store.append(
                stream, [NewEvent("x", {})], kind="test", expected=store.head(stream), at=MARCH,
                command=Command("c" * 64, EFFS),
            )  # fmt: skip
        assert [names for names in seen if names] == [{Month.of(MARCH).table}] * 3

    @pytest.mark.own_backend
    @pytest.mark.parametrize("dated", [True, False])
    def test_the_plans_are_kept(self, dated):
        stream = begun(MARCH, stream=None if dated else uuid4())
        for number in range(20):
            act(stream, f"{number:064}", at=MARCH)
        plans = rows(
            "SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements "
            "WHERE statement LIKE '%%eventstore_event%%' AND generic_plans + custom_plans > 10"
        )
        assert len(plans) == 3
        assert [statement for statement, generic, custom in plans if custom > 5] == []


def act(stream, command_id, *, at):
    """Do what each move does with its stream."""
    store.find_command(stream, command_id)
    head = store.head(stream)
    store.read(stream, after=head.version - 1)
    store.append(
        stream, [NewEvent("x", {})], kind="test", expected=head, at=at, command=Command(command_id, EFFS)
    )


@pytest.mark.django_db
@pytest.mark.postgres
@pytest.mark.parametrize("place", ["month", "undated"])
def test_a_move_locks_no_other_partition(place):
    """Also by what its triggers read. A lock on each partition would cost more than the move."""
    now = datetime.now(UTC)
    at = now if place == "month" else MARCH
    stream = begun(at, stream=uuid4() if place == "undated" else None)
    for number in range(10):  # by then PostgreSQL has plans for any parameters
        act(stream, f"{number:064}", at=at)
    locked = rows(
        "SELECT DISTINCT relname FROM pg_locks JOIN pg_class ON pg_class.oid = relation "
        "WHERE pid = pg_backend_pid() AND relkind IN ('r', 'p') AND relname LIKE 'eventstore_event%%'"
    )
    assert {name for (name,) in locked} == {months.TABLE, table_of(stream)}


@pytest.mark.parametrize(
    "streams",
    [
        [new_stream(MARCH)],
        [uuid4()],
        [new_stream(MARCH), new_stream(APRIL)],
        [new_stream(MARCH), uuid4()],
        [new_stream(datetime(9999, 12, 31, tzinfo=UTC))],
        [UUID(int=2**128 - 1)],
    ],
)
@pytest.mark.django_db
@pytest.mark.postgres
def test_the_limits_contain_the_streams(streams):
    for stream in streams:
        assert rows(
            f"SELECT count(*) FROM (SELECT %s::uuid AS stream_id) AS one WHERE true{within(*streams)}", stream
        ) == [(1,)]


@pytest.mark.django_db
@pytest.mark.postgres
class TestRemoving:
    def test_a_month_with_events_stays(self, march):
        begun(MARCH)
        with pytest.raises(MonthInUse, match="archive"):
            months.remove(march, now=APRIL)
        assert march in months.months()

    def test_a_month_that_is_not_over_stays(self, march):
        with pytest.raises(MonthInUse, match="not over"):
            months.remove(march, now=MARCH)

    def test_an_empty_month_goes_and_its_streams_can_come_back(self, march):
        months.remove(march, now=APRIL)
        assert march not in months.months()
        assert triggers.missing() == []
        assert table_of(begun(MARCH)) == months.DEFAULT

    def test_the_table_is_locked_before_the_month(self, march, monkeypatch):
        """As by an append: in another order each could wait for the other."""
        sent = []

        def note(execute, sql, *rest):
            sent.append(sql)
            return execute(sql, *rest)

        with connection.execute_wrapper(note):
            months.remove(march, now=APRIL)
        locks = [sql.split()[2:4] for sql in sent if sql.startswith(("LOCK", "ALTER TABLE", "DROP TABLE"))]
        assert locks[:2] == [["ONLY", months.TABLE], [march.table, "IN"]]

    def test_checkpoints_of_the_other_months_still_verify(self, march, settings, tmp_path):
        settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"
        begun(APRIL, "a")
        checkpoint.make(APRIL)
        months.remove(march, now=APRIL)
        assert [fault for _, fault in checkpoint.verify() if fault] == []

    def test_the_command_lists_makes_and_removes(self, march, capsys):
        begun(MARCH, "a")
        call_command("months", "list")
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert ["2031-03", "1", "2"] in [line[:3] for line in lines]
        assert {"undated", "default"} <= {line[0] for line in lines}
        with pytest.raises(CommandError, match="not over"):
            call_command("months", "remove", "2031-03")
        with pytest.raises(CommandError, match="no month"):
            call_command("months", "remove", "march")
        call_command("months", "make")
        assert "made: none" in capsys.readouterr().out


@pytest.mark.django_db
@pytest.mark.sqlite
def test_sqlite_has_one_table():
    assert months.make_due(MARCH) == []
    assert months.partitions() == []
    assert within(new_stream(MARCH)) == ""
    with pytest.raises(CommandError, match="PostgreSQL"):
        call_command("months", "list")
    begun(MARCH, "a")
