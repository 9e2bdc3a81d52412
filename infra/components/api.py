"""The REST API: every route of the table, and errors of its own in the product's form."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.logs import log_group
from infra.config import Options, Stage
from infra.functions import FUNCTIONS
from infra.routes import ROUTES
from pulsedocs.errors import (
    BodyTooLarge,
    Forbidden,
    InvalidRequest,
    NotFound,
    PulseDocsError,
    Throttled,
    TimedOut,
    Unauthenticated,
)
from pulsedocs.headers import CHALLENGE, PREFLIGHT_SECONDS, SECURITY_HEADERS, SENT_BY_PAGES

INTEGRATION_SECONDS: Final = 29  # the longest that a REST API waits without a raised quota
STREAM_SECONDS: Final = 900  # the longest that it streams
_AUTHORISATION_SECONDS: Final = 300
_UNCHECKED: Final = "the access token could not be checked"

# What API Gateway answers by itself: its type, the status, our error, the sentence.
_GATEWAY_ERRORS: Final[tuple[tuple[str, int, type[PulseDocsError], str], ...]] = (
    ("DEFAULT_4XX", 400, InvalidRequest, "the request was refused before it reached a function"),
    ("DEFAULT_5XX", 500, PulseDocsError, "the request could not be handled"),
    ("UNAUTHORIZED", 401, Unauthenticated, "the access token is missing or was refused"),
    ("ACCESS_DENIED", 403, Forbidden, "the access token does not allow this"),
    ("WAF_FILTERED", 403, Forbidden, "the firewall refused the request"),
    ("MISSING_AUTHENTICATION_TOKEN", 404, NotFound, "there is no such route"),
    ("RESOURCE_NOT_FOUND", 404, NotFound, "there is no such route"),
    ("REQUEST_TOO_LARGE", 413, BodyTooLarge, "the request is larger than 6 MB"),
    ("INTEGRATION_TIMEOUT", 504, TimedOut, "no function answered within 29 seconds"),
    # Also where all of the account's Lambda executions are in use: then the function never began.
    ("INTEGRATION_FAILURE", 502, PulseDocsError, "the function did not run, or failed"),
    ("AUTHORIZER_CONFIGURATION_ERROR", 503, PulseDocsError, _UNCHECKED),
    ("AUTHORIZER_FAILURE", 503, PulseDocsError, _UNCHECKED),
)
# A static value stands in quotes and can hold none; fixed JSON texts need no content policy.
_SECURITY: Final = {name: f"'{text}'" for name, text in SECURITY_HEADERS.items() if "'" not in text}
_AGAIN: Final = {"Retry-After": "'5'"}  # as functions say it
_HEADERS: Final[Mapping[int, Mapping[str, str]]] = {
    HTTPStatus.UNAUTHORIZED: {name: f"'{text}'" for name, text in CHALLENGE.items()},
    HTTPStatus.BAD_GATEWAY: _AGAIN,
    HTTPStatus.SERVICE_UNAVAILABLE: _AGAIN,
}
_ACCESS_LOG: Final = {
    "request_id": "$context.requestId",
    "time": "$context.requestTimeEpoch",
    # The resource with its placeholders: neither ids nor query text reach the log.
    "route": "$context.httpMethod $context.resourcePath",
    "status": "$context.status",
    "error": "$context.error.responseType",
    # What Lambda answered for the function: 429 where it had no room to run it.
    "lambda": "$context.integrationStatus",
    "ms": "$context.responseLatency",
    "bytes": "$context.responseLength",
    "tenant_id": "$context.authorizer.tenant_id",
}


class Api(Construct):
    """Regional, throttled as a whole; budgets by tenant are the product's own."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        functions: Mapping[str, lambda_.IFunction],
        options: Options,
    ) -> None:
        super().__init__(scope, id_)
        origins = options.origins
        self._readable = {"Access-Control-Allow-Origin": "'*'"} if origins else {}
        self.rest_api = self._make_rest_api(stage, origins)
        self.rest_api.deployment_stage.node.add_dependency(self._let_gateway_log())
        if options.domain_name:
            self.rest_api.add_domain_name(
                "Domain",
                domain_name=options.domain_name,
                certificate=acm.Certificate.from_certificate_arn(
                    self, "Certificate", options.certificate
                ),
                endpoint_type=apigateway.EndpointType.REGIONAL,
                security_policy=apigateway.SecurityPolicy.TLS_1_2,
                base_path="",
            )
        self._add_routes(functions)
        for kind, status, error, detail in _GATEWAY_ERRORS:
            self._answer(
                kind,
                status=status,
                problem=_problem(error, status, detail),
                headers=_HEADERS.get(status),
            )
        seconds = max(1, round(stage.request_burst / stage.requests_per_second))
        self._answer(
            "THROTTLED",
            status=429,
            problem=throttled("the stage's request limit is reached"),
            headers={"Retry-After": f"'{seconds}'"},
        )

    def _add_routes(self, functions: Mapping[str, lambda_.IFunction]) -> None:
        integrations = {
            name: apigateway.LambdaIntegration(
                functions[name],
                timeout=Duration.seconds(
                    STREAM_SECONDS if FUNCTIONS[name].streams else INTEGRATION_SECONDS
                ),
                # Passes on what a function says while it still works.
                response_transfer_mode=(
                    apigateway.ResponseTransferMode.STREAM if FUNCTIONS[name].streams else None
                ),
                scope_permission_to_method=False,
            )
            for name in sorted({route.function for route in ROUTES})
        }
        authorizer = apigateway.TokenAuthorizer(
            self,
            "Authorizer",
            handler=functions["authorize"],
            results_cache_ttl=Duration.seconds(_AUTHORISATION_SECONDS),
        )
        for route in ROUTES:
            is_open = route.scope is None
            self.rest_api.root.resource_for_path(route.path).add_method(
                route.method,
                integrations[route.function],
                # Scopes are checked behind the authoriser, whose answer is cached by token.
                authorizer=None if is_open else authorizer,
                authorization_type=(
                    apigateway.AuthorizationType.NONE
                    if is_open
                    else apigateway.AuthorizationType.CUSTOM
                ),
            )

    def _make_rest_api(self, stage: Stage, origins: Sequence[str]) -> apigateway.RestApi:
        log = log_group(self, "AccessLog", name=f"/pulsedocs/{stage.name}/api", days=stage.log_days)
        # A browser sends no token with OPTIONS, so it is answered before any authoriser. Pages of
        # every origin may read the gateway's own errors: they are fixed texts, and where there are
        # several origins they cannot name the one that asked.
        preflight = apigateway.CorsOptions(
            allow_origins=list(origins),
            allow_methods=sorted({route.method for route in ROUTES}),
            allow_headers=list(SENT_BY_PAGES),
            max_age=Duration.seconds(PREFLIGHT_SECONDS),
        )
        return apigateway.RestApi(
            self,
            "RestApi",
            rest_api_name=f"pulsedocs-{stage.name}",
            endpoint_types=[apigateway.EndpointType.REGIONAL],
            cloud_watch_role=False,
            default_cors_preflight_options=preflight if origins else None,
            deploy_options=apigateway.StageOptions(
                stage_name=stage.name,
                throttling_rate_limit=stage.requests_per_second,
                throttling_burst_limit=stage.request_burst,
                tracing_enabled=True,
                logging_level=apigateway.MethodLoggingLevel.OFF,
                data_trace_enabled=False,
                access_log_destination=apigateway.LogGroupLogDestination(log),
                access_log_format=apigateway.AccessLogFormat.custom(json.dumps(_ACCESS_LOG)),
            ),
        )

    def _let_gateway_log(self) -> apigateway.CfnAccount:
        """Let API Gateway write logs; one setting for the account and region, so it stays."""
        role = iam.Role(
            self,
            "LogWriter",
            assumed_by=iam.ServicePrincipal("apigateway.amazonaws.com"),
            managed_policies=[
                iam.ManagedPolicy.from_aws_managed_policy_name(
                    "service-role/AmazonAPIGatewayPushToCloudWatchLogs"
                )
            ],
        )
        role.apply_removal_policy(RemovalPolicy.RETAIN)
        account = apigateway.CfnAccount(self, "Account", cloud_watch_role_arn=role.role_arn)
        account.apply_removal_policy(RemovalPolicy.RETAIN)
        return account

    def _answer(
        self,
        kind: str,
        *,
        status: int,
        problem: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.rest_api.add_gateway_response(
            kind.title().replace("_", ""),
            type=apigateway.ResponseType.of(kind),
            status_code=str(status),
            response_headers={
                "Content-Type": "'application/problem+json'",
                **_SECURITY,
                **self._readable,
                **(headers or {}),
            },
            templates={"application/json": json.dumps(problem)},
        )


def _problem(error: type[PulseDocsError], status: int, detail: str) -> dict[str, Any]:
    """Return a problem document as `edge.api` writes it; API Gateway fills in the request id."""
    return {
        "type": f"urn:pulsedocs:error:{error.code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": error.code,
        "detail": detail,
        "context": {},
        "guidance": error.guidance,
        "request_id": "$context.requestId",
    }


def throttled(detail: str) -> dict[str, Any]:
    """Return the problem document of too many requests."""
    return _problem(Throttled, HTTPStatus.TOO_MANY_REQUESTS, detail)
