"""Model names as people and tables write them: `provider:name@dimensions`."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from pulsedocs.errors import InvalidRequest, UnknownModel
from pulsedocs.model.embeddings import MOST_DIMENSIONS, ModelName

MODEL_NAME: Final = re.compile(
    r"(?P<provider>[a-z][a-z0-9-]{0,31}):"
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._:/-]{0,199})@"
    r"(?P<dimensions>[1-9][0-9]{0,3})",
    re.ASCII,
)


PROVIDERS: Final = ("local", "openai", "bedrock", "cohere")
"""Those that need no plug-in."""
LOCAL_EMBEDDERS: Final[Mapping[str, int]] = {"bge-small-en-v1.5": 384, "muse": 512}
"""Models on the machine, with their dimensions."""

_WIDEST: Final[Mapping[str, int]] = {
    "openai:text-embedding-3-small": 1536,
    "openai:text-embedding-3-large": 3072,
    "openai:text-embedding-ada-002": 1536,
}
"""The most dimensions that the vectors of a known model have; it can be asked for fewer."""


def refuse_unknown_model(model: ModelName, *, others: Collection[str]) -> None:
    """Raise UnknownModel, with what is known, for a model that nothing here could embed with."""
    known = (*PROVIDERS, *sorted(others))
    if model.provider not in known:
        message = f"{str(model)!r} is of an unknown provider; known are {', '.join(known)}"
        raise UnknownModel(message, model=str(model))
    widest = _WIDEST.get(f"{model.provider}:{model.name}")
    if widest is not None and model.dimensions > widest:
        message = f"{str(model)!r} has at most {widest} dimensions"
        raise UnknownModel(message, model=str(model), dimensions=widest)
    if model.provider == "local" and LOCAL_EMBEDDERS.get(model.name) != model.dimensions:
        listed = ", ".join(f"local:{name}@{size}" for name, size in LOCAL_EMBEDDERS.items())
        message = f"{str(model)!r} is no local model; known are {listed}"
        raise UnknownModel(message, model=str(model))


def completed(text: str, dimensions: int | None) -> str:
    """Return a model's whole name: OpenAI's are known without a provider, and `@` may be left out.

    `text-embedding-3-small` with 1536 is `openai:text-embedding-3-small@1536`.
    """
    named = f"openai:{text}" if text.startswith("text-embedding-") else text
    return named if dimensions is None or "@" in named else f"{named}@{dimensions}"


def parse_model_name(text: str) -> ModelName:
    """Read an embedding model's name; raise InvalidRequest for anything else.

    A name is matched whole and in ASCII: it becomes part of object keys and of trace lines. It may
    hold colons, as Bedrock's do: `bedrock:amazon.titan-embed-text-v2:0@1024`.
    """
    match = MODEL_NAME.fullmatch(text)
    if match is None:
        message = (
            f"{text[:200]!r} is not an embedding model: write provider:name@dimensions, "
            "e.g. local:bge-small-en-v1.5@384"
        )
        raise InvalidRequest(message)
    dimensions = int(match["dimensions"])
    if dimensions > MOST_DIMENSIONS:
        message = (
            f"{text[:200]!r} has {dimensions} dimensions; at most {MOST_DIMENSIONS} can be indexed"
        )
        raise InvalidRequest(message)
    return ModelName(match["provider"], match["name"], dimensions)
