"""Cognito trigger, pre token generation, version 2: name the user's tenant in the access token.

Deployed as it lies here, as inline code without a layer; it needs nothing but this file.
"""

from typing import Any
from uuid import UUID

SCOPES_OF_EVERYONE = ["pulsedocs/read"]
SCOPES_OF_GROUPS = {"writers": "pulsedocs/write", "operators": "pulsedocs/admin"}


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Add tenant and scopes; raise for a user without a tenant, who then gets no token.

    A user's groups alone decide the scopes; those a client asked for are not looked at.
    """
    request = event["request"]
    tenant_id = str(UUID(request["userAttributes"].get("custom:tenant_id", "")))
    groups: list[str] = request.get("groupConfiguration", {}).get("groupsToOverride") or []
    granted = [scope for group, scope in SCOPES_OF_GROUPS.items() if group in groups]
    refused = [scope for scope in SCOPES_OF_GROUPS.values() if scope not in granted]
    event["response"] = {
        "claimsAndScopeOverrideDetails": {
            "accessTokenGeneration": {
                "claimsToAddOrOverride": {"tenant_id": tenant_id},
                "scopesToAdd": SCOPES_OF_EVERYONE + granted,
                "scopesToSuppress": refused,
            }
        }
    }
    return event
