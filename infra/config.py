"""What differs between stages, and what one deployment may choose.

To add a stage, add a `Stage` to `STAGES` and run `make synth cost`: every stage is synthesised,
priced and tested; nothing else names one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from enum import StrEnum
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any, Final, cast
from uuid import UUID

from infra.chosen import settings_from
from infra.presets import GOVCLOUD, models_of
from pulsedocs.errors import ConfigurationError
from pulsedocs.settings import LOCAL_STAGE, ORIGIN, TEST_DOUBLE

SYNTHESISED: Final = Path(__file__).parents[1] / "build" / "synth"
"""Where `python -m infra.synth` puts a folder for each stage."""
_COUNT: Final = re.compile(r"[1-9][0-9]{0,3}")
_NUMBER: Final = re.compile(r"[0-9]{1,2}")
_CONNECTIONS: Final = {1: 189, 4: 823, 8: 1669, 16: 3360, 32: 5000}
_CONNECTIONS_FROM_HALF_AN_ACU: Final = 2000  # the most where `min_acu` is 0 or 0.5
_BACKUP: Final = re.compile(
    r"snapshot:[A-Za-z0-9:_-]{1,255}|[a-z][a-z0-9-]{0,62}@(latest|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"
)
_ADDRESS_RANGE: Final = "10.0.0.0/16"
_NETWORK_WIDTHS: Final = range(16, 23)  # of a VPC; two subnets of 256 addresses fit into a /22
_FORMS: Final = {
    "vpc_id": (r"vpc-[0-9a-f]{8,17}", "vpc-0123456789abcdef0"),
    "subnet_ids": (r"subnet-[0-9a-f]{8,17}", "subnet-0123456789abcdef0,subnet-…"),
    "route_table_ids": (r"rtb-[0-9a-f]{8,17}", "rtb-0123456789abcdef0"),
    "s3_prefix_list": (r"pl-[0-9a-f]{8,17}", "pl-6da54004"),
    "zones": (r"[a-z]{2,3}(-[a-z]+)+-[0-9][a-z]", "eu-west-1a,eu-west-1b"),
    "encryption_key": (
        r"made|arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+",
        "made, or the ARN of a key",
    ),
    "permissions_boundary": (r"[A-Za-z0-9_+=,.@-]{1,128}", "a policy's name, not its ARN"),
    "domain_name": (r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,63}", "api.example.com"),
    "certificate": (
        r"arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[A-Za-z0-9-]+",
        "the ARN of a certificate in ACM",
    ),
    "alert_email": (r"[^@\s]+@[^@\s]+\.[^@\s]+", "you@example.com"),
    "budget": ("made|none", "made or none"),
}
"""How the values of options look, and one that does. Those of `subnet_ids`, `route_table_ids` and
`zones` are several, with commas."""
_LISTS: Final = frozenset({"subnet_ids", "route_table_ids", "zones"})
FEWEST_ZONES: Final = 2  # of an Aurora cluster's subnets
_MOST_READERS: Final = 15  # of an Aurora cluster
_OWN_NETWORK: Final = ("vpc_id", "subnet_ids", "s3_prefix_list")
_OF_CDK: Final = re.compile(r".*[:@/].*|cli-telemetry|acknowledged-issue-numbers")
"""What CDK and its command keep in the context beside options."""
# RDS refuses two hyphens in a row, and CloudFormation puts one behind the name of a stage.
_STAGE_NAME: Final = re.compile(r"(?=.{2,16}$)[a-z](-?[a-z0-9])+")
_RESERVED_WORDS: Final = ("aws", "amazon", "cognito")
"""Which Cognito takes in no prefix of a domain; a stage's begins with its name."""
_SERVICE: Final = re.compile(
    r"([a-z][a-z0-9-]{1,31}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
)


class Leaving(StrEnum):
    """What becomes of the database when its stack is destroyed."""

    NOTHING = "nothing"
    SNAPSHOT = "snapshot"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Stage:
    """One deployment of PulseDocs in an account. Sizes are limits, not reservations."""

    name: str
    min_acu: float
    """0 lets the database pause; it then answers WARMING for about 15 s."""
    max_acu: float
    auto_pause_minutes: int | None
    """Minutes without a connection before the pause; None where `min_acu` is above 0."""
    backup_days: int
    is_protected: bool
    """Refuse to delete the database and the stacks."""
    leaves: Leaving
    log_days: int
    requests_per_second: int
    request_burst: int
    has_firewall: bool
    """AWS WAF in front of the API."""
    max_floor_usd: float
    """`make cost` fails when an idle month would cost more."""
    budget_usd: int
    """A mail goes out at 80 and 100 % of it, when `alert_email` is given."""

    @property
    def requests_per_address(self) -> int:
        """Return how many a minute the firewall lets through: half of what the stage takes.

        Behind one address are all people of an office, or all users of a chat server.
        """
        return self.requests_per_second * 60 // 2

    def function_name(self, name: str) -> str:
        """Return what Lambda calls a function of the stage; its log and other functions do too."""
        return f"pulsedocs-{self.name}-{name}"

    @property
    def max_connections(self) -> int:
        """Return what the database takes at least: what AWS publishes for no more than `max_acu`.

        Table "maximum connections" of "Performance and scaling for Aurora Serverless v2". It
        follows from `max_acu`, after a restart.
        """
        published = max(taken for acu, taken in _CONNECTIONS.items() if acu <= self.max_acu)
        return min(published, _CONNECTIONS_FROM_HALF_AN_ACU) if self.min_acu < 1 else published

    def __post_init__(self) -> None:
        if not _STAGE_NAME.fullmatch(self.name):
            raise ConfigurationError(
                f"stage name {self.name!r} must be 2 to 16 lower-case letters and digits, single"
                " hyphens between them"
            )
        if self.name == LOCAL_STAGE:
            raise ConfigurationError(
                f"stage {self.name!r}: the local stage's name, where test doubles may answer"
            )
        if reserved := next((word for word in _RESERVED_WORDS if word in self.name), None):
            raise ConfigurationError(
                f"stage {self.name!r}: Cognito refuses a page with {reserved!r} in its name"
            )
        if self.max_acu < min(_CONNECTIONS):
            raise ConfigurationError(f"stage {self.name!r}: `max_acu` is below 1")
        if (self.min_acu == 0) != (self.auto_pause_minutes is not None):
            message = f"stage {self.name!r}: a database pauses exactly when `min_acu` is 0"
            raise ConfigurationError(message)


STAGES: Final = {
    stage.name: stage
    for stage in (
        Stage(
            name="dev",
            min_acu=0,
            max_acu=2,
            auto_pause_minutes=5,  # the shortest that Aurora takes
            backup_days=1,
            is_protected=False,
            leaves=Leaving.NOTHING,
            log_days=14,
            requests_per_second=20,
            request_burst=40,
            has_firewall=False,
            max_floor_usd=1,
            budget_usd=10,
        ),
        Stage(
            name="staging",
            min_acu=0,
            max_acu=4,
            auto_pause_minutes=5,  # each night the sweep wakes it: $0.20 a month, with 30 $0.96
            backup_days=7,
            is_protected=False,
            leaves=Leaving.SNAPSHOT,
            log_days=30,
            requests_per_second=50,
            request_burst=100,
            has_firewall=False,
            max_floor_usd=1,
            budget_usd=50,
        ),
        Stage(
            name="prod",
            min_acu=0.5,
            max_acu=16,
            auto_pause_minutes=None,
            backup_days=14,
            is_protected=True,
            leaves=Leaving.EVERYTHING,
            log_days=90,
            requests_per_second=200,
            request_burst=400,
            has_firewall=True,
            max_floor_usd=60,
            budget_usd=200,
        ),
    )
}


WEB_ADAPTER_ACCOUNT: Final = "753240598075"
"""AWS's own, which publishes the layer in each region."""
WEB_ADAPTER_VERSION: Final = 26
"""Of AWS's layer. Not deployed by us yet: `pulsedocs deploy-check` looks whether it is there."""
WEB_ADAPTER_LAYER: Final = f"LambdaAdapterLayerArm64:{WEB_ADAPTER_VERSION}"
POSTGRES_VERSION: Final = "16.13"
"""Of Aurora PostgreSQL; it has to be offered in the region."""
CDK_COMMAND: Final = "2.1148.1"
"""Of the command `cdk`; an older one refuses what the pinned library writes."""
CALLBACK_URLS: Final = tuple(f"http://localhost:{port}/" for port in (8421, 8422, 8423))
"""Where `pulsedocs login` hears from Cognito, which takes no other host without TLS."""
MADE: Final = "made"
"""`encryption_key` that asks for a key of the stage's own."""
WITHOUT_BUDGETS: Final = frozenset(
    {
        *("af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-3", "ap-south-2"),
        *("ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6"),
        *("ap-southeast-7", "ca-west-1", "eu-central-2", "eu-north-1", "eu-south-1"),
        *("eu-south-2", "il-central-1", "me-central-1", "mx-central-1", "us-gov-east-1"),
        "us-gov-west-1",
    }
)
"""Regions whose CloudFormation knows no budgets, and refuses the whole template that names one.

By AWS's schemas of each region in cfn-lint, which the tests hold this list to.
"""
_NOT_SERVED: Final = ("cn-", "eusc-", "us-iso", "eu-iso")
"""What names of regions begin with in partitions that nothing here was written for."""
_LACKING: Final = {"cn-": "China has no pools of Cognito and no traces of Lambda"}
TITLE: Final = "PulseDocs"
"""What the names of the stacks begin with."""


@dataclass(frozen=True, slots=True)
class Options:
    """What one deployment chooses with `-c name=value`; every default works as it is."""

    token_issuer: str = ""
    """An OpenID Connect issuer of yours; empty means that the stage brings a Cognito pool."""
    token_audience: str = ""
    token_jwks_url: str = ""
    token_tenant_claim: str = "tenant_id"  # noqa: S105 -- a claim's name
    token_scope_claim: str = "scope"  # noqa: S105 -- a claim's name
    """`scp roles` for Entra ID, `scp` for Okta."""
    services: str = ""
    """Programs with clients of their own in the pool, `nightly-import:<tenant>`, with commas."""
    embedding_model: str = "openai:text-embedding-3-small@1536"
    chat_model: str = "openai:gpt-4o-mini"
    """`extractive` quotes the passages instead of asking a model."""
    rewrite_model: str = ""
    """Makes follow-up questions stand alone; empty means `chat_model`."""
    reranker_model: str = ""
    """`bedrock:cohere.rerank-v3-5:0`, `cohere:rerank-v3.5` or a plug-in's; empty turns reranking
    off. The local rerankers weigh more than a layer may."""
    other_embedding_models: str = ""
    """Beside `embedding_model`, what collections are embedded with or move to, with commas."""
    bedrock_region: str = ""
    """Where the models of `bedrock:` are called; empty means the stage's own region."""
    openai_base_url: str = ""
    """A compatible provider's address; empty means OpenAI's own."""
    web_adapter_layer: str = ""
    """ARN of the Lambda Web Adapter's layer for arm64, which streaming needs; empty means AWS's own
    of `WEB_ADAPTER_VERSION` in the stack's region."""
    alert_email: str = ""
    budget: str = MADE
    """`none` leaves the stage's budget out; the default in a region `WITHOUT_BUDGETS`."""
    batch_concurrency: int = 40
    """Documents of a batch in flight. The database takes more connections than that, the account's
    Lambda concurrency has to."""
    restore_from: str = ""
    """A backup that the database is made from: `snapshot:<its name or ARN>`, `<cluster>@latest` or
    `<cluster>@2026-11-22T16:00:00Z`. It stays given for as long as that database is in use."""
    old_database: str = "kept"
    """What becomes of the database before a restore; `removed` in the deployment after it."""
    permissions_boundary: str = ""
    """Name of a managed policy that bounds every role; empty means none."""
    address_range: str = _ADDRESS_RANGE
    """Of the stage's network, from /16 to /22; not that of a network it will be joined to."""
    zones: str = ""
    """Two of the region's for the stage's network, with a comma; empty leaves them to AWS."""
    vpc_id: str = ""
    """A network of yours to move into, instead of one that the stage makes."""
    subnet_ids: str = ""
    """Of that network, with commas, in two zones or more; they need no way out."""
    s3_prefix_list: str = ""
    """AWS's list of the addresses of S3 in the region: the one place outside of that network that
    functions in it may reach, whatever else its routes lead to."""
    route_table_ids: str = ""
    """Those of the subnets, with commas, to put S3's gateway endpoint in; empty means that the
    network leads to S3 already."""
    readers: int = 0
    """Instances beside the database's writer that take over when it fails, each at its price."""
    encryption_key: str = ""
    """A key in KMS for what the stage keeps: `made` makes one, an ARN is of yours. Empty means
    AWS's own keys. It is chosen once: a database changes its key by a restore only."""
    domain_name: str = ""
    """The API's own name, `api.example.com`; `certificate` goes with it."""
    certificate: str = ""
    """ARN of the domain's certificate in ACM, of the stage's region."""
    cors_origins: str = ""
    """Origins whose pages may call the API from a browser, with commas; empty means none."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Anything else that functions read, as variables; see `infra.chosen`."""

    @property
    def has_textract(self) -> bool:
        """Say whether Amazon Textract recognises the words of scans."""
        return self.settings.get("OCR_ENGINE") == "textract"

    def __post_init__(self) -> None:
        given = {bool(self.token_issuer), bool(self.token_audience), bool(self.token_jwks_url)}
        if len(given) > 1:
            message = (
                "token_issuer, token_audience and token_jwks_url go together: give all or none"
            )
            raise ConfigurationError(message)
        for name in ("token_tenant_claim", "token_scope_claim"):
            if not getattr(self, name).strip():
                raise ConfigurationError(f"{name} names no claim: no token would allow anything")
        if self.reranker_model.startswith("local:"):
            raise ConfigurationError(
                f"reranker_model {self.reranker_model!r} is not in the layer, which it is too large"
                " for: name one of bedrock: or cohere:"
            )

        for name in ("embedding_model", "other_embedding_models", "reranker_model"):
            if TEST_DOUBLE in getattr(self, name):
                raise ConfigurationError(
                    f"{name}: a model of {TEST_DOUBLE} is a test double, for the local stage only"
                )
        if bool(self.domain_name) != bool(self.certificate):
            raise ConfigurationError("domain_name and certificate go together: give both or none")
        if self.readers not in range(_MOST_READERS + 1):
            raise ConfigurationError(f"readers {self.readers} is no number from 0 to 15")
        self._refuse_no_services()
        self._refuse_no_backup()
        self._refuse_odd_forms()
        self._refuse_half_a_network()

    def _refuse_odd_forms(self) -> None:
        for name, (form, example) in _FORMS.items():
            given = str(getattr(self, name))
            for one in split(given) if name in _LISTS else filter(None, [given]):
                if not re.fullmatch(form, one):
                    raise ConfigurationError(f"{name}: {one!r} is none; write {example}")
        try:
            width = IPv4Network(self.address_range).prefixlen
        except ValueError:
            width = 0
        if width not in _NETWORK_WIDTHS:
            raise ConfigurationError(
                f"address_range {self.address_range!r} is none from /16 to /22, like 10.7.0.0/16"
            )
        for origin in self.origins:
            if not re.fullmatch(ORIGIN, origin):
                raise ConfigurationError(
                    f"cors_origins: {origin!r} is no origin; write https://app.example, nothing"
                    " behind the host and its port"
                )

    def _refuse_half_a_network(self) -> None:
        if len({bool(getattr(self, name)) for name in _OWN_NETWORK}) > 1:
            raise ConfigurationError(f"{', '.join(_OWN_NETWORK)} go together: give all or none")
        if self.vpc_id:
            if self.zones or self.address_range != _ADDRESS_RANGE:
                raise ConfigurationError(
                    "zones and address_range are of a network that the stage makes, and vpc_id"
                    " names one of yours: give one or the other"
                )
            if len(set(split(self.subnet_ids))) < FEWEST_ZONES:
                raise ConfigurationError("subnet_ids: the database takes two subnets at least")
        elif self.route_table_ids:
            raise ConfigurationError("route_table_ids are of the network that vpc_id names")
        if self.zones and len(set(split(self.zones))) != FEWEST_ZONES:
            raise ConfigurationError("zones: name two")

    def _refuse_no_services(self) -> None:
        if self.services and self.has_own_issuer:
            raise ConfigurationError(
                "services are clients of the stage's own pool: that issuer has its own"
            )
        _ = self.tenants_of_services  # which names what is wrong with them

    def _refuse_no_backup(self) -> None:
        if self.restore_from and not _BACKUP.fullmatch(self.restore_from):
            raise ConfigurationError(
                f"restore_from {self.restore_from!r} names no backup: write snapshot:<name>,"
                " <cluster>@latest or <cluster>@2026-11-22T16:00:00Z, in UTC"
            )
        if self.old_database not in {"kept", "removed"}:
            raise ConfigurationError(f"old_database {self.old_database!r} is not kept or removed")
        if self.old_database == "removed" and not self.restore_from:
            raise ConfigurationError(
                "old_database=removed needs restore_from: no database would be left"
            )

    @property
    def origins(self) -> tuple[str, ...]:
        return split(self.cors_origins)

    @property
    def console_origin(self) -> str | None:
        """Return where the console is, if that is known before the API is made."""
        return f"https://{self.domain_name}" if self.domain_name else None

    @property
    def chosen_once(self) -> dict[str, str]:
        """Return what CloudFormation would replace the database for, empty, if it were changed."""
        network = (
            {"vpc_id": self.vpc_id, "subnet_ids": self.subnet_ids}
            if self.vpc_id
            else {"address_range": self.address_range, "zones": self.zones}
        )
        return {**network, "encryption_key": self.encryption_key}

    @property
    def given(self) -> tuple[str, ...]:
        """Return the names of options that differ from their defaults, and of settings."""
        options = (each for each in fields(self) if each.name != "settings")
        chosen = (each.name for each in options if getattr(self, each.name) != each.default)
        return tuple(sorted([*chosen, *self.settings]))

    @property
    def tenants_of_services(self) -> dict[str, str]:
        """Return the tenant of each service; raise ConfigurationError for what names none."""
        found: dict[str, str] = {}
        for service in split(self.services):
            match = _SERVICE.fullmatch(service)
            if match is None or match[1] in found or not UUID(match[2]).int:
                raise ConfigurationError(
                    f"services: {service!r} is no name of its own with a tenant's UUID, such as"
                    " nightly-import:0c7a1f2e-7d0b-4b53-9a53-6f2f5d1c0a01"
                )
            found[match[1]] = match[2]
        return found

    @property
    def has_budget(self) -> bool:
        """Say whether a budget of the stage's month mails what it tells."""
        return bool(self.alert_email) and self.budget == MADE

    @property
    def has_own_issuer(self) -> bool:
        return bool(self.token_issuer)


def refuse_unknown_options(given: Iterable[str]) -> None:
    """Raise ConfigurationError for a name that no deployment reads, with what may be meant."""
    for name in given:
        if name not in OPTION_NAMES:
            meant = get_close_matches(name.lower(), OPTION_NAMES, n=1)
            hint = f"do you mean {meant[0]}?" if meant else "docs/guides/deploy.md lists them"
            raise ConfigurationError(f"there is no option {name!r}: {hint}")


def stage_named(name: str | None) -> Stage:
    """Return a stage; raise ConfigurationError saying which ones there are."""
    if name not in STAGES:
        known = ", ".join(STAGES)
        message = f"there is no stage {name!r}: give `-c stage=` one of {known}"
        raise ConfigurationError(message)
    return STAGES[name]


PRESET: Final = "models"
"""The option that stands for several: `openai`, or `bedrock` for nothing outside AWS."""
OPTION_NAMES: Final = frozenset({"stage", PRESET, *(option.name for option in fields(Options))})
"""Whatever a deployment may be told with `-c name=value`."""


BY_STAGE: Final = "stages"
"""What holds, in `cdk.json`, the options of each stage apart: the rest of it is for all of them."""


def options_from(context: Mapping[str, Any], *, region: str = "") -> Options:
    """Read the options of a CDK context; a preset of models gives way to each of them.

    `region` is the one that is deployed into, where it is known. Raises ConfigurationError for an
    option that there is not: CDK itself takes any name.
    """
    _refuse_partition(region)
    context = _of_stage(context)
    refuse_unknown_options(name for name in context if not _OF_CDK.fullmatch(name))
    names = {option.name for option in fields(Options)}
    chosen: dict[str, Any] = {"budget": "none"} if region in WITHOUT_BUDGETS else {}
    chosen |= {
        name: str(context[name]) for name in names - {"settings"} if context.get(name) is not None
    }
    bedrock_region = chosen.get("bedrock_region", "")
    preset = str(context.get(PRESET) or "openai")
    chosen = models_of(preset, region=region, bedrock_region=bedrock_region) | chosen
    for name, form, range_ in (
        ("batch_concurrency", _COUNT, "1 to 9999"),
        ("readers", _NUMBER, f"0 to {_MOST_READERS}"),
    ):
        if name in chosen:
            count = chosen[name]
            if not form.fullmatch(count):
                raise ConfigurationError(f"{name} {count!r} is no number from {range_}")
            chosen[name] = int(count)
    settings = settings_from(context.get("settings") or {}, options=names)
    options = Options(**chosen, settings=settings)
    _refuse_region(region, options)
    return options


def _of_stage(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is chosen for every stage and for the one of the context, as one.

    An option that is chosen both ways is refused: what CDK hands over does not tell the command
    line, which ought to have the last word, from what `cdk.json` says to every stage.
    """
    chosen = {name: value for name, value in context.items() if name != BY_STAGE}
    apart = _object(context.get(BY_STAGE, {}), f"{BY_STAGE}: {context.get(BY_STAGE)!r}")
    for stage in apart:
        of_stage = _object(apart[stage], f"{BY_STAGE}: that of {stage}")
        _ = stage_named(stage)  # which refuses one that there is not
        if "stage" in of_stage:
            raise ConfigurationError(f"{BY_STAGE}: {stage} has no option 'stage'")
        refuse_unknown_options(of_stage)
        if stage != context.get("stage"):
            continue
        for name in of_stage.keys() & chosen.keys():
            raise ConfigurationError(
                f"{name} is given twice: for {stage} under `{BY_STAGE}` in cdk.json, and on the"
                " command line or for every stage"
            )
        chosen |= of_stage
    return chosen


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{what} is no JSON object")
    return cast("dict[str, Any]", value)


def _refuse_partition(region: str) -> None:
    partition = next((each for each in _NOT_SERVED if region.startswith(each)), None)
    if partition is not None:
        raise ConfigurationError(
            f"no stage can stand in {region}: it is made for AWS's commercial regions and GovCloud;"
            f" {_LACKING.get(partition, 'no other partition of AWS has been looked into')}"
        )


def _refuse_region(region: str, options: Options) -> None:
    """Raise ConfigurationError where CloudFormation would refuse the stage half made."""
    bedrock = options.bedrock_region
    if region and bedrock and region.startswith(GOVCLOUD) != bedrock.startswith(GOVCLOUD):
        raise ConfigurationError(
            f"bedrock_region {bedrock}: credentials of {region} are no good there, in another"
            " partition of AWS"
        )
    if region.startswith(GOVCLOUD) and not options.web_adapter_layer:
        raise ConfigurationError(
            f"web_adapter_layer: AWS publishes none in {region}; publish a copy of the commercial"
            " regions' layer there and give its ARN, see docs/guides/deploy.md"
        )


def split(text: str) -> tuple[str, ...]:
    """Return what stands between commas."""
    return tuple(filter(None, (part.strip() for part in text.split(","))))
