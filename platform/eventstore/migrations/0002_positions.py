"""On PostgreSQL the database itself numbers the events; nobody may choose a position."""

from django.db import migrations

NUMBERED = "ALTER TABLE eventstore_event ALTER COLUMN position ADD GENERATED ALWAYS AS IDENTITY"
PLAIN = "ALTER TABLE eventstore_event ALTER COLUMN position DROP IDENTITY"


def on_postgresql(sql):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(sql)

    return run


class Migration(migrations.Migration):
    dependencies = [("eventstore", "0001_initial")]
    operations = [migrations.RunPython(on_postgresql(NUMBERED), on_postgresql(PLAIN))]
