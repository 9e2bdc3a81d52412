"""A pool's access tokens name a tenant that the user cannot choose."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from infra.components import tenant_claim
from infra.config import CALLBACK_URLS
from pulsedocs.scopes import ADMIN, READ, WRITE
from tests.infra.synthesise import OPTIONS, TENANT_OF_A_SERVICE, WITH_SERVICES
from tests.infra.templates import StageTemplates

TENANT = str(uuid4())


def event(*, tenant: str | None = TENANT, groups: list[str] | None = None) -> dict[str, Any]:
    """Return what Cognito sends before it signs a token (pre token generation, version 3)."""
    attributes = {"sub": str(uuid4()), "email": "reader@example.com"}
    return {
        "version": "3",
        "triggerSource": "TokenGeneration_Authentication",
        "request": {
            "userAttributes": attributes | ({} if tenant is None else {"custom:tenant_id": tenant}),
            "groupConfiguration": {"groupsToOverride": groups or []},
            "scopes": ["aws.cognito.signin.user.admin"],
        },
        "response": {"claimsAndScopeOverrideDetails": None},
    }


def event_of_a_service(*scopes: str) -> dict[str, Any]:
    """Return what Cognito sends for a client with a secret: there is no user to tell of."""
    return {
        "version": "3",
        "triggerSource": "TokenGeneration_ClientCredentials",
        "callerContext": {"clientId": "of-a-service"},
        "request": {"userAttributes": {}, "groupConfiguration": {}, "scopes": list(scopes)},
        "response": {"claimsAndScopeOverrideDetails": None},
    }


def access_token(given: dict[str, Any]) -> dict[str, Any]:
    answer = tenant_claim.handler(given, None)
    return answer["response"]["claimsAndScopeOverrideDetails"]["accessTokenGeneration"]


def test_an_access_token_names_the_users_tenant() -> None:
    assert access_token(event())["claimsToAddOrOverride"] == {"tenant_id": TENANT}


def test_everyone_may_read_and_writers_may_write() -> None:
    assert access_token(event())["scopesToAdd"] == [READ]
    assert access_token(event(groups=["writers"]))["scopesToAdd"] == [READ, WRITE]


def test_only_operators_say_what_a_tenant_spends() -> None:
    assert access_token(event(groups=["operators"]))["scopesToAdd"] == [READ, ADMIN]


def test_a_scope_that_a_client_asked_for_is_taken_from_who_may_not_have_it() -> None:
    assert access_token(event())["scopesToSuppress"] == [WRITE, ADMIN]
    assert access_token(event(groups=["writers"]))["scopesToSuppress"] == [ADMIN]
    assert access_token(event(groups=["writers", "operators"]))["scopesToSuppress"] == []


@pytest.mark.parametrize("tenant", [None, "", "tenant", "1"])
def test_a_user_without_a_tenant_gets_no_token(tenant: str | None) -> None:
    with pytest.raises(ValueError, match="badly formed"):
        tenant_claim.handler(event(tenant=tenant), None)


def test_a_service_speaks_for_the_tenant_of_its_client_with_its_clients_scopes() -> None:
    token = access_token(event_of_a_service(READ, WRITE, f"tenant/{TENANT}"))

    assert token["claimsToAddOrOverride"] == {"tenant_id": TENANT}
    assert token["scopesToAdd"] == token["scopesToSuppress"] == []


@pytest.mark.parametrize(
    "scopes",
    [(READ,), (READ, "tenant/x"), (f"tenant/{TENANT}", f"tenant/{uuid4()}")],
    ids=["no tenant", "no UUID", "two tenants"],
)
def test_a_service_without_exactly_one_tenant_gets_no_token(scopes: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"unpack|badly formed"):
        tenant_claim.handler(event_of_a_service(*scopes), None)


def test_each_service_has_a_client_that_may_name_its_own_tenant_only(assemblies: Path) -> None:
    """A program cannot choose: Cognito gives a client no scope but those it was made with."""
    templates = StageTemplates(name="dev", folder=assemblies / WITH_SERVICES)
    clients = {
        client["ClientName"]: client
        for client in templates.properties("Cognito::UserPoolClient")
        if "ClientName" in client
    }

    assert set(clients) == {"nightly-import", "reports"}
    client = clients["nightly-import"]
    assert client["AllowedOAuthFlows"] == ["client_credentials"]
    assert client["GenerateSecret"] is True
    assert client["WriteAttributes"] == ["email"]
    scopes = [scope["Fn::Join"][1][1] for scope in client["AllowedOAuthScopes"]]
    assert scopes == ["/read", "/write", f"/{TENANT_OF_A_SERVICE}"]
    variables = templates.environment("authorize")["TOKEN_AUDIENCE"].split()
    assert len(variables) == len(set(variables)) == 3


def test_people_sign_in_by_a_page_that_gives_codes_to_this_machine_and_the_console_only(
    templates: StageTemplates,
) -> None:
    for client in templates.properties("Cognito::UserPoolClient"):
        assert client["AllowedOAuthFlows"] == ["code"]
        assert client["AllowedOAuthScopes"] == ["openid"]
        *here, console = client["CallbackURLs"]
        assert here == list(CALLBACK_URLS)
        assert client["LogoutURLs"] == [console]
        assert console["Fn::Join"][1][0] == "https://"
        assert console["Fn::Join"][1][2] == ".execute-api."


def test_the_deployed_trigger_is_the_tested_one(templates: StageTemplates) -> None:
    source = Path(tenant_claim.__file__).read_text("utf-8")

    for pool in templates.properties("Cognito::UserPool"):
        [trigger] = [
            function for name, function in templates.functions.items() if name == "tenant-claim"
        ]
        assert trigger["Code"] == {"ZipFile": source}
        configured = pool["LambdaConfig"]["PreTokenGenerationConfig"]
        assert configured["LambdaVersion"] == "V3_0"
        assert templates.function_at(configured["LambdaArn"]) == "tenant-claim"


def test_nobody_registers_themselves_or_writes_their_own_tenant(templates: StageTemplates) -> None:
    for pool in templates.properties("Cognito::UserPool"):
        assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    for client in templates.properties("Cognito::UserPoolClient"):
        assert client["WriteAttributes"] == ["email"]
        assert client["PreventUserExistenceErrors"] == "ENABLED"
        assert client.get("GenerateSecret", False) is False


def test_an_address_is_one_user_however_its_letters_are_typed(templates: StageTemplates) -> None:
    for pool in templates.properties("Cognito::UserPool"):
        assert pool["UsernameConfiguration"] == {"CaseSensitive": False}


def test_an_issuer_of_ones_own_replaces_the_pool(templates: StageTemplates) -> None:
    is_own = templates.name.endswith("-own-issuer")
    environment = templates.environment("authorize")

    assert bool(templates.of("Cognito::UserPool")) is not is_own
    assert (environment["TOKEN_ISSUER"] == OPTIONS.token_issuer) is is_own
    if not is_own:
        [pool] = templates.of("Cognito::UserPool")
        [client] = templates.of("Cognito::UserPoolClient")
        issuer = f"https://cognito-idp.eu-west-1.amazonaws.com/{pool}"
        assert environment["TOKEN_ISSUER"] == issuer
        assert environment["TOKEN_JWKS_URL"] == f"{issuer}/.well-known/jwks.json"
        assert environment["TOKEN_AUDIENCE"] == client


def in_place(assemblies: Path, region: str, *, partition: str, suffix: str) -> StageTemplates:
    """Return the dev stage as CloudFormation would make it in a region."""
    pseudo = {"AWS::Region": region, "AWS::Partition": partition, "AWS::URLSuffix": suffix}
    return StageTemplates(name="dev", folder=assemblies / "dev", pseudo=pseudo)


def test_the_issuer_of_a_pool_in_china_has_chinas_address(assemblies: Path) -> None:
    templates = in_place(assemblies, "cn-north-1", partition="aws-cn", suffix="amazonaws.com.cn")
    environment = templates.environment("authorize")

    assert environment["TOKEN_ISSUER"].startswith(
        "https://cognito-idp.cn-north-1.amazonaws.com.cn/"
    )
    assert environment["TOKEN_JWKS_URL"].startswith(environment["TOKEN_ISSUER"])


@pytest.mark.parametrize(
    ("region", "partition", "address"),
    [
        ("eu-west-1", "aws", ".auth.eu-west-1.amazoncognito.com"),
        ("us-gov-west-1", "aws-us-gov", ".auth-fips.us-gov-west-1.amazoncognito.com"),
    ],
)
def test_people_and_services_are_sent_to_the_pools_page_in_its_partition(
    assemblies: Path, region: str, partition: str, address: str
) -> None:
    """GovCloud knows the FIPS addresses alone."""
    templates = in_place(assemblies, region, partition=partition, suffix="amazonaws.com")
    [shown] = [
        templates.text(outputs["SignInPage"]["Value"])
        for outputs in (each.get("Outputs", {}) for each in templates.templates)
        if "SignInPage" in outputs
    ]

    assert shown.endswith(address)
    assert templates.environment("query")["SIGN_IN_PAGE"] == shown
