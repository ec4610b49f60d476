"""The pages of a tournament in the back office: what they show, and to whom, however many are in it."""

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

from accounts.models import Player, StaffAction
from accounts.roles import Role
from jobs.testing import run_due
from tests.conftest import known, person
from tests.databases import shared
from tests.tournaments.conftest import Publish, publish
from tournaments import halts, services
from tournaments.help import Trouble
from tournaments.models import Tournament
from tournaments.office.words import WORDS, told
from tournaments.testing import NOW, SEED, enter, promotion, rich, start, terms

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
    client.force_login(who, backend="accounts.backends.PlayerBackend")
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


def test_a_running_round_shows_how_far_it_is_and_asks_for_more(running: Tournament, organizer: Player):
    told = shown(signed_in(organizer), "tournament_console", running)
    assert "0 of 2" in told
    assert 'data-live="3"' in told
    assert "racecard/live.js" in told
    assert "Pause" in told
    assert "Only a tournament that takes entries can start." in told


def test_one_that_stands_still_says_why_and_what_would_help(
    running: Tournament, organizer: Player, auditor: Player
):
    halts.stall(tournament_id=running.pk, trouble=TROUBLE, now=NOW)
    seen = shown(signed_in(organizer), "tournament_console", running)
    assert TROUBLE.reason in seen
    assert "have the step tried again" in seen
    assert "have the step tried again" not in shown(signed_in(auditor), "tournament_console", running)


def test_the_tables_of_a_round_can_be_those_that_go_on(running: Tournament, organizer: Player):
    desk = signed_in(organizer)
    told = shown(desk, "tournament_round", running, 1)
    assert "cid" in told
    assert "dan" in told
    assert "Every table is done" not in shown(desk, "tournament_round", running, 1, going="")


def test_an_ended_tournament_stands_still(running: Tournament, organizer: Player):
    services.cancel(tournament_id=running.pk, actor=None, reason="enough", now=NOW)
    run_due(NOW)
    desk = signed_in(organizer)
    for page in PAGES:
        assert "data-live" not in shown(desk, page, running)
    assert "Cancelled: enough" in shown(desk, "tournament_log", running)


def test_the_secret_seed_is_on_no_page(running: Tournament, organizer: Player):
    desk = signed_in(organizer)
    pages = [*(shown(desk, page, running) for page in PAGES), shown(desk, "tournament_round", running, 1)]
    assert all(SEED.hex() not in page for page in pages)


def test_scores_are_shown_once_the_round_is_closed(running: Tournament, organizer: Player):
    run_due(NOW)
    standings = shown(signed_in(organizer), "tournament_standings", running, entry="1")
    assert "What entry 1 has, and from what" in standings


def test_who_asks_for_what_is_not_there_is_told_so(running: Tournament, organizer: Player):
    desk = signed_in(organizer)
    for page, args, query in (
        ("tournament_round", [9], {}),
        ("tournament_round", [1], {"after": "x"}),
        ("tournament_field", [], {"which": "x"}),
        ("tournament_field", [], {"after": "-1"}),
        ("tournament_log", [], {"until": "⁵"}),
        ("tournament_standings", [], {"entry": "77"}),
        ("tournament_standings", [], {"after": "9" * 40}),
    ):
        answer = desk.get(reverse(f"admin:{page}", args=[running.pk, *args]), query)
        assert answer.status_code == 404, (page, query)
    assert desk.get(reverse("admin:tournament_console", args=[uuid4()])).status_code == 404


def test_the_field_is_searched_by_number_name_and_state(running: Tournament, organizer: Player):
    desk = signed_in(organizer)
    assert "dan" not in shown(desk, "tournament_field", running, q="cid")
    assert "cid" not in shown(desk, "tournament_field", running, q="2")
    assert "Nobody is here" in shown(desk, "tournament_field", running, which="left")


def do(client: Client, page: str, tournament: Tournament, *more: object, **given: object) -> str:
    """A deed confirmed; what its form or the page after it says."""
    return asked(client, page, tournament, *more, confirmed="yes", **given)


def asked(client: Client, page: str, tournament: Tournament, *more: object, **given: object) -> str:
    """The preview of a deed, unless it is confirmed."""
    sent = {"reason": "as agreed", "key": uuid4().hex, **given}
    answer = client.post(reverse(f"admin:{page}", args=[tournament.pk, *more]), sent, follow=True)
    assert answer.status_code == 200, answer.status_code
    return str(answer.content.decode())


def test_roles_are_given_and_taken(running: Tournament, organizer: Player, player: Player):
    desk = signed_in(organizer)
    assert "Nobody is called that" in do(desk, "tournament_role_give", running, player="nobody", role="judge")
    assert "The role is given" in do(
        desk, "tournament_role_give", running, player=player.username, role="helper"
    )
    assert player.get_full_name() in shown(desk, "tournament_people", running)
    assert "The role is taken" in do(desk, "tournament_role_take", running, player.pk)
    assert "does everything alone" in shown(desk, "tournament_people", running)
    actions = (
        StaffAction.objects.filter(subject=running.subject).order_by("pk").values_list("action", flat=True)
    )
    assert list(actions) == ["give-role", "take-role"]


def test_two_entrants_are_kept_apart_and_let_go(published: Publish, organizer: Player):
    tournament = published(fee=0, rounds=3, format="swiss", rules="ace-race", config={}, seats=2)
    enter(tournament, rich("cid"), rich("dan"), rich("eve"), rich("fay"))
    desk = signed_in(organizer)
    two = {"one": 1, "other": 2, "wish": "apart"}
    assert "Two different entries" in do(desk, "tournament_pair_say", tournament, **{**two, "other": 1})
    preview = asked(desk, "tournament_pair_say", tournament, **two)
    assert "cid" in preview
    assert "1 and 2" in do(desk, "tournament_pair_say", tournament, **two)
    assert "already" in do(desk, "tournament_pair_say", tournament, **two)
    assert "It holds for no round to come" in do(desk, "tournament_pair_release", tournament, **two)


def test_the_next_round_is_laid_out_by_hand_as_it_was_previewed(published: Publish, organizer: Player):
    tournament = published(
        fee=0, rounds=3, format="swiss", rules="ace-race", config={}, seats=2, fill_to=4, gap_seconds=3600
    )
    promotion()
    start(tournament)
    desk = signed_in(organizer)
    assert "Round 2 comes next" in shown(desk, "tournament_rounds", tournament)
    page = desk.get(reverse("admin:tournament_lay_out", args=[tournament.pk])).content.decode()
    version = services.record.head(tournament).version
    assert f'name="version" value="{version}"' in page
    wrong = {"tables": "1 2\n1 3", "byes": "", "version": version}
    assert "placed 2 times" in asked(desk, "tournament_lay_out", tournament, **wrong)
    assert "Numbers of entries" in asked(desk, "tournament_lay_out", tournament, **{**wrong, "tables": "a b"})
    layout = {"tables": "1 2\n3 4", "byes": "", "version": version}
    assert "Tables alike" in asked(desk, "tournament_lay_out", tournament, **layout)
    assert "laid out by hand" in do(desk, "tournament_lay_out", tournament, **layout)
    assert "errorlist" in do(desk, "tournament_lay_out", tournament, **layout)
    assert "The engine lays out round 2" in do(desk, "tournament_give_back", tournament)
    assert "errorlist" in do(desk, "tournament_give_back", tournament)


def test_a_result_is_corrected_as_it_was_previewed(published: Publish, organizer: Player, auditor: Player):
    tournament = published(
        fee=0, rounds=3, format="swiss", rules="ace-race", config={}, seats=2, fill_to=4, gap_seconds=3600
    )
    promotion()
    start(tournament)
    desk, game = signed_in(organizer), (1, 1, 1)
    assert "Correct<" in shown(desk, "tournament_round", tournament, 1)
    assert "Correct<" not in shown(signed_in(auditor), "tournament_round", tournament, 1)
    address = reverse("admin:tournament_correct", args=[tournament.pk, *game])
    assert signed_in(auditor).get(address).status_code == 403
    nowhere = reverse("admin:tournament_correct", args=[tournament.pk, 2, 1, 1])
    assert desk.get(nowhere).status_code == 404
    one, other = services.record.load(tournament.pk).played[0].tables[0].seats
    given = {"way": "swap", "entries": f"{one} {other}", "version": services.record.head(tournament).version}
    assert "errorlist" in asked(
        desk, "tournament_correct", tournament, *game, **{**given, "entries": "99 98"}
    )
    assert "errorlist" in asked(desk, "tournament_correct", tournament, *game, **given, scores="a b")
    assert "errorlist" in asked(desk, "tournament_correct", tournament, *game, **given, evidence_version=3)
    preview = asked(desk, "tournament_correct", tournament, *game, **given)
    assert f"Place of entry {one}" in preview
    assert "errorlist" in do(desk, "tournament_correct", tournament, *game, **given, token="of another")
    carried = re.search(r'name="token" value="([^"]+)"', preview)
    assert carried
    given["token"] = carried[1]
    assert "The result is corrected" in do(desk, "tournament_correct", tournament, *game, **given)
    assert "errorlist" in do(desk, "tournament_correct", tournament, *game, **given)
    assert services.record.load(tournament.pk).corrections == 1


def test_an_entrant_is_checked_in_at_the_door(published: Publish, organizer: Player, auditor: Player):
    tournament = published(fee=0, opens_at=timezone.now() + timedelta(minutes=5), check_in_seconds=3600)
    Tournament.objects.filter(pk=tournament.pk).update(published_at=timezone.now())
    enter(tournament, rich("cid"), rich("dan"))
    tournament.entries.update(checked_in_at=None)
    desk = signed_in(organizer)
    assert "Check in" in shown(desk, "tournament_field", tournament)
    address = reverse("admin:tournament_check_in_entry", args=[tournament.pk, 1])
    assert desk.get(address).status_code == 405
    assert signed_in(auditor).post(address).status_code == 403
    for _ in range(2):
        assert "Entry 1 is checked in" in desk.post(address, follow=True).content.decode()
    assert tournament.entries.exclude(checked_in_at=None).count() == 1
    gone = reverse("admin:tournament_check_in_entry", args=[tournament.pk, 9])
    assert "errorlist" not in desk.post(gone, follow=True).content.decode()


def test_others_look_and_command_nothing(running: Tournament, auditor: Player):
    for reader in (auditor, person("otto", Role.ORGANIZER)):
        desk = signed_in(reader)
        assert "What can be done" not in shown(desk, "tournament_console", running)
        assert "Disqualify" not in shown(desk, "tournament_field", running)


def test_a_draft_is_seen_by_who_made_it_and_the_staff_alone(organizer: Player, auditor: Player):
    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    for page in PAGES:
        address = reverse(f"admin:{page}", args=[draft.pk])
        assert signed_in(organizer).get(address).status_code == 200
        assert signed_in(auditor).get(address).status_code == 200
        assert signed_in(person(f"otto-{page}", Role.ORGANIZER)).get(address).status_code == 404


def test_players_and_strangers_have_no_business_there(running: Tournament, player: Player):
    for page in PAGES:
        address = reverse(f"admin:{page}", args=[running.pk])
        assert signed_in(player).get(address).status_code == 302
        assert Client().get(address).status_code == 302


def test_nothing_is_done_by_a_page(running: Tournament, organizer: Player):
    for page in PAGES:
        address = reverse(f"admin:{page}", args=[running.pk])
        assert signed_in(organizer).post(address).status_code == 405
        assert signed_in(organizer).head(address).status_code == 200


def test_more_entrants_ask_no_more_questions(published: Publish, organizer: Player):
    desk = signed_in(organizer)
    counted = []
    for few in (2, 6):
        tournament = published(fee=0, rounds=1)
        enter(tournament, *(rich(f"{few}-{number}") for number in range(few)))
        start(tournament)
        counted.append({page: questions(desk, page, tournament) for page in PAGES})
    assert counted[0] == counted[1]


def questions(desk: Client, page: str, tournament: Tournament) -> int:
    """How many a page asks that has been shown before."""
    shown(desk, page, tournament)
    with CaptureQueriesContext(connection) as queries:
        shown(desk, page, tournament)
    return len(queries)


def test_every_event_has_words_or_says_its_name_and_reason():
    assert told("thing-happened", {"reason": "because"}) == "Thing happened: because"
    assert told("thing-happened", {}) == "Thing happened"
    assert WORDS["paused"]({"reason": "rain"}) == "Paused: rain"
