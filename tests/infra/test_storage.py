"""What holds data is encrypted, private, backed up, and kept as its stage says."""

import json

import pytest

from infra.config import Leaving, Stage
from tests.infra.templates import Resource, StageTemplates, listed

DELETION_POLICY = {
    Leaving.NOTHING: "Delete",
    Leaving.SNAPSHOT: "Snapshot",
    Leaving.EVERYTHING: "Retain",
}


@pytest.fixture
def bucket(templates: StageTemplates) -> Resource:
    [resource] = templates.of("S3::Bucket").values()
    return resource


@pytest.fixture
def cluster(templates: StageTemplates) -> Resource:
    [resource] = templates.of("RDS::DBCluster").values()
    return resource


def test_the_bucket_is_private_encrypted_and_versioned(bucket: Resource) -> None:
    """P-01: a version of an object is what one run belongs to."""
    properties = bucket["Properties"]

    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(properties["PublicAccessBlockConfiguration"]) == 4
    assert properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert properties["VersioningConfiguration"] == {"Status": "Enabled"}


def test_the_bucket_refuses_what_comes_without_tls(templates: StageTemplates) -> None:
    [policy] = templates.properties("S3::BucketPolicy")

    denied = [
        statement["Condition"]
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny" and statement["Action"] == "s3:*"
    ]
    assert {"Bool": {"aws:SecureTransport": "false"}} in denied
    assert {"NumericLessThan": {"s3:TlsVersion": 1.2}} in denied


def test_pages_that_may_call_the_api_may_use_its_forms_and_links(
    bucket: Resource, templates: StageTemplates
) -> None:
    """T-09, S0-10: the upload itself goes from the browser to the bucket, past the API."""
    rules = bucket["Properties"].get("CorsConfiguration", {}).get("CorsRules", [])
    origins = json.loads(templates.environment("documents").get("CORS_ORIGINS", "[]"))

    assert bool(rules) is bool(origins) is templates.name.endswith("-own-issuer")
    for rule in rules[:1]:
        assert rule["AllowedOrigins"] == origins
        assert set(rule["AllowedMethods"]) == {"GET", "HEAD", "POST"}
        assert rule["AllowedHeaders"] == ["*"]


def test_the_console_is_told_by_the_bucket_how_far_an_upload_is_and_no_other_page_is(
    bucket: Resource, templates: StageTemplates
) -> None:
    """Its address is known before the API is there where it is a domain of the operator's."""
    rules = bucket["Properties"].get("CorsConfiguration", {}).get("CorsRules", [])
    names = [each["DomainName"] for each in templates.properties("ApiGateway::DomainName")]

    assert [(rule["AllowedOrigins"], rule["AllowedMethods"]) for rule in rules[1:]] == [
        ([f"https://{name}"], ["POST"]) for name in names
    ]


def test_objects_expire_as_the_key_table_says(bucket: Resource) -> None:
    rules = {rule["Id"]: rule for rule in bucket["Properties"]["LifecycleConfiguration"]["Rules"]}

    expiring = {
        rule["Prefix"]: rule["ExpirationInDays"]
        for rule in rules.values()
        if "ExpirationInDays" in rule
    }
    assert expiring == {
        "staging/": 14,
        "traces/": 30,
        "evaluations/": 90,
        "control/": 7,
        "recognised/": 30,
        "requests/": 30,
        "idempotency/": 2,
        "deleted/": 400,
    }
    assert rules["leftovers"]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    overwritten = {
        rule["Prefix"]: rule["NoncurrentVersionExpiration"]["NoncurrentDays"]
        for rule in rules.values()
        if "NoncurrentVersionExpiration" in rule
    }
    assert set(overwritten.values()) == {30}
    assert {"open/", "sources/", "sweep/"} < set(overwritten)
    # What is published may be an older version of its object: only rows tell.
    assert "u/" not in overwritten
    assert all(rule["Prefix"] for rule in rules.values() if "Prefix" in rule)


def test_the_bucket_tells_event_bridge_without_a_function_of_its_own(
    bucket: Resource, templates: StageTemplates
) -> None:
    notifications = bucket["Properties"]["NotificationConfiguration"]

    assert notifications == {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}
    custom = {resource["Type"] for resource in templates.resources.values()}
    assert not {kind for kind in custom if kind.startswith("Custom::S3")}


def test_destroying_a_stage_keeps_the_bucket(bucket: Resource) -> None:
    """But for one that was made a moment ago, by a first deployment that failed: it is empty."""
    assert bucket["DeletionPolicy"] == "RetainExceptOnCreate"
    assert bucket["UpdateReplacePolicy"] == "Retain"


def test_the_database_is_encrypted_signed_into_by_token_and_backed_up(
    cluster: Resource, stage: Stage
) -> None:
    properties = cluster["Properties"]

    assert properties["StorageEncrypted"] is True
    assert properties["EnableIAMDatabaseAuthentication"] is True
    assert properties["BackupRetentionPeriod"] == stage.backup_days
    assert properties["ManageMasterUserPassword"] is True
    assert "MasterUserPassword" not in properties


def test_the_database_is_not_enrolled_in_paid_support(cluster: Resource) -> None:
    """Fails when: it is left to AWS's default, for the life of the cluster (decision 0080)."""
    chosen = cluster["Properties"].get("EngineLifecycleSupport")

    assert chosen == "open-source-rds-extended-support-disabled"


def test_the_database_refuses_what_comes_without_tls(templates: StageTemplates) -> None:
    [group] = templates.properties("RDS::DBClusterParameterGroup")

    assert group["Parameters"]["rds.force_ssl"] == "1"


def test_the_database_pauses_where_its_stage_says_so(cluster: Resource, stage: Stage) -> None:
    scaling = cluster["Properties"]["ServerlessV2ScalingConfiguration"]

    assert (scaling["MinCapacity"], scaling["MaxCapacity"]) == (stage.min_acu, stage.max_acu)
    pause = None if stage.auto_pause_minutes is None else stage.auto_pause_minutes * 60
    assert scaling.get("SecondsUntilAutoPause") == pause


def test_the_database_leaves_what_its_stage_says(cluster: Resource, stage: Stage) -> None:
    assert cluster["DeletionPolicy"] == DELETION_POLICY[stage.leaves]
    assert cluster["Properties"]["DeletionProtection"] is stage.is_protected


def test_the_database_runs_a_version_with_pgvector(cluster: Resource) -> None:
    """PostgreSQL 16, the lower of the two that the suite runs on."""
    properties = cluster["Properties"]

    assert properties["Engine"] == "aurora-postgresql"
    assert properties["EngineVersion"].startswith("16.")


def test_the_database_stays_at_the_version_that_the_template_names(
    templates: StageTemplates,
) -> None:
    """AWS would take it past the version, and the next deployment could not lead back."""
    for instance in templates.properties("RDS::DBInstance"):
        assert instance["AutoMinorVersionUpgrade"] is False


def test_every_log_ends(templates: StageTemplates, stage: Stage) -> None:
    for group in templates.of("Logs::LogGroup").values():
        assert group["Properties"]["RetentionInDays"] == stage.log_days
        assert group["DeletionPolicy"] == "Delete"


def test_every_function_names_a_log_group_that_ends(templates: StageTemplates) -> None:
    groups = templates.of("Logs::LogGroup")
    for function in templates.properties("Lambda::Function"):
        assert function["LoggingConfig"]["LogGroup"]["Ref"] in groups


def test_queues_are_encrypted_and_refuse_what_comes_without_tls(templates: StageTemplates) -> None:
    for queue in templates.properties("SQS::Queue"):
        assert queue["SqsManagedSseEnabled"] is True
        assert queue["MessageRetentionPeriod"] == 14 * 24 * 3600
    for policy in templates.properties("SQS::QueuePolicy"):
        effects = [
            statement["Effect"] for statement in listed(policy["PolicyDocument"]["Statement"])
        ]
        assert "Deny" in effects
