"""Tables of the event store: written by `eventstore.store`, protected by the triggers of `eventstore.schema`."""

from django.db import models

from eventstore.fields import IdentityField


class Stream(models.Model):
    """One game, tournament, or dispute: the head to which the next event is chained."""

    id = models.UUIDField(primary_key=True)
    kind = models.CharField(max_length=32)
    version = models.BigIntegerField()
    head_hash = models.CharField(max_length=64)
    head_at = models.CharField(max_length=27, help_text="`at` of the head event; empty before the first")
    suspended_at = models.CharField(
        max_length=27,
        null=True,
        editable=False,
        help_text="since when nothing is appended; null: the stream goes on",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(version__gte=0), name="stream_version_counts")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} at {self.version}"


class Event(models.Model):
    """An event. `data` and `private` are the canonical bytes that were hashed and sealed, never re-encoded.

    The first event of a command also has the command's id, the fingerprint of its body, its number of events, and its
    request metadata; none of that is hashed. (epoch, xact, position) orders the events of all streams; see
    `eventstore.store.read_all`.
    """

    pk = models.CompositePrimaryKey("stream_id", "version")
    # No foreign key in the database: the trigger checks more than the existence of the stream.
    stream = models.ForeignKey(
        Stream, on_delete=models.PROTECT, related_name="events", db_index=False, db_constraint=False
    )
    version = models.BigIntegerField()
    type = models.CharField(max_length=64)
    schema = models.PositiveSmallIntegerField(default=1)
    seat = models.PositiveSmallIntegerField(null=True)
    data = models.BinaryField()
    private = models.BinaryField(null=True)
    seal = models.CharField(max_length=64, null=True)  # null is hashed as null
    at = models.CharField(max_length=27)
    prev = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    command_id = models.CharField(max_length=64, null=True)  # unique only if present
    command_fingerprint = models.CharField(max_length=64, null=True)
    command_events = models.PositiveSmallIntegerField(null=True)
    actor = models.UUIDField(null=True, help_text="who asked for it")
    token = models.CharField(max_length=25, null=True, help_text="id of the token it came with")
    client_at = models.CharField(max_length=27, null=True, help_text="by the clock of who asked")
    epoch = models.PositiveIntegerField()
    xact = models.BigIntegerField(help_text="PostgreSQL's transaction id; 0 on SQLite, whose writers queue")
    position = IdentityField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(version__gte=1), name="event_version_counts"),
            models.UniqueConstraint(
                fields=["stream", "command_id"],
                condition=models.Q(command_id__isnull=False),
                name="event_command_once",
            ),
            models.CheckConstraint(
                condition=models.Q(command_id=None, command_fingerprint=None, command_events=None)
                | models.Q(
                    command_id__isnull=False, command_fingerprint__isnull=False, command_events__gte=1
                ),
                name="event_command_whole",
            ),
        ]
        indexes = [models.Index(fields=["epoch", "xact", "position"], name="event_follow")]

    def __str__(self) -> str:
        return f"{self.stream_id} {self.version} {self.type}"


class Snapshot(models.Model):
    """The folded state of a stream after an event: a cache that may be emptied at any time (`eventstore.snapshots`)."""

    pk = models.CompositePrimaryKey("stream_id", "version")
    # No foreign key in the database: writing a snapshot must not wait for an append to the stream.
    stream = models.ForeignKey(
        Stream, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    version = models.BigIntegerField()
    hash = models.CharField(max_length=64, help_text="of the event of that version")
    form = models.CharField(max_length=16, help_text="the code that folded it; another form is not read")
    state = models.BinaryField()
    mac = models.CharField(max_length=64, help_text="HMAC-SHA256 over all of it with the installation's key")

    def __str__(self) -> str:
        return f"{self.stream_id} at {self.version}"


class Epoch(models.Model):
    """Started by a restore. Transaction ids start again in another cluster, so earlier events are kept apart."""

    number = models.PositiveIntegerField(primary_key=True)
    began = models.DateTimeField()
    reason = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"epoch {self.number}"


class Checkpoint(models.Model):
    """A signed statement of all stream heads at a moment. Each contains the hash of the one before."""

    number = models.BigIntegerField(primary_key=True)
    body = models.BinaryField(help_text="canonical JSON, as signed")
    hash = models.CharField(max_length=64, unique=True)
    leaves = models.BinaryField(
        help_text="hash and id of each leaf, source by source, to name what was changed"
    )
    signature = models.CharField(max_length=128)
    key = models.CharField(max_length=64, help_text="the Ed25519 public key that signed it")

    class Meta:
        indexes = [models.Index(fields=["key", "-number"], name="checkpoint_by_key")]

    def __str__(self) -> str:
        return f"checkpoint {self.number}"


class CheckpointStream(models.Model):
    """A checkpoint that has an entry for a stream, which is how the checkpoints of one stream are found.

    The entries themselves (`Checkpoint.leaves`) are signed; this index of them is compared with them by an audit.
    """

    pk = models.CompositePrimaryKey("stream", "number")
    stream = models.UUIDField()
    number = models.BigIntegerField(help_text="of the checkpoint")

    def __str__(self) -> str:
        return f"{self.stream} in checkpoint {self.number}"


class ArchivePack(models.Model):
    """A pack that was stored and verified. It is never deleted, also if all of its streams were restored."""

    digest = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of the file, and its name")
    bytes = models.BigIntegerField()
    streams = models.PositiveIntegerField(help_text="how many")
    events = models.BigIntegerField()
    made_at = models.DateTimeField()
    finished_at = models.DateTimeField(
        null=True, help_text="when the events of its streams had left the database; null: not all have"
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["made_at"], name="archive_unfinished", condition=models.Q(finished_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"pack {self.digest}"


class ArchivedStream(models.Model):
    """The place of a stream whose events are in a pack instead of the database. Deleted by a restore of the stream."""

    stream = models.OneToOneField(Stream, on_delete=models.PROTECT, primary_key=True, related_name="archived")
    pack = models.ForeignKey(ArchivePack, on_delete=models.PROTECT, related_name="places")
    offset = models.BigIntegerField()
    length = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the stream's frame in the pack")
    version = models.BigIntegerField()
    head_hash = models.CharField(max_length=64)
    outline = models.BinaryField(
        help_text="compressed: the events that lists and the reconciliation read, without private parts"
    )
    archived_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.stream_id} in pack {self.pack_id}"


class ArchivedHead(models.Model):
    """The last event of an archived stream in one checkpoint, from which the checkpoint's root is computed again."""

    pk = models.CompositePrimaryKey("stream_id", "version")
    stream = models.ForeignKey(
        Stream, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    version = models.BigIntegerField()
    hash = models.CharField(max_length=64)
    epoch = models.PositiveIntegerField()
    xact = models.BigIntegerField()
    position = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["epoch", "xact", "position"], name="archivedhead_follow")]

    def __str__(self) -> str:
        return f"{self.stream_id} {self.version}"


class RestoredStream(models.Model):
    """When a stream was last restored from a pack, so that it is not archived again at once."""

    stream = models.OneToOneField(Stream, on_delete=models.PROTECT, primary_key=True, related_name="+")
    pack = models.CharField(max_length=64)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.stream_id} from pack {self.pack}"
