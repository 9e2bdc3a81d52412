"""Model names as people and tables write them: `provider:name@dimensions`."""

import re

from pulsedocs.errors import InvalidRequest
from pulsedocs.model.embeddings import ModelName

_MAX_DIMENSIONS = 4000  # pgvector's HNSW takes halfvec up to 4,000 dimensions
_PATTERN = re.compile(
    r"(?P<provider>[a-z][a-z0-9-]{0,31}):"
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._:/-]{0,199})@"
    r"(?P<dimensions>[1-9][0-9]{0,3})",
    re.ASCII,
)


def parse_model_name(text: str) -> ModelName:
    """Read an embedding model's name; raise InvalidRequest for anything else.

    A name is matched whole and in ASCII: it becomes part of object keys and of trace lines. It may
    hold colons, as Bedrock's do: `bedrock:amazon.titan-embed-text-v2:0@1024`.
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        message = (
            f"{text[:200]!r} is not an embedding model: write provider:name@dimensions, "
            "e.g. local:bge-small-en-v1.5@384"
        )
        raise InvalidRequest(message)
    dimensions = int(match["dimensions"])
    if dimensions > _MAX_DIMENSIONS:
        message = (
            f"{text[:200]!r} has {dimensions} dimensions; at most {_MAX_DIMENSIONS} can be indexed"
        )
        raise InvalidRequest(message)
    return ModelName(match["provider"], match["name"], dimensions)
