"""Textract, where a stage chooses it: one action, one way there, for two functions."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.infra.synthesise import TEXTRACT_IN_A_GIVEN_NETWORK, WITH_TEXTRACT
from tests.infra.templates import StageTemplates, listed

ACTION = "textract:DetectDocumentText"


def actions_of(policy: dict[str, Any]) -> set[str]:
    statements = listed(policy["PolicyDocument"]["Statement"])
    return {action for one in statements for action in listed(one["Action"])}


@pytest.mark.parametrize("name", [WITH_TEXTRACT, TEXTRACT_IN_A_GIVEN_NETWORK])
def test_two_functions_may_have_words_recognised_and_reach_nothing_else(
    name: str, assemblies: Path
) -> None:
    templates = StageTemplates(name="dev", folder=assemblies / name)

    allowed = [
        role
        for policy in templates.properties("IAM::Policy")
        if ACTION in actions_of(policy)
        for role in map(templates.text, policy["Roles"])
    ]
    [endpoint] = [
        one
        for one in templates.properties("EC2::VPCEndpoint")
        if one.get("VpcEndpointType") == "Interface"
    ]

    assert len(allowed) == 2
    assert {"Boxes" in role or "Recognise" in role for role in allowed} == {True}
    assert templates.text(endpoint["ServiceName"]).endswith(".textract")
    [statement] = endpoint["PolicyDocument"]["Statement"]
    assert statement["Action"] == ACTION
    [group] = map(templates.text, endpoint["SecurityGroupIds"])
    lets_in = [
        templates.text(rule["SourceSecurityGroupId"])
        for rule in templates.properties("EC2::SecurityGroupIngress")
        if templates.text(rule["GroupId"]) == group
    ]
    assert len(lets_in) == 1
    assert "Sandbox" in lets_in[0]
    for function in ("recognise", "boxes"):
        variables = templates.functions[function]["Environment"]["Variables"]
        assert variables["OCR_ENGINE"] == "textract"


def test_a_stage_that_does_not_choose_it_asks_for_nothing(templates: StageTemplates) -> None:
    assert "textract" not in json.dumps(templates.resources).lower()
