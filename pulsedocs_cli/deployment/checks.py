"""What an account has to have before a first deployment, one function a question."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from infra.config import (
    MADE,
    TITLE,
    WEB_ADAPTER_ACCOUNT,
    WEB_ADAPTER_LAYER,
    WITHOUT_BUDGETS,
    Options,
    Stage,
)
from infra.parameters import parameters
from pulsedocs_cli.deployment import database, given, region
from pulsedocs_cli.deployment.account import Account, Unreadable
from pulsedocs_cli.deployment.bedrock import look_at_bedrock
from pulsedocs_cli.deployment.findings import Finding, ok, stop, warn

BOOTSTRAP: Final = "/cdk-bootstrap/hnb659fds/version"
BOOTSTRAP_VERSION: Final = 6
"""The oldest that the templates' own rule `CheckBootstrapVersion` takes."""
_DEFAULT_KEY: Final = "alias/aws/ssm"
_HALF_MADE: Final = "CREATE_FAILED"
"""Of a stack that was deployed with `--no-rollback`: it goes on where it stopped."""
_HALF_DONE: Final = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED")
_HALF_WAY_BACK: Final = "UPDATE_ROLLBACK_FAILED"
_NEVER_MADE: Final = "REVIEW_IN_PROGRESS"
"""Of a stack that nothing was ever made in: its first change set was refused or left alone."""
_UNPROTECT: Final = (
    "aws cloudformation update-termination-protection --no-enable-termination-protection"
)
_ASK_FOR_CONCURRENCY: Final = (
    "aws service-quotas request-service-quota-increase --service-code lambda"
    " --quota-code L-B99A9384 --desired-value 1000"
)


@dataclass(frozen=True, slots=True)
class Deployment:
    stage: Stage
    options: Options

    def stack(self, part: str) -> str:
        return f"{TITLE}-{self.stage.name}-{part}"


@dataclass(frozen=True, slots=True)
class _Quota:
    """One that a new stage takes one more of."""

    what: str
    code: str
    counted: Callable[[Account], int]


def look_at_identity(account: Account) -> Iterator[Finding]:
    """Say whose account and which region; without an answer nothing else can be asked."""
    try:
        who = account.read("sts", "get_caller_identity")
    except Unreadable as error:
        yield stop("identity", str(error), "sign in, e.g. `aws login` or `aws sso login`")
        return
    found = f"account {who['Account']}, region {account.region}, as {who['Arn']}"
    if str(who["Arn"]).endswith(":root"):
        yield warn("identity", found, "use a role or a user of your own rather than the root")
    else:
        yield ok("identity", found)


def look_at_plan(account: Account, _deployment: Deployment) -> Iterator[Finding]:
    """AWS's free plan refuses some services in some forms; which ones is not in any API."""
    try:
        plan = account.read("freetier", "get_account_plan_state", region="us-east-1")
    except Unreadable as error:
        if error.code != "ResourceNotFoundException":
            raise
        plan = {}
    if plan.get("accountPlanType") == "FREE":
        yield warn(
            "account plan",
            "the free plan, which refuses some services; no deployment has been tried on it",
            "if a stack is refused, upgrade the plan in Billing",
        )
    else:
        yield ok("account plan", "not the free plan")


def look_at_stacks(account: Account, deployment: Deployment) -> Iterator[Finding]:
    """Look for what blocks an update: a stack whose creation was rolled back has to go first.

    CDK deletes it by itself, and is refused where it is protected: there it is better to go on.
    """
    stage = deployment.stage
    for part in ("Data", "Service"):
        name = deployment.stack(part)
        status = _status_of(account, name)
        if status is None:
            how = ": deploy it with --no-rollback" if stage.is_protected else ""
            yield ok("stack", f"{name} is not there yet{how}")
        elif status == _HALF_MADE:
            go_on = f"npx cdk deploy {name} --no-rollback -c stage={stage.name}"
            yield stop("stack", f"{name} is {status}", f"repair what its events name, then {go_on}")
        elif status in _HALF_DONE:
            destroy = f"npx cdk destroy {name} -c stage={stage.name}"
            free = f"{_UNPROTECT} --stack-name {name} && " if stage.is_protected else ""
            yield stop("stack", f"{name} is {status}", free + destroy)
        elif status == _HALF_WAY_BACK:
            back = f"aws cloudformation continue-update-rollback --stack-name {name}"
            yield stop("stack", f"{name} is {status}", f"{back}; its events say what stopped it")
        elif status.endswith("_IN_PROGRESS"):
            yield stop("stack", f"{name} is {status}", "wait until it has ended")
        else:
            yield ok("stack", f"{name} is {status}, a deployment updates it")


def look_at_bootstrap(account: Account, deployment: Deployment) -> Iterator[Finding]:
    number = account.read("sts", "get_caller_identity")["Account"]
    where = f"aws://{number}/{account.region}"
    command = f"npx cdk bootstrap {where} -c stage={deployment.stage.name}"
    try:
        found = account.read("ssm", "get_parameter", Name=BOOTSTRAP)["Parameter"]["Value"]
    except Unreadable as error:
        if error.code != "ParameterNotFound":
            raise
        yield stop("bootstrap", "CDK has nowhere to put its files in this region", command)
        return
    if int(found) < BOOTSTRAP_VERSION:
        yield stop("bootstrap", f"version {found}, {BOOTSTRAP_VERSION} is needed", command)
    else:
        yield ok("bootstrap", f"version {found}")


def look_at_concurrency(account: Account, deployment: Deployment) -> Iterator[Finding]:
    """Compare with what a batch may use. New accounts have 10: a stage runs so, and waits."""
    limits = account.read("lambda", "get_account_settings")["AccountLimit"]
    limit = int(limits["ConcurrentExecutions"])
    needed = deployment.options.batch_concurrency
    if limit <= needed:
        yield warn(
            "concurrency",
            f"{limit} Lambda executions at once, a batch alone may use {needed}: ingestion will"
            " wait and requests may be answered with 502 or 503",
            _ASK_FOR_CONCURRENCY,
        )
    else:
        yield ok("concurrency", f"{limit} Lambda executions at once")


def look_at_services(account: Account, deployment: Deployment) -> Iterator[Finding]:
    yield from region.look_at_services(account, deployment.options)


def look_at_network(account: Account, deployment: Deployment) -> Iterator[Finding]:
    """Count what a stage takes: one VPC and one gateway endpoint, and no elastic address.

    A network of the operator's takes no room, and has to lead to S3.
    """
    exists = _status_of(account, deployment.stack("Data")) is not None
    if deployment.options.vpc_id:
        yield from region.look_at_own_network(account, deployment.options, is_new=not exists)
        return
    yield from region.look_at_zones(
        account, deployment.options, stage=deployment.stage.name, is_new=not exists
    )
    for quota in _QUOTAS:
        used = quota.counted(account)
        answer = account.read(
            "service-quotas", "get_service_quota", ServiceCode="vpc", QuotaCode=quota.code
        )
        most = int(answer["Quota"]["Value"])
        found = f"{used} of {most} used in this region"
        if used >= most and not exists:
            ask = "aws service-quotas request-service-quota-increase --service-code vpc"
            more = f"{ask} --quota-code {quota.code} --desired-value {used + 1}"
            yield stop(quota.what, found, f"{more}, or delete one")
        else:
            yield ok(quota.what, found)


def look_at_database(account: Account, deployment: Deployment) -> Iterator[Finding]:
    yield from database.look_at_engine(account, deployment.stage)
    yield from database.look_at_versions(account, deployment.stage, deployment.options)
    yield from database.look_at_role(account)


def look_at_secrets(account: Account, deployment: Deployment) -> Iterator[Finding]:
    """Names and types only: the values are not read."""
    names = parameters(deployment.stage.name, deployment.options)
    there = _described(account, names)
    for name in names:
        found = there.get(name, {})
        key = str(found.get("KeyId", _DEFAULT_KEY))
        yield _secret(name, found, may_use_key=_may_use(account, deployment, key))


def look_at_web_adapter(account: Account, deployment: Deployment) -> Iterator[Finding]:
    """Read the layer that `/ask/stream` needs: it is another account's, which has to let us."""
    publisher = f"arn:{account.partition}:lambda:{account.region}:{WEB_ADAPTER_ACCOUNT}"
    arn = deployment.options.web_adapter_layer or f"{publisher}:layer:{WEB_ADAPTER_LAYER}"
    another = "look up the version for this region and give it as -c web_adapter_layer=ARN"
    try:
        layer = account.read("lambda", "get_layer_version_by_arn", Arn=arn)
    except Unreadable as error:
        if not error.is_forbidden and error.code != "ResourceNotFoundException":
            raise
        yield stop("web adapter", f"{arn} cannot be read ({error.code})", another)
        return
    architectures = layer.get("CompatibleArchitectures") or ["arm64"]
    if "arm64" in architectures:
        yield ok("web adapter", arn)
    else:
        yield stop("web adapter", f"{arn} is for {', '.join(architectures)}, not arm64", another)


def look_at_options(account: Account, deployment: Deployment) -> Iterator[Finding]:
    """Look whether what they name is there, and is what it is taken for."""
    options, data = deployment.options, deployment.stack("Data")
    stack = _stack(account, data)
    if stack is not None:
        outputs = {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])}
        yield from given.look_at_chosen_once(outputs, options, stack=data)
        yield from given.look_at_left_out(outputs, options, stage=deployment.stage, stack=data)
    if options.permissions_boundary:
        yield from given.look_at_boundary(account, options)
    if options.certificate:
        yield from given.look_at_certificate(account, options)
    if options.encryption_key:
        yield from given.look_at_key(account, options)
    if options.alert_email and not options.has_budget and account.region in WITHOUT_BUDGETS:
        yield warn(
            "budget",
            f"CloudFormation makes none in {account.region}: nobody is told what the stage costs",
            f"make one of ${deployment.stage.budget_usd} a month in Billing, of what carries the"
            f" tag pulsedocs-stage={deployment.stage.name}",
        )


def look_at_models(account: Account, deployment: Deployment) -> Iterator[Finding]:
    """OpenAI's and Cohere's need a key, which is a secret; Bedrock's need to be enabled."""
    yield from look_at_bedrock(account, deployment.options)


CHECKS: Final[tuple[Callable[[Account, Deployment], Iterator[Finding]], ...]] = (
    look_at_plan,
    look_at_bootstrap,
    look_at_services,
    look_at_stacks,
    look_at_options,
    look_at_concurrency,
    look_at_network,
    look_at_database,
    look_at_secrets,
    look_at_web_adapter,
    look_at_models,
)


def _stack(account: Account, name: str) -> dict[str, Any] | None:
    """Return a stack, or None where `cdk deploy` would make it."""
    try:
        found = account.read("cloudformation", "describe_stacks", StackName=name)["Stacks"]
    except Unreadable as error:
        if error.code != "ValidationError":  # what CloudFormation says of an unknown name
            raise
        return None
    stack = cast("dict[str, Any]", found[0])
    return None if stack["StackStatus"] == _NEVER_MADE else stack


def _status_of(account: Account, stack: str) -> str | None:
    found = _stack(account, stack)
    return None if found is None else str(found["StackStatus"])


def _described(account: Account, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return what is known of the parameters; a page may be empty and not be the last."""
    wanted = [{"Key": "Name", "Option": "Equals", "Values": list(names)}]
    found: dict[str, dict[str, Any]] = {}
    page: dict[str, str] = {}
    while True:
        answer = account.read("ssm", "describe_parameters", ParameterFilters=wanted, **page)
        found |= {parameter["Name"]: parameter for parameter in answer["Parameters"]}
        if not answer.get("NextToken"):
            return found
        page = {"NextToken": answer["NextToken"]}


def _may_use(account: Account, deployment: Deployment, key: str) -> bool:
    """Say whether functions may decrypt with a key: with AWS's own and the stage's.

    Systems Manager names it as it was told, by an alias, an id or an ARN: the ARNs are compared.
    """
    if key == _DEFAULT_KEY:
        return True
    own = deployment.options.encryption_key
    own = f"alias/pulsedocs-{deployment.stage.name}" if own == MADE else own
    usable = {given.key_arn(account, each) for each in (_DEFAULT_KEY, own) if each} - {None}
    return given.key_arn(account, key) in usable


def _secret(name: str, found: dict[str, Any], *, may_use_key: bool) -> Finding:
    value = '"$(openssl rand -hex 32)"' if name.endswith("/trace-secret") else '"$VALUE"'
    write = f"aws ssm put-parameter --type SecureString --name {name} --value {value}"
    if not found:
        return stop("secret", f"{name} is missing", write)
    if found["Type"] != "SecureString":
        return stop(
            "secret",
            f"{name} is a {found['Type']}, readable in the console; its type cannot be changed",
            f"aws ssm delete-parameter --name {name} && {write}",
        )
    if not may_use_key:
        return stop(
            "secret",
            f"{name} is encrypted with {found['KeyId']}, which the functions may not use",
            f"{write} --key-id {_DEFAULT_KEY} --overwrite",
        )
    return ok("secret", f"{name}, encrypted")


def _vpcs(account: Account) -> int:
    return len(account.read("ec2", "describe_vpcs")["Vpcs"])


def _gateway_endpoints(account: Account) -> int:
    only = [{"Name": "vpc-endpoint-type", "Values": ["Gateway"]}]
    return len(account.read("ec2", "describe_vpc_endpoints", Filters=only)["VpcEndpoints"])


_QUOTAS: Final = (
    _Quota("networks", "L-F678F1CE", _vpcs),
    _Quota("gateway endpoints", "L-1B52E74A", _gateway_endpoints),
)
