"""Decimal prices on a ladder, in hundredths. A bet keeps the exact fraction at which it was placed."""

from fractions import Fraction

from django.db import migrations, models, transaction
from django.db.models import F

from core.migration import AddColumn
from ledger.betting import ladder


def offer_on_the_ladder(apps, schema_editor):
    """Round the prices of open markets down to the ladder. The others are history, or change with the next draw."""
    runners = apps.get_model("ledger", "Runner").objects
    unpriced = runners.filter(market__status="open", price_hundredths=None).exclude(price="")
    for market in list(unpriced.values_list("market", flat=True).distinct()):
        with transaction.atomic():  # bets on the other markets do not wait
            offer(apps.get_model("ledger", "Market").objects, unpriced, market)


def offer(markets, unpriced, market):
    markets.select_for_update(no_key=True).get(pk=market)
    priced = list(unpriced.filter(market=market))
    for runner in priced:
        numerator, denominator = map(int, runner.price.split("/"))
        runner.price_hundredths = ladder.at_most(1 + Fraction(numerator, denominator))
        runner.price = "" if runner.price_hundredths is None else f"{runner.price_hundredths - 100}/100"
        runner.save(update_fields=["price", "price_hundredths"])
    if priced:
        markets.filter(pk=market).update(version=F("version") + 1)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ledger", "0001_initial")]

    operations = [
        AddColumn(
            model_name="bet",
            name="price_hundredths",
            field=models.PositiveIntegerField(
                help_text="the decimal price, such as 350; empty in a pool, or for a fraction of 0.2.0",
                null=True,
            ),
        ),
        AddColumn(
            model_name="runner",
            name="price_hundredths",
            field=models.PositiveIntegerField(
                help_text="the decimal price, such as 350; empty: not offered, or a fraction of 0.2.0",
                null=True,
            ),
        ),
        migrations.RunPython(offer_on_the_ladder, migrations.RunPython.noop, atomic=False),
    ]
