"""Staff pages of tournaments: draft, publish, start, and cancel; nothing can be edited."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from accounts.roles import Role
from staff.models import ActionRecord
from tests.conftest import person
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, enter, rich, status_of, terms
from tournaments import services
from tournaments.models import Status, Tournament
from tournaments.staff.draft import TermsForm, shown_term
from tournaments.terms import TermsInput

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LIST = "admin:tournaments_tournament_changelist"
ADD = "admin:tournaments_tournament_add"
ONE = "admin:tournaments_tournament_change"


@pytest.fixture
def staff_client(client: Client, organizer: Player) -> Client:
    client.force_login(organizer, backend="accounts.roles.PlayerBackend")
    return client


def signed_in(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend="accounts.roles.PlayerBackend")
    return client


def ask(client: Client, name: str, tournament: Tournament, *, reason: str = "as agreed", **more: str) -> Any:
    """Return the preview of a command."""
    address = reverse(f"admin:tournament_{name}", args=[tournament.pk])
    return client.post(address, {"reason": reason, "key": "of-a-test", **more}, follow=True)


def confirm(client: Client, name: str, tournament: Tournament, *, reason: str = "as agreed") -> Any:
    return ask(client, name, tournament, reason=reason, confirmed="yes")


def form(**changes: Any) -> dict[str, Any]:
    return {
        "name": "From the form",
        "format": "duplicate",
        "rules": "vegas-solitaire",
        "config": "draw: 3\nstake: 0",
        "rounds": 1,
        "games": 1,
        "opens_at": "",
        "round_seconds": 1,
        "gap_seconds": 0,
        "no_show_seconds": 0,
        "late_until": 0,
        "check_in_seconds": 0,
        "capacity": 8,
        "waiting_list": 0,
        "fewest": 2,
        "fill_to": 2,
        "fee": 0,
        "prizes": "70, 30",
        "rake": 0,
        "key": str(uuid4()),
        "confirmed": "yes",
        **changes,
    }


def test_a_tournament_is_drafted_published_and_started_with_reasons(staff_client: Client, organizer: Player):
    assert staff_client.get(reverse(ADD)).status_code == 200
    looked_at = form()
    del looked_at["confirmed"]
    preview = staff_client.post(reverse(ADD), looked_at).content.decode()
    assert "From the form" in preview
    assert "Save the draft" in preview
    assert not Tournament.objects.exists()
    sent = form()
    for _ in range(2):
        assert staff_client.post(reverse(ADD), sent).status_code == 302
    tournament = Tournament.objects.get()
    assert (tournament.name, tournament.prizes, tournament.organizer) == (
        "From the form", [7000, 3000], organizer,
    )  # fmt: skip

    requested = ask(staff_client, "publish", tournament)
    assert b"committed to" in requested.content
    assert "→ Published" in requested.content.decode()
    assert status_of(tournament) == Status.DRAFT

    confirm(staff_client, "publish", tournament)
    confirm(staff_client, "start", tournament, reason="all are here")
    assert status_of(tournament) == Status.RUNNING
    done = ActionRecord.objects.filter(subject=tournament.subject).order_by("pk")
    assert list(done.values_list("action", "reason")) == [
        ("draft-tournament", ""),
        ("publish-tournament", "as agreed"),
        ("start-tournament", "all are here"),
    ]


def test_the_form_offers_all_terms_of_the_api(staff_client: Client):
    shown = staff_client.get(reverse(ADD)).content.decode()
    for name in set(TermsInput().fields) - {"currency"}:
        assert f'name="{name}"' in shown, name
    requested = form(
        format="stages",
        rules="ace-race",
        config="{}",
        rounds=0,
        seats=2,
        sizes="2",
        stages="round-robin: rounds 3, groups 2, qualify 4\nknockout",
        tie_breaks="points, buchholz, lot",
        rated="false",
        fewest=8,
        fill_to=8,
        opens_at="2027-06-01 19:00",
        time_zone="Europe/Berlin",
        round_times="2 2027-06-02 19:00",
        fee="2.50",
        amounts="5.00, 2.50",
        prizes="",
    )
    answer = staff_client.post(reverse(ADD), requested)
    assert answer.status_code == 302, answer.content.decode()
    tournament = Tournament.objects.get()
    assert [stage["format"] for stage in tournament.stages] == ["round-robin", "knockout"]
    assert (tournament.fee, tournament.amounts, tournament.rated) == (250, [500, 250], False)
    assert tournament.tie_breaks == ["points", "buchholz", "lot"]
    assert tournament.opens_at is not None
    assert tournament.opens_at.isoformat() == "2027-06-01T17:00:00+00:00"
    assert [row["opens_at"] for row in tournament.round_times] == ["2027-06-02T17:00:00.000000Z"]


def test_the_form_takes_minutes_and_stores_seconds(staff_client: Client):
    shown = staff_client.get(reverse(ADD)).content.decode()
    assert "Minutes per round" in shown
    assert 'name="round_seconds" value="60"' in shown
    minutes = {"round_seconds": 90, "gap_seconds": 5, "check_in_seconds": 30, "no_show_seconds": ""}
    requested = form(**minutes, opens_at="2127-06-01 19:00")
    del requested["confirmed"]
    preview = staff_client.post(reverse(ADD), requested).content.decode()
    assert re.search(r"Length of a round</dt>\s*<dd>1 hour 30 minutes", preview)
    confirmed = dict(re.findall(r'<input type="hidden" name="(\w+_seconds)" value="(\d+)"', preview))
    assert staff_client.post(reverse(ADD), {**requested, **confirmed, "confirmed": "yes"}).status_code == 302
    made = Tournament.objects.get()
    assert (made.round_seconds, made.gap_seconds, made.check_in_seconds) == (5400, 300, 1800)
    assert made.no_show_seconds == 0


def test_a_wrong_time_is_refused_at_its_field(staff_client: Client):
    race = {"format": "swiss", "rules": "ace-race", "config": "", "round_seconds": 10, "no_show_seconds": 10}
    for changes, field, why in (
        ({"round_seconds": "1.5"}, "round_seconds", "Enter whole minutes, such as 90."),
        ({"round_seconds": "0"}, "round_seconds", "Ensure this value is greater than or equal to 1."),
        ({"gap_seconds": "43201"}, "gap_seconds", "Ensure this value is less than or equal to 43200."),
        (race, "no_show_seconds", "Less than a round, 10 minutes."),
    ):
        requested = form(**changes)
        del requested["confirmed"]
        for sent in (requested, form(**changes)):
            answer = staff_client.post(reverse(ADD), sent)
            assert answer.context["form"].errors == {field: [why]}
            [focused] = re.findall(r"<[^>]* autofocus[^>]*>", answer.content.decode())
            assert f'name="{field}"' in focused
    assert not Tournament.objects.exists()


def test_times_are_shown_in_words():
    words = {0: "none", 60: "1 minute", 90: "1 minute 30 seconds", 5400: "1 hour 30 minutes"}
    assert {seconds: shown_term("round_seconds", seconds, "GBP") for seconds in words} == words


def test_impossible_terms_are_reported_on_the_form(staff_client: Client):
    for change in (
        {"config": "{"},
        {"config": "draw"},
        {"stages": "swiss: three rounds of it"},
        {"prizes": "a, b"},
        {"name": ""},
        {"fee": "0.123"},
        {"opens_at": "tomorrow"},
        {"round_times": "x"},
        {"stages": "[1]"},
        {"tie_breaks": "luck"},
        {"seats": "1.5"},
    ):
        assert not TermsForm(form(**change)).is_valid(), change
    for change in ({"prizes": "50"}, {"config": '{"draw": 9}'}):
        assert b"errorlist" in staff_client.post(reverse(ADD), form(**change)).content
    assert not Tournament.objects.exists()


def test_a_cancellation_is_previewed_and_records_its_reason(staff_client: Client, published: Publish):
    tournament = published(fee=100)
    enter(tournament, rich("cid"), rich("dan"))
    before = services.record.head(tournament)
    page = ask(staff_client, "cancel", tournament).content.decode()
    assert "→ Cancelled" in page
    assert "2, 2.00 play money in total" in page
    assert "cannot be undone" in page
    assert b"errorlist" in confirm(staff_client, "cancel", tournament, reason="").content
    tournament.refresh_from_db()
    assert (tournament.status, services.record.head(tournament)) == (Status.PUBLISHED, before)
    confirm(staff_client, "cancel", tournament, reason="the hall is flooded")
    assert status_of(tournament) == Status.CANCELLED
    [message] = [event for event in services.record.store.read(tournament.pk) if event.type == "cancelled"]
    assert message.data["reason"] == "the hall is flooded"


def test_a_refused_action_is_explained(staff_client: Client, published: Publish):
    tournament = published()
    answer = confirm(staff_client, "start", tournament)
    assert b"0 of at least 2" in answer.content
    answer = confirm(staff_client, "publish", tournament)
    assert b"only a draft can be published" in answer.content
    assert not ActionRecord.objects.filter(subject=tournament.subject).exists()


def test_only_the_organizer_and_administrators_manage_a_tournament(
    published: Publish, organizer: Player, player: Player, auditor: Player
):
    tournament = published()
    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    one, deletion = (
        reverse(name, args=[tournament.pk]) for name in (ONE, "admin:tournaments_tournament_delete")
    )
    assert signed_in(player).get(reverse(LIST)).status_code == 302
    for who in (person("otto", Role.ORGANIZER), auditor):
        reader = signed_in(who)
        assert reader.get(one).status_code == 200
        assert confirm(reader, "cancel", tournament).status_code == 403
    assert reader.get(reverse(ADD)).status_code == 403
    other = signed_in(Player.objects.get(username="otto"))
    assert confirm(other, "publish", draft).status_code == 404
    assert str(draft.pk).encode() not in other.get(reverse(LIST)).content
    manager = signed_in(organizer)
    assert manager.post(one, {"name": "mine"}).status_code == 403, "nothing can be edited or deleted"
    assert manager.post(deletion, {"post": "yes"}).status_code == 403
    tournament.refresh_from_db()
    assert (tournament.name, tournament.status) == ("Sunday duplicate", Status.PUBLISHED)


def test_an_entrant_is_disqualified_with_a_reason(staff_client: Client, published: Publish):
    tournament = published(fee=100)
    enter(tournament, rich("cid"), rich("dan"))
    address = reverse("admin:tournament_disqualify", args=[tournament.pk, 1])
    sent = {"reason": "two seats, one hand", "key": "of-a-test"}
    page = staff_client.post(address, sent).content.decode()
    assert "→ disqualified" in page
    assert "→ 1<" in page
    assert tournament.entries.standing().count() == 2
    assert staff_client.post(address, {**sent, "confirmed": "yes"}).status_code == 302
    assert tournament.entries.standing().count() == 1
    assert staff_client.post(address, {**sent, "confirmed": "yes"}).status_code == 302
    another = {**sent, "key": "of-another-test", "confirmed": "yes"}
    assert b"disqualified already" in staff_client.post(address, another).content
    assert tournament.entries.standing().count() == 1
    [action] = ActionRecord.objects.filter(subject=tournament.subject)
    assert (action.action, action.reason) == ("disqualify-entry", "two seats, one hand")


def test_the_seed_is_registered_nowhere():
    registered = {model.__name__ for model in admin.site._registry}
    assert "SecretSeed" not in registered
