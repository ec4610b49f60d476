"""Markets and bets of 0.2.0, whose prices were exact fractions: bets keep them, and open markets move to the ladder."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from core.triggers import removed
from ledger import services
from ledger.betting.documents import bet_document
from ledger.betting.models import Bet, Market, Runner
from ledger.errors import PriceMoved
from ledger.selectors import reconcile
from tests.ledger.betting.markets import LATER, bank, bet, close, open_fixed, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FRACTION = "2853/1000"
"""3.853 in decimal notation: a fair return of 4 less a margin of 3.675%."""

migration = import_module("ledger.migrations.0002_decimal_prices")


@pytest.fixture
def made() -> Bet:
    """A bet of 1,000 pence at the fraction, in an open market that offers it on every selection."""
    bank()
    made = bet(open_fixed(), "H", 1_000)
    with removed("ledger_runner", "ledger_bet"):
        Runner.objects.update(price=FRACTION, price_hundredths=None)
        Runner.objects.filter(pk=made.runner_id).update(returns=3_853)
        Bet.objects.update(price=FRACTION, price_hundredths=None, most=3_853)
    made.refresh_from_db()
    return made


def migrate() -> None:
    migration.offer_on_the_ladder(apps, None)


def test_a_bet_pays_the_fraction_at_which_it_was_placed(made: Bet) -> None:
    settle(made.market, "H")
    made.refresh_from_db()
    assert (made.status, made.returned) == ("won", 3_853)
    shown = bet_document(made)
    assert (shown["price"], shown["decimal"], shown["price_hundredths"]) == (FRACTION, "3.85", None)


def test_a_settled_bet_pays_the_same_after_a_ruling(made: Bet) -> None:
    settle(made.market, "S")
    services.resettle_market(market=made.market, winners=["H"], reason="photo", actor="test", at=LATER)
    made.refresh_from_db()
    assert (made.status, made.returned, list(reconcile())) == ("won", 3_853, [])


def test_an_open_market_offers_prices_of_the_ladder_after_the_migration(made: Bet) -> None:
    before = Market.objects.get(pk=made.market_id)
    migrate()
    after = Market.objects.get(pk=made.market_id)
    assert {(one.price, one.price_hundredths) for one in after.runners.all()} == {("285/100", 385)}
    assert after.version == before.version + 1
    made.refresh_from_db()
    assert (made.price, made.price_hundredths, made.most) == (FRACTION, None, 3_853)
    with pytest.raises(PriceMoved):
        bet(after, "S", 100, price=FRACTION)
    assert bet(after, "H", 100).most == 385
    settle(after, "H")
    assert [one.returned for one in after.bets.all()] == [3_853, 385]
    assert list(reconcile()) == []


def test_a_closed_market_keeps_what_it_offered_last(made: Bet) -> None:
    close(made.market)
    migrate()
    assert set(Runner.objects.values_list("price", "price_hundredths")) == {(FRACTION, None)}
    settle(made.market, "S")
