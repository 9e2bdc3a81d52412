"""The local stage's own identity provider: one RSA key, tokens signed with it, its key set."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from jwt.algorithms import RSAAlgorithm

from local.private_files import keep_private
from pulsedocs.scopes import READ, WRITE

ISSUER: Final = "https://pulsedocs.local"
TENANT: Final = UUID("0c7a1f2e-7d0b-4b53-9a53-6f2f5d1c0a01")
"""The tenant of a stage whose user has chosen none."""
AUDIENCE: Final = "pulsedocs-local"
ALGORITHM: Final = "RS256"
_KEY_ID: Final = "local"
_LIFETIME_SECONDS: Final = 7 * 24 * 3600  # a week: what `make token` prints, nobody renews
_KEY_BITS: Final = 2048  # the least that RS256 allows (RFC 7518, 3.3)


class TokenIssuer:
    """Signs access tokens for any tenant; the key lives in a file, so that a CLI can sign too."""

    def __init__(self, key_file: Path, *, issuer: str) -> None:
        self.issuer = issuer
        key = load_pem_private_key(keep_private(key_file, _new_key), password=None)
        if not isinstance(key, rsa.RSAPrivateKey):
            raise TypeError(f"{key_file} does not hold an RSA key; remove it")
        self._key = key

    def token(
        self,
        tenant_id: UUID,
        /,
        *,
        scopes: Sequence[str] = (READ, WRITE),
        subject: str = "local-user",
        lifetime_seconds: int = _LIFETIME_SECONDS,
        **claims: Any,  # noqa: ANN401 -- a test may claim anything
    ) -> str:
        """Return a signed access token; `claims` replace or add to the usual ones."""
        now = int(time.time())
        payload = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "sub": subject,
            "iat": now,
            "exp": now + lifetime_seconds,
            "token_use": "access",
            "tenant_id": str(tenant_id),
            "scope": " ".join(scopes),
            **claims,
        }
        return jwt.encode(payload, self._key, algorithm=ALGORITHM, headers={"kid": _KEY_ID})

    def key_set(self) -> dict[str, Any]:
        """Return the public keys as a JSON Web Key Set."""
        public = json.loads(RSAAlgorithm.to_jwk(self._key.public_key()))
        return {"keys": [{**public, "kid": _KEY_ID, "alg": ALGORITHM, "use": "sig"}]}


def _new_key() -> bytes:
    key = rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
