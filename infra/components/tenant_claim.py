"""Cognito trigger, pre token generation, version 3: name the tenant in the access token.

Deployed as it lies here, as inline code without a layer; it needs nothing but this file.
"""

from typing import Any
from uuid import UUID

SCOPES_OF_EVERYONE = ["pulsedocs/read"]
SCOPES_OF_GROUPS = {"writers": "pulsedocs/write", "operators": "pulsedocs/admin"}
TENANT_SCOPES = "tenant/"
"""Begins the scope that names a service's tenant. Cognito gives a client no other than its own."""


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Add tenant and scopes; raise for a user or service without a tenant, who gets no token.

    A user's groups alone decide the scopes; those a client asked for are not looked at. Those of a
    service are what its client was made with.
    """
    request = event["request"]
    if event["triggerSource"] == "TokenGeneration_ClientCredentials":
        scopes: list[str] = request["scopes"]
        [named] = [scope for scope in scopes if scope.startswith(TENANT_SCOPES)]
        tenant, granted, refused = named.removeprefix(TENANT_SCOPES), [], []
    else:
        groups: list[str] = request.get("groupConfiguration", {}).get("groupsToOverride") or []
        tenant = request["userAttributes"].get("custom:tenant_id", "")
        earned = [scope for group, scope in SCOPES_OF_GROUPS.items() if group in groups]
        granted = SCOPES_OF_EVERYONE + earned
        refused = [scope for scope in SCOPES_OF_GROUPS.values() if scope not in earned]
    event["response"] = {
        "claimsAndScopeOverrideDetails": {
            "accessTokenGeneration": {
                "claimsToAddOrOverride": {"tenant_id": str(UUID(tenant))},
                "scopesToAdd": granted,
                "scopesToSuppress": refused,
            }
        }
    }
    return event
