"""Who may touch what: each role has what its function does, and nothing beside it."""

import json
from fnmatch import fnmatchcase
from uuid import uuid4

import pytest

from infra.components.machine import MACHINES
from infra.functions import FUNCTIONS
from pulsedocs.model import object_keys
from pulsedocs.model.documents import Run
from pulsedocs.model.page_ranges import PageRange
from pulsedocs.pipeline import Step
from tests.infra.synthesise import OWN_ISSUER
from tests.infra.templates import StageTemplates, Statement, listed

VERSION = "s3:GetObjectVersion"
# (actions, resource) of functions, beside log, trace, network interface, and objects: see USED.
EXPECTED: dict[str, set[tuple[str, str]]] = {
    "migrate": {("rds-db:connect", "pulsedocs_migrate")},
    "documents": {("rds-db:connect", "pulsedocs_api")},
    "ingest": {("s3:ListBucket", "BUCKET")},
    "batches": {("rds-db:connect", "pulsedocs_api")},
    "models": {("rds-db:connect", "pulsedocs_api")},
    "backfill": {("rds-db:connect", "pulsedocs_ingest"), ("sqs:SendMessage", "QUEUE")},
    "retire": {("rds-db:connect", "pulsedocs_sweep"), ("sqs:SendMessage", "QUEUE")},
    "collect": {("s3:ListBucket", "BUCKET")},
    "tally": {("rds-db:connect", "pulsedocs_ingest"), ("sqs:SendMessage", "QUEUE")},
    "purge": {
        ("s3:ListBucket s3:ListBucketVersions", "BUCKET"),
        ("rds-db:connect", "pulsedocs_sweep"),
        ("sqs:SendMessage", "QUEUE"),
    },
    "sweep": {
        ("s3:ListBucket s3:ListBucketVersions", "BUCKET"),
        ("rds-db:connect", "pulsedocs_sweep"),
        ("sqs:SendMessage", "QUEUE"),
    },
    "claim": {
        ("s3:ListBucket s3:ListBucketVersions", "BUCKET"),
        ("rds-db:connect", "pulsedocs_ingest"),
    },
    "store": {("rds-db:connect", "pulsedocs_ingest")},
    "clean": {("rds-db:connect", "pulsedocs_ingest")},
    "chunk": {("s3:ListBucket", "BUCKET"), ("rds-db:connect", "pulsedocs_ingest")},
    "embed": {("s3:ListBucket", "BUCKET")},
    "publish": {("rds-db:connect", "pulsedocs_ingest")},
    "fail": {("rds-db:connect", "pulsedocs_ingest"), ("sqs:SendMessage", "QUEUE")},
    "retrieve": {("rds-db:connect", "pulsedocs_query")},
    "stream": {("ssm:GetParameter", "trace-secret"), ("lambda:InvokeFunction", "retrieve")},
    "evaluate": {
        ("s3:ListBucket", "BUCKET"),
        ("lambda:InvokeFunction", "retrieve"),
        ("sqs:SendMessage", "QUEUE"),
    },
    "query": {
        ("s3:ListBucket", "BUCKET"),
        ("ssm:GetParameter", "trace-secret"),
        ("lambda:InvokeFunction", "retrieve"),
        ("lambda:InvokeFunction", "boxes"),
    },
}
_REGION, _ACCOUNT = "eu-central-1", "123456789012"
_ON = f"arn:aws:bedrock:{_REGION}"
_CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0"
_CALLED = ("bedrock:InvokeModel", "bedrock:InvokeModel bedrock:InvokeModelWithResponseStream")
_TO_EMBED = {
    ("bedrock:InvokeModel", f"{_ON}::foundation-model/amazon.titan-embed-text-v2:0"),
    ("ssm:GetParameter", "cohere-api-key"),
}
_TO_ANSWER = {
    *_TO_EMBED,
    ("bedrock:InvokeModel", f"{_ON}::foundation-model/amazon.nova-micro-v1:0"),
    ("bedrock:InvokeModel", f"{_ON}::foundation-model/cohere.rerank-v3-5:0"),
}
_CHAT = (
    f"{_ON}:{_ACCOUNT}:inference-profile/eu.{_CLAUDE}",
    f"arn:aws:bedrock:*::foundation-model/{_CLAUDE}",
)
# What the options of `synthesise.py` add; elsewhere it is the key of OpenAI, the default.
FOR_OTHER_MODELS: dict[str, set[tuple[str, str]]] = {
    "embed": _TO_EMBED,
    "query": _TO_ANSWER | {(_CALLED[0], resource) for resource in _CHAT},
    "evaluate": _TO_ANSWER | {(_CALLED[0], resource) for resource in _CHAT},
    "stream": _TO_ANSWER | {(_CALLED[1], resource) for resource in _CHAT},
}
RUN = Run(uuid4(), uuid4(), 1, 2)
TENANT, DOCUMENT = RUN.tenant_id, RUN.document_id
UPLOAD = object_keys.upload_key(TENANT, DOCUMENT)
REQUEST = object_keys.request_key(TENANT, DOCUMENT, "0" * 64)
SOURCE = object_keys.source_key(TENANT, "0" * 64)
IDEMPOTENCY = object_keys.idempotency_key(TENANT, "0" * 64)
IMPORT = f"imports/{TENANT}/handbook.pdf"
OPEN = object_keys.open_marker_key(TENANT, DOCUMENT)
PAGES = object_keys.pages_key(RUN, PageRange(1, 500))
RECOGNISED = object_keys.recognised_key(RUN, PageRange(1, 500))
BATCH = object_keys.embedding_batch_key(RUN, "0" * 64)
VECTORS = object_keys.vectors_key(RUN, "openai:text-embedding-3-small@1536", "0" * 64)
SENTENCES = object_keys.sentences_key(RUN, "0" * 32)
DISTANCES = object_keys.distances_key(RUN, "openai:text-embedding-3-small@1536", "0" * 32)
BATCH_CONTROL = object_keys.batch_control_key(TENANT, uuid4())
BATCH_PAGE = object_keys.batch_page_key(TENANT, uuid4(), "items", after="")
INGEST_CONTROL = object_keys.ingest_control_key(TENANT, DOCUMENT)
PURGE_CONTROL = object_keys.purge_control_key(TENANT, uuid4())
PROBE_CONTROL = object_keys.probe_control_key(TENANT, uuid4())
BACKFILL_CONTROL = object_keys.backfill_control_key(TENANT, uuid4())
RETIRE_CONTROL = object_keys.retire_control_key(TENANT, "memory:hashing@8")
EVALUATION_CONTROL = object_keys.evaluation_control_key(TENANT, uuid4())
EVALUATION_REQUEST = object_keys.evaluation_request_key(TENANT, uuid4())
EVALUATION = object_keys.evaluation_key(TENANT, uuid4())
DELETED = object_keys.deleted_key(TENANT, uuid4(), uuid4())
SWEEP_POSITION = object_keys.SWEEP_POSITION_KEY
TRACE = object_keys.trace_key(TENANT, uuid4().hex)
KEYS = (
    UPLOAD,
    OPEN,
    PAGES,
    RECOGNISED,
    BATCH,
    VECTORS,
    SENTENCES,
    DISTANCES,
    TRACE,
    BATCH_CONTROL,
    BATCH_PAGE,
    PROBE_CONTROL,
    BACKFILL_CONTROL,
    RETIRE_CONTROL,
    INGEST_CONTROL,
    PURGE_CONTROL,
    EVALUATION_CONTROL,
    EVALUATION_REQUEST,
    EVALUATION,
    SWEEP_POSITION,
    DELETED,
    REQUEST,
    SOURCE,
    IDEMPOTENCY,
    IMPORT,
)
STAGED = (PAGES, RECOGNISED, BATCH, VECTORS, SENTENCES, DISTANCES, BATCH_PAGE, EVALUATION_REQUEST)
# What the use cases do, on the keys they do it to.
USED = {
    "documents": {
        (VERSION, UPLOAD),
        ("s3:PutObject", UPLOAD),
        ("s3:PutObject", OPEN),
        ("s3:DeleteObject", OPEN),
        ("s3:PutObject", INGEST_CONTROL),
        ("s3:PutObject", PURGE_CONTROL),
        ("s3:PutObject", DELETED),
    },
    "purge": {
        *(
            ("s3:DeleteObjectVersion", key)
            for key in (UPLOAD, REQUEST, OPEN, INGEST_CONTROL, SOURCE, *STAGED)
        ),
        *((VERSION, key) for key in (REQUEST, TRACE, SOURCE, *STAGED)),
        ("s3:PutObject", PURGE_CONTROL),
        ("s3:PutObject", DELETED),
    },
    "sweep": {
        ("s3:PutObject", INGEST_CONTROL),
        ("s3:PutObject", PURGE_CONTROL),
        ("s3:DeleteObject", OPEN),
        *(("s3:DeleteObject", key) for key in STAGED),
        ("s3:DeleteObjectVersion", UPLOAD),
        *((f"s3:{action}Object", SWEEP_POSITION) for action in ("Get", "Put")),
    },
    "ingest": {
        ("s3:GetObject", IMPORT),
        ("s3:PutObject", REQUEST),
        ("s3:PutObject", UPLOAD),
        ("s3:GetObject", SOURCE),
        ("s3:PutObject", SOURCE),
        ("s3:GetObject", IDEMPOTENCY),
        ("s3:PutObject", IDEMPOTENCY),
        ("s3:DeleteObject", IDEMPOTENCY),
        ("s3:PutObject", INGEST_CONTROL),
    },
    "batches": {("s3:PutObject", BATCH_CONTROL)},
    "models": {("s3:PutObject", key) for key in (PROBE_CONTROL, BACKFILL_CONTROL, RETIRE_CONTROL)},
    "backfill": {("s3:PutObject", key) for key in (BATCH, BACKFILL_CONTROL, INGEST_CONTROL)},
    "retire": {("s3:GetObject", RETIRE_CONTROL), ("s3:PutObject", RETIRE_CONTROL)},
    "collect": {
        ("s3:GetObject", IMPORT),
        ("s3:GetObject", BATCH_CONTROL),
        ("s3:PutObject", BATCH_PAGE),
        ("s3:PutObject", REQUEST),
        ("s3:PutObject", UPLOAD),
        ("s3:GetObject", SOURCE),
        ("s3:PutObject", SOURCE),
    },
    "tally": {("s3:GetObject", BATCH_PAGE), ("s3:PutObject", BATCH_PAGE)},
    "claim": {
        ("s3:GetObject", REQUEST),
        ("s3:GetObject", UPLOAD),
        (VERSION, UPLOAD),
        ("s3:DeleteObjectVersion", UPLOAD),
        ("s3:PutObject", OPEN),
        ("s3:DeleteObject", OPEN),
        ("s3:PutObject", PURGE_CONTROL),
    },
    "extract": {(VERSION, UPLOAD), ("s3:GetObject", PAGES), ("s3:PutObject", PAGES)},
    "recognise": {
        (VERSION, UPLOAD),
        ("s3:GetObject", RECOGNISED),
        ("s3:PutObject", RECOGNISED),
    },
    "boxes": {(VERSION, UPLOAD)},
    "store": {
        ("s3:GetObject", PAGES),
        ("s3:GetObject", RECOGNISED),
        ("s3:GetObject", VECTORS),
        ("s3:DeleteObject", OPEN),
    },
    "clean": {("s3:DeleteObject", OPEN), ("s3:PutObject", SENTENCES)},
    "chunk": {("s3:PutObject", BATCH), ("s3:GetObject", BATCH), ("s3:GetObject", DISTANCES)},
    "embed": {
        ("s3:GetObject", PROBE_CONTROL),
        ("s3:GetObject", BATCH),
        ("s3:GetObject", VECTORS),
        ("s3:PutObject", VECTORS),
        ("s3:GetObject", SENTENCES),
        ("s3:GetObject", DISTANCES),
        ("s3:PutObject", DISTANCES),
    },
    "publish": {("s3:DeleteObject", OPEN)},
    "fail": {("s3:DeleteObject", OPEN), ("s3:PutObject", PURGE_CONTROL)},
    "query": {
        ("s3:GetObject", TRACE),
        ("s3:PutObject", TRACE),
        ("s3:PutObject", EVALUATION_REQUEST),
        ("s3:PutObject", EVALUATION_CONTROL),
        ("s3:GetObject", EVALUATION),
        ("s3:PutObject", EVALUATION),
    },
    "evaluate": {
        ("s3:GetObject", EVALUATION_REQUEST),
        ("s3:DeleteObject", EVALUATION_REQUEST),
        ("s3:GetObject", EVALUATION),
        ("s3:PutObject", EVALUATION),
    },
    "stream": {("s3:PutObject", TRACE)},
}
TRACES = {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}
INTERFACES = {
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
    "ec2:GetSecurityGroupsForVpc",
    "ec2:UnassignPrivateIpAddresses",
}
LOG_DELIVERY = {
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
}
SAMPLING = {"xray:GetSamplingRules", "xray:GetSamplingTargets"}


def statements_of(templates: StageTemplates, function: str) -> list[Statement]:
    return templates.statements(templates.functions[function]["Role"])


def grants(templates: StageTemplates, function: str) -> set[tuple[str, str]]:
    """Return what a function may do beside what its runtime needs, as written in EXPECTED."""
    return {
        (" ".join(statement.actions), _short(templates, resource))
        for statement in statements_of(templates, function)
        for resource in statement.resources
        if resource != "*" and not statement.actions[0].startswith("logs:")
    }


def _short(templates: StageTemplates, resource: str) -> str:
    [bucket] = templates.of("S3::Bucket")
    [queue] = templates.of("SQS::Queue")
    if resource == f"{queue}.Arn":
        return "QUEUE"
    kind = resource.split(":")[2] if resource.startswith("arn:") else ""
    if kind in {"rds-db", "ssm"}:
        return resource.rpartition("/")[2]
    if resource.endswith(".Arn") and not resource.startswith(bucket):
        return templates.function_at({"Fn::GetAtt": resource.split(".")})
    return resource.replace(f"{bucket}.Arn", "BUCKET")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_may_do_exactly_what_is_listed(name: str, templates: StageTemplates) -> None:
    """P-04: as deployed."""
    others = {grant for grant in grants(templates, name) if not grant[1].startswith("BUCKET/")}

    assert others == EXPECTED.get(name, set()) | for_models(templates, name)


def for_models(templates: StageTemplates, name: str) -> set[tuple[str, str]]:
    """S3-01: a key or a permission only for a provider whose model is configured."""
    if name not in FOR_OTHER_MODELS:
        return set()
    if templates.name == OWN_ISSUER:
        return FOR_OTHER_MODELS[name]
    return {("ssm:GetParameter", "openai-api-key")}


@pytest.mark.parametrize("name", FOR_OTHER_MODELS)
def test_a_model_in_every_region_is_called_through_its_profile_only(
    name: str, templates: StageTemplates
) -> None:
    role = templates.functions[name]["Role"]["Fn::GetAtt"][0]
    anywhere = [
        statement
        for policy in templates.properties("IAM::Policy")
        if {"Ref": role} in policy["Roles"]
        for statement in policy["PolicyDocument"]["Statement"]
        if ":bedrock:*::" in "".join(map(templates.text, listed(statement["Resource"])))
    ]

    assert len(anywhere) == (templates.name == OWN_ISSUER and name != "embed")
    for statement in anywhere:
        profile = statement["Condition"]["StringLike"]["bedrock:InferenceProfileArn"]
        assert templates.text(profile) == _CHAT[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_role_speaks_of_everything_only_where_aws_knows_no_less(
    name: str, templates: StageTemplates
) -> None:
    unbounded = {
        action
        for statement in statements_of(templates, name)
        if "*" in statement.resources
        for action in statement.actions
    }

    reranks = templates.name == OWN_ISSUER and name in {"query", "stream", "evaluate"}
    reranking = {"bedrock:Rerank"} if reranks else set[str]()
    assert unbounded == TRACES | reranking | (set() if FUNCTIONS[name].internet else INTERFACES)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_grant_covers_the_keys_that_are_used_and_no_others(
    name: str, templates: StageTemplates
) -> None:
    """The patterns are written by hand; the keys come from the code that builds them."""
    allowed = {
        (action, key)
        for actions, resource in grants(templates, name)
        for action in actions.split()
        for key in KEYS
        if fnmatchcase(key, resource.removeprefix("BUCKET/"))
    }

    assert allowed == USED.get(name, set())


def test_no_action_is_a_pattern(templates: StageTemplates) -> None:
    for policy in templates.properties("IAM::Policy"):
        for statement in policy["PolicyDocument"]["Statement"]:
            assert not any("*" in action for action in listed(statement["Action"]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_writes_into_its_own_log_only(name: str, templates: StageTemplates) -> None:
    [log] = [
        resource
        for statement in statements_of(templates, name)
        if statement.actions[0].startswith("logs:")
        for resource in statement.resources
    ]

    group = templates.text(templates.functions[name]["LoggingConfig"]["LogGroup"])
    assert log == f"{group}.Arn"


def test_only_what_answers_invokes(templates: StageTemplates) -> None:
    invoking = {
        name
        for name in templates.functions
        for statement in statements_of(templates, name)
        if any(action.startswith("lambda:") for action in statement.actions)
    }

    assert invoking == {"query", "stream", "evaluate", "migration-step"}


def test_a_deployment_invokes_what_migrates_and_nothing_else(templates: StageTemplates) -> None:
    invoked = {
        resource
        for statement in statements_of(templates, "migration-step")
        if statement.actions == ("lambda:InvokeFunction",)
        for resource in statement.resources
    }
    [migrate] = [
        name
        for name, resource in templates.of("Lambda::Function").items()
        if resource["Properties"] is templates.functions["migrate"]
    ]

    assert invoked == {f"{migrate}.Arn:*"}


@pytest.mark.parametrize(
    ("name", "steps"), [("ingest", tuple(Step)), ("models", MACHINES["Modelling"].calls)]
)
def test_a_state_machine_invokes_its_steps_and_nothing_else(
    name: str, steps: tuple[str, ...], templates: StageTemplates
) -> None:
    machine = templates.machines[name]
    statements = templates.statements(machine["RoleArn"])

    invoked = {
        templates.function_at({"Fn::GetAtt": resource.split(".")})
        for statement in statements
        if statement.actions == ("lambda:InvokeFunction",)
        for resource in statement.resources
    }
    others = {
        action
        for statement in statements
        for action in statement.actions
        if action != "lambda:InvokeFunction"
    }
    assert invoked == {str(step) for step in steps}
    assert others == LOG_DELIVERY | TRACES | SAMPLING


def test_a_batch_does_what_its_documents_take_reads_its_pages_and_starts_its_children(
    templates: StageTemplates,
) -> None:
    [bucket] = templates.of("S3::Bucket")
    machine = templates.machines["batch"]
    statements = templates.statements(machine["RoleArn"])
    account, name = "eu-west-1:123456789012", machine["StateMachineName"]

    allowed = {
        (action, resource)
        for statement in statements
        for action in statement.actions
        for resource in statement.resources
        if resource != "*"
    }
    invoked = {
        templates.function_at({"Fn::GetAtt": resource.split(".")})
        for action, resource in allowed
        if action == "lambda:InvokeFunction"
    }
    assert invoked == {str(step) for step in MACHINES["Batching"].calls}
    assert {pair for pair in allowed if pair[0] != "lambda:InvokeFunction"} == {
        ("s3:GetObject", f"{bucket}.Arn/staging/*/batch-*/*"),
        ("states:StartExecution", f"arn:aws:states:{account}:stateMachine:{name}"),
        ("states:DescribeExecution", f"arn:aws:states:{account}:execution:{name}:*"),
        ("states:StopExecution", f"arn:aws:states:{account}:execution:{name}:*"),
    }


def test_the_data_api_and_the_masters_password_serve_one_statement_of_a_deployment(
    templates: StageTemplates,
) -> None:
    """Whoever has them is the database's master: no function of the product, and no person."""
    masterly = {
        (role["Ref"], action)
        for policy in templates.properties("IAM::Policy")
        for statement in policy["PolicyDocument"]["Statement"]
        for action in listed(statement["Action"])
        for role in policy["Roles"]
        if action.startswith(("rds-data:", "secretsmanager:"))
    }
    [step] = [name for name in templates.functions if name == "first-role"]
    role = templates.functions[step]["Role"]["Fn::GetAtt"][0]

    assert masterly == {
        (role, "rds-data:ExecuteStatement"),
        (role, "secretsmanager:GetSecretValue"),
    }
    assert "first-role" not in FUNCTIONS


def test_whoever_may_invoke_a_function_is_named(templates: StageTemplates) -> None:
    for permission in templates.properties("Lambda::Permission"):
        assert permission["Principal"] in {
            "apigateway.amazonaws.com",
            "cognito-idp.amazonaws.com",
            "events.amazonaws.com",
        }
        assert permission["SourceArn"]


def test_roles_are_taken_by_services_and_use_no_managed_policy(templates: StageTemplates) -> None:
    managed: list[str] = []
    for role in templates.properties("IAM::Role"):
        [statement] = role["AssumeRolePolicyDocument"]["Statement"]
        assert set(statement["Principal"]) == {"Service"}
        managed += [templates.text(arn) for arn in role.get("ManagedPolicyArns", [])]

    # API Gateway asks for exactly this one, once an account.
    assert [arn.rpartition("/")[2] for arn in managed] == ["AmazonAPIGatewayPushToCloudWatchLogs"]


def test_a_service_takes_a_role_for_this_account_where_it_says_for_which(
    templates: StageTemplates,
) -> None:
    """Lambda and API Gateway document no `aws:SourceAccount` of theirs: with it they take none."""
    unsaid = {"lambda.amazonaws.com", "apigateway.amazonaws.com"}
    bound: set[str] = set()
    for role in templates.properties("IAM::Role"):
        [statement] = role["AssumeRolePolicyDocument"]["Statement"]
        service = statement["Principal"]["Service"]
        conditions = statement.get("Condition")
        own = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
        assert conditions == (None if service in unsaid else own), service
        bound |= {service} - unsaid

    assert bound == {"states.amazonaws.com", "events.amazonaws.com", "vpc-flow-logs.amazonaws.com"}


def test_no_policy_is_written_where_it_is_not_looked_for(templates: StageTemplates) -> None:
    """Every permission is an AWS::IAM::Policy: what the tests above read is all there is."""
    assert not any("Policies" in role for role in templates.properties("IAM::Role"))
    assert not templates.of("IAM::ManagedPolicy")
    assert "iam:PassRole" not in json.dumps(templates.templates)
