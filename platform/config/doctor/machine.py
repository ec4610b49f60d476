"""The machine: its clock, disk, limits, and files."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import stat
import sys
import tempfile
import time
import zoneinfo
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import tzdata
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from config.doctor import database
from core.clock import TOLERANCE, skew

# --- clock ---


def clock() -> Iterator[CheckMessage]:
    ahead = skew()
    if abs(ahead) > TOLERANCE:
        yield Error(
            f"This machine's clock is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} the database's. "
            f"At most {TOLERANCE:.0f} s are allowed.",
            "Synchronize both (timedatectl, chronyc tracking), then restart the ticker.",
            id="clock.skew",
        )
    if sys.platform == "linux" and not _is_synchronized():
        yield Warning(
            "The kernel says that the clock is not synchronized.",
            "Install chrony, or switch on systemd-timesyncd (timedatectl set-ntp true).",
            id="clock.unsynchronized",
        )


def _is_synchronized() -> bool:
    """Whether adjtimex(2), which changes nothing here, returns another state than TIME_ERROR."""
    time_error = 5
    return bool(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512)) != time_error)


# --- disk ---

LEAST = 64 * 1024**2
LOW = 1024**3
"""Bytes of free space below which the disk counts as full, or as low."""

FLUSHES = 5
SLOW_FLUSH = 0.05
"""Seconds. On SQLite each move waits for a flush of the data folder."""

TEMPORARY = ("tmpfs", "ramfs", "overlay")
"""File systems whose content ends with the machine or the container."""


def disk() -> Iterator[CheckMessage]:
    folder = Path(settings.DATA)
    space = os.statvfs(folder)
    free = space.f_bavail * space.f_frsize
    try:
        seconds = median(_flush(folder) for _ in range(FLUSHES))
    except OSError as error:
        yield Error(
            f"Nothing can be written in {folder}: {error.strerror}.",
            "Free space (df), or make the folder writable for this user. Nothing needs to be restarted afterwards.",
            id="disk.write",
        )
        return
    if free < LOW:
        severity = Error if free < LEAST else Warning
        yield severity(
            f"The disk of {folder} has {free // 1024**2} MiB left.",
            "Free space: old backups, logs. Commands are refused when it is full.",
            id="disk.space",
        )
    if space.f_files and space.f_favail < 1000:
        yield Warning(
            f"The disk of {folder} has {space.f_favail} inodes left.", "Delete small files.", id="disk.inodes"
        )
    if seconds > SLOW_FLUSH:
        yield Warning(
            f"A flush to the disk of {folder} takes {seconds * 1000:.0f} ms.",
            "Use a local solid-state disk. Each move waits for a flush of the database's disk.",
            id="disk.flush",
        )
    if (kind := database.filesystem(folder)) in TEMPORARY:
        yield Warning(
            f"{folder} is on a temporary file system ({kind}): keys and database end with the machine or container.",
            "Name a folder on a disk, or a volume, in RACECARD_DATA.",
            id="disk.temporary",
        )


def _flush(folder: Path) -> float:
    """The seconds of writing and flushing one block. Raises OSError."""
    started = time.monotonic()
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"\0" * 4096)
        file.flush()
        os.fsync(file.fileno())
    return time.monotonic() - started


def limits() -> Iterator[CheckMessage]:
    from config.server.connections import SPARE_FILES

    needed = settings.RACECARD_CONNECTIONS + SPARE_FILES
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        yield Warning(
            f"A process may open {hard} files here; a web process with {settings.RACECARD_CONNECTIONS} connections "
            f"needs {needed}.",
            "Raise the hard limit (LimitNOFILE= of the unit, ulimit -Hn), or lower RACECARD_CONNECTIONS.",
            id="limits.files",
        )


# --- keys ---


def keys() -> Iterator[CheckMessage]:
    folder = Path(settings.DATA)
    owner = folder.stat().st_uid
    if os.geteuid() != owner:
        yield Warning(
            f"The data folder belongs to user {owner}, and this command runs as {os.geteuid()}.",
            "Run it as the user of the installation; files that another user creates may be unreadable for it.",
            id="keys.user",
        )
    yield from _open_to_others(folder, "700", "database and keys")
    for file in sorted({*folder.glob("*.key"), *folder.glob("*passwords*")}):
        yield from _open_to_others(file, "600", "a secret")
        if file.stat().st_uid != owner:
            yield Error(
                f"{file} belongs to user {file.stat().st_uid}, and the data folder to {owner}.",
                f"chown {owner} {file}",
                id="keys.owner",
            )
    if settings.HTTPS and (demo := folder / "demo-passwords.txt").exists():
        yield Warning(
            f"The installation has demo accounts; {demo} contains their passwords.",
            "Deactivate them on the staff pages, and delete the file. `serve --no-demo` creates none.",
            id="keys.demo",
        )
    if database.is_usable():
        yield from _signer()


def _open_to_others(path: Path, mode: str, content: str) -> Iterator[CheckMessage]:
    found = stat.S_IMODE(path.stat().st_mode)
    if found & 0o077:
        yield Error(
            f"{path} has mode {found:o}: others on this machine can reach {content}.",
            f"chmod {mode} {path}. If others had access to this machine, change the key too (docs/checkpoints.md).",
            id="keys.mode",
        )


def _signer() -> Iterator[CheckMessage]:
    """Whether this machine has the key that must sign the next checkpoint. No key is created."""
    from eventstore.checkpoints import service
    from eventstore.models import Checkpoint

    newest = Checkpoint.objects.order_by("-number").first()
    if newest is None:
        return
    wanted, file = service.published(newest).signer_next, service.key_file()
    hint = "Restore it from a backup or from the machine that has it. If it is lost, see docs/checkpoints.md."
    if not file.exists():
        yield Error(f"{file} is missing; it must sign the next checkpoint.", hint, id="keys.signer")
    elif not service.holds_key(wanted):
        yield Error(f"{file} is not the key that must sign the next checkpoint.", hint, id="keys.signer")


# --- time zones ---


def zones() -> Iterator[CheckMessage]:
    try:
        zoneinfo.ZoneInfo(settings.RACECARD_TIME_ZONE)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        known = len(zoneinfo.available_timezones())
        yield Error(
            f"RACECARD_TIME_ZONE is {settings.RACECARD_TIME_ZONE!r}, which is none of the {known} known time zones.",
            "Set a name such as Europe/London. If none is known, install tzdata.",
            id="zones.unknown",
        )
    used, newest = _system_version(), tzdata.IANA_VERSION
    if used and used < newest:
        yield Warning(
            f"The time zones of this machine are of {used}; those of {newest} are known.",
            "Update the package tzdata of the machine: the rules of daylight saving time may have changed.",
            id="zones.old",
        )


def _system_version() -> str:
    """The version of the machine's data, which is used before that of the Python package; "" if it has none."""
    for folder in zoneinfo.TZPATH:
        file = Path(folder, "tzdata.zi")
        if file.exists():
            with file.open() as lines:
                return lines.readline().removeprefix("# version ").strip()
    return ""


# --- web client ---


def client() -> Iterator[CheckMessage]:
    build = "Run `make client`, or install the wheel of a release, which contains the build."
    folder = Path(settings.RACECARD_CLIENT)
    page = folder / "index.html"
    if not page.exists():
        yield Warning(
            "The web client is not built; the site shows a plain page instead.", build, id="client.missing"
        )
        return
    named = re.findall(rf'(?:src|href)="{settings.STATIC_URL}([^"]+)"', page.read_text(encoding="utf-8"))
    if absent := [name for name in named if not (folder / name).exists()]:
        yield Error(
            f"Files of the web client are missing: {', '.join(absent[:3])}.", build, id="client.incomplete"
        )
