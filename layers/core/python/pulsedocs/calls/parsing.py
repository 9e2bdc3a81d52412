"""What providers answer, read by its schema."""

import json
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from pulsedocs.errors import ProviderMalformed

Answer = TypeVar("Answer", bound=BaseModel)


def parse(schema: type[Answer], body: bytes | str, *, otherwise: str) -> Answer:
    """Read JSON by its schema; raise ProviderMalformed, which says `otherwise`, for anything else.

    The error counts what is wrong and quotes nothing: an answer may repeat a tenant's words.
    """
    try:
        return schema.model_validate_json(body)
    except ValidationError as error:
        raise ProviderMalformed(f"{otherwise} ({error.error_count()} errors)") from None


def object_in(body: bytes) -> dict[str, Any]:
    """Return the object that an error's body is; empty where it is a page of a gateway, or cut."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
