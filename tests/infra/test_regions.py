"""A template that names one type which CloudFormation has not in a region is refused whole."""

from pathlib import Path

import pytest
from cfnlint.helpers import REGIONS
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER

from infra.config import WITHOUT_BUDGETS, options_from
from pulsedocs.errors import ConfigurationError
from tests.infra.synthesise import OWN_ISSUER, WITH_BEDROCK
from tests.infra.templates import StageTemplates

POOLS = {
    f"AWS::Cognito::{kind}"
    for kind in ("UserPool", "UserPoolClient", "UserPoolDomain", "UserPoolGroup")
}


def unknown(region: str, templates: StageTemplates) -> set[str]:
    """Return the types of a stage that AWS's schemas of a region do not have."""
    named = {str(resource["Type"]) for resource in templates.resources.values()}
    known = set(PROVIDER_SCHEMA_MANAGER.get_resource_types(region))
    return {kind for kind in named if kind.startswith("AWS::")} - known


def test_a_stage_that_mails_is_made_of_what_each_region_has(assemblies: Path) -> None:
    without, having = (
        StageTemplates(name="dev", folder=assemblies / name) for name in (WITH_BEDROCK, OWN_ISSUER)
    )
    missing = {
        region: unknown(region, without if region in WITHOUT_BUDGETS else having)
        for region in REGIONS
    }

    assert {region: types for region, types in missing.items() if types - POOLS} == {}


def test_only_china_needs_an_issuer_of_ones_own(assemblies: Path) -> None:
    templates = StageTemplates(name="dev", folder=assemblies / WITH_BEDROCK)

    needing = {region for region in REGIONS if unknown(region, templates) & POOLS}
    assert needing == {"cn-north-1", "cn-northwest-1"}


def test_alarms_are_mailed_where_no_budget_can_be_made(assemblies: Path) -> None:
    templates = StageTemplates(name="dev", folder=assemblies / WITH_BEDROCK)

    [mailed] = templates.properties("SNS::Subscription")
    assert mailed["Endpoint"] == "operator@example.com"
    assert templates.of("Budgets::Budget") == {}


def test_the_operator_has_the_last_word_on_the_budget() -> None:
    layer = "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:layer:web-adapter:1"
    mailed = {"alert_email": "operator@example.com", "web_adapter_layer": layer}

    assert options_from(mailed, region="eu-west-1").has_budget
    assert options_from(mailed).has_budget
    assert not options_from(mailed, region="us-gov-west-1").has_budget
    assert options_from(mailed | {"budget": "made"}, region="us-gov-west-1").has_budget
    assert not options_from(mailed | {"budget": "none"}, region="eu-west-1").has_budget
    assert not options_from({}, region="eu-west-1").has_budget


def test_no_region_is_without_budgets_that_has_them() -> None:
    known = PROVIDER_SCHEMA_MANAGER.get_resource_types

    assert {region for region in REGIONS if "AWS::Budgets::Budget" not in known(region)} == (
        WITHOUT_BUDGETS
    )


@pytest.mark.parametrize(
    ("region", "says"),
    [
        ("cn-north-1", "no stage can stand in cn-north-1.* China has no pools of Cognito"),
        ("eusc-de-east-1", "no stage can stand in eusc-de-east-1.* GovCloud; no other partition"),
        ("us-gov-east-1", "web_adapter_layer: AWS publishes none in us-gov-east-1"),
    ],
)
def test_a_region_that_cannot_take_a_stage_is_refused_at_synthesis(region: str, says: str) -> None:
    """Fails when: CloudFormation rolls a stack back for a layer that nobody published there."""
    with pytest.raises(ConfigurationError, match=says):
        options_from({}, region=region)
