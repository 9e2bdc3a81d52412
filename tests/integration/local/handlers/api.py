"""An API function that answers with what it was told about its caller and its settings."""

import json
import os
from typing import Any


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    told = {
        "caller": event["requestContext"].get("authorizer"),
        "settings": sorted(os.environ),  # noqa: TID251 -- what this function was given
    }
    return {"statusCode": 200, "body": json.dumps(told)}
