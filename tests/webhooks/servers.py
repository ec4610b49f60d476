"""A local web server with a certificate of a test authority."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from webhooks.sending import Outcome, Transport

NAME = "hooks.example.org"


class Receiver(Transport):
    """Answers as configured, otherwise with `usual`, and records what it received."""

    def __init__(self, usual: Outcome) -> None:
        object.__setattr__(self, "usual", usual)
        object.__setattr__(self, "answers", [])
        object.__setattr__(self, "got", [])

    def send(self, url: str, *, headers: Any, body: bytes) -> Outcome:
        self.got.append((url, dict(headers), body))
        return self.answers.pop(0) if self.answers else self.usual


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    port: int
    authority: Path
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}/in?x=1"

    def transport(self, *, refused: str | None = None, within: float = 10.0, name: str = NAME) -> Transport:
        """Where the name of the server leads to this machine, which is allowed, and its authority is believed."""
        context = ssl.create_default_context(cafile=str(self.authority))
        return Transport(
            resolve=lambda host, port: ["127.0.0.1"] if host == name else [],
            refusal=lambda address: refused,
            context=lambda: context,
            within=within,
        )


def _certificate(folder: Path, name: str) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of a test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, private


@contextmanager
def serving(
    folder: Path, answer: Callable[[BaseHTTPRequestHandler], None], *, name: str = NAME
) -> Iterator[Server]:
    certificate, private = _certificate(folder, name)
    server = Server(0, certificate)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {key.lower(): value for key, value in self.headers.items()}
            server.requests.append(Request(self.path, headers, body))
            answer(self)

        def log_message(self, *args: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private)
    listening.socket = context.wrap_socket(listening.socket, server_side=True, do_handshake_on_connect=False)
    server.port = listening.server_address[1]
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
