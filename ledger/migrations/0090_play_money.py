"""Play money: a currency of its own, whose accounts are an event's or a market's alone."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from eventstore.triggers import drop_from

GUARDED = (
    "ledger_account",
    "ledger_bet",
    "ledger_buyin",
    "ledger_division",
    "ledger_gamestake",
    "ledger_hold",
    "ledger_market",
    "ledger_playbank",
    "ledger_playsession",
    "ledger_pot",
    "ledger_runner",
    "ledger_settlement",
    "ledger_transfer",
)


def drop_on_sqlite(apps, schema_editor):
    """SQLite alters no table while a trigger anywhere speaks of one that is gone; migrate puts all of them back."""
    if schema_editor.connection.vendor == "sqlite":
        drop_from(*GUARDED)(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("ledger", "0070_statements_by_time")]

    operations = [
        migrations.RunPython(drop_on_sqlite, migrations.RunPython.noop),
        migrations.CreateModel(
            name="PlayBank",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="play_bank",
                        serialize=False,
                        to="ledger.account",
                    ),
                ),
                ("event", models.CharField(help_text="such as play:…", max_length=80)),
                ("number", models.PositiveIntegerField()),
                ("player", models.UUIDField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["event", "number"], name="play_bank_number_once"),
                    models.UniqueConstraint(fields=["event", "player"], name="play_bank_player_once"),
                ]
            },
        ),
        migrations.RemoveConstraint(model_name="account", name="account_kind_known"),
        migrations.AlterField(
            model_name="account",
            name="kind",
            field=models.CharField(
                choices=[
                    ("player", "Player"),
                    ("game", "Game"),
                    ("market", "Market"),
                    ("tournament", "Tournament"),
                    ("play", "Play"),
                    ("house", "House"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=Q(kind__in=["player", "game", "market", "tournament", "play", "house"]),
                name="account_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=Q(currency="XXX", kind__in=["play", "market"])
                | ~Q(currency="XXX") & ~Q(kind="play"),
                name="account_play_apart",
            ),
        ),
        migrations.AddField(
            model_name="market",
            name="play",
            field=models.CharField(
                blank=True,
                default="",
                help_text="the event whose play money is bet, such as play:…; empty: money",
                max_length=80,
            ),
        ),
        migrations.AlterField(
            model_name="market",
            name="stake_table",
            field=models.ForeignKey(
                help_text="none where play money is bet",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="markets",
                to="ledger.staketable",
            ),
        ),
        migrations.AddConstraint(
            model_name="market",
            constraint=models.CheckConstraint(
                condition=Q(play="", stake_table__isnull=False) & ~Q(currency="XXX")
                | ~Q(play="")
                & Q(currency="XXX", stake_table=None, kind="pool", takeout=0, step=0, on_draw="refund"),
                name="market_play_apart",
            ),
        ),
        # Last of all, so that it is first on the way back.
        migrations.RunPython(migrations.RunPython.noop, drop_from(*GUARDED)),
    ]
