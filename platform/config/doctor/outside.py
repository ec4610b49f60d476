"""What the processes of the installation depend on: broker, ticker, archive, mail server, and proxy."""

from __future__ import annotations

import os
import smtplib
import ssl
import time
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import redis
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.mail import get_connection

from config import health
from core import redis_clients
from core.clock import database_now
from core.errors import first_line
from eventstore.models import ArchivePack
from eventstore.packs import reading, storage
from jobs import services

PATIENCE = 5.0
"""Seconds for each answer of another program."""

# --- broker and jobs ---

LATE = 60.0
"""Seconds."""


def broker() -> Iterator[CheckMessage]:
    if not settings.REDIS_URL:
        folder = settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"]
        if not os.access(folder, os.W_OK | os.X_OK):
            yield Error(
                f"The folder of the broker, {folder}, is not writable for this user.",
                f"Make it writable (chown, chmod 700 {folder}).",
                id="broker.folder",
            )
        return
    try:
        with redis_clients.client(
            settings.REDIS_URL, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE
        ) as server:
            memory = server.info("memory")
    except (redis.RedisError, OSError) as error:
        yield Error(
            f"Redis does not answer: {error}",
            "Check that it runs, and host, port, and password of REDIS_URL, with Sentinel also the name of the master. "
            "Until then no job is done.",
            id="broker.unreachable",
        )
        return
    policy = memory.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        yield Warning(
            f"Redis drops keys when its memory is full (maxmemory-policy {policy}): messages and counters of the rate "
            "limits can be lost.",
            "Set maxmemory-policy noeviction, and use a Redis that serves nothing else.",
            id="broker.eviction",
        )


def jobs() -> Iterator[CheckMessage]:
    state = health.readiness()
    if not state["ticker"]:
        yield Warning(
            "No ticker was active in the last 30 s: no round opens and no bot plays.",
            "Start the installation, or `manage.py tick` alone, and read its log.",
            id="jobs.ticker",
        )
    if not state["recurring"]:
        yield Warning(
            "A recurring job is overdue.",
            "Check that workers run; *Jobs* on the staff pages shows errors.",
            id="jobs.recurring",
        )
    for queue, seconds in services.waits(now=database_now()).items():
        if seconds > LATE:
            yield Warning(
                f"A job of the queue {queue} has waited for {seconds:.0f} s.",
                f"Check that a worker has this queue: `racecard run worker --queue {queue}`, or one without --queue.",
                id="jobs.queue",
            )
    if services.is_paused():
        yield Warning(
            "All jobs are paused.",
            "Check the installation, then run `racecard resume`.",
            id="jobs.paused",
        )


# --- archive ---


def archive() -> Iterator[CheckMessage]:
    """Check the store of archived games, if there are some or will be."""
    newest = ArchivePack.objects.order_by("-made_at").first()
    if settings.RACECARD_ARCHIVE_AFTER:
        yield from _is_writable(storage.folder())
    elif newest is None:
        return
    try:
        next(storage.stored_digests(), None)
    except storage.ArchiveUnavailable as error:
        yield Error(
            f"The store of the archive does not answer: {first_line(error.__cause__ or error)}",
            "Check the address in RACECARD_ARCHIVE, and the access keys in the environment. Until then archived games "
            "cannot be read.",
            id="archive.unreachable",
        )
        return
    if newest is not None:
        yield from _is_readable(newest)


def _is_writable(folder: Path | None) -> Iterator[CheckMessage]:
    if folder is None:
        return
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        yield Error(
            f"The folder of the archive, {folder}, is not writable for this user: no game is archived.",
            f"Make {existing} writable (chown, chmod 700 {existing}), or name another folder in RACECARD_ARCHIVE.",
            id="archive.folder",
        )


def _is_readable(pack: ArchivePack) -> Iterator[CheckMessage]:
    """Read one game of the pack, which is compared with its digest."""
    places = reading.places(list(pack.places.values_list("pk", flat=True)[:1]))
    try:
        for place in places.values():
            reading.frame(place)
    except (storage.ArchiveUnavailable, storage.ArchiveDamaged) as error:
        yield Error(
            f"A game of the archive cannot be read from {storage.name_of(pack.digest)}: "
            f"{first_line(error.__cause__ or error)}",
            "Restore this file from a copy of the store. `manage.py archive verify` names every game that is affected.",
            id="archive.pack",
        )


# --- mail ---


def mail() -> Iterator[CheckMessage]:
    if not settings.EMAIL_URL:
        if settings.HTTPS:
            yield Warning(
                "EMAIL_URL is not set: a player who forgets the password cannot choose a new one.",
                "Set EMAIL_URL, such as smtp+tls://user:password@mail.example:587.",
                id="mail.none",
            )
        return
    server = get_connection()
    try:
        server.open()
        server.close()
    except (smtplib.SMTPException, OSError) as error:
        yield Error(
            f"The mail server does not accept the connection: {error}",
            "Check host, port, user, and password of EMAIL_URL, and whether a firewall blocks the port.",
            id="mail.unreachable",
        )
    if settings.EMAIL_HOST_PASSWORD and not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL):
        yield Warning(
            "The password of the mail server is sent without encryption.",
            "Use smtp+tls:// or smtp+ssl:// in EMAIL_URL.",
            id="mail.encryption",
        )
    if settings.DEFAULT_FROM_EMAIL.rstrip(">").endswith("@localhost"):
        yield Warning(
            f"E-mails are sent from {settings.DEFAULT_FROM_EMAIL}, which other servers refuse.",
            "Set RACECARD_FROM_EMAIL to an address of the site's domain.",
            id="mail.sender",
        )


# --- proxy ---

CERTIFICATE_DAYS = 14
ROUTE = "/api/v1/rules/"


def proxy() -> Iterator[CheckMessage]:
    trusted = [one.strip() for one in os.environ.get("FORWARDED_ALLOW_IPS", "").split(",") if one.strip()]
    yield from _trust(trusted)
    yield from _scrapers()
    if settings.RACECARD_SITE_URL and (trusted or settings.HTTPS):
        yield from _through(settings.RACECARD_SITE_URL)


def _trust(trusted: list[str]) -> Iterator[CheckMessage]:
    hint = "Name the proxy's address, such as FORWARDED_ALLOW_IPS=127.0.0.1."
    if settings.HTTPS and not trusted:
        yield Error(
            "RACECARD_HTTPS is on and FORWARDED_ALLOW_IPS names no proxy: all players share one address, its rate "
            "limits, and its connections.",
            hint,
            id="proxy.untrusted",
        )
    for one in trusted:
        if one == "*":
            yield Error(
                "FORWARDED_ALLOW_IPS trusts every address: a caller can choose the address under which failed "
                "sign-ins are counted.",
                hint,
                id="proxy.any",
            )
        elif not _is_network(one):
            yield Error(
                f"FORWARDED_ALLOW_IPS contains {one!r}, which is neither an address nor a network.",
                hint,
                id="proxy.address",
            )


def _scrapers() -> Iterator[CheckMessage]:
    for one in settings.RACECARD_METRICS_ALLOW:
        if not _is_network(one):
            yield Error(
                f"RACECARD_METRICS_ALLOW contains {one!r}, which is no network: no request for metrics is answered.",
                "Write the first address of the network, such as 10.0.0.0/8.",
                id="proxy.metrics",
            )


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return True


def _through(site: str) -> Iterator[CheckMessage]:
    """Send two requests through the public address and examine the answers."""
    try:
        with httpx.Client(timeout=PATIENCE) as client:
            with client.stream("GET", site + ROUTE) as answer:
                status, target = answer.status_code, answer.headers.get("location", "")
                left = _days_left(answer)
            metrics = client.get(f"{site}/metrics").status_code
    except httpx.HTTPError as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            text, hint = (
                f"The certificate of {site} is not valid: {error}",
                "Renew it, or install the whole chain.",
            )
            yield Error(text, hint, id="proxy.certificate")
        else:
            yield Warning(
                f"{site} cannot be reached from this machine: {error}",
                "Check DNS, firewall, and that proxy and web process run. Some networks do not route to themselves.",
                id="proxy.unreachable",
            )
        return
    yield from _answered(site, status, target)
    if metrics == httpx.codes.OK:
        yield Error(
            f"{site}/metrics answers strangers: the proxy does not pass the caller's address on.",
            "Set X-Forwarded-For in the proxy (deploy/nginx/racecard.conf).",
            id="proxy.forwarded-for",
        )
    if left is not None and left < CERTIFICATE_DAYS:
        yield Warning(
            f"The certificate of {site} ends in {left:.0f} days.",
            "Check its renewal (certbot renew --dry-run).",
            id="proxy.certificate-ends",
        )


def _answered(site: str, status: int, target: str) -> Iterator[CheckMessage]:
    if target == site + ROUTE:
        yield Error(
            f"{site} redirects to itself: the proxy does not say that the request came by https.",
            "Set X-Forwarded-Proto in the proxy (deploy/nginx/racecard.conf).",
            id="proxy.forwarded-proto",
        )
    elif status == httpx.codes.BAD_REQUEST:
        yield Error(
            f"{site} is refused: RACECARD_HOSTS does not contain {urlsplit(site).hostname}, or the proxy changes Host.",
            "Add the name to RACECARD_HOSTS, and pass Host on in the proxy.",
            id="proxy.host",
        )
    elif status != httpx.codes.OK:
        yield Error(
            f"{site}{ROUTE} answers {status}.",
            "Check that the web process runs, and its address in the proxy.",
            id="proxy.answer",
        )


def _days_left(answer: httpx.Response) -> float | None:
    """The days until the certificate ends; None without TLS."""
    stream = answer.extensions.get("network_stream")
    secured = stream.get_extra_info("ssl_object") if stream is not None else None
    if secured is None:
        return None
    ends = ssl.cert_time_to_seconds(str(secured.getpeercert()["notAfter"]))
    return (ends - time.time()) / 86_400
