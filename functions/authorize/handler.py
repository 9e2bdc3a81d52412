"""API authoriser: who is calling, for any OpenID Connect issuer; the same code on every stage."""

from typing import Any

from pulsedocs import bootstrap
from pulsedocs.edge.authorisation import authoriser_policy


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return authoriser_policy(event, settings=bootstrap.settings())
