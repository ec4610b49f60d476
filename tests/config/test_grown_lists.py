"""No page, list, or scrape reads or sorts a table that grows, whatever it filters and orders by.

The work of each statement is counted instead of timed. SQLite counts the instructions of its virtual machine.
PostgreSQL counts the rows that each step of the plan has read and sorted.

`make test` requests every list with one value of each filter on PostgreSQL; `make nightly` requests it with every value
and every pair of values, on both databases.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from itertools import chain, combinations, cycle, product
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.contrib import admin
from django.db import connection, reset_queries, transaction
from django.db.models import Count
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.services import issue_token
from bench import growth
from core import metrics
from games import turns
from jobs.tasks import sample_metrics
from ledger.core.selectors import currencies
from ledger.models import Account, OwnerKind, Transfer
from notifications import follower, sending, unsubscribing
from notifications import services as notifications
from tests.grown import Grown
from tests.installation import ROOT
from tests.security.world import address

pytestmark = pytest.mark.long

choices_tried = pytest.mark.parametrize(
    "every_choice",
    [
        pytest.param(False, id="one value of each filter", marks=pytest.mark.postgres),
        pytest.param(True, id="every value and pair", marks=pytest.mark.nightly),
    ],
)


@pytest.fixture(
    params=[
        pytest.param("postgresql", marks=pytest.mark.postgres),
        pytest.param("sqlite", marks=[pytest.mark.sqlite, pytest.mark.nightly]),
    ]
)
def database() -> None:
    """The database of the grown installation. `make test` makes the template on one of them only."""


MOST_INSTRUCTIONS, MOST_OF_A_PAGE = 40_000, 11_500
"""Of a statement that sums over a period, and of one that returns the rows of a page or counts them up to 1,001."""

MOST_ROWS = 1_150
"""The most rows that a step of a plan may read from a table, or sort.

Lists are counted up to 1,001. The player with most rows has a few more seats, which the list of their matches reads.
"""

MOST_STATEMENTS = {"API": 50, "staff": 75}

PAGED = {"cursor", "limit"}

ALWAYS = {"api/v1/games/": "mine=true"}
"""A filter of a list with which its other filters are tried again."""

UNPAIRED = {
    "api/v1/games/": "tournament",
    "api/v1/matches/": "mine",
    "api/v1/payouts/": "currency",
    "api/v1/tournaments/": "mine",
    "api/v1/wallet/statement/": "account",
    "/admin/accounts/player/": "is_bot",
    "/admin/tournaments/tournament/": "stands_still",
}
"""The filter of a list of which a pair is not bounded: no index has both, and the rows of one of them are read."""


@pytest.fixture(autouse=True)
def unthrottled() -> Iterator[None]:
    with patch("rest_framework.throttling.SimpleRateThrottle.allow_request", return_value=True):
        yield


@pytest.mark.usefixtures("database")
def test_no_page_reads_or_sorts_a_table_that_grows(grown: Grown, subtests: pytest.Subtests) -> None:
    assert Transfer.objects.count() >= 20_000
    world, heavy = grown.world, grown.heavy
    pages = [*growth.api(world, heavy), *growth.frames(world), *growth.staff_pages(world, heavy)]
    answered = [page for page in pages if page.once()]
    assert len(answered) > 120
    for page in answered:
        with subtests.test(page=page.name):
            assert work_of(page.once, MOST_STATEMENTS[page.kind]) == []


@choices_tried
def test_no_filter_of_the_api_reads_or_sorts_a_table_that_grows(
    grown: Grown, subtests: pytest.Subtests, every_choice: bool
) -> None:
    """Each list is requested by a player with most of the rows, one with few, one with none, and staff."""
    from rest_framework.test import APIClient

    world = grown.world
    heavy = APIClient(raise_request_exception=False)
    token = issue_token(player=Player.objects.get(pk=grown.heavy.player))[1]
    heavy.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    clients = {
        "heavy": heavy,
        **{role: world.client(role) for role in ("player", "stranger", "administrator")},
    }
    requested = 0
    for route, parameters in lists_of_the_api():
        try:
            place = address(route, {**world.ids, "account_id": grown.heavy.purse})
        except KeyError:
            continue
        choices = filters(parameters, grown)
        if every_choice:
            queries = [(query, role) for query in ("", *chain.from_iterable(choices)) for role in clients]
            queries += zip(pairs(choices, route), cycle(clients), strict=False)  # each by one of them in turn
        else:
            queries = list(zip(("", *firsts(choices)), cycle(("heavy", "administrator")), strict=False))
        if always := ALWAYS.get(route):
            queries += [(f"{always}&{query}", role) for query, role in queries if always not in query]
        for query, role in queries:
            with subtests.test(page=f"{route}?{query}", role=role):
                requested += follow(clients[role], f"{place}?{query}", "API")
    assert requested > (600 if every_choice else 100)


def follow(client: Any, place: str, kind: str) -> int:
    """Check the page and the one after it. Returns the number of pages that were answered."""
    pages = 0
    while place and pages < 2:
        answers: list[Any] = []
        found = work_of(lambda: answers.append(client.get(place)), MOST_STATEMENTS[kind])  # noqa: B023
        answer = answers[0]
        assert answer.status_code < 500
        if answer.status_code != 200:
            break
        assert found == []
        pages += 1
        place = next_of(place, answer)
    return pages


def lists_of_the_api() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the route and the filters of each list, and of each other page with a filter. The feed is no page."""
    paths = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))["paths"]
    for path, operations in paths.items():
        given = operations.get("get", {}).get("parameters", ())
        asked = [one for one in given if one["in"] == "query"]
        if asked and not path.endswith((*growth.EXPORTS, "/feed/")):
            route = path.lstrip("/").replace("{", "<").replace("}", ">")
            yield route, [one for one in asked if one["name"] not in PAGED]


def filters(parameters: Iterable[dict[str, Any]], grown: Grown) -> list[list[str]]:
    """Return the queries of each filter, one for each of its values."""
    return [
        [urlencode({one["name"]: value}) for value in values_of(one["name"], one["schema"], grown)]
        for one in parameters
    ]


def pairs(choices: Iterable[Sequence[str]], place: str) -> Iterator[str]:
    """Yield the query of each pair of choices of two filters of a list."""
    bounded = [each for each in choices if each and not each[0].startswith(UNPAIRED.get(place, "&"))]
    for some, others in combinations(bounded, 2):
        yield from ("&".join(pair) for pair in product(some, others))


def firsts(choices: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the query of the first choice of each filter, which most rows match."""
    return (each[0] for each in choices if each)


def values_of(name: str, schema: dict[str, Any], grown: Grown) -> list[str]:
    """Return values that match many rows, few, and none."""
    ann, heavy, now = grown.world.people["player"].pk, grown.heavy, timezone.now()
    dates = [now - timedelta(days=360), now - timedelta(hours=1), now]
    if "enum" in schema:
        return list(schema["enum"])
    if schema["type"] == "boolean":
        return ["true", "false"]
    if schema.get("format") == "date-time":
        return [one.strftime("%Y-%m-%dT%H:%M:%SZ") for one in dates]
    if schema.get("format") == "date":
        return [f"{one:%Y-%m-%d}" for one in dates]
    known = {
        "account": [f"player:{heavy.player}/session", f"player:{ann}/cash", "house/external"],
        "currency": ["XTS", "EUR", "USD"],
        "player": [str(heavy.player), str(ann), str(uuid4())],
        "rules": ["vegas-solitaire", "ace-race", "racing-demons"],
        "search": ["Open", "Rare 4", "bulk", "none"],
        "subject": ["game:many", "game:few", f"game:{uuid4()}"],
        "tournament": [str(grown.world.ids["tournament_id"]), str(uuid4())],
        "transfer": [str(Transfer.objects.values_list("uuid", flat=True)[0]), str(uuid4())],
        "after": ["0", "100"],
    }
    return known.get(name, [])


@choices_tried
def test_no_filter_of_a_staff_list_reads_or_sorts_a_table_that_grows(
    grown: Grown, subtests: pytest.Subtests, every_choice: bool
) -> None:
    browser, requested = grown.world.browser("administrator"), 0
    for model, page in admin.site._registry.items():
        place = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        answer = browser.get(place)
        if answer.status_code != 200 or answer.context is None or "cl" not in answer.context:
            continue
        for query in staff_queries(model, page, answer.context["cl"], place, every_choice):
            with subtests.test(page=f"{place}{query}"):
                requested += follow(browser, f"{place}{query}", "staff")
    assert requested > (300 if every_choice else 100)


def staff_queries(model: Any, page: Any, shown: Any, place: str, every_choice: bool) -> Iterator[str]:
    """Yield the queries of one choice of each filter, or of each choice of each filter and of pairs of them, and of
    searches for many, few, and no rows.
    """
    yield ""
    choices = [
        [query for choice in filter.choices(shown) if (query := str(choice["query_string"]).lstrip("?"))]
        for filter in shown.filter_specs
    ]
    if not every_choice:
        yield from (f"?{query}" for query in firsts(choices))
        yield from (["?q=nothing-has-this-value"] if page.search_fields else [])
        return
    yield from (f"?{query}" for query in (*chain.from_iterable(choices), *pairs(choices, place)))
    for name in page.search_fields:
        path = name.lstrip("=^")
        counted = model._default_manager.values_list(path).annotate(rows=Count("pk")).exclude(**{path: None})
        for value in {str(value) for order in ("-rows", "rows") for value, _ in counted.order_by(order)[:1]}:
            yield f"?{urlencode({'q': value})}"
    if page.search_fields:
        yield "?q=nothing-has-this-value"
        yield f"?q={uuid4()}"


def next_of(place: str, answer: Any) -> str:
    path = place.partition("?")[0]
    if answer.headers["Content-Type"].startswith("application/json"):
        found = answer.json()
        return str(found.get("next") or "") if isinstance(found, dict) else ""
    query = answer.context["cl"].next_page if answer.context and "cl" in answer.context else ""
    return f"{path}{query}" if query else ""


@pytest.mark.usefixtures("database")
def test_no_sample_of_the_metrics_reads_or_sorts_a_table_that_grows(grown: Grown) -> None:
    sample: list[str] = []
    assert work_of(lambda: sample.append(metrics.sample()), 60) == []
    sample_metrics({}, now=timezone.now(), prepared=sample[0])
    assert work_of(metrics.exposition, 13) == []


@pytest.mark.usefixtures("database")
def test_no_job_of_notifications_reads_or_sorts_a_table_that_grows(grown: Grown) -> None:
    """With nothing to do, and with the digest of a player who has most of the rows."""
    now = timezone.now()
    follower.start()
    before = now - timedelta(days=400)
    for work in (
        lambda: follower.follow(now=now),
        lambda: turns.look(now=before),
        lambda: notifications.prune(now=before),
        lambda: sending.send_digest(player=grown.heavy.player, due=before, now=now),
        lambda: notifications.mark_read(player=grown.heavy.player, ids=[uuid4()], now=now),
        lambda: unsubscribing.unsubscribe(grown.heavy.player, unsubscribing.ALL),
    ):
        assert work_of(work, 45) == []


@pytest.mark.postgres
def test_the_currencies_are_found_without_a_scan_of_all_accounts(grown: Grown) -> None:
    """PostgreSQL plans a statement that is sent often without its values, and then does not know which are rare."""
    assert not Account.objects.filter(kind=OwnerKind.PLAY)
    scanned = "SELECT sum(seq_tup_read) FROM pg_stat_xact_user_tables WHERE relname = 'ledger_account'"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        assert currencies() == ["XTS"]
        cursor.execute(scanned)
        assert cursor.fetchone() == (0,)


AS_IF_LARGE = (
    "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
    "set_config('enable_mergejoin', 'off', true), set_config('random_page_cost', '1', true)"
)
"""A few thousand rows are scanned and hashed instead of using an index, a million are not."""


def work_of(request: Callable[[], object], most: int) -> list[str]:
    """Return what is too much in the statements of the request."""
    reset_queries()  # Django keeps the last 9,000, and a capture that begins at the 9,000th is empty
    with counting_work() as too_much, CaptureQueriesContext(connection) as sent:
        request()
    if len(sent) > most:
        too_much.append(f"{len(sent)} statements of at most {most}")
    if connection.vendor == "postgresql":
        too_much += [found for query in sent for found in large_steps(query["sql"])]
    return too_much


@contextmanager
def counting_work() -> Iterator[list[str]]:
    """Yield the list of statements that take more than `MOST_INSTRUCTIONS` on SQLite."""
    found: list[str] = []
    if connection.vendor != "sqlite":
        yield found
        return
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 100
        return 0

    def counted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal steps
        steps = 0
        result = execute(sql, params, many, context)
        # The rest is read by fetch, whose work the next statement does not count.
        taken.append((sql, steps))
        return result

    taken: list[tuple[str, int]] = []
    connection.connection.set_progress_handler(step, 100)
    try:
        with connection.execute_wrapper(counted):
            yield found
    finally:
        connection.connection.set_progress_handler(None, 0)
    found += [f"{count} instructions: {sql}" for sql, count in taken if count > most_instructions(sql)]


def most_instructions(sql: str) -> int:
    # A list of a thousand keys and a text that is compared with a thousand names are bounded, but cost more.
    is_page = " LIMIT " in sql and " LIKE " not in sql and sql.count("%s") < 500
    return MOST_OF_A_PAGE if is_page else MOST_INSTRUCTIONS


@cache
def large_steps(sql: str) -> list[str]:
    """Return the steps of the plan that scan or sort many rows on PostgreSQL.

    A statement that was explained with the same values is not explained again: the rows do not change.
    """
    return list(_large_steps(sql))


def _large_steps(sql: str) -> Iterator[str]:
    if not sql.lstrip("( ").upper().startswith(("SELECT", "WITH")):
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(AS_IF_LARGE)
        cursor.execute("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + sql.replace("%", "%%"), [])
        [found] = cursor.fetchone()
    plan = json.loads(found) if isinstance(found, str) else found
    for step in steps_of(plan[0]["Plan"]):
        loops, of = step["Actual Loops"], step.get("Relation Name")
        if of is not None:
            read = loops * (step["Actual Rows"] + step.get("Rows Removed by Filter", 0))
            if read > MOST_ROWS:
                yield f"{step['Node Type']} {step.get('Index Name', '')} of {read} rows of {of}: {sql}"
        if step["Node Type"] in ("Sort", "Incremental Sort"):
            sorted_rows = loops * max(below["Actual Rows"] for below in step["Plans"])
            if sorted_rows > MOST_ROWS:
                yield f"sorts {sorted_rows} rows: {sql}"


def steps_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from steps_of(below)
