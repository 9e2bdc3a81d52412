"""A token is worth exactly what its issuer signed; the tenant comes from nowhere else."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import HMACAlgorithm, RSAAlgorithm
from pydantic import HttpUrl

from pulsedocs.edge.authorisation import Unauthorized, authoriser_policy, verify
from pulsedocs.errors import Unauthenticated
from pulsedocs.settings import Settings

ISSUER = "https://issuer.test"
AUDIENCE = "pulsedocs-client"
TENANT = "11111111-1111-4111-8111-111111111111"
METHOD_ARN = "arn:aws:execute-api:us-east-1:123456789012:a1b2c3/dev/GET/documents/x/y"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
STRANGERS_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public_jwk() -> dict[str, Any]:
    document: dict[str, Any] = RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True)
    return {**document, "kid": "one", "use": "sig", "alg": "RS256"}


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    class KeySet(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"keys": [public_jwk()]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002 -- as inherited
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), KeySet) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Settings(
            TOKEN_ISSUER=ISSUER,
            TOKEN_AUDIENCE=AUDIENCE,
            TOKEN_JWKS_URL=HttpUrl(f"http://127.0.0.1:{server.server_port}/jwks.json"),
        )
        server.shutdown()


def claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    base = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "user-1",
        "iat": now,
        "exp": now + 600,
        "tenant_id": TENANT,
        "scope": "pulsedocs/read",
    }
    return {name: value for name, value in (base | changed).items() if value is not None}


def signed(payload: dict[str, Any], *, key: Any = KEY, **header: Any) -> str:
    return jwt.encode(payload, key, algorithm="RS256", headers={"kid": "one", **header})


def event(token: str) -> dict[str, Any]:
    return {"type": "TOKEN", "authorizationToken": f"Bearer {token}", "methodArn": METHOD_ARN}


def unsigned(payload: dict[str, Any]) -> str:
    return jwt.encode(payload, "", algorithm="none", headers={"kid": "one"})


def signed_with_the_public_key(payload: dict[str, Any]) -> str:
    """Make the classic confusion: the issuer's public key used as an HMAC secret."""
    header = part({"alg": "HS256", "typ": "JWT", "kid": "one"})
    body = part(payload)
    signature = HMACAlgorithm(HMACAlgorithm.SHA256).sign(
        f"{header}.{body}".encode(), json.dumps(public_jwk()).encode()
    )
    return f"{header}.{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def with_two_tenants(payload: dict[str, Any]) -> str:
    """Sign a payload whose JSON names the tenant twice."""
    text = json.dumps(payload)[:-1] + ', "tenant_id": "22222222-2222-4222-8222-222222222222"}'
    return jwt.api_jws.encode(text.encode(), KEY, algorithm="RS256", headers={"kid": "one"})


def test_a_good_token_allows_the_stage_and_names_its_tenant(settings: Settings) -> None:
    policy = authoriser_policy(event(signed(claims())), settings=settings)

    assert policy["context"] == {
        "tenant_id": TENANT,
        "subject": "user-1",
        "scopes": "pulsedocs/read",
    }
    [statement] = policy["policyDocument"]["Statement"]
    assert statement["Effect"] == "Allow"
    assert statement["Resource"] == "arn:aws:execute-api:us-east-1:123456789012:a1b2c3/dev/*"


def test_a_cognito_access_token_names_its_client_instead_of_an_audience(
    settings: Settings,
) -> None:
    token = signed(claims(aud=None, client_id=AUDIENCE, token_use="access"))  # noqa: S106 -- a kind of token

    assert authoriser_policy(event(token), settings=settings)["principalId"] == "user-1"


def test_a_service_is_an_audience_beside_the_people(settings: Settings) -> None:
    both = settings.model_copy(update={"token_audience": f"of-people {AUDIENCE}"})
    token = signed(claims(aud=None, client_id=AUDIENCE))

    assert authoriser_policy(event(token), settings=both)["context"]["tenant_id"] == TENANT
    with pytest.raises(Unauthorized):
        authoriser_policy(event(signed(claims(aud=f"of-people {AUDIENCE}"))), settings=both)


@pytest.mark.parametrize(
    ("named", "written"),
    [
        ("scope", {"scope": "openid pulsedocs/read pulsedocs/write"}),  # Cognito, Auth0, Keycloak
        ("scope permissions", {"permissions": ["pulsedocs/read", "pulsedocs/write"]}),  # Auth0
        ("scp", {"scp": ["openid", "pulsedocs/read", "pulsedocs/write"]}),  # Okta
        ("scp roles", {"scp": "pulsedocs/read pulsedocs/write"}),  # Entra ID, a person
        ("scp roles", {"roles": ["pulsedocs/read", "pulsedocs/write"]}),  # Entra ID, a program
        ("scp roles", {"scp": "pulsedocs/read", "roles": ["pulsedocs/write"]}),
    ],
)
def test_what_a_token_allows_stands_where_its_issuer_writes_it(
    settings: Settings, named: str, written: dict[str, Any]
) -> None:
    there = settings.model_copy(update={"token_scope_claim": named})

    found = verify(signed(claims(scope=None) | written), settings=there)

    assert found.scopes >= {"pulsedocs/read", "pulsedocs/write"}


def test_a_claim_that_is_not_named_allows_nothing(settings: Settings) -> None:
    """Whoever chooses roles of people in another program chooses nothing here."""
    found = verify(signed(claims(roles=["pulsedocs/admin"])), settings=settings)

    assert found.scopes == {"pulsedocs/read"}


def test_a_role_with_a_space_in_its_name_is_not_two_scopes(settings: Settings) -> None:
    """Scopes go on to the functions with spaces between: such a role made its bearer an admin."""
    there = settings.model_copy(update={"token_scope_claim": "roles"})
    token = signed(claims(roles=["pulsedocs/read", "not pulsedocs/admin", ""]))

    found = authoriser_policy(event(token), settings=there)

    assert found["context"]["scopes"] == "pulsedocs/read"


REFUSED: dict[str, Callable[[], str]] = {
    "no signature": lambda: unsigned(claims()),
    "the public key as a secret": lambda: signed_with_the_public_key(claims()),
    "a stranger's key": lambda: signed(claims(), key=STRANGERS_KEY),
    "an unknown key id": lambda: signed(claims(), kid="two"),
    "a key id that is a path": lambda: signed(claims(), kid="../../etc/passwd"),
    "a key of its own": lambda: signed(claims(), key=STRANGERS_KEY, jwk=public_jwk()),
    "expired": lambda: signed(claims(exp=int(time.time()) - 60)),
    "no expiry": lambda: signed(claims(exp=None)),
    "not valid yet": lambda: signed(claims(nbf=int(time.time()) + 600)),
    "another issuer": lambda: signed(claims(iss="https://elsewhere.test")),
    "another audience": lambda: signed(claims(aud="another-client")),
    "no audience": lambda: signed(claims(aud=None)),
    "an id token": lambda: signed(claims(token_use="id")),  # noqa: S106 -- a kind of token
    "no subject": lambda: signed(claims(sub=None)),
    "a blank subject": lambda: signed(claims(sub=" ")),
    "an empty subject": lambda: signed(claims(sub="")),
    "NUL in the subject": lambda: signed(claims(sub="a\0b")),
    "no tenant": lambda: signed(claims(tenant_id=None)),
    "an empty tenant": lambda: signed(claims(tenant_id="")),
    "the nil tenant": lambda: signed(claims(tenant_id="00000000-0000-0000-0000-000000000000")),
    "a tenant in capitals": lambda: signed(claims(tenant_id=TENANT.upper().replace("1", "A"))),
    "a tenant in braces": lambda: signed(claims(tenant_id=f"{{{TENANT}}}")),
    "a tenant with a space": lambda: signed(claims(tenant_id=TENANT + " ")),
    "two tenants in a list": lambda: signed(claims(tenant_id=[TENANT, TENANT])),
    "two tenants by name": lambda: with_two_tenants(claims()),
    "scopes in an object": lambda: signed(claims(scope={"pulsedocs/read": True})),
    "a scope that is a number": lambda: signed(claims(scope=["pulsedocs/read", 7])),
    "not a token": lambda: "abc",
    "nothing": lambda: "",
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_token_is_refused(settings: Settings, make: Callable[[], str]) -> None:
    with pytest.raises(Unauthorized, match=r"^Unauthorized$"):
        authoriser_policy(event(make()), settings=settings)


def test_what_is_logged_of_a_refusal_is_none_of_the_tokens_words(settings: Settings) -> None:
    """Anybody may write a header: without a signature, it stood in the log."""
    with pytest.raises(Unauthenticated) as refused:
        verify(signed(claims(), kid="words of a stranger"), settings=settings)

    assert refused.value.message == "the token was refused: PyJWKClientError"


def test_another_scheme_is_refused(settings: Settings) -> None:
    request = event("x") | {"authorizationToken": f"Basic {signed(claims())}"}

    with pytest.raises(Unauthorized):
        authoriser_policy(request, settings=settings)
