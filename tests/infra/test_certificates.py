"""Of AWS's bundle, a region is given what signs its own databases, and nothing else."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from infra.certificates import write_regions

KEY = ec.generate_private_key(ec.SECP256R1())


def certificate(*names: str) -> str:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name) for name in names])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(KEY.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(KEY, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode("ascii").strip()


def test_a_regions_file_holds_its_own_authorities(tmp_path: Path) -> None:
    names = [
        "Amazon RDS eu-west-1 Root CA RSA2048 G1",
        "Amazon RDS us-gov-east-1 Root CA ECC384 G1",
        "Amazon RDS eu-west-1 Root CA ECC384 G1",
    ]
    texts = [certificate(name) for name in names]

    write_regions("\n".join(texts), tmp_path / "out")

    written = {file.name: file.read_text("ascii") for file in (tmp_path / "out").iterdir()}
    assert set(written) == {"eu-west-1.pem", "us-gov-east-1.pem"}
    assert written["us-gov-east-1.pem"] == f"{texts[1]}\n"
    assert sorted(texts[::2]) == written["eu-west-1.pem"].strip().replace(
        "-----\n-----BEGIN", "-----\0-----BEGIN"
    ).split("\0")


@pytest.mark.parametrize(
    "name",
    [
        "Amazon RDS Beta us-east-1 Root CA RSA2048 G1",
        "Amazon RDS us-east-1 2019 CA",
        "Not Amazon RDS us-east-1 Root CA RSA2048 G1",
        "Amazon RDS ../etc Root CA RSA2048 G1",
    ],
)
def test_what_is_no_authority_of_a_region_is_left_out(name: str, tmp_path: Path) -> None:
    write_regions(certificate(name), tmp_path / "out")

    assert list((tmp_path / "out").iterdir()) == []
