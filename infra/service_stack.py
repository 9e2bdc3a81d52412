"""What runs: functions, state machine, API, alarms. It holds no data and can be replaced whole.

The last part of the file is the list of grants: who may touch what, on one screen.
"""

import json
from collections.abc import Mapping
from typing import Final

from aws_cdk import ArnFormat, CfnOutput, Stack, Tags
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IConstruct

from infra.components.acknowledged import (
    EXECUTIONS,
    KEY_PREFIXES,
    PROFILES,
    SERVICE_FINDINGS,
    accept,
    acknowledge,
)
from infra.components.alarms import Alarms, Watched
from infra.components.api import Api, throttled
from infra.components.dashboard import Dashboard
from infra.components.delivery import OnRequest, dead_letter_queue
from infra.components.firewall import Firewall
from infra.components.function import RUNTIME, Function
from infra.components.key import DATA_KEY, DECRYPT, allow_key, encrypt
from infra.components.machine import MACHINES, Machine
from infra.components.migrating import Migrating
from infra.components.network import TEXTRACT
from infra.components.sign_in import SignIn, own_issuer
from infra.components.sweeping import Sweeping
from infra.config import WEB_ADAPTER_ACCOUNT, WEB_ADAPTER_LAYER, Options, Stage
from infra.data_stack import DataStack
from infra.functions import FUNCTIONS, STARTED_BY
from infra.layers import Layers
from infra.machines import batch_machine, ingest_machine, models_machine
from infra.models import Place, bedrock_grants
from infra.parameters import parameter_of, secrets_of
from infra.routes import ROUTES

MODELS: Final = "/opt/models"
"""Where the dependency layer carries the tokenizer's rank files."""

WEB_ADAPTER: Final = {
    "AWS_LAMBDA_EXEC_WRAPPER": "/opt/bootstrap",
    "AWS_LWA_INVOKE_MODE": "response_stream",
    "AWS_LWA_READINESS_CHECK_PATH": "/health",
    "AWS_LWA_PORT": "8080",
}
"""What the Lambda Web Adapter reads, on the function that runs behind it."""


class ServiceStack(Stack):
    """The functions of the table, connected."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        options: Options,
        data: DataStack,
        layers: Layers,
    ) -> None:
        super().__init__(
            scope,
            id_,
            description=f"PulseDocs {stage.name}: functions, state machine, API, alarms",
            termination_protection=stage.is_protected,
        )
        self._stage, self._options, self._data = stage, options, data
        self._sign_in = (
            None
            if options.has_own_issuer
            else SignIn(self, "SignIn", stage=stage, services=options.tenants_of_services)
        )
        self._functions = self._make_functions(layers)
        functions = {name: made.function for name, made in self._functions.items()}
        self._machines = self._make_machines(functions)
        self._dead_letters = dead_letter_queue(self._machines["Ingestion"])
        Migrating(self, "Migrating", stage=stage, functions=self._functions)
        self._start_by_events(functions)
        api = self._make_api(functions)
        if self._sign_in is not None:
            self._sign_in.return_to(self._addresses(api.rest_api))
        self._watch(api, functions)
        self._grant_functions()
        self._grant_machines()
        if data.key_arn is not None:
            encrypt(self, data.key_arn)
            self._grant_key(data.key_arn)
        self._write_outputs(api.rest_api)
        Tags.of(scope).add("pulsedocs-stage", stage.name)
        acknowledge(self, SERVICE_FINDINGS, stage=stage)

    def _make_machines(self, functions: Mapping[str, lambda_.IFunction]) -> dict[str, Machine]:
        definitions = {
            "Ingestion": ingest_machine(),
            "Batching": batch_machine(max_concurrency=self._options.batch_concurrency),
            "Modelling": models_machine(),
        }
        others = {"Batching": {"BucketName": self._data.bucket.bucket_name}}
        return {
            id_: Machine(
                self,
                id_,
                definition=definition,
                stage=self._stage,
                functions=functions,
                others=others.get(id_, {}),
            )
            for id_, definition in definitions.items()
        }

    def _start_by_events(self, functions: Mapping[str, lambda_.IFunction]) -> None:
        """Let objects and the clock start what runs; one queue keeps what cannot be delivered."""
        for machine in self._machines.values():
            machine.start_on_objects(self._data.bucket, self._dead_letters)
        Sweeping(self, "Sweeping", sweep=functions["sweep"], dead_letters=self._dead_letters)
        for name in STARTED_BY.values():
            OnRequest(
                self,
                f"Starts{_title(name)}",
                spec=FUNCTIONS[name],
                function=functions[name],
                bucket=self._data.bucket,
                dead_letters=self._dead_letters,
            )

    def _make_api(self, functions: Mapping[str, lambda_.IFunction]) -> Api:
        api = Api(self, "Api", stage=self._stage, functions=functions, options=self._options)
        if self._stage.has_firewall:
            Firewall(
                self,
                "Firewall",
                stage=self._stage,
                protected_arn=api.rest_api.deployment_stage.stage_arn,
                too_many=throttled("too many requests come from this address")
                | {"request_id": ""},  # AWS WAF fills in none
            )
        return api

    def _watch(self, api: Api, functions: Mapping[str, lambda_.IFunction]) -> None:
        watched = Watched(
            state_machine=self._machines["Ingestion"].state_machine,
            dead_letters=self._dead_letters,
            api=api.rest_api,
            database=self._data.database.cluster,
        )
        Alarms(self, "Alarms", stage=self._stage, watched=watched, options=self._options)
        Dashboard(self, "Overview", stage=self._stage, watched=watched, functions=functions)

    def _write_outputs(self, api: apigateway.RestApi) -> None:
        """Name what a client needs to begin; `pulsedocs_cli.stages` reads it."""
        CfnOutput(self, "Endpoint", value=api.url)
        CfnOutput(self, "Region", value=self.region)
        if (domain := api.domain_name) is not None:
            # What the domain's record in DNS points at, an alias or a CNAME.
            CfnOutput(self, "DomainTarget", value=domain.domain_name_alias_domain_name)
        if self._sign_in is not None:
            CfnOutput(self, "UserPool", value=self._sign_in.pool.user_pool_id)
            CfnOutput(self, "UserPoolClient", value=self._sign_in.client.user_pool_client_id)
            CfnOutput(self, "SignInPage", value=self._sign_in.page)
            for name, client in self._sign_in.services.items():
                id_ = f"Service{name.title().replace('-', '')}"
                CfnOutput(self, id_, value=client.user_pool_client_id)

    def _make_functions(self, layers: Layers) -> dict[str, Function]:
        dependencies, core, *recognition = (
            lambda_.LayerVersion(
                self,
                id_,
                code=lambda_.Code.from_asset(str(folder)),
                compatible_runtimes=[RUNTIME],
                compatible_architectures=[lambda_.Architecture.ARM_64],
                description=description,
            )
            for id_, folder, description in (
                ("Dependencies", layers.dependencies, "Third-party wheels and rank files"),
                ("Core", layers.core, "PulseDocs itself"),
                ("Recognition", layers.recognition, "Tesseract and what it knows of languages"),
            )
            if folder is not None
        )
        # What lets a Python function stream; AWS publishes it by region.
        adapter_arn = self._options.web_adapter_layer or self.format_arn(
            service="lambda",
            account=WEB_ADAPTER_ACCOUNT,
            resource="layer",
            resource_name=WEB_ADAPTER_LAYER,
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        adapter = lambda_.LayerVersion.from_layer_version_arn(self, "WebAdapter", adapter_arn)
        return {
            name: Function(
                self,
                _title(name),
                spec=spec,
                stage=self._stage,
                layers=[
                    dependencies,
                    core,
                    *([adapter] if spec.streams else []),
                    *(recognition if spec.recognises else []),
                ],
                variables=self._variables(name),
                network=self._data.network,
            )
            for name, spec in FUNCTIONS.items()
        }

    def _variables(self, name: str) -> dict[str, str]:
        """Return a function's environment: what `pulsedocs.settings` reads, where it is used."""
        variables = {"PULSEDOCS_STAGE": self._stage.name}
        if name in BUCKET_GRANTS:
            variables["BUCKET"] = self._data.bucket.bucket_name
        role = FUNCTIONS[name].database_role
        if role is not None:
            variables["DATABASE_URL"] = self._data.database.url(role=role)
            variables["DATABASE_AUTH"] = "iam"
        for variable in secrets_of(name, self._options):
            variables[variable] = f"ssm:{self._parameter(variable)}"
        if self._options.origins and any(route.function == name for route in ROUTES):
            variables["CORS_ORIGINS"] = json.dumps(self._options.origins)
        return {**self._options.settings, **variables, **self._particular_variables(name)}

    def _particular_variables(self, name: str) -> dict[str, str]:
        match name:
            case "authorize":
                return (
                    own_issuer(self._options)
                    if self._sign_in is None
                    else self._sign_in.variables()
                )
            case "documents":
                return self._models()
            case "claim":  # for a collection that a request of `ingest` makes
                return {"EMBEDDING_MODEL": self._options.embedding_model}
            case "clean" | "chunk":
                return {"MODEL_DIRECTORY": MODELS}
            case "query" | "stream" | "evaluate":
                boxes = {"BOXES_FUNCTION": self._stage.function_name("boxes")}
                own = {"query": boxes | self._console(), "stream": WEB_ADAPTER}.get(name, {})
                return own | {
                    "RETRIEVE_FUNCTION": self._stage.function_name("retrieve"),
                    "CHAT_MODEL": self._options.chat_model,
                    "REWRITE_MODEL": self._options.rewrite_model,
                    **self._models(),
                    **self._provider(),
                }
            case _:
                return self._provider() if name == "embed" else {}

    def _console(self) -> dict[str, str]:
        """Return where the console signs people in; with an issuer of one's own, by token."""
        if self._sign_in is None:
            return {}
        return {
            "SIGN_IN_PAGE": self._sign_in.page,
            "SIGN_IN_CLIENT": self._sign_in.client.user_pool_client_id,
        }

    def _addresses(self, api: apigateway.RestApi) -> list[str]:
        """Return where the console is. Not `api.url`: it waits for functions that ask the pool."""
        host = f"{api.rest_api_id}.execute-api.{self.region}.{self.url_suffix}"
        own = [f"https://{self._options.domain_name}/"] if self._options.domain_name else []
        return [f"https://{host}/{self._stage.name}/", *own]

    def _models(self) -> dict[str, str]:
        return {
            "EMBEDDING_MODEL": self._options.embedding_model,
            "RERANKER_MODEL": self._options.reranker_model,
        }

    def _provider(self) -> dict[str, str]:
        chosen = {
            "OPENAI_BASE_URL": self._options.openai_base_url,
            "BEDROCK_REGION": self._options.bedrock_region,
        }
        return {name: value for name, value in chosen.items() if value}

    # ------------------------------------------------------------------------------- the grants

    def _grant_functions(self) -> None:
        for name, grants in BUCKET_GRANTS.items():
            for actions, pattern in grants:
                self._allow(name, actions, self._data.bucket.arn_for_objects(pattern))
                self._accept_pattern(self._functions[name].role, pattern)
        for name, actions in LISTS.items():
            self._allow(name, actions, self._data.bucket.bucket_arn)
        for name, spec in FUNCTIONS.items():
            if spec.database_role is not None:
                self._data.database.allow(self._functions[name].role, role=spec.database_role)
        for name in FUNCTIONS:
            for variable in secrets_of(name, self._options):
                parameter = self.format_arn(
                    service="ssm",
                    resource="parameter",
                    resource_name=self._parameter(variable).removeprefix("/"),
                )
                self._allow(name, ("ssm:GetParameter",), parameter)
            self._grant_models(name)
        for name in SENDS_DEAD_LETTERS:
            self._allow(name, ("sqs:SendMessage",), self._dead_letters.queue_arn)
        for name, target in INVOKES:
            self._allow(name, INVOKE, self._functions[target].function.function_arn)

    def _grant_machines(self) -> None:
        """Let each machine call its functions.

        A batch does what a document takes, reads its pages, and starts children of itself.
        """
        for id_ in ("Ingestion", "Modelling"):
            for step in MACHINES[id_].calls:
                arn = self._functions[step].function.function_arn
                self._machines[id_].state_machine.role.add_to_principal_policy(
                    iam.PolicyStatement(actions=list(INVOKE), resources=[arn])
                )
        batching, name = self._machines["Batching"], MACHINES["Batching"].named(self._stage)
        for actions, resources in (
            (INVOKE, [self._functions[step].function.function_arn for step in batching.spec.calls]),
            (GET, [self._data.bucket.arn_for_objects(BATCH_PAGES)]),
            (("states:StartExecution",), [self._states_arn("stateMachine", name)]),
            (
                ("states:DescribeExecution", "states:StopExecution"),
                [self._states_arn("execution", f"{name}:*")],
            ),
        ):
            batching.state_machine.role.add_to_principal_policy(
                iam.PolicyStatement(actions=list(actions), resources=resources)
            )
        self._accept_pattern(batching, BATCH_PAGES)
        accept(
            batching,
            "IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:"
            f"{name}:*]",
            EXECUTIONS,
        )

    def _states_arn(self, resource: str, name: str) -> str:
        """Address by name: the role's policy would otherwise wait for the machine it is for."""
        return self.format_arn(
            service="states",
            resource=resource,
            resource_name=name,
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )

    def _grant_models(self, name: str) -> None:
        """Let a function call the models of `bedrock:` that it is configured with, and Textract."""
        if FUNCTIONS[name].recognises and self._options.has_textract:
            self._allow(name, (TEXTRACT,), "*")
        region = self._options.bedrock_region or self.region
        place = Place(self.partition, region, self.account)
        role = self._functions[name].role
        for grant in bedrock_grants(name, self._options, place):
            through = {"StringLike": {"bedrock:InferenceProfileArn": grant.through}}
            role.add_to_policy(
                iam.PolicyStatement(
                    actions=list(grant.actions),
                    resources=[grant.resource],
                    conditions=through if grant.through else None,
                )
            )
            if grant.through:
                named = grant.resource.replace(self.partition, "<AWS::Partition>")
                accept(role, f"IAM5[Resource::{named}]", PROFILES)

    def _grant_key(self, key_arn: str) -> None:
        """Let roles use the operator's key: who reads decrypts, who writes takes data keys.

        Each through the services only that it calls anyway, and never by itself.
        """
        for name, function in self._functions.items():
            asked = {action for actions, _ in BUCKET_GRANTS.get(name, ()) for action in actions}
            through = {
                "s3": [
                    *([DECRYPT] if asked & {*READ} else []),
                    *([DATA_KEY] if asked & {*PUT} else []),
                ],
                "sqs": [DECRYPT, DATA_KEY] if name in SENDS_DEAD_LETTERS else [],
                "ssm": [DECRYPT] if secrets_of(name, self._options) else [],
            }
            for service, actions in through.items():
                if actions:
                    allow_key(function.role, actions, key_arn, service=service)
        allow_key(self._machines["Batching"].state_machine.role, [DECRYPT], key_arn, service="s3")

    def _allow(self, name: str, actions: tuple[str, ...], resource: str) -> None:
        self._functions[name].role.add_to_policy(
            iam.PolicyStatement(actions=list(actions), resources=[resource])
        )

    def _accept_pattern(self, holder: IConstruct, pattern: str) -> None:
        # cdk-nag names a resource of another stack by the export it is imported through.
        exported = self._data.export_value(self._data.bucket.bucket_arn)
        imported = self.resolve(exported)["Fn::ImportValue"]
        accept(
            holder,
            f"IAM5[Resource::{imported}/{pattern}]",
            KEY_PREFIXES,
        )

    def _parameter(self, variable: str) -> str:
        return parameter_of(variable, stage=self._stage.name)


GET: Final = ("s3:GetObject",)
GET_VERSION: Final = ("s3:GetObjectVersion",)
READ: Final = (*GET, *GET_VERSION)
PUT: Final = ("s3:PutObject",)
REMOVE: Final = ("s3:DeleteObject",)
ERASE: Final = ("s3:DeleteObjectVersion",)
LIST: Final = ("s3:ListBucket", "s3:ListBucketVersions")
INVOKE: Final = ("lambda:InvokeFunction",)
SENDS_DEAD_LETTERS: Final = ("fail", "backfill", "tally", "sweep", *STARTED_BY.values())
INVOKES: Final = (
    ("query", "retrieve"),
    ("query", "boxes"),
    ("stream", "retrieve"),
    ("evaluate", "retrieve"),
)

BATCH_PAGES: Final = "staging/*/batch-*/*"
EVALUATION_REQUESTS: Final = "staging/*/evaluation-*"

# The patterns are those of `pulsedocs.model.object_keys`.
BUCKET_GRANTS: Final[Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]] = {
    "sweep": (
        (PUT, "control/ingest/*"),
        (PUT, "control/purge/*"),
        (REMOVE, "open/*"),
        (REMOVE, "staging/*"),
        (ERASE, "u/*"),  # of versions whose time is up
        (GET, "sweep/*"),
        (PUT, "sweep/*"),
    ),
    "purge": (
        (ERASE, "u/*"),
        (ERASE, "staging/*"),
        (ERASE, "recognised/*"),
        (ERASE, "requests/*"),
        (ERASE, "open/*"),
        (ERASE, "control/ingest/*"),
        (ERASE, "sources/*"),
        (GET_VERSION, "sources/*"),
        (GET_VERSION, "staging/*"),
        (GET_VERSION, "recognised/*"),
        (GET_VERSION, "requests/*"),
        (GET_VERSION, "traces/*"),
        (PUT, "control/purge/*"),
        (PUT, "deleted/*"),
    ),
    "documents": (
        (GET_VERSION, "u/*"),  # signed into links and forms: it moves no bytes
        (PUT, "u/*"),
        (PUT, "open/*"),
        (REMOVE, "open/*"),
        (PUT, "control/ingest/*"),
        (PUT, "control/purge/*"),
        (PUT, "deleted/*"),
    ),
    "ingest": (
        (GET, "imports/*"),  # what is copied; what was uploaded it cannot read
        (PUT, "requests/*"),
        (PUT, "u/*"),
        (GET, "sources/*"),
        (PUT, "sources/*"),
        (GET, "idempotency/*"),
        (PUT, "idempotency/*"),
        (REMOVE, "idempotency/*"),
        (PUT, "control/ingest/*"),
    ),
    "batches": ((PUT, "control/batch/*"),),
    "models": ((PUT, "control/probe/*"), (PUT, "control/backfill/*"), (PUT, "control/retire/*")),
    "backfill": (
        (PUT, "staging/*/batches/*"),
        (PUT, "control/backfill/*"),
        (PUT, "control/ingest/*"),
    ),
    "retire": ((GET, "control/retire/*"), (PUT, "control/retire/*")),
    "collect": (
        (GET, "imports/*"),
        (GET, "control/batch/*"),
        (PUT, BATCH_PAGES),
        (PUT, "requests/*"),
        (PUT, "u/*"),
        (GET, "sources/*"),
        (PUT, "sources/*"),
    ),
    "tally": ((GET, BATCH_PAGES), (PUT, BATCH_PAGES)),
    "claim": (
        (READ, "u/*"),
        (ERASE, "u/*"),  # what a used form stored beside its one object
        (GET, "requests/*"),
        (PUT, "open/*"),
        (REMOVE, "open/*"),
        (PUT, "control/purge/*"),
    ),
    "extract": ((GET_VERSION, "u/*"), (GET, "staging/*/pages-*"), (PUT, "staging/*/pages-*")),
    "recognise": (
        (GET_VERSION, "u/*"),
        (GET, "staging/*/recognised-*"),
        (PUT, "staging/*/recognised-*"),
        (GET, "recognised/*"),
        (PUT, "recognised/*"),
    ),
    "boxes": ((GET_VERSION, "u/*"),),
    "store": (
        (GET, "staging/*/pages-*"),
        (GET, "staging/*/recognised-*"),
        (GET, "staging/*/vectors/*"),
        (REMOVE, "open/*"),
    ),
    "clean": ((REMOVE, "open/*"), (PUT, "staging/*/sentences/*")),
    "chunk": (
        (GET, "staging/*/distances/*"),
        (GET, "staging/*/batches/*"),  # are they still there, where it is called again
        (PUT, "staging/*/batches/*"),
    ),
    "embed": (
        (GET, "control/probe/*"),
        (GET, "staging/*/batches/*"),
        (GET, "staging/*/vectors/*"),
        (PUT, "staging/*/vectors/*"),
        (GET, "staging/*/sentences/*"),
        (GET, "staging/*/distances/*"),
        (PUT, "staging/*/distances/*"),
    ),
    "publish": ((REMOVE, "open/*"),),
    "fail": ((REMOVE, "open/*"), (PUT, "control/purge/*")),
    "query": (
        (GET, "traces/*"),
        (PUT, "traces/*"),
        (PUT, EVALUATION_REQUESTS),
        (PUT, "control/evaluate/*"),
        (GET, "evaluations/*"),
        (PUT, "evaluations/*"),
    ),
    "evaluate": (
        (GET, EVALUATION_REQUESTS),
        (REMOVE, EVALUATION_REQUESTS),
        (GET, "evaluations/*"),
        (PUT, "evaluations/*"),
    ),
    "stream": ((PUT, "traces/*"),),
}
# Without s3:ListBucket, S3 answers 403 for an object that is not there, which reads as an outage.
# These ask for objects that may rightly be missing, such as a vector that was not bought yet.
TELLS_MISSING_FROM_FORBIDDEN: Final = (
    "claim",
    "chunk",
    "ingest",
    "collect",
    "embed",
    "query",
    "evaluate",
)
LISTS: Final = {
    **dict.fromkeys(TELLS_MISSING_FROM_FORBIDDEN, ("s3:ListBucket",)),
    **dict.fromkeys(("claim", "sweep", "purge"), LIST),
}


def _title(name: str) -> str:
    return name.title().replace("_", "")
