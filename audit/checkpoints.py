"""The signed checkpoints as a part of an audit: whether they stand, and whether what they cover is as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from audit.report import Fault, Report
from eventstore import checkpoint
from eventstore.checkpoint import Published
from eventstore.models import Checkpoint, Stream
from eventstore.verify import Fault as Found

PART = "checkpoints"
AT_ONCE = 100


class Stretch(NamedTuple):
    """The checkpoints behind number `after`, up to and with `until`."""

    after: int
    until: int


def stretches(since: int = 0) -> Iterator[Stretch]:
    numbers = Checkpoint.objects.filter(number__gt=since).order_by("number").values_list("number", flat=True)
    after = since
    for count, number in enumerate(numbers.iterator(chunk_size=2000), start=1):
        if count % AT_ONCE == 0:
            yield Stretch(after, number)
            after = number
    last = numbers.last()
    if last is not None and last > after:
        yield Stretch(after, last)


def audit(stretch: Stretch) -> Report:
    report = Report()
    count, wrong = 0, set()
    for seen, found in checkpoint.verify(after=stretch.after, until=stretch.until):
        count = seen
        if found is not None:
            fault = _fault(found)
            (report.also if fault.checkpoint in wrong else report.failed)(fault)
            wrong.add(fault.checkpoint)
    report.counted["checkpoints"] += count
    report.passed(PART, "kept", number=count - len(wrong))
    return report


def audit_published(known: Iterable[Published]) -> Report:
    """Whether the database still has the checkpoints that somebody kept."""
    report = Report()
    number = 0
    for each in known:
        number += 1
        found = checkpoint.verify_against(each)
        if found is None:
            report.passed(PART, "published")
        else:
            report.failed(Fault(PART, "published", "", found.why, checkpoint=found.checkpoint))
    if not number:
        report.not_run(PART, "published", why="no published checkpoint was given")
    return report


def _fault(found: Found) -> Fault:
    return Fault(PART, "kept", _subject(found), found.why, found.version, found.checkpoint)


def _subject(found: Found) -> str:
    if found.stream is None:
        return ""
    kind = Stream.objects.filter(pk=found.stream).values_list("kind", flat=True).first()
    return f"{kind or 'stream'}:{found.stream}"
