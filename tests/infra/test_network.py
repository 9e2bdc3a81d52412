"""The network promise, read from what is deployed: database or internet, never both."""

from typing import Any

import pytest

from infra.functions import FUNCTIONS
from tests.infra.templates import StageTemplates, listed, strings_in

POSTGRES = 5432
HTTPS = 443


def groups_of(templates: StageTemplates, function: dict[str, Any]) -> list[str]:
    return [
        templates.text(group) for group in function.get("VpcConfig", {}).get("SecurityGroupIds", [])
    ]


def ports_out_of(templates: StageTemplates, group: str) -> set[int]:
    """Return the ports a security group lets out, wherever the rule is written down."""
    inline = templates.resources[group.removesuffix(".GroupId")]["Properties"].get(
        "SecurityGroupEgress", []
    )
    apart = [
        rule
        for rule in templates.properties("EC2::SecurityGroupEgress")
        if templates.text(rule["GroupId"]) == group
    ]
    rules = [rule for rule in (*inline, *apart) if rule["IpProtocol"] != "icmp"]
    assert all(rule["FromPort"] == rule["ToPort"] for rule in rules)
    return {rule["FromPort"] for rule in rules}


def reaches_database(templates: StageTemplates, function: dict[str, Any]) -> bool:
    [database] = templates.properties("RDS::DBCluster")
    guards = {templates.text(group) for group in database["VpcSecurityGroupIds"]}
    let_in = {
        templates.text(rule["SourceSecurityGroupId"])
        for rule in templates.properties("EC2::SecurityGroupIngress")
        if templates.text(rule["GroupId"]) in guards and rule["FromPort"] == POSTGRES
    }
    return any(
        group in let_in and POSTGRES in ports_out_of(templates, group)
        for group in groups_of(templates, function)
    )


def reaches_internet(function: dict[str, Any]) -> bool:
    """Say so for a function outside of a VPC; the VPC has no way out, as its own test shows."""
    return not function.get("VpcConfig")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_reaches_the_database_or_the_internet_and_never_both(
    name: str, templates: StageTemplates
) -> None:
    """P-04: as deployed."""
    function = templates.functions[name]

    reached = (reaches_database(templates, function), reaches_internet(function))
    assert reached != (True, True)
    assert reached == (FUNCTIONS[name].database_role is not None, FUNCTIONS[name].internet)


def test_every_function_of_the_templates_is_held_to_it(templates: StageTemplates) -> None:
    """Those that only a deployment runs as well; who parses strangers' files reaches neither."""
    sides = {
        name: (reaches_database(templates, function), reaches_internet(function))
        for name, resource in templates.of("Lambda::Function").items()
        for function in [resource["Properties"]]
    }
    named = {
        name: sides[id_]
        for id_, resource in templates.of("Lambda::Function").items()
        for name, function in templates.functions.items()
        if function is resource["Properties"]
    }

    assert named.keys() >= FUNCTIONS.keys()
    assert (True, True) not in sides.values()
    neither = {name for name, reached in named.items() if reached == (False, False)}
    assert neither == {"extract", "recognise", "boxes"}


@pytest.mark.parametrize("name", ["extract", "recognise", "boxes"])
def test_what_parses_strangers_files_reaches_neither(name: str, templates: StageTemplates) -> None:
    reader = templates.functions[name]

    assert not reaches_database(templates, reader)
    assert not reaches_internet(reader)
    assert [ports_out_of(templates, group) for group in groups_of(templates, reader)] == [{HTTPS}]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_in_the_network_opens_no_port_but_the_databases_and_s3s(
    name: str, templates: StageTemplates
) -> None:
    for group in groups_of(templates, templates.functions[name]):
        assert ports_out_of(templates, group) <= {POSTGRES, HTTPS}


def test_no_way_leads_out_of_the_network(templates: StageTemplates) -> None:
    for kind in (
        "EC2::InternetGateway",
        "EC2::NatGateway",
        "EC2::EgressOnlyInternetGateway",
        "EC2::TransitGatewayAttachment",
        "EC2::VPCPeeringConnection",
        "EC2::Route",
    ):
        assert not templates.of(kind)
    assert not any(
        subnet.get("MapPublicIpOnLaunch") for subnet in templates.properties("EC2::Subnet")
    )


def test_the_only_endpoint_is_the_free_one_of_s3_and_names_one_bucket(
    templates: StageTemplates,
) -> None:
    [endpoint] = templates.properties("EC2::VPCEndpoint")
    [statement] = endpoint["PolicyDocument"]["Statement"]
    [bucket] = templates.of("S3::Bucket")

    assert endpoint["VpcEndpointType"] == "Gateway"
    assert templates.text(endpoint["ServiceName"]) == "com.amazonaws.eu-west-1.s3"
    resources = {templates.text(resource) for resource in listed(statement["Resource"])}
    assert resources == {f"{bucket}.Arn", f"{bucket}.Arn/*"}
    assert "123456789012" in {
        templates.text(value) for value in statement["Condition"]["StringEquals"].values()
    }
    assert "*" not in listed(statement["Action"])


def test_the_network_spans_two_zones(templates: StageTemplates) -> None:
    zones = {str(subnet["AvailabilityZone"]) for subnet in templates.properties("EC2::Subnet")}

    assert len(zones) == 2


def test_only_its_clients_reach_the_database(templates: StageTemplates) -> None:
    [database] = templates.properties("RDS::DBCluster")
    [guard] = [templates.text(group) for group in database["VpcSecurityGroupIds"]]
    group = templates.resources[guard.removesuffix(".GroupId")]["Properties"]
    [rule] = templates.properties("EC2::SecurityGroupIngress")

    assert "SecurityGroupIngress" not in group
    assert (rule["FromPort"], rule["ToPort"], rule["IpProtocol"]) == (POSTGRES, POSTGRES, "tcp")
    assert "0.0.0.0/0" not in set(strings_in(rule))
    [instance] = templates.properties("RDS::DBInstance")
    assert instance["PubliclyAccessible"] is False
