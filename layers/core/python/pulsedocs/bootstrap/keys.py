"""What this stage keeps secret: the keys of its providers, and of the hashes in its traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import SecretStr

from pulsedocs.bootstrap import aws, once, settings
from pulsedocs.errors import ConfigurationError
from pulsedocs.settings import SECRET_BY_NAME, SHORTEST_TRACE_SECRET

if TYPE_CHECKING:
    from pulsedocs.adapters.ed25519 import Ed25519Signer


def trace_secrets() -> tuple[bytes, ...]:
    """Return what the hashes in traces are keyed with, newest first; tenants' keys derive from it.

    Former ones stand behind it, with commas, until the last trace that they keyed has expired.
    """
    secret = settings().trace_secret
    if secret is None:
        raise ConfigurationError("TRACE_SECRET must be set for this function")
    listed = [text.strip() for text in _plain("TRACE_SECRET", secret).split(",")]
    if min(map(len, listed)) < SHORTEST_TRACE_SECRET:
        raise ConfigurationError(f"TRACE_SECRET is shorter than {SHORTEST_TRACE_SECRET} characters")
    return tuple(text.encode() for text in listed)


@once
def proof_signers() -> tuple[Ed25519Signer, ...]:
    """Return who signs proofs, first, and who signed them before the secret was changed.

    Their keys derive from the secret of the traces: an asymmetric key in KMS costs a dollar a
    month, and this stage costs nothing while nobody asks.
    """
    from pulsedocs.adapters.ed25519 import Ed25519Signer

    return tuple(map(Ed25519Signer, trace_secrets()))


def api_key(provider: str) -> str:
    return _plain(f"{provider.upper()}_API_KEY", given_key(provider))


def given_key(provider: str) -> SecretStr:
    """Return a provider's key, or the name of its parameter; raise where none is given."""
    chosen = settings()
    key = {"openai": chosen.openai_api_key, "cohere": chosen.cohere_api_key}[provider]
    if key is None:
        raise ConfigurationError(
            f"{provider.upper()}_API_KEY must be set to use a model of {provider}"
        )
    return key


def _plain(variable: str, secret: SecretStr) -> str:
    """Return a secret, which on AWS lies in the parameter that the variable names."""
    text = secret.get_secret_value()
    if text.startswith(SECRET_BY_NAME):
        text = _read_parameter(text.removeprefix(SECRET_BY_NAME))
    if not text:
        raise ConfigurationError(f"{variable} is empty")
    return text


@once
def _read_parameter(name: str) -> str:
    """Ask once an environment: a parameter that was written again is read by the next ones."""
    from pulsedocs.adapters.aws.parameters import ParameterStore

    return ParameterStore(**aws()).read(name)
