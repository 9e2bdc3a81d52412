"""The API has the routes of the table, each guarded as it says, and errors in one form."""

import json
from typing import Any

import pytest

from infra.components.api import INTEGRATION_SECONDS, STREAM_SECONDS
from infra.config import Stage
from infra.functions import FUNCTIONS
from infra.routes import ROUTES
from pulsedocs.client.transport import LATER, PATIENCE_SECONDS
from pulsedocs.errors import PulseDocsError, branch
from tests.infra.synthesise import CHOSEN
from tests.infra.templates import StageTemplates, reference_in

PROBLEM = {"type", "title", "status", "code", "detail", "context", "guidance", "request_id"}


def path_of(templates: StageTemplates, resource: Any) -> str:
    """Return the path of an API resource, from its last part up to the root."""
    parts: list[str] = []
    while "Ref" in resource:
        properties = templates.resources[resource["Ref"]]["Properties"]
        parts.insert(0, properties["PathPart"])
        resource = properties["ParentId"]
    return "/" + "/".join(parts)


def routes(templates: StageTemplates) -> dict[tuple[str, str], dict[str, Any]]:
    return {name: method for name, method in methods(templates).items() if name[0] != "OPTIONS"}


def methods(templates: StageTemplates) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (method["HttpMethod"], path_of(templates, method["ResourceId"])): method
        for method in templates.properties("ApiGateway::Method")
    }


def test_a_browsers_preflight_needs_no_token_and_names_the_allowed_origins(
    templates: StageTemplates,
) -> None:
    """Without the option, no page of another origin can call the API at all."""
    preflights = {
        path: method for (name, path), method in methods(templates).items() if name == "OPTIONS"
    }

    if not CHOSEN[templates.name].origins:
        assert preflights == {}
        return
    assert set(preflights) >= {route.path for route in ROUTES}
    for preflight in preflights.values():
        assert preflight["AuthorizationType"] == "NONE"
        integration = preflight["Integration"]
        assert integration["Type"] == "MOCK"
        [answer] = integration["IntegrationResponses"]
        written = json.dumps(answer)
        for name in ("Authorization", "Idempotency-Key", *(route.method for route in ROUTES)):
            assert name in written
        for origin in CHOSEN[templates.name].origins:
            assert origin in written
        assert "'*'" not in written


def test_a_page_can_read_the_gateways_own_errors_where_pages_are_allowed(
    templates: StageTemplates,
) -> None:
    """Else an expired token looks like a broken network."""
    answers = templates.properties("ApiGateway::GatewayResponse")

    assert {"DEFAULT_4XX", "DEFAULT_5XX", "UNAUTHORIZED"} <= {
        answer["ResponseType"] for answer in answers
    }
    for answer in answers:
        allowed = answer["ResponseParameters"].get(
            "gatewayresponse.header.Access-Control-Allow-Origin"
        )
        assert allowed == ("'*'" if CHOSEN[templates.name].origins else None)


def test_the_functions_behind_a_route_and_no_others_know_the_allowed_origins(
    templates: StageTemplates,
) -> None:
    origins = list(CHOSEN[templates.name].origins)
    told = {
        name: json.loads(templates.environment(name)["CORS_ORIGINS"])
        for name in FUNCTIONS
        if "CORS_ORIGINS" in templates.environment(name)
    }

    assert told == (dict.fromkeys((route.function for route in ROUTES), origins) if origins else {})


def test_the_routes_of_the_table_are_deployed_and_no_others(templates: StageTemplates) -> None:
    """P-04: as deployed."""
    assert set(routes(templates)) == {(route.method, route.path) for route in ROUTES}


def test_a_route_leads_to_its_function(templates: StageTemplates) -> None:
    deployed = routes(templates)
    for route in ROUTES:
        integration = deployed[route.method, route.path]["Integration"]
        arn = reference_in(integration["Uri"])
        assert templates.function_at(arn) == route.function
        assert integration["Type"] == "AWS_PROXY"
        streams = FUNCTIONS[route.function].streams
        seconds = STREAM_SECONDS if streams else INTEGRATION_SECONDS
        assert integration["TimeoutInMillis"] == seconds * 1000
        assert integration.get("ResponseTransferMode") == ("STREAM" if streams else None)


def test_a_route_needs_a_token_unless_the_table_opens_it(templates: StageTemplates) -> None:
    [authorizer] = templates.of("ApiGateway::Authorizer")
    deployed = routes(templates)
    for route in ROUTES:
        method = deployed[route.method, route.path]
        guard = (method["AuthorizationType"], method.get("AuthorizerId", {}).get("Ref"))
        assert guard == (("NONE", None) if route.scope is None else ("CUSTOM", authorizer))


def test_tokens_are_judged_by_authorize(templates: StageTemplates) -> None:
    [authorizer] = templates.properties("ApiGateway::Authorizer")
    arn = reference_in(authorizer["AuthorizerUri"])

    assert authorizer["Type"] == "TOKEN"
    assert authorizer["IdentitySource"] == "method.request.header.Authorization"
    assert templates.function_at(arn) == "authorize"


def test_the_stage_is_throttled_and_logged_without_query_text(
    templates: StageTemplates, stage: Stage
) -> None:
    """P-06: as deployed."""
    [deployed] = templates.properties("ApiGateway::Stage")
    [settings] = deployed["MethodSettings"]

    assert (settings["HttpMethod"], settings["ResourcePath"]) == ("*", "/*")
    assert settings["ThrottlingRateLimit"] == stage.requests_per_second
    assert settings["ThrottlingBurstLimit"] == stage.request_burst
    assert settings["DataTraceEnabled"] is False
    assert settings["LoggingLevel"] == "OFF"
    logged = deployed["AccessLogSetting"]["Format"]
    assert json.loads(logged)["route"] == "$context.httpMethod $context.resourcePath"
    assert json.loads(logged)["lambda"] == "$context.integrationStatus"
    for leak in (
        "$context.path",
        "querystring",
        "$input",
        "$context.authorizer.subject",
        "sourceIp",
    ):
        assert leak not in logged


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("UNAUTHORIZED", 401, "UNAUTHENTICATED"),
        ("ACCESS_DENIED", 403, "FORBIDDEN"),
        ("MISSING_AUTHENTICATION_TOKEN", 404, "NOT_FOUND"),
        ("REQUEST_TOO_LARGE", 413, "REQUEST_TOO_LARGE"),
        ("THROTTLED", 429, "THROTTLED"),
        ("INTEGRATION_TIMEOUT", 504, "TIMED_OUT"),
        ("INTEGRATION_FAILURE", 502, "INTERNAL"),
        ("AUTHORIZER_CONFIGURATION_ERROR", 503, "INTERNAL"),
        ("AUTHORIZER_FAILURE", 503, "INTERNAL"),
        ("DEFAULT_4XX", 400, "INVALID_REQUEST"),
        ("DEFAULT_5XX", 500, "INTERNAL"),
    ],
)
def test_the_gateways_own_errors_are_problem_documents(
    kind: str, status: int, code: str, templates: StageTemplates
) -> None:
    [answer] = [
        answer
        for answer in templates.properties("ApiGateway::GatewayResponse")
        if answer["ResponseType"] == kind
    ]
    problem = json.loads(answer["ResponseTemplates"]["application/json"])

    assert set(problem) == PROBLEM
    assert (problem["status"], problem["code"]) == (status, code)
    assert answer["StatusCode"] == str(status)
    assert problem["type"] == f"urn:pulsedocs:error:{code}"
    sniffing = answer["ResponseParameters"]["gatewayresponse.header.X-Content-Type-Options"]
    assert sniffing == "'nosniff'"
    content_type = answer["ResponseParameters"]["gatewayresponse.header.Content-Type"]
    assert content_type == "'application/problem+json'"


def test_the_gateway_uses_the_products_codes(templates: StageTemplates) -> None:
    codes = {
        json.loads(answer["ResponseTemplates"]["application/json"])["code"]
        for answer in templates.properties("ApiGateway::GatewayResponse")
    }

    assert codes <= {error.code for error in branch(PulseDocsError)}


@pytest.mark.parametrize(
    "kind",
    ["THROTTLED", "INTEGRATION_FAILURE", "AUTHORIZER_CONFIGURATION_ERROR", "AUTHORIZER_FAILURE"],
)
def test_a_client_is_told_when_to_come_back(kind: str, templates: StageTemplates) -> None:
    """Fails when: a stage of an account with few Lambda executions answers what nobody repeats.

    Where all are in use, the gateway runs neither authoriser nor function, and says so by the last
    three.
    """
    [answer] = [
        answer
        for answer in templates.properties("ApiGateway::GatewayResponse")
        if answer["ResponseType"] == kind
    ]

    assert int(answer["StatusCode"]) in LATER
    wait = answer["ResponseParameters"]["gatewayresponse.header.Retry-After"].strip("'")
    assert int(wait) >= 1


def test_a_firewall_stands_before_the_stages_that_pay_for_one(
    templates: StageTemplates, stage: Stage
) -> None:
    assert bool(templates.of("WAFv2::WebACLAssociation")) is stage.has_firewall
    for acl in templates.properties("WAFv2::WebACL"):
        # A sampled request shows its body.
        samples = [rule["VisibilityConfig"]["SampledRequestsEnabled"] for rule in acl["Rules"]]
        assert not any(samples)


def test_one_address_may_send_half_of_what_the_stage_takes_and_is_then_told_to_wait(
    templates: StageTemplates, stage: Stage
) -> None:
    """An office or a chat server is one address for many people; its client tries again."""
    for acl in templates.properties("WAFv2::WebACL"):
        [rule] = [rule for rule in acl["Rules"] if "RateBasedStatement" in rule["Statement"]]
        limit = rule["Statement"]["RateBasedStatement"]
        answer = rule["Action"]["Block"]["CustomResponse"]
        [header] = answer["ResponseHeaders"]
        body = acl["CustomResponseBodies"][answer["CustomResponseBodyKey"]]
        problem = json.loads(body["Content"])

        assert limit["Limit"] / limit["EvaluationWindowSec"] == stage.requests_per_second / 2
        assert answer["ResponseCode"] == 429
        assert header["Name"] == "Retry-After"
        assert int(header["Value"]) < PATIENCE_SECONDS
        assert body["ContentType"] == "APPLICATION_JSON"
        assert set(problem) == PROBLEM
        assert (problem["status"], problem["code"]) == (429, "THROTTLED")
        assert not problem["request_id"]
