"""What an operator asks for: a restored database, bounded roles, an own domain and addresses."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.config import Options
from pulsedocs.errors import ConfigurationError
from tests.infra.synthesise import OPTIONS, OWN_ISSUER
from tests.infra.templates import StageTemplates, strings_in

TENANT = "0c7a1f2e-7d0b-4b53-9a53-6f2f5d1c0a01"


def data_template(assemblies: Path, name: str) -> dict[str, Any]:
    return json.loads((assemblies / name / "PulseDocs-dev-Data.template.json").read_text("utf-8"))


def templates_of(assemblies: Path, name: str) -> StageTemplates:
    return StageTemplates(name=name, folder=assemblies / name)


@pytest.mark.parametrize("backup", ["snapshot", "cluster@yesterday", "snapshot:a b", "@latest"])
def test_a_backup_that_names_nothing_is_refused(backup: str) -> None:
    with pytest.raises(ConfigurationError, match="names no backup"):
        Options(restore_from=backup)


def test_the_only_database_is_not_removed() -> None:
    with pytest.raises(ConfigurationError, match="no database would be left"):
        Options(old_database="removed")
    with pytest.raises(ConfigurationError, match="kept or removed"):
        Options(old_database="gone")


@pytest.mark.parametrize("option", ["token_scope_claim", "token_tenant_claim"])
@pytest.mark.parametrize("claim", ["", " "])
def test_a_stage_whose_tokens_would_allow_nothing_is_refused(option: str, claim: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{option} names no claim"):
        replace(Options(), **{option: claim})


@pytest.mark.parametrize("addresses", ["10.0.0.0/8", "10.0.0.0/24", "10.0.0.1/16", "2001:db8::/32"])
def test_a_range_that_no_network_can_have_is_refused(addresses: str) -> None:
    with pytest.raises(ConfigurationError, match="address_range"):
        Options(address_range=addresses)


@pytest.mark.parametrize(
    "services",
    [
        "import",
        f"Import:{TENANT}",
        f"import:{TENANT.upper()}",
        f"a-b:{TENANT}, a-b:{TENANT}",
        "import:00000000-0000-0000-0000-000000000000",
    ],
)
def test_a_service_without_a_name_or_a_tenant_is_refused(services: str) -> None:
    with pytest.raises(ConfigurationError, match="is no name of its own"):
        Options(services=services)


def test_an_issuer_of_ones_own_has_its_own_services() -> None:
    with pytest.raises(ConfigurationError, match="that issuer has its own"):
        replace(OPTIONS, services=f"import:{TENANT}")


NETWORK = {
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
    "s3_prefix_list": "pl-6da54004",
}


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"vpc_id": "10.0.0.0/16"}, "vpc_id: '10.0.0.0/16' is none"),
        ({"vpc_id": NETWORK["vpc_id"]}, "vpc_id, subnet_ids, s3_prefix_list go together"),
        (NETWORK | {"subnet_ids": "subnet-01234567"}, "two subnets at least"),
        (NETWORK | {"subnet_ids": "subnet-01234567,eu-west-1a"}, "subnet_ids: 'eu-west-1a'"),
        (NETWORK | {"s3_prefix_list": "com.amazonaws.eu-west-1.s3"}, "s3_prefix_list"),
        (NETWORK | {"address_range": "10.7.0.0/16"}, "give one or the other"),
        (NETWORK | {"zones": "eu-west-1a,eu-west-1b"}, "give one or the other"),
        ({"route_table_ids": "rtb-01234567"}, "of the network that vpc_id names"),
        ({"zones": "use1-az3,use1-az1"}, "zones: 'use1-az3' is none"),
        ({"zones": "eu-west-1a"}, "zones: name two"),
        ({"zones": "eu-west-1a,eu-west-1a"}, "zones: name two"),
        ({"readers": 16}, "readers 16 is no number from 0 to 15"),
        ({"encryption_key": "alias/mine"}, "encryption_key: 'alias/mine' is none"),
        ({"permissions_boundary": "arn:aws:iam::1:policy/b"}, "a policy's name, not its ARN"),
        ({"domain_name": "https://api.example.com", "certificate": "c"}, "write api.example.com"),
        ({"domain_name": "api.example.com", "certificate": "mine"}, "a certificate in ACM"),
        ({"alert_email": "operator"}, "alert_email: 'operator' is none"),
    ],
)
def test_a_value_that_cannot_work_is_named(chosen: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        Options(**chosen)


def test_a_domain_needs_its_certificate() -> None:
    with pytest.raises(ConfigurationError, match="go together"):
        Options(domain_name="api.example.com")


def test_a_stack_says_with_which_options_it_was_deployed(assemblies: Path) -> None:
    """By name alone: `deploy-check` looks which of them the next deployment leaves out."""
    for name, options in ((OWN_ISSUER, OPTIONS), ("dev", Options())):
        said = data_template(assemblies, name)["Outputs"]["Given"]["Value"]
        assert json.loads(said) == list(options.given)


def test_a_snapshot_becomes_a_cluster_beside_the_old_one(assemblies: Path) -> None:
    """CloudFormation refuses a master's name and a database's beside a snapshot, which has both."""
    templates = templates_of(assemblies, "dev-restored")

    clusters = templates.properties("RDS::DBCluster")
    [restored] = [each for each in clusters if "SnapshotIdentifier" in each]
    assert restored["SnapshotIdentifier"] == "before-the-accident"
    assert not {"MasterUsername", "DatabaseName"} & set(restored)
    assert restored["EnableIAMDatabaseAuthentication"]
    assert restored["EngineLifecycleSupport"].endswith("-disabled")
    assert len(clusters) == 2


def test_what_the_running_service_imports_stays_until_it_has_moved(assemblies: Path) -> None:
    """CloudFormation neither changes nor removes an export that another stack imports."""
    before = data_template(assemblies, "dev")["Outputs"]
    meanwhile = data_template(assemblies, "dev-restored")["Outputs"]
    said = before.pop("Given"), meanwhile.pop("Given")  # which nobody imports

    assert said[0] != said[1]
    assert {name: meanwhile.get(name) for name in before} == before


@pytest.mark.parametrize("name", ["dev-restored", "dev-restored-moment"])
def test_functions_sign_in_to_the_restored_database_only(assemblies: Path, name: str) -> None:
    templates = templates_of(assemblies, name)
    [restored] = [each for each in templates.of("RDS::DBCluster") if "Restored" in each]

    rights = [
        resource
        for policy in templates.properties("IAM::Policy")
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Action"] == "rds-db:connect"
        for resource in [templates.text(statement["Resource"])]
    ]
    urls = [
        url
        for function in templates.functions
        if (url := templates.environment(function).get("DATABASE_URL"))
    ]
    assert rights
    assert all(restored in right for right in rights)
    assert urls
    assert all(restored in url for url in urls)


def test_a_moment_is_restored_from_the_cluster_and_the_old_one_goes(assemblies: Path) -> None:
    [restored] = templates_of(assemblies, "dev-restored-moment").properties("RDS::DBCluster")

    assert restored["SourceDBClusterIdentifier"] == "pulsedocs-dev"
    assert restored["RestoreToTime"] == "2026-11-22T16:00:00Z"
    assert not {"UseLatestRestorableTime", "MasterUsername", "StorageEncrypted"} & set(restored)


def test_every_role_is_bounded_where_an_account_asks_for_it(assemblies: Path) -> None:
    roles = templates_of(assemblies, OWN_ISSUER).properties("IAM::Role")

    assert all(
        any(
            OPTIONS.permissions_boundary in text for text in strings_in(role["PermissionsBoundary"])
        )
        for role in roles
    )
    assert all(
        "PermissionsBoundary" not in role
        for role in templates_of(assemblies, "dev").properties("IAM::Role")
    )


def test_the_network_has_the_range_that_was_chosen(assemblies: Path) -> None:
    [network] = templates_of(assemblies, OWN_ISSUER).properties("EC2::VPC")

    assert network["CidrBlock"] == OPTIONS.address_range


def test_the_domain_leads_to_the_api_by_its_certificate(assemblies: Path) -> None:
    templates = templates_of(assemblies, OWN_ISSUER)

    [domain] = templates.properties("ApiGateway::DomainName")
    [mapping] = templates.properties("ApiGateway::BasePathMapping")
    assert domain["RegionalCertificateArn"] == OPTIONS.certificate
    assert domain["SecurityPolicy"] == "TLS_1_2"
    assert "RestApiId" in mapping
    assert not mapping.get("BasePath")


def test_the_firewall_counts_bodies_about_exploits_and_refuses_the_rest(assemblies: Path) -> None:
    """A document about Log4Shell quotes it: its text is in the body of `POST /ingest`."""
    [acl] = templates_of(assemblies, "prod").properties("WAFv2::WebACL")
    [known_bad] = [
        rule["Statement"]["ManagedRuleGroupStatement"]
        for rule in acl["Rules"]
        if rule["Name"] == "AWSManagedRulesKnownBadInputsRuleSet"
    ]

    counted = {
        each["Name"] for each in known_bad["RuleActionOverrides"] if "Count" in each["ActionToUse"]
    }
    assert counted == {"JavaDeserializationRCE_BODY", "Log4JRCE_BODY", "ReactJSRCE_BODY"}
