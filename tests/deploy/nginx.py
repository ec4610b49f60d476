"""nginx from the system's packages, with the configuration of deploy/nginx on free ports."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.installation import ROOT, until
from tools.services import free_port

CONFIGURATION = ROOT / "deploy" / "nginx"
PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/opt/homebrew/bin")

FRAME = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log info;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/racecard.conf;
}}
"""


def self_signed(folder: Path) -> None:
    """Write a certificate for localhost and its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=60))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


def configured(folder: Path, *, http: int, https: int, web: int, streams: int) -> list[str]:
    """Write the configuration with these ports and without IPv6. Return the command that serves it."""
    self_signed(folder)
    text = (CONFIGURATION / "racecard.conf").read_text()
    for old, new in (
        ("    listen [::]:80;\n", ""),
        ("    listen [::]:443 ssl http2;\n", ""),
        ("listen 80;", f"listen 127.0.0.1:{http};"),
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{https} ssl http2;"),
        ("127.0.0.1:8000", f"127.0.0.1:{web}"),
        ("127.0.0.1:8001", f"127.0.0.1:{streams}"),
        ("/etc/letsencrypt/live/cards.example/fullchain.pem", f"{folder}/cert.pem"),
        ("/etc/letsencrypt/live/cards.example/privkey.pem", f"{folder}/key.pem"),
        ("/etc/nginx/racecard-streams.conf", f"{folder}/racecard-streams.conf"),
        ("/var/log/nginx/racecard.log", f"{folder}/access.log"),
        ("server_name cards.example", "server_name localhost"),
        ("Host              $host;", "Host              $http_host;"),  # the port is not 443
    ):
        assert old in text, old
        text = text.replace(old, new)
    (folder / "racecard.conf").write_text(text)
    shutil.copy(CONFIGURATION / "racecard-streams.conf", folder)
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder))
    assert PROGRAM, "nginx is not installed (apt-get install nginx)"
    return [PROGRAM, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]


@contextmanager
def proxy(folder: Path, *, web: int, streams: int) -> Iterator[tuple[str, str]]:
    """Serve, and yield the addresses for http and https."""
    http, https = free_port(), free_port()
    # As root, nginx would serve as nobody, who cannot reach the folder of the test.
    server = subprocess.Popen(
        [*configured(folder, http=http, https=https, web=web, streams=streams), "-g", "user root;"]
    )

    def answers() -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{http}/").status_code == httpx.codes.MOVED_PERMANENTLY
        except httpx.TransportError:
            return False

    try:
        until(answers, (folder / "error.log").name)
        yield f"http://localhost:{http}", f"https://localhost:{https}"
    finally:
        server.terminate()
        server.wait()
