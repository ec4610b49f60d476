"""The back office: tournaments are drafted, published, started and cancelled there, and nothing is edited."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.models import Player, StaffAction
from accounts.roles import Role
from jobs.testing import run_due
from tests.conftest import person
from tests.tournaments.conftest import Publish
from tournaments import services
from tournaments.models import Status, Tournament
from tournaments.testing import NOW, SEED, enter, rich, start, terms

pytestmark = pytest.mark.django_db

LIST = "admin:tournaments_tournament_changelist"
ADD = "admin:tournaments_tournament_add"
ONE = "admin:tournaments_tournament_change"


@pytest.fixture
def desk(client: Client, organizer: Player) -> Client:
    client.force_login(organizer, backend="accounts.backends.PlayerBackend")
    return client


def signed_in(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend="accounts.backends.PlayerBackend")
    return client


def act(client: Client, name: str, *tournaments: Tournament, **more: str) -> Any:
    sent = {"action": name, "_selected_action": [str(each.pk) for each in tournaments], **more}
    return client.post(reverse(LIST), sent, follow=True)


def confirm(client: Client, name: str, *tournaments: Tournament, reason: str = "as agreed") -> Any:
    return act(client, name, *tournaments, confirmed="yes", reason=reason)


def form(**changes: Any) -> dict[str, Any]:
    return {
        "name": "From the office",
        "format": "duplicate",
        "rules": "vegas-solitaire",
        "config": '{"draw": 3, "stake": 0}',
        "rounds": 1,
        "games": 1,
        "opens_at": "",
        "round_seconds": 60,
        "gap_seconds": 0,
        "no_show_seconds": 0,
        "late_until": 0,
        "check_in_seconds": 0,
        "capacity": 8,
        "fewest": 2,
        "fill_to": 2,
        "fee": 0,
        "prizes": "7000, 3000",
        "rake": 0,
        "key": str(uuid4()),
        **changes,
    }


def test_drafted_published_and_started_with_reasons(desk: Client, organizer: Player):
    assert desk.get(reverse(ADD)).status_code == 200
    assert desk.post(reverse(ADD), form()).status_code == 302
    tournament = Tournament.objects.get()
    assert (tournament.name, tournament.prizes, tournament.organizer) == (
        "From the office", [7000, 3000], organizer,
    )  # fmt: skip

    asked = act(desk, "publish", tournament)
    assert b"committed to" in asked.content
    tournament.refresh_from_db()
    assert tournament.status == Status.DRAFT

    confirm(desk, "publish", tournament)
    confirm(desk, "start", tournament, reason="all are here")
    tournament.refresh_from_db()
    assert tournament.status == Status.RUNNING
    assert list(StaffAction.objects.filter(subject=tournament.subject).values_list("action", "reason")) in (
        [("publish-tournament", "as agreed"), ("start-tournament", "all are here")],
        [("start-tournament", "all are here"), ("publish-tournament", "as agreed")],
    )


def test_a_form_sent_twice_makes_one_draft(desk: Client):
    sent = form()
    for _ in range(2):
        assert desk.post(reverse(ADD), sent).status_code == 302
    assert Tournament.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [{"config": "{"}, {"prizes": "a, b"}, {"prizes": "5000"}, {"config": '{"draw": 9}'}, {"name": ""}],
)
def test_terms_that_cannot_be_held_are_told_on_the_form(desk: Client, change: dict[str, str]):
    answer = desk.post(reverse(ADD), form(**change))
    assert answer.status_code == 200
    assert b"errorlist" in answer.content
    assert not Tournament.objects.exists()


def test_without_a_reason_nothing_is_done(desk: Client, published: Publish):
    tournament = published()
    answer = confirm(desk, "cancel", tournament, reason="")
    assert b"errorlist" in answer.content
    tournament.refresh_from_db()
    assert tournament.status == Status.PUBLISHED


def test_cancelled_with_the_reason_in_its_stream(desk: Client, published: Publish):
    tournament = published()
    confirm(desk, "cancel", tournament, reason="the hall is flooded")
    tournament.refresh_from_db()
    assert tournament.status == Status.CANCELLED
    [told] = [event for event in services.record.store.read(tournament.pk) if event.type == "cancelled"]
    assert told.data["reason"] == "the hall is flooded"


def test_what_cannot_be_done_is_told(desk: Client, published: Publish):
    tournament = published()
    answer = confirm(desk, "start", tournament)
    assert b"0 of at least 2" in answer.content
    answer = confirm(desk, "publish", tournament)
    assert b"only a draft can be published" in answer.content
    assert not StaffAction.objects.filter(subject=tournament.subject).exists()


def test_another_organizers_tournament_is_read_and_not_managed(published: Publish, organizer: Player):
    tournament = published()
    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    desk = signed_in(person("otto", Role.ORGANIZER))
    assert desk.get(reverse(ONE, args=[tournament.pk])).status_code == 200
    answer = confirm(desk, "cancel", tournament)
    assert b"Only the organizer" in answer.content
    tournament.refresh_from_db()
    assert tournament.status == Status.PUBLISHED
    assert str(draft.pk).encode() not in desk.get(reverse(LIST)).content


def test_players_have_no_business_there_and_auditors_only_read(
    published: Publish, player: Player, auditor: Player
):
    tournament = published()
    assert signed_in(player).get(reverse(LIST)).status_code == 302
    reader = signed_in(auditor)
    assert reader.get(reverse(ONE, args=[tournament.pk])).status_code == 200
    assert reader.get(reverse(ADD)).status_code == 403
    confirm(reader, "cancel", tournament)
    tournament.refresh_from_db()
    assert tournament.status == Status.PUBLISHED


def test_a_running_round_shows_how_far_it_is_and_looks_again(desk: Client, published: Publish):
    tournament = published(fee=0, rounds=1)
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    start(tournament)
    page = desk.get(reverse(ONE, args=[tournament.pk]))
    assert page["Refresh"] == "5"
    assert b"0 of 2" in page.content
    assert SEED.hex().encode() not in page.content
    assert b"cid" in page.content
    services.cancel(tournament_id=tournament.pk, actor=None, reason="enough", now=NOW)
    run_due(NOW)
    assert "Refresh" not in desk.get(reverse(ONE, args=[tournament.pk]))


def test_nothing_of_a_tournament_can_be_edited_or_deleted(desk: Client, published: Publish):
    tournament = published()
    assert desk.post(reverse(ONE, args=[tournament.pk]), {"name": "mine"}).status_code == 403
    deletion = reverse("admin:tournaments_tournament_delete", args=[tournament.pk])
    assert desk.post(deletion, {"post": "yes"}).status_code == 403
    tournament.refresh_from_db()
    assert tournament.name == "Sunday duplicate"


def test_the_seed_is_registered_nowhere():
    registered = {model.__name__ for model in admin.site._registry}
    assert "SecretSeed" not in registered
