"""The REST API on moto, and the routes that it has there: what a gateway serves."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from infra.routes import Route
from tests.infra.deployed.deployment import Deployment, Maker, Properties
from tests.infra.deployed.intrinsics import Made

_ALL: Final = 500  # resources on a page


def api(deployment: Deployment, _logical_id: str, properties: Properties) -> Made:
    gateway = deployment.client("apigateway")
    created = gateway.create_rest_api(
        name=properties["Name"],
        endpointConfiguration={"types": properties["EndpointConfiguration"]["Types"]},
    )["id"]
    [root] = gateway.get_resources(restApiId=created)["items"]
    return Made(created, {"RootResourceId": root["id"]})


def resource(deployment: Deployment, _logical_id: str, properties: Properties) -> Made:
    created = deployment.client("apigateway").create_resource(
        restApiId=properties["RestApiId"],
        parentId=properties["ParentId"],
        pathPart=properties["PathPart"],
    )
    return Made(created["id"])


def method(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    gateway, integration = deployment.client("apigateway"), properties["Integration"]
    guard = {"authorizerId": properties["AuthorizerId"]} if "AuthorizerId" in properties else {}
    place = {
        "restApiId": properties["RestApiId"],
        "resourceId": properties["ResourceId"],
        "httpMethod": properties["HttpMethod"],
    }
    gateway.put_method(**place, authorizationType=properties["AuthorizationType"], **guard)
    gateway.put_integration(
        **place,
        type=integration["Type"],
        integrationHttpMethod=integration["IntegrationHttpMethod"],
        uri=integration["Uri"],
    )
    return Made(logical_id)


def authorizer(deployment: Deployment, _logical_id: str, properties: Properties) -> Made:
    created = deployment.client("apigateway").create_authorizer(
        restApiId=properties["RestApiId"],
        name=properties["Name"],
        type=properties["Type"],
        authorizerUri=properties["AuthorizerUri"],
        identitySource=properties["IdentitySource"],
        authorizerResultTtlInSeconds=properties["AuthorizerResultTtlInSeconds"],
    )
    return Made(created["id"])


def gateway_response(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    deployment.client("apigateway").put_gateway_response(
        restApiId=properties["RestApiId"],
        responseType=properties["ResponseType"],
        statusCode=properties["StatusCode"],
        responseParameters=properties["ResponseParameters"],
        responseTemplates=properties["ResponseTemplates"],
    )
    return Made(logical_id)


def release(deployment: Deployment, _logical_id: str, properties: Properties) -> Made:
    created = deployment.client("apigateway").create_deployment(restApiId=properties["RestApiId"])
    return Made(created["id"])


def stage(deployment: Deployment, _logical_id: str, properties: Properties) -> Made:
    deployment.client("apigateway").create_stage(
        restApiId=properties["RestApiId"],
        stageName=properties["StageName"],
        deploymentId=properties["DeploymentId"],
    )
    return Made(properties["StageName"])


MAKERS: Final[Mapping[str, Maker]] = {
    "AWS::ApiGateway::Authorizer": authorizer,
    "AWS::ApiGateway::Deployment": release,
    "AWS::ApiGateway::GatewayResponse": gateway_response,
    "AWS::ApiGateway::Method": method,
    "AWS::ApiGateway::Resource": resource,
    "AWS::ApiGateway::RestApi": api,
    "AWS::ApiGateway::Stage": stage,
}


def routes(deployment: Deployment) -> list[Route]:
    """Read the routes from moto, each with the deployed name of its function."""
    [rest_api] = deployment.refs("ApiGateway::RestApi")
    found = deployment.client("apigateway").get_resources(
        restApiId=rest_api, limit=_ALL, embed=["methods"]
    )
    return [route for item in found["items"] for route in _routes_of(item)]


def _routes_of(item: Mapping[str, Any]) -> Iterator[Route]:
    for verb, described in item.get("resourceMethods", {}).items():
        is_guarded = described["authorizationType"] == "CUSTOM"
        function = function_in(described["methodIntegration"]["uri"])
        yield Route(verb, item["path"], function, "any" if is_guarded else None)


def authoriser(deployment: Deployment) -> str:
    """Return the deployed name of the function that judges tokens."""
    [rest_api] = deployment.refs("ApiGateway::RestApi")
    [found] = deployment.client("apigateway").get_authorizers(restApiId=rest_api)["items"]
    return function_in(found["authorizerUri"])


def function_in(uri: str) -> str:
    """Return the function that an integration's address names."""
    return uri.partition(":function:")[2].partition("/")[0]
