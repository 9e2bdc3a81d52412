"""Signatures with Ed25519 (RFC 8032); keys are derived (RFC 5869) and so need no store."""

import base64
import binascii
import hashlib
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pulsedocs.model.proofs import Signature

_KEY_BYTES: Final = 32
_PURPOSE: Final = b"pulsedocs proofs 1"  # another use of the same secret derives another key
_ID_CHARACTERS: Final = 32  # 128 bits: nobody finds a second key of the same id


class Ed25519Signer:
    """Implements `questions.ports.Signer` with the key that a secret of the stage derives."""

    def __init__(self, secret: bytes) -> None:
        derivation = HKDF(SHA256(), length=_KEY_BYTES, salt=None, info=_PURPOSE)
        self._key = Ed25519PrivateKey.from_private_bytes(derivation.derive(secret))
        public_key = self._key.public_key().public_bytes_raw()
        self.public_key = base64.b64encode(public_key).decode()
        self.key_id = _key_id(public_key)

    def sign(self, body: bytes) -> Signature:
        signature = base64.b64encode(self._key.sign(body)).decode()
        return Signature(self.key_id, self.public_key, signature)


def is_signed(body: bytes, signature: Signature) -> bool:
    """Say whether the signature is of these bytes, by its own key, under the id of that key."""
    try:
        public_key = base64.b64decode(signature.public_key, validate=True)
        signed = base64.b64decode(signature.signature, validate=True)
        Ed25519PublicKey.from_public_bytes(public_key).verify(signed, body)
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return signature.key_id == _key_id(public_key)


def _key_id(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()[:_ID_CHARACTERS]
