"""Whether an account may call the models of `bedrock:` that a deployment names.

By "Request access to models" of the Bedrock user guide, as of November 2026: nothing is enabled by
hand any more. Amazon's models need nothing. The first call of another provider's model subscribes
the account to it, if the caller may; the functions may not, so a person does it once. Anthropic
wants a form before that, once an account or organisation.
"""

from collections.abc import Iterator
from typing import Any, Final

from infra.config import Options
from infra.models import PROFILES, bedrock_models
from pulsedocs_cli.deployment.account import Account, Unreadable
from pulsedocs_cli.deployment.findings import Finding, ok, stop, warn

_UNKNOWN: Final = ("ResourceNotFoundException", "ValidationException")
_UNREACHABLE: Final = ("EndpointConnectionError", "ConnectTimeoutError")
_AVAILABLE: Final = "AVAILABLE"


def look_at_bedrock(account: Account, options: Options) -> Iterator[Finding]:
    """Ask for each model, and for the models that a profile leads to."""
    region = options.bedrock_region or account.region
    for name in bedrock_models(options):
        try:
            findings = [
                finding
                for model in _behind(account, name, region)
                for finding in _look_at_model(account, model, region)
            ]
        except Unreadable as error:
            if error.code in _UNREACHABLE and not account.offers("bedrock", region):
                yield stop(
                    "bedrock",
                    f"{region} has no Bedrock",
                    "choose a region that has it with -c bedrock_region=",
                )
                return
            if error.code not in _UNKNOWN:
                raise
            yield stop(
                "bedrock",
                f"{name} is not known in {region}",
                "check the name, or choose a region that has it with -c bedrock_region=",
            )
            continue
        yield from findings or [ok("bedrock", f"{name} can be called in {region}")]


def _behind(account: Account, name: str, region: str) -> list[str]:
    """Return the model itself, or what an inference profile leads to: its own model, once."""
    if not name.startswith(("arn:", *PROFILES)):
        return [name]
    answer = account.read(
        "bedrock", "get_inference_profile", region=region, inferenceProfileIdentifier=name
    )
    ids = (str(model["modelArn"]).rpartition("/")[2] for model in answer["models"])
    return list(dict.fromkeys(ids))


def _look_at_model(account: Account, model: str, region: str) -> Iterator[Finding]:
    answer: dict[str, Any] = account.read(
        "bedrock", "get_foundation_model_availability", region=region, modelId=model
    )
    if answer["regionAvailability"] != _AVAILABLE:
        yield stop(
            "bedrock",
            f"{model} is not in the region {region}",
            "choose another model, or a region that has it with -c bedrock_region=",
        )
        return
    if answer["authorizationStatus"] != "AUTHORIZED":
        yield stop(
            "bedrock",
            f"{model} is not authorised in {region}",
            "ask who holds the organisation's policies to allow it, or choose another model",
        )
    is_amazons = model.startswith("amazon.")
    agreed = answer["agreementAvailability"]["status"]
    if not is_amazons and agreed != _AVAILABLE:
        yield stop(
            "bedrock",
            f"the account's subscription to {model} is {agreed}",
            "wait a quarter of an hour and look again"
            if agreed == "PENDING"
            else _subscription(model, region),
        )
    elif answer["entitlementAvailability"] != _AVAILABLE:
        yield stop(
            "bedrock",
            f"{model} is not enabled in {region}",
            "send it one message in the Bedrock console's playground, in that region",
        )
    if model.startswith("anthropic.") and not _has_sent_the_form(account, region):
        yield warn(
            "bedrock",
            f"Anthropic's form is not on file in this account, and {model} is refused without it",
            "open the model in the Bedrock console's catalogue and say what it is for; nothing to"
            " do where the organisation's management account has",
        )
    if (ends := _end_of_life(account, model, region)) is not None:
        yield warn(
            "bedrock",
            f"AWS calls {model} legacy: {ends}",
            "choose a newer model; docs/concepts/models.md moves documents to another embedding",
        )


def _end_of_life(account: Account, model: str, region: str) -> str | None:
    """Return when a legacy model stops answering, or None for one that goes on."""
    try:
        answer = account.read(
            "bedrock", "get_foundation_model", region=region, modelIdentifier=model
        )
    except Unreadable as error:
        if error.code not in _UNKNOWN:
            raise
        return None
    life: dict[str, Any] = answer["modelDetails"].get("modelLifecycle", {})
    if life.get("status") != "LEGACY":
        return None
    end = life.get("endOfLifeTime")
    return f"it answers until {end:%d %B %Y}" if end else "its end is not announced yet"


def _subscription(model: str, region: str) -> str:
    offers = f"aws bedrock list-foundation-model-agreement-offers --model-id {model}"
    token = f"$({offers} --region {region} --query 'offers[0].offerToken' --output text)"
    agree = f"aws bedrock create-foundation-model-agreement --model-id {model} --region {region}"
    return f'{agree} --offer-token "{token}"; the account pays for it by AWS Marketplace'


def _has_sent_the_form(account: Account, region: str) -> bool:
    try:
        account.read("bedrock", "get_use_case_for_model_access", region=region)
    except Unreadable as error:
        if error.code not in _UNKNOWN:
            raise
        return False
    return True
