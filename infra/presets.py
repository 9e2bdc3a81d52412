"""`-c models=`: what a stage embeds, answers and reranks with where no single model is named."""

import re
from dataclasses import dataclass
from typing import Final

from pulsedocs.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Geography:
    """Where text may be read for a stage in one of `regions`: in `home`, which has all models.

    `profile` is how the geography's inference profiles begin.
    """

    regions: re.Pattern[str]
    home: str
    profile: str


GOVCLOUD: Final = "us-gov-"
"""What names of its regions begin with: a partition of its own, with credentials of its own."""

# "Supported Regions and models for reranking" of the Bedrock user guide has `amazon.rerank-v1:0`
# in these three homes and in ca-central-1 only; Canada has no profile of its own for Nova 2.
GEOGRAPHIES: Final = (
    Geography(re.compile("ap-northeast-[13]"), home="ap-northeast-1", profile="jp"),
    Geography(re.compile("eu-.*"), home="eu-central-1", profile="eu"),
    Geography(re.compile("us-(east|west)-.*"), home="us-west-2", profile="us"),
)


def models_of(preset: str, *, region: str, bedrock_region: str) -> dict[str, str]:
    """Return the options that a preset stands for; `bedrock_region` is "" where none was chosen.

    Amazon's own models: they need no subscription and no form, only the function's permission.
    """
    match preset:
        case "openai":
            return {}
        case "bedrock":
            geography = _geography(bedrock_region or region, is_chosen=bool(bedrock_region))
            return {
                "bedrock_region": bedrock_region or geography.home,
                "embedding_model": "bedrock:amazon.titan-embed-text-v2:0@1024",
                "chat_model": f"bedrock:{geography.profile}.amazon.nova-2-lite-v1:0",
                "reranker_model": "bedrock:amazon.rerank-v1:0",
            }
        case _:
            raise ConfigurationError(f"models {preset!r} is not openai or bedrock")


def _geography(region: str, *, is_chosen: bool) -> Geography:
    if not region:
        raise ConfigurationError(
            "models=bedrock follows the stage's region, and none is known: export AWS_REGION=…"
        )
    for each in GEOGRAPHIES:
        if each.regions.fullmatch(region):
            return each
    named = "name embedding_model, chat_model and reranker_model yourself"
    homes = ", ".join(each.home for each in GEOGRAPHIES)
    elsewhere = f"give -c bedrock_region= one of {homes} if text may be read there, or {named}"
    can_choose = not is_chosen and not region.startswith(GOVCLOUD)
    raise ConfigurationError(
        f"models=bedrock has no models for {region}: {elsewhere if can_choose else named}"
    )
