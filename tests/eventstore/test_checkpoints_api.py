"""`GET checkpoints/`: public, in pages, as signed."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.published import faults, parse_many

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = "/api/v1/checkpoints/"


@pytest.fixture(autouse=True)
def own_key(settings, tmp_path):
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"


@pytest.fixture
def signed(append_events):
    for _ in range(5):
        append_events("x")
        checkpoint.make(datetime(2026, 3, 1, 13, tzinfo=UTC))
    return list(checkpoint.export())


@pytest.fixture
def get():
    return Client().get


def test_checkpoints_are_listed_in_pages_with_the_oldest_first(signed, get):
    page = get(f"{ROOT}?limit=2").json()
    assert page["results"] == signed[:2]
    page = get(page["next"]).json()
    assert page["results"] == signed[2:4]
    page = get(page["next"]).json()
    assert (page["results"], page["next"]) == (signed[4:], None)


def test_reader_requests_the_checkpoints_after_a_known_one(signed, get):
    answer = get(f"{ROOT}?after=3")
    assert answer.json()["results"] == signed[3:]
    assert list(faults(parse_many(answer.content.decode()))) == []


def test_a_checkpoint_and_the_latest_one(signed, get):
    assert get(f"{ROOT}2/").json() == signed[1]
    assert get(f"{ROOT}latest/").json() == signed[4]
    assert get(f"{ROOT}6/").status_code == get(f"{ROOT}0/").status_code == 404
    assert get(f"{ROOT}{'9' * 30}/").status_code == 404


def test_the_public_keys_are_listed(signed, get):
    first = checkpoint.public_key()
    assert get(f"{ROOT}keys/").json() == {"key": first, "handovers": []}
    made = checkpoint.hand_over(datetime(2026, 3, 1, 14, tzinfo=UTC))
    answer = get(f"{ROOT}keys/").json()
    assert answer["key"] == checkpoint.public_key() != first
    assert answer["handovers"] == [checkpoint.published(made).document()]


def test_without_checkpoints_the_list_is_empty(get):
    assert get(ROOT).json() == {"results": [], "next": None}
    assert get(f"{ROOT}latest/").status_code == 404
    assert get(f"{ROOT}keys/").json() == {"key": None, "handovers": []}


def test_invalid_queries_are_refused(get):
    for query in ("after=x", "after=-1", "after=1&after=2", "before=3", "limit=0", "cursor=x"):
        assert get(f"{ROOT}?{query}").status_code == 400, query
