"""One function for each type of resource that is made: from its properties to a call of moto."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from local.deployment import function_arn
from local.environment import LocalFunction
from tests.infra.deployed import rest_api
from tests.infra.deployed.deployment import Deployment, Maker, Properties
from tests.infra.deployed.intrinsics import Made


def bucket(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    s3, name = deployment.client("s3"), logical_id.lower()
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(
        Bucket=name, VersioningConfiguration=properties["VersioningConfiguration"]
    )
    notified = properties["NotificationConfiguration"]["EventBridgeConfiguration"]
    if notified["EventBridgeEnabled"]:
        s3.put_bucket_notification_configuration(
            Bucket=name, NotificationConfiguration={"EventBridgeConfiguration": {}}
        )
    s3.put_public_access_block(
        Bucket=name,
        PublicAccessBlockConfiguration=properties["PublicAccessBlockConfiguration"],
    )
    return Made(name, {"Arn": f"arn:aws:s3:::{name}"})


def queue(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    sqs = deployment.client("sqs")
    seconds = str(properties["MessageRetentionPeriod"])
    url = sqs.create_queue(QueueName=logical_id, Attributes={"MessageRetentionPeriod": seconds})[
        "QueueUrl"
    ]
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    return Made(url, {"Arn": found["QueueArn"], "QueueName": logical_id})


def log_group(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    logs, name = deployment.client("logs"), properties.get("LogGroupName", logical_id)
    logs.create_log_group(logGroupName=name)
    logs.put_retention_policy(logGroupName=name, retentionInDays=properties["RetentionInDays"])
    [group] = logs.describe_log_groups(logGroupNamePrefix=name, limit=1)["logGroups"]
    return Made(name, {"Arn": group["arn"]})


def role(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    created = deployment.client("iam").create_role(
        RoleName=logical_id[:64],
        AssumeRolePolicyDocument=json.dumps(properties["AssumeRolePolicyDocument"]),
    )["Role"]
    return Made(created["RoleName"], {"Arn": created["Arn"]})


def policy(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    for name in properties["Roles"]:
        deployment.client("iam").put_role_policy(
            RoleName=name,
            PolicyName=properties["PolicyName"],
            PolicyDocument=json.dumps(properties["PolicyDocument"]),
        )
    return Made(logical_id)


def function(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    name = properties.get("FunctionName", logical_id)
    made = Made(name, {"Arn": function_arn(name)})
    variables = dict(properties.get("Environment", {}).get("Variables", {}))
    if "ZipFile" in properties["Code"]:
        folder = deployment.directory / "code" / logical_id
        folder.mkdir(parents=True)
        (folder / "index.py").write_text(properties["Code"]["ZipFile"], encoding="utf-8")
        variables["PYTHONPATH"] = str(folder)
    deployment.roles[name] = properties["Role"].rpartition("/")[2]
    deployment.add(
        LocalFunction(
            name=name,
            handler=properties["Handler"],
            arn=function_arn(name),
            timeout_seconds=properties["Timeout"],
            memory_mb=properties["MemorySize"],
            variables=variables,
        )
    )
    return made


def version(deployment: Deployment, _logical_id: str, properties: Properties) -> Made:
    """Publish the first version of a function: the same again, under an address of its own."""
    name = properties["FunctionName"]
    current = deployment.functions[name]
    published = replace(current, name=f"{name}:1", arn=f"{current.arn}:1")
    deployment.pool.deploy({published.name: published})
    return Made(published.arn, {"Version": "1"})


def permission(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    deployment.permissions.append(properties)
    return Made(logical_id)


def state_machine(deployment: Deployment, _logical_id: str, properties: Properties) -> Made:
    written = properties["DefinitionString"]
    for name, text in properties["DefinitionSubstitutions"].items():
        written = written.replace(f"${{{name}}}", text)
    arn = deployment.client("stepfunctions").create_state_machine(
        name=properties["StateMachineName"],
        definition=written,
        roleArn=properties["RoleArn"],
        type=properties.get("StateMachineType", "STANDARD"),
    )["stateMachineArn"]
    return Made(arn, {"Arn": arn, "Name": properties["StateMachineName"]})


def rule(deployment: Deployment, logical_id: str, properties: Properties) -> Made:
    events, name = deployment.client("events"), logical_id[:64]
    when = {key: properties[key] for key in ("ScheduleExpression",) if key in properties}
    if "EventPattern" in properties:
        when["EventPattern"] = json.dumps(properties["EventPattern"])
    arn = events.put_rule(Name=name, State=properties["State"], **when)["RuleArn"]
    events.put_targets(Rule=name, Targets=properties["Targets"])
    return Made(name, {"Arn": arn})


MAKERS: Final[Mapping[str, Maker]] = {
    "AWS::CloudFormation::CustomResource": Deployment.ask,
    "AWS::Events::Rule": rule,
    "AWS::IAM::Policy": policy,
    "AWS::IAM::Role": role,
    "AWS::Lambda::Function": function,
    "AWS::Lambda::Permission": permission,
    "AWS::Lambda::Version": version,
    "AWS::Logs::LogGroup": log_group,
    "AWS::S3::Bucket": bucket,
    "AWS::SQS::Queue": queue,
    "AWS::StepFunctions::StateMachine": state_machine,
    **rest_api.MAKERS,
}
