"""Test that staff lists accept only their own filters, since others would reveal columns by guessing."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.db.models import Field
from django.test import Client as Browser

from accounts.models import Player
from accounts.roles import Role
from tests.conftest import person

pytestmark = pytest.mark.django_db

OFFERED = {
    "/admin/accounts/player/": ["is_bot__exact=1", "is_active__exact=0", "groups__name=auditor"],
    "/admin/jobs/job/": ["state=failed"],
    "/admin/ledger/account/": ["type=house/bank"],
    "/admin/ledger/freeze/": ["released_at__isempty=1"],
    "/admin/ledger/hold/": ["state=held"],
    "/admin/disputes/dispute/": ["status__exact=open"],
}


@pytest.fixture
def chief() -> Player:
    """A user with all permissions: a list that refuses them refuses all."""
    player = person("chief", Role.ADMINISTRATOR, Role.AUDITOR, Role.ORGANIZER)
    player.is_superuser = True
    player.save()
    return player


@pytest.fixture
def browser(chief: Player) -> Browser:
    browser = Browser(raise_request_exception=False)
    browser.force_login(chief)
    return browser


def lists() -> list[tuple[str, admin.ModelAdmin]]:  # type: ignore[type-arg]
    return [
        (f"/admin/{model._meta.app_label}/{model._meta.model_name}/", page)
        for model, page in admin.site._registry.items()
    ]


def _is_fixed(declared: object) -> bool:
    return isinstance(declared, type) and issubclass(declared, admin.SimpleListFilter)


def test_lists_refuse_unlisted_columns(browser: Browser) -> None:
    allowed = []
    for address, page in lists():
        offered = {
            one if isinstance(one, str) else one[0]
            for one in page.get_list_filter(None)  # type: ignore[arg-type]
            if isinstance(one, (str, tuple))
        }
        offered |= {one.parameter_name for one in page.get_list_filter(None) if _is_fixed(one)}  # type: ignore[arg-type]
        for field in page.model._meta.get_fields():
            name = field.name
            lookups = [
                f"{name}__{kind}"
                for kind in ("startswith", "regex", "gt", "contains", "password__startswith")
            ]
            lookups += [] if name in offered else [name, f"{name}__exact", f"{name}__in", f"{name}__isnull"]
            allowed += [(address, one) for one in lookups if page.lookup_allowed(one, "a")]
        own = next(field.name for field in page.model._meta.get_fields() if isinstance(field, Field))
        assert browser.get(address, {f"{own}__startswith": "a"}).status_code == 400, address
    assert allowed == []


def test_known_lookup_leaks_are_refused(browser: Browser, subtests: pytest.Subtests) -> None:
    for path in (
        "accounts/player/?password__startswith=argon2",
        "games/gamerecord/?invitation__startswith=a",
        "games/gamerecord/?outcome__icontains=winner",
        "disputes/dispute/?claim__icontains=card",
    ):
        with subtests.test(path=path):
            assert browser.get(f"/admin/{path}").status_code == 400


def test_listed_filters_work(browser: Browser, subtests: pytest.Subtests) -> None:
    for address, queries in OFFERED.items():
        for query in queries:
            with subtests.test(address=address, query=query):
                assert browser.get(f"{address}?{query}").status_code == 200


def test_lists_are_ordered_by_shown_columns() -> None:
    """Django can order a computed column by another one: each of these shows all columns of its order."""
    ordered = {
        (page.model._meta.label, str(name), getattr(shown, "admin_order_field", None))
        for _, page in lists()
        for name in page.get_list_display(None)  # type: ignore[arg-type]
        if (shown := getattr(page, str(name), None) or getattr(page.model, str(name), None)) is not None
    }
    assert {one for one in ordered if one[2] is not None} == {
        ("disputes.Dispute", "opened", "opened_at"),
        ("games.GameRecord", "staked", "stake"),
        ("ledger.Payout", "amount_money", "amount"),
        ("ledger.Transfer", "amount_money", "amount"),
        ("tournaments.Tournament", "named", "name"),
    }


def test_libraries_register_no_lists(browser: Browser) -> None:
    for address in ("/admin/auth/group/", "/admin/accounts/token/"):
        assert browser.get(address).status_code == 404
