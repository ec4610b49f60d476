"""Which keys have signed, and up to which checkpoint, is found by the index alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("eventstore", "0004_origins")]
    operations = [
        migrations.AddIndex("checkpoint", models.Index(fields=["key", "-number"], name="checkpoint_by_key"))
    ]
