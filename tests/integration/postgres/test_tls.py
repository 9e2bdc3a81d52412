"""A token leaves for the stage's database and for nobody who only answers in its place."""

import ssl
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import create_server, socket
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
import stamina
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.errors import ConfigurationError, StoreUnavailable

TENANT = UUID("11111111-1111-4111-8111-111111111111")
ASKS_FOR_PASSWORD = b"R" + struct.pack("!ii", 8, 3)
SAYS_NO = b"SFATAL\0C28000\0MPAM authentication failed for user x\0\0"
REFUSES = b"E" + struct.pack("!i", len(SAYS_NO) + 4) + SAYS_NO


class Authority:
    """A certificate authority with one server's certificate, in files."""

    def __init__(self, folder: Path, *, host: str) -> None:
        folder.mkdir()
        self.root, self.chain, self.key = folder / "root.pem", folder / "cert.pem", folder / "key"
        own_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        root = _certificate(folder.name, own_key.public_key(), signed_by=own_key)
        server = _certificate(host, server_key.public_key(), signed_by=own_key, issuer=folder.name)
        self.root.write_bytes(root.public_bytes(serialization.Encoding.PEM))
        self.chain.write_bytes(server.public_bytes(serialization.Encoding.PEM))
        self.key.write_bytes(
            server_key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )


def _certificate(
    name: str,
    key: ec.EllipticCurvePublicKey,
    *,
    signed_by: ec.EllipticCurvePrivateKey,
    issuer: str | None = None,
) -> x509.Certificate:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer or name)]))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(signed_by, hashes.SHA256())
    )


class Listener:
    """Speaks PostgreSQL as far as the password, over TLS; remembers the passwords it was told."""

    def __init__(self, authority: Authority) -> None:
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(authority.chain, authority.key)
        self._server = create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.told: list[str] = []
        Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _serve(self) -> None:
        while True:
            try:
                accepted, _ = self._server.accept()
            except OSError:
                return
            try:
                self._speak(accepted)
            except OSError:  # the client would not go on, which is what is hoped for
                continue

    def _speak(self, accepted: socket) -> None:
        with accepted:
            assert len(accepted.recv(8)) == 8  # SSLRequest
            accepted.sendall(b"S")
            with self._tls.wrap_socket(accepted, server_side=True) as secured:
                secured.recv(4096)  # who it is and what it wants
                secured.sendall(ASKS_FOR_PASSWORD)
                told = secured.recv(4096)[5:-1].decode()
                self.told += [told] if told else []  # one who hangs up tells nothing
                secured.sendall(REFUSES)


@pytest.fixture
def stage(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "stage", host="localhost")


@pytest.fixture
def listener(stage: Authority) -> Iterator[Listener]:
    opened = Listener(stage)
    yield opened
    opened.close()


def connect(listener: Listener, *, root: Path, host: str = "localhost") -> None:
    address = f"postgresql://x@{host}:{listener.port}/x?sslmode=verify-full&sslrootcert={root}"

    def nothing(_: Connection[Any]) -> None:
        raise AssertionError("nobody was let in")

    with stamina.set_testing(True, attempts=1):
        Database(address, password=lambda: "a-token").run(TENANT, nothing)


def test_the_database_is_told_the_token(stage: Authority, listener: Listener) -> None:
    """Refused by RDS, it may be one too many a second: that is worth another try."""
    with pytest.raises(StoreUnavailable, match="PAM authentication failed"):
        connect(listener, root=stage.root)

    assert listener.told == ["a-token"]


def test_whoever_another_authority_vouches_for_is_told_nothing(
    listener: Listener, tmp_path: Path
) -> None:
    other = Authority(tmp_path / "other", host="localhost")

    with pytest.raises(ConfigurationError, match="certificate"):
        connect(listener, root=other.root)
    assert listener.told == []


def test_whoever_has_the_certificate_of_another_host_is_told_nothing(
    stage: Authority, listener: Listener
) -> None:
    with pytest.raises(ConfigurationError, match="certificate"):
        connect(listener, root=stage.root, host="127.0.0.1")
    assert listener.told == []


def test_a_region_without_authorities_is_a_mistake_and_no_pause(
    listener: Listener, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="certificate"):
        connect(listener, root=tmp_path / "xx-nowhere-1.pem")
    assert listener.told == []
