"""Where a deployment's models come from: whose keys its functions read, what on Bedrock they call.

A key is asked for, and a permission given, only where a model of that provider is configured.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from infra.config import Options

_KEYS: Final = {"openai": "OPENAI_API_KEY", "cohere": "COHERE_API_KEY"}
_EMBEDS: Final = ("embedding_model", "other_embedding_models")
_ANSWERS: Final = (*_EMBEDS, "chat_model", "rewrite_model", "reranker_model")
_USED_BY: Final = {
    "embed": _EMBEDS,
    "query": _ANSWERS,
    "stream": _ANSWERS,
    "evaluate": _ANSWERS,
}
"""The options whose models each function calls."""
PROFILES: Final = ("apac.", "au.", "ca.", "eu.", "global.", "jp.", "us-gov.", "us.")
"""What an inference profile's id begins with, before the model's own: `eu.anthropic.…`."""
_INVOKE: Final = "bedrock:InvokeModel"
_INVOKE_STREAM: Final = "bedrock:InvokeModelWithResponseStream"
_RERANK: Final = "bedrock:Rerank"


@dataclass(frozen=True, slots=True)
class Place:
    """The beginning of ARNs; CDK fills in what is not known before the deployment."""

    partition: str
    region: str
    account: str


@dataclass(frozen=True, slots=True)
class Grant:
    """What may be done on Bedrock; `through` is the inference profile that it has to go through."""

    actions: tuple[str, ...]
    resource: str
    through: str | None = None


def keys_of(function: str, options: Options) -> tuple[str, ...]:
    """Return the variables of the providers' keys that a function needs."""
    providers = {model.partition(":")[0] for _, model in _models_of(function, options)}
    return tuple(key for provider, key in _KEYS.items() if provider in providers)


def bedrock_grants(function: str, options: Options, place: Place) -> tuple[Grant, ...]:
    """Return what a function's role needs for the models of `bedrock:`, without repetition."""
    grants: dict[Grant, None] = {}
    for option, model in _models_of(function, options):
        provider, _, name = model.partition(":")
        if provider == "bedrock":
            streams = function == "stream" and option == "chat_model"
            actions = (_INVOKE, _INVOKE_STREAM) if streams else (_INVOKE,)
            grants |= dict.fromkeys(_grants_on(name.partition("@")[0], actions, place))
            if option == "reranker_model":
                # Rerank knows no resource; the model it names has to be invocable beside it.
                grants[Grant((_RERANK,), "*")] = None
    return tuple(grants)


def bedrock_models(options: Options) -> tuple[str, ...]:
    """Return the models of `bedrock:` that any function calls, as Bedrock names them."""
    chosen = (model for function in _USED_BY for _, model in _models_of(function, options))
    names = (model.removeprefix("bedrock:") for model in chosen if model.startswith("bedrock:"))
    return tuple(dict.fromkeys(name.partition("@")[0] for name in names))


def _models_of(function: str, options: Options) -> Iterator[tuple[str, str]]:
    """Yield each model that a function calls, with the option that names it."""
    for option in _USED_BY.get(function, ()):
        for model in str(getattr(options, option)).split(","):
            if model.strip():
                yield option, model.strip()


def _grants_on(name: str, actions: tuple[str, ...], place: Place) -> tuple[Grant, ...]:
    """Permit a model in its region; or a profile, and what it leads to, in whichever region.

    "Prerequisites for inference profiles" in the Bedrock user guide: the caller needs both.
    """
    start = f"arn:{place.partition}:bedrock"
    anywhere = f"{start}:*::foundation-model"
    if name.startswith("arn:"):  # an application inference profile does not say its model
        return Grant(actions, name), Grant(actions, f"{anywhere}/*", through=name)
    if not name.startswith(PROFILES):
        return (Grant(actions, f"{start}:{place.region}::foundation-model/{name}"),)
    profile = f"{start}:{place.region}:{place.account}:inference-profile/{name}"
    model = name.partition(".")[2]
    return Grant(actions, profile), Grant(actions, f"{anywhere}/{model}", through=profile)
