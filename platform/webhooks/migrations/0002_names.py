"""Names of webhooks and their deliveries, of which the database knows nothing."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0001_initial"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="delivery",
            options={
                "ordering": ["-created_at", "-id"],
                "verbose_name": "delivery of a webhook",
                "verbose_name_plural": "deliveries of webhooks",
            },
        ),
        migrations.AlterModelOptions(
            name="hook",
            options={"ordering": ["-created_at", "-id"], "verbose_name": "webhook"},
        ),
    ]
