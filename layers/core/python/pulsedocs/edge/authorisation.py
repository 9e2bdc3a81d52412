"""Who is calling: the one place that turns a token into a tenant.

JWT best current practice (RFC 8725): algorithm allow-list, issuer, audience, expiry, and a key
only from the issuer's own key set; a token's header never chooses how it is checked.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from uuid import UUID

import jwt

from pulsedocs.edge.json_text import without_repeats
from pulsedocs.edge.observability import logger
from pulsedocs.errors import ConfigurationError, ProviderUnavailable, Unauthenticated
from pulsedocs.settings import Settings

_KEY_SET_SECONDS = 300  # for a key that is not in it 30, PyJWT's pause between two looks
_KEY_SET_TIMEOUT_SECONDS = 3
_LEEWAY_SECONDS = 30  # between the issuer's clock and ours (RFC 7519, 4.1.4)
_REQUIRED = ["exp", "iat", "iss", "sub"]


class Unauthorized(Exception):
    """API Gateway answers 401 to exactly this word and 500 to any other error."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")


@dataclass(frozen=True, slots=True)
class Caller:
    """The verified sender of a request. The tenant comes from here and nowhere else."""

    tenant_id: UUID
    subject: str
    scopes: frozenset[str]


def authoriser_policy(event: Mapping[str, Any], *, settings: Settings) -> dict[str, Any]:
    """Answer API Gateway's TOKEN authoriser event: allow the whole stage, with the caller.

    Refusal is the exception "Unauthorized", which API Gateway turns into 401 and nothing else does
    (https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html).
    The answer is cached by token, so it must not depend on the route; scopes are checked behind it.
    """
    try:
        found = verify(_bearer(event), settings=settings)
    except Unauthenticated as error:
        logger().info("unauthenticated", reason=error.message)
        raise Unauthorized from None
    api, stage, *_ = str(event["methodArn"]).split("/")
    return {
        "principalId": found.subject,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": "Allow",
                    "Resource": f"{api}/{stage}/*",
                }
            ],
        },
        "context": {
            "tenant_id": str(found.tenant_id),
            "subject": found.subject,
            "scopes": " ".join(sorted(found.scopes)),
        },
    }


def _bearer(event: Mapping[str, Any]) -> str:
    scheme, _, token = str(event.get("authorizationToken", "")).partition(" ")
    if scheme.lower() != "bearer" or not token:
        message = "the Authorization header is not a bearer token"
        raise Unauthenticated(message)
    return token.strip()


def verify(token: str, *, settings: Settings) -> Caller:
    """Return who the token speaks for; raise Unauthenticated saying what is wrong with it."""
    if settings.token_jwks_url is None or not settings.token_issuer:
        message = "TOKEN_JWKS_URL and TOKEN_ISSUER must be set"
        raise ConfigurationError(message)
    try:
        keys = _key_set(str(settings.token_jwks_url))
        key = keys.get_signing_key_from_jwt(token).key
        claims = jwt.decode(
            token,
            key,
            algorithms=list(settings.token_algorithms),
            issuer=settings.token_issuer,
            leeway=_LEEWAY_SECONDS,
            options={"require": _REQUIRED, "verify_aud": False},
        )
    except jwt.PyJWKClientConnectionError as error:
        message = "the issuer's key set cannot be fetched"
        raise ProviderUnavailable(message) from error
    except jwt.PyJWTError as error:
        # By its kind alone: its text quotes the header, which anybody may write, into the log.
        message = f"the token was refused: {type(error).__name__}"
        raise Unauthenticated(message) from error
    _refuse_repeated_claims(token)
    _check_audience(claims, settings)
    tenant_id = canonical_tenant(claims.get(settings.token_tenant_claim))
    subject = str(claims["sub"])
    if not subject.strip() or not subject.isprintable():
        message = "the token's subject is blank or has control characters"
        raise Unauthenticated(message)
    return Caller(tenant_id, subject, frozenset(_scopes(claims, settings)))


@cache
def _key_set(url: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(url, lifespan=_KEY_SET_SECONDS, timeout=_KEY_SET_TIMEOUT_SECONDS)


def _refuse_repeated_claims(token: str) -> None:
    """Refuse a payload that names a claim twice: parsers differ in which one they keep."""
    payload = token.split(".")[1]
    text = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    try:
        json.loads(text, object_pairs_hook=without_repeats)
    except ValueError as error:
        message = "the token names a claim twice"
        raise Unauthenticated(message) from error


def _check_audience(claims: Mapping[str, Any], settings: Settings) -> None:
    """Accept `aud`, or Cognito's `client_id` (its access tokens carry no audience)."""
    if claims.get("token_use", "access") != "access":
        message = "the token is not an access token"
        raise Unauthenticated(message)
    audience = claims.get("aud", claims.get("client_id"))
    named = cast("list[object]", audience) if isinstance(audience, list) else [audience]
    if not any(own in named for own in settings.token_audience.split()):
        message = "the token is for another audience"
        raise Unauthenticated(message)


def _scopes(claims: Mapping[str, Any], settings: Settings) -> Iterator[str]:
    """Yield what the token allows. RFC 8693 has words with spaces; Okta and Entra write lists.

    A word of a list that has spaces is the name of something else, and would be read as two.
    """
    for name in settings.token_scope_claim.split():
        said: object = claims.get(name, "")
        words = said.split() if isinstance(said, str) else said
        for word in cast("list[object]", words) if isinstance(words, list) else [None]:
            if not isinstance(word, str):
                message = f"the token's {name} is neither words nor a list of them"
                raise Unauthenticated(message)
            if len(word.split()) == 1:
                yield word


def canonical_tenant(claimed: object) -> UUID:
    """Read a tenant id; only the canonical spelling of a UUID other than nil is one."""
    if isinstance(claimed, str):
        try:
            parsed = UUID(claimed)
        except ValueError:
            parsed = UUID(int=0)
        if str(parsed) == claimed and parsed.int:
            return parsed
    message = "the token's tenant claim is not a canonical UUID"
    raise Unauthenticated(message)
