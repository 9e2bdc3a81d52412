"""Whether an account may call the models of `bedrock:` that a deployment names."""

from collections.abc import Iterator
from typing import Any, Final

from infra.config import Options
from infra.models import PROFILES, bedrock_models
from pulsedocs_cli.deployment.account import Account, Unreadable
from pulsedocs_cli.deployment.findings import Finding, ok, stop

_UNKNOWN: Final = ("ResourceNotFoundException", "ValidationException")


def look_at_bedrock(account: Account, options: Options) -> Iterator[Finding]:
    """Ask for each model, and for the models that a profile leads to."""
    region = options.bedrock_region or account.region
    for name in bedrock_models(options):
        try:
            models = _behind(account, name, region)
            problems = [
                problem for model in models for problem in _problems(account, model, region)
            ]
        except Unreadable as error:
            if error.code not in _UNKNOWN:
                raise
            yield stop(
                "bedrock",
                f"{name} is not known in {region}",
                "check the name, or choose a region that has it with -c bedrock_region=",
            )
            continue
        if problems:
            yield stop(
                "bedrock",
                f"{name} cannot be called in {region}: {', '.join(problems)}",
                "enable access to the model in the Bedrock console of that region",
            )
        else:
            yield ok("bedrock", f"{name} can be called in {region}")


def _behind(account: Account, name: str, region: str) -> list[str]:
    """Return the model itself, or what an inference profile leads to: its own model, once."""
    if not name.startswith(("arn:", *PROFILES)):
        return [name]
    answer = account.read(
        "bedrock", "get_inference_profile", region=region, inferenceProfileIdentifier=name
    )
    ids = (str(model["modelArn"]).rpartition("/")[2] for model in answer["models"])
    return list(dict.fromkeys(ids))


def _problems(account: Account, model: str, region: str) -> Iterator[str]:
    answer: dict[str, Any] = account.read(
        "bedrock", "get_foundation_model_availability", region=region, modelId=model
    )
    if answer["authorizationStatus"] != "AUTHORIZED":
        yield f"{model} is not authorised"
    if answer["agreementAvailability"]["status"] != "AVAILABLE":
        yield f"the agreement for {model} is {answer['agreementAvailability']['status']}"
    if answer["entitlementAvailability"] != "AVAILABLE":
        yield f"{model} is not enabled"
    if answer["regionAvailability"] != "AVAILABLE":
        yield f"{model} is not in the region"
