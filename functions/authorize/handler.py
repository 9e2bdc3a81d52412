"""API authoriser: who is calling, for any OpenID Connect issuer; the same code on every stage."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from pulsedocs import bootstrap
from pulsedocs.edge.authorisation import authoriser_policy


def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    return authoriser_policy(event, settings=bootstrap.settings())
