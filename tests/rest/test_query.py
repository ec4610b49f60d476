"""The parameters of an address are known to the endpoint and given once; anything else is said, never passed over."""

import pytest

V1 = "/api/v1"
LISTS = [
    "games/",
    "tournaments/",
    "play-sessions/",
    "stakes/",
    "wallet/statement/",
    "accounts/",
    "transfers/",
]


@pytest.mark.django_db
def test_a_list_refuses_what_it_does_not_know(api, administrator, subtests):
    client = api(administrator)
    for query in ["colour=red", "limit=5&limit=6", "cursor=%00"]:
        for path in LISTS:
            with subtests.test(query=query, path=path):
                answer = client.get(f"{V1}/{path}?{query}")
                assert answer.status_code == 400, answer.content
                assert answer.json()["code"] in {"invalid-input", "bad-cursor"}


@pytest.mark.django_db
def test_a_list_takes_a_limit(api, administrator, subtests):
    client = api(administrator)
    for path in LISTS:
        with subtests.test(path=path):
            assert client.get(f"{V1}/{path}?limit=1").status_code == 200
