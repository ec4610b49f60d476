"""Staff pages of a tournament: content, permissions, and a bounded number of queries."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from core.triggers import removed
from staff.models import ActionRecord
from tests.conftest import known, person
from tests.databases import shared
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, SEED, enter, promotion, rich, start, terms
from tournaments import record, services
from tournaments.models import Score, Tournament
from tournaments.rounds import stalls
from tournaments.rounds.stalls import Trouble
from tournaments.staff.console import WORDS, describe

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

TROUBLE = Trouble("table-goes-on", "table-goes-on", "Closing round 1 failed once: a table goes on.", 1)

PAGES = (
    "tournament_console",
    "tournament_field",
    "tournament_rounds",
    "tournament_standings",
    "tournament_people",
    "tournament_log",
)


def signed_in(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend="accounts.roles.PlayerBackend")
    return client


def shown(client: Client, page: str, tournament: Tournament, *more: int, **query: str) -> str:
    answer = client.get(reverse(f"admin:{page}", args=[tournament.pk, *more]), query)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


@shared
def running() -> Tournament:
    tournament = publish(known("olga", Role.ORGANIZER), fee=0, rounds=1)
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    return tournament


def test_a_running_round_shows_its_progress_and_updates(running: Tournament, organizer: Player):
    staff_client = signed_in(organizer)
    page = shown(staff_client, "tournament_console", running)
    assert "0 of 2" in page
    assert 'data-live="3"' in page
    assert "racecard/live.js" in page
    assert "Pause" in page
    assert "Only a published tournament can start." in page
    assert "All tables are finished." not in shown(staff_client, "tournament_round", running, 1, going="")
    page = shown(staff_client, "tournament_round", running, 1)
    assert "cid" in page
    assert "dan" in page
    assert all(SEED.hex() not in shown(staff_client, name, running) for name in PAGES)
    assert SEED.hex() not in page


def test_a_stalled_tournament_shows_the_cause_and_a_remedy(
    running: Tournament, organizer: Player, auditor: Player
):
    stalls.stall(tournament_id=running.pk, trouble=TROUBLE, now=NOW)
    seen = shown(signed_in(organizer), "tournament_console", running)
    assert TROUBLE.reason in seen
    assert "retry the step" in seen
    assert "retry the step" not in shown(signed_in(auditor), "tournament_console", running)


def test_the_console_of_an_ended_tournament_does_not_update(running: Tournament, organizer: Player):
    services.cancel(tournament_id=running.pk, actor=None, reason="enough", now=NOW)
    run_due(NOW)
    staff_client = signed_in(organizer)
    for page in PAGES:
        assert "data-live" not in shown(staff_client, page, running)
    assert "Cancelled: enough" in shown(staff_client, "tournament_log", running)


def test_scores_appear_when_the_round_closes(running: Tournament, organizer: Player):
    run_due(NOW)
    standings = shown(signed_in(organizer), "tournament_standings", running, entry="1")
    assert "Score details of entry 1" in standings


def test_an_unknown_page_is_not_found(running: Tournament, organizer: Player):
    staff_client = signed_in(organizer)
    for page, args, query in (
        ("tournament_round", [9], {}),
        ("tournament_round", [1], {"after": "x"}),
        ("tournament_field", [], {"which": "x"}),
        ("tournament_field", [], {"after": "-1"}),
        ("tournament_log", [], {"until": "⁵"}),
        ("tournament_standings", [], {"entry": "77"}),
        ("tournament_standings", [], {"after": "9" * 40}),
    ):
        answer = staff_client.get(reverse(f"admin:{page}", args=[running.pk, *args]), query)
        assert answer.status_code == 404, (page, query)
    assert staff_client.get(reverse("admin:tournament_console", args=[uuid4()])).status_code == 404


def test_entrants_are_found_by_number_name_and_state(running: Tournament, organizer: Player):
    staff_client = signed_in(organizer)
    assert "dan" not in shown(staff_client, "tournament_field", running, q="cid")
    assert "cid" not in shown(staff_client, "tournament_field", running, q="2")
    assert "No matching entries." in shown(staff_client, "tournament_field", running, which="left")


def do(client: Client, page: str, tournament: Tournament, *more: object, **given: object) -> str:
    """Confirm an action, and return the text of its form or of the next page."""
    return preview_of(client, page, tournament, *more, confirmed="yes", **given)


def preview_of(client: Client, page: str, tournament: Tournament, *more: object, **given: object) -> str:
    """Return the preview of an action, unless it is confirmed."""
    sent = {"reason": "as agreed", "key": uuid4().hex, **given}
    answer = client.post(reverse(f"admin:{page}", args=[tournament.pk, *more]), sent, follow=True)
    assert answer.status_code == 200, answer.status_code
    return str(answer.content.decode())


def test_roles_are_given_and_taken(running: Tournament, organizer: Player, player: Player):
    staff_client = signed_in(organizer)
    form = shown(staff_client, "tournament_role_give", running)
    choices = re.findall(r'type="radio" name="role" value="(\w+)"[^>]*>\s*(\w+)', form)
    assert choices == [("judge", "Judge"), ("helper", "Helper")]
    assert "There is no such player" in do(
        staff_client, "tournament_role_give", running, player="nobody", role="judge"
    )
    assert "The role was given" in do(
        staff_client, "tournament_role_give", running, player=player.username, role="helper"
    )
    assert player.get_full_name() in shown(staff_client, "tournament_people", running)
    changed = preview_of(staff_client, "tournament_role_give", running, player=player.username, role="judge")
    assert "helper, judge" not in changed, "a new role takes the place of the old one"
    assert re.search(r"helper.*→ judge\b", changed, re.DOTALL)
    assert "The role was taken away" in do(staff_client, "tournament_role_take", running, player.pk)
    assert "No judges or helpers." in shown(staff_client, "tournament_people", running)
    actions = (
        ActionRecord.objects.filter(subject=running.subject).order_by("pk").values_list("action", flat=True)
    )
    assert list(actions) == ["give-role", "take-role"]


def test_a_constraint_is_added_and_removed(published: Publish, organizer: Player):
    tournament = published(fee=0, rounds=3, format="swiss", rules="ace-race", config={}, seats=2)
    enter(tournament, rich("cid"), rich("dan"), rich("eve"), rich("fay"))
    staff_client = signed_in(organizer)
    two = {"one": 1, "other": 2, "constraint": "apart"}
    assert "Two different players" in do(
        staff_client, "tournament_pair_say", tournament, **{**two, "other": 1}
    )
    preview = preview_of(staff_client, "tournament_pair_say", tournament, **two)
    assert "cid" in preview
    assert "1 and 2" in do(staff_client, "tournament_pair_say", tournament, **two)
    assert "already" in do(staff_client, "tournament_pair_say", tournament, **two)
    assert "The constraint was released" in do(staff_client, "tournament_pair_release", tournament, **two)


def test_a_manual_pairing_matches_its_preview(published: Publish, organizer: Player):
    tournament = published(
        fee=0, rounds=3, format="swiss", rules="ace-race", config={}, seats=2, fill_to=4, gap_seconds=3600
    )
    promotion()
    start(tournament)
    staff_client = signed_in(organizer)
    assert "Next: round 2" in shown(staff_client, "tournament_rounds", tournament)
    page = staff_client.get(reverse("admin:tournament_pair_manually", args=[tournament.pk])).content.decode()
    version = services.record.head(tournament).version
    assert f'name="version" value="{version}"' in page
    wrong = {"tables": "1 2\n1 3", "byes": "", "version": version}
    assert "seated 2 times" in preview_of(staff_client, "tournament_pair_manually", tournament, **wrong)
    assert "There is no entrant a b" in preview_of(
        staff_client, "tournament_pair_manually", tournament, **{**wrong, "tables": "a b"}
    )
    names = [entry.player.display_name for entry in tournament.entries.order_by("number")]
    layout = {"tables": "{}, {}\n{}, {}".format(*names), "byes": "", "version": version}
    preview = preview_of(staff_client, "tournament_pair_manually", tournament, **layout)
    assert "Equal tables" in preview
    assert f"{names[0]}, {names[1]} | {names[2]}, {names[3]}" in preview
    assert "manual pairing" in do(staff_client, "tournament_pair_manually", tournament, **layout)
    assert "Already done" in do(staff_client, "tournament_pair_manually", tournament, **layout)
    stale = {**layout, "tables": "1 3\n2 4"}
    assert "errorlist" in do(staff_client, "tournament_pair_manually", tournament, **stale)
    assert "The engine pairs round 2" in do(staff_client, "tournament_drop_pairing", tournament)
    assert "errorlist" in do(staff_client, "tournament_drop_pairing", tournament)


def test_a_correction_matches_its_preview(published: Publish, organizer: Player, auditor: Player):
    tournament = published(
        rounds=3, format="swiss", rules="ace-race", config={}, seats=2, fill_to=4, gap_seconds=3600
    )
    promotion()
    start(tournament)
    staff_client, game = signed_in(organizer), (1, 1, 1)
    assert "Correct<" in shown(staff_client, "tournament_round", tournament, 1)
    assert "Correct<" not in shown(signed_in(auditor), "tournament_round", tournament, 1)
    address = reverse("admin:tournament_correct", args=[tournament.pk, *game])
    assert signed_in(auditor).get(address).status_code == 403
    nowhere = reverse("admin:tournament_correct", args=[tournament.pk, 2, 1, 1])
    assert staff_client.get(nowhere).status_code == 404
    one, other = services.record.load(tournament.pk).played[0].tables[0].seats
    names = dict(tournament.entries.values_list("number", "player__display_name"))
    measures = [measure.name for measure in record.load(tournament.pk).measures]
    score = Score.objects.get(
        table_game__table__number=1, table_game__table__round__number=1, entry__number=one
    )
    assert measures == ["won", "hand"]
    words = f"games won {score.measures[0]}, cards left {score.measures[1]}"
    assert f"{names[one]}: {words}" in shown(staff_client, "tournament_round", tournament, 1)
    form = staff_client.get(address).content.decode()
    assert f"<legend>{names[one]}</legend>" in form
    assert f"Entry {one}" not in form
    given = {"way": "swap", "entries": [one, other], "version": services.record.head(tournament).version}
    assert "errorlist" in preview_of(
        staff_client, "tournament_correct", tournament, *game, **{**given, "entries": [99, 98]}
    )
    assert "errorlist" in preview_of(
        staff_client, "tournament_correct", tournament, *game, **given, **{f"score_{one}_0": "a b"}
    )
    assert "errorlist" in preview_of(
        staff_client, "tournament_correct", tournament, *game, **given, evidence_version=99_999
    )
    preview = preview_of(staff_client, "tournament_correct", tournament, *game, **given)
    place = r"\d\w\w, (?:prize \d+\.\d\d play money|no prize)"
    changes = rf">{names[one]}</th><td[^>]*>{place}</td><td[^>]*><strong>→ {place}<"
    assert re.search(changes, preview), "prizes as if the tournament ended now"
    assert "errorlist" in do(
        staff_client, "tournament_correct", tournament, *game, **given, token="of another"
    )
    carried = re.search(r'name="token" value="([^"]+)"', preview)
    assert carried
    given["token"] = carried[1]
    assert "The result was corrected" in do(staff_client, "tournament_correct", tournament, *game, **given)
    assert "errorlist" in do(staff_client, "tournament_correct", tournament, *game, **given)
    assert services.record.load(tournament.pk).corrections == 1


def test_staff_check_an_entrant_in(published: Publish, organizer: Player, auditor: Player):
    tournament = published(fee=0, opens_at=timezone.now() + timedelta(minutes=5), check_in_seconds=3600)
    with removed(
        "tournaments_tournament"
    ):  # Published just now, so that the entrants of long ago have missed nothing.
        Tournament.objects.filter(pk=tournament.pk).update(published_at=timezone.now())
    enter(tournament, rich("cid"), rich("dan"))
    tournament.entries.update(checked_in_at=None)
    staff_client = signed_in(organizer)
    assert "Check in" in shown(staff_client, "tournament_field", tournament)
    address = reverse("admin:tournament_check_in_entry", args=[tournament.pk, 1])
    assert staff_client.get(address).status_code == 405
    assert signed_in(auditor).post(address).status_code == 403
    for _ in range(2):
        assert "Entry 1 was checked in" in staff_client.post(address, follow=True).content.decode()
    assert tournament.entries.exclude(checked_in_at=None).count() == 1
    gone = reverse("admin:tournament_check_in_entry", args=[tournament.pk, 9])
    assert "errorlist" not in staff_client.post(gone, follow=True).content.decode()


def test_pages_are_read_by_staff_and_act_for_managers_only(
    running: Tournament, organizer: Player, auditor: Player, player: Player
):
    other = signed_in(person("otto", Role.ORGANIZER))
    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    for reader in (signed_in(auditor), other):
        assert "commands-heading" not in shown(reader, "tournament_console", running)
        assert "Disqualify" not in shown(reader, "tournament_field", running)
    for page in PAGES:
        address, hidden = (reverse(f"admin:{page}", args=[one.pk]) for one in (running, draft))
        assert [signed_in(who).get(hidden).status_code for who in (organizer, auditor)] == [200, 200]
        assert other.get(hidden).status_code == 404
        assert signed_in(player).get(address).status_code == 302
        assert Client().get(address).status_code == 302
        assert signed_in(organizer).post(address).status_code == 405
        assert signed_in(organizer).head(address).status_code == 200


def test_the_number_of_queries_does_not_depend_on_the_field(published: Publish, organizer: Player):
    staff_client = signed_in(organizer)
    counted = []
    for few in (2, 6):
        tournament = published(fee=0, rounds=1)
        enter(tournament, *(rich(f"{few}-{number}") for number in range(few)))
        start(tournament)
        counted.append({page: questions(staff_client, page, tournament) for page in PAGES})
    assert counted[0] == counted[1]


def questions(staff_client: Client, page: str, tournament: Tournament) -> int:
    """Return the number of queries of a page that has been shown before."""
    shown(staff_client, page, tournament)
    with CaptureQueriesContext(connection) as queries:
        shown(staff_client, page, tournament)
    return len(queries)


def test_every_event_has_a_text_or_shows_its_type_and_reason():
    assert describe("thing-happened", {"reason": "because"}) == "Thing happened: because"
    assert describe("thing-happened", {}) == "Thing happened"
    assert WORDS["paused"]({"reason": "rain"}) == "Paused: rain"
