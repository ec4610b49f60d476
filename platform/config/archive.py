"""The storage of the archive, from the setting RACECARD_ARCHIVE."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

TIMEOUT = 10
"""Seconds to wait for an S3-compatible store; a request waits at most three times as long."""


def archive_storage(place: str) -> dict[str, Any]:
    """Return the entry of STORAGES for a folder or an address `s3://bucket/prefix?option=value`.

    The options are those of django-storages, such as `endpoint_url` and `region_name`. Access keys come from the
    environment (`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`) or another source of boto3.
    """
    parts = urlsplit(place)
    if parts.scheme != "s3":
        return {
            "BACKEND": "eventstore.packs.storage.ArchiveFolder",
            "OPTIONS": {"location": place, "file_permissions_mode": 0o600},
        }
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": parts.netloc,
            "location": parts.path.strip("/"),
            "file_overwrite": False,
            "default_acl": None,
            "client_config": _client_config(),
            **dict(parse_qsl(parts.query)),
        },
    }


def _client_config() -> Any:
    try:
        from botocore.config import Config  # type: ignore[import-untyped]
    except ImportError:
        raise RuntimeError(
            "RACECARD_ARCHIVE names an S3 store, which needs the extra s3: pip install 'racecard[s3]'."
        ) from None
    return Config(
        connect_timeout=TIMEOUT,
        read_timeout=TIMEOUT,
        retries={"max_attempts": 2},
        s3={"addressing_style": "path"},
        signature_version="s3v4",
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
