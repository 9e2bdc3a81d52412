"""What a stage costs: idle for a month, for 1,000 pages, for 1,000 questions.

Reads the synthesised templates. A resource type that is in neither table stops it: whatever is
added is priced first, with a region's prices of `infra.prices`.
"""

import json
import math
import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.config import STAGES, SYNTHESISED
from infra.free import FREE_WHILE_IDLE
from infra.functions import FUNCTIONS
from infra.machines import ingest_machine
from infra.prices import US_EAST_1, Prices, prices_in
from infra.routes import ROUTES
from pulsedocs.errors import ConfigurationError
from pulsedocs.prices import PRICES
from pulsedocs.settings import Settings

Resource = Mapping[str, Any]
_Pricing = Callable[[Resource, Prices], Iterator["Line"]]

HOURS: Final = 730
_EMBEDDING: Final = PRICES["openai:text-embedding-3-small"]
_CHAT: Final = PRICES["openai:gpt-4o-mini"]
_MILLION: Final = 1e6

# Shared by all stages of an account.
_FREE_METRICS: Final = 10
_FREE_CUSTOM_METRICS: Final = 10
_FREE_DASHBOARDS: Final = 3
_METRICS_OF_A_FREE_DASHBOARD: Final = 50
_IDLE_DATABASE_GB: Final = 1
_AWAKE_ACU: Final = 0.5
_AT_WORK_SECONDS: Final = 90  # to resume, to look, to close: assumed, nothing measures AWS
_PAUSE: Final = "SecondsUntilAutoPause"
_RATE: Final = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_MINUTES: Final = {"minute": 1, "hour": 60, "day": 24 * 60}
_DAILY: Final = re.compile(r"cron\(\d+ \d+ \* \* \? \*\)")
_OF_AN_IDLE_SWEEP: Final = 1  # `TaskDuration` of `sweep`, with the outcome `ok`
_TIMED: Final = FUNCTIONS.keys() - {route.function for route in ROUTES} - {"authorize"}
"""Each has a `TaskDuration` with the outcome `ok`; another outcome is a metric more."""
_COUNTED: Final = (
    8  # `DocumentFailed`, `QuestionRefused` and others, which count without a function
)
_SWEEP_SECONDS: Final = 1.0  # with the starts of new environments; assumed, nothing measures AWS


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a bill. `quantity` is what is left after what the account has free."""

    what: str
    quantity: float
    unit: str
    price: float

    @property
    def usd(self) -> float:
        return self.quantity * self.price

    @property
    def amount(self) -> str:
        """The quantity as it is read: `1,234.5`."""
        return f"{self.quantity:,.2f}".rstrip("0").rstrip(".")


def floor(
    resources: Iterable[Resource], prices: Prices = US_EAST_1, *, earlier: int = 0
) -> list[Line]:
    """Return what a month costs in which nobody asks anything.

    `earlier` such stages are in the account already, and have what it has free.
    """
    deployed = [*resources]
    lines = [*_capacity(deployed, prices)]
    for resource in deployed:
        kind = resource["Type"]
        if kind in _PRICED:
            lines += _PRICED[kind](resource.get("Properties", {}), prices)
        elif kind not in FREE_WHILE_IDLE:
            message = f"{kind} has no price: add it to infra/cost.py"
            raise ConfigurationError(message)
    # Add up lines of one kind and take off what the account has free.
    quantities: dict[tuple[str, str, float], float] = {}
    for line in lines:
        key = (line.what, line.unit, line.price)
        quantities[key] = quantities.get(key, 0) + line.quantity
    bill: list[Line] = []
    for (what, unit, price), quantity in quantities.items():
        before, after = (
            max(0, stages * quantity - _FREE.get(what, 0)) for stages in (earlier, earlier + 1)
        )
        bill.append(Line(what, after - before, unit, price))
    return bill


def _database(properties: Resource, prices: Prices) -> Iterator[Line]:
    yield Line("Aurora storage, an empty stage", _IDLE_DATABASE_GB, "GB", prices.gb_month)
    if properties.get("ManageMasterUserPassword"):
        yield Line("Secret: the master's password", 1, "secret", prices.secret_month)


def _alarm(properties: Resource, prices: Prices) -> Iterator[Line]:
    watched = [metric for metric in properties.get("Metrics", []) if "MetricStat" in metric]
    yield Line("Alarms", len(watched) or 1, "metric", prices.metric_month)


def _dashboard(properties: Resource, prices: Prices) -> Iterator[Line]:
    """Price by what it shows: one with more than 50 metrics is not among the free ones."""
    body = properties["DashboardBody"]
    if not isinstance(body, str):  # joined around references, which are not JSON
        separator, parts = body["Fn::Join"]
        body = separator.join(part if isinstance(part, str) else "x" for part in parts)
    shown = json.loads(body)
    count = sum(len(widget["properties"].get("metrics", [])) for widget in shown["widgets"])
    is_free = count <= _METRICS_OF_A_FREE_DASHBOARD
    yield Line(
        "Dashboards" if is_free else "Large dashboards", 1, "dashboard", prices.dashboard_month
    )


def _capacity(deployed: Sequence[Resource], prices: Prices) -> Iterator[Line]:
    """Price what a database never goes below, and the time for which schedules keep it awake.

    Each instance counts: a reader that takes over wakes and pauses with its writer.
    """
    kinds = [each["Type"] for each in deployed]
    clusters = [each for each in deployed if each["Type"] == "AWS::RDS::DBCluster"]
    runs = sum(
        _runs_a_month(each["Properties"]["ScheduleExpression"])
        for each in deployed
        if each["Type"] == "AWS::Events::Rule" and _wakes_the_database(each["Properties"])
    )
    for cluster in clusters:
        instances = max(1, kinds.count("AWS::RDS::DBInstance") // len(clusters))
        scaling = cluster["Properties"]["ServerlessV2ScalingConfiguration"]
        if pause := scaling.get(_PAUSE):
            hours = min(HOURS, runs * (pause + _AT_WORK_SECONDS) / 3600) * instances
            woken = hours * _AWAKE_ACU
            yield Line("Aurora capacity, woken by a schedule", woken, "ACU h", prices.acu_hour)
        always = scaling["MinCapacity"] * HOURS * instances
        yield Line("Aurora capacity, never paused", always, "ACU h", prices.acu_hour)


def _wakes_the_database(rule: Resource) -> bool:
    """Say whether a schedule's runs ask the database; a sweep of the markers does not, idle."""
    is_of_markers = [each.get("Input") for each in rule["Targets"]] == ['{"full":false}']
    return "ScheduleExpression" in rule and not is_of_markers


def _runs_a_month(schedule: str) -> float:
    if every := _RATE.fullmatch(schedule):
        return HOURS * 60 / (float(every[1]) * _MINUTES[every[2]])
    if _DAILY.fullmatch(schedule):
        return HOURS / 24
    raise ConfigurationError(f"{schedule} has no price: add how often it runs to infra/cost.py")


def _rule(properties: Resource, prices: Prices) -> Iterator[Line]:
    """Price what a schedule starts: a short run that lists the markers and reads a position."""
    if "ScheduleExpression" not in properties:
        return  # events of AWS are free
    runs = _runs_a_month(properties["ScheduleExpression"])
    memory = FUNCTIONS["sweep"].memory_mb / 1024
    yield Line("Sweeps: time", runs * _SWEEP_SECONDS * memory, "GB s", prices.lambda_gb_second)
    yield Line("Sweeps: requests", runs, "request", prices.lambda_request)
    yield Line("Sweeps: listings", runs, "request", prices.put)  # S3 prices a LIST as a PUT
    yield Line("Sweeps: reads", runs, "request", prices.get)
    yield Line("Custom metrics", _OF_AN_IDLE_SWEEP, "metric", prices.custom_metric_month)


def _endpoint(properties: Resource, prices: Prices) -> Iterator[Line]:
    if properties.get("VpcEndpointType", "Gateway") == "Interface":
        zones = len(properties["SubnetIds"])
        yield Line("Interface endpoints", zones * HOURS, "zone h", prices.endpoint_hour)


def _firewall(properties: Resource, prices: Prices) -> Iterator[Line]:
    yield Line("Web ACL", 1, "ACL", prices.acl_month)
    yield Line("Web ACL rules", len(properties["Rules"]), "rule", prices.rule_month)


def _sign_in(properties: Resource, prices: Prices) -> Iterator[Line]:
    if "client_credentials" in properties.get("AllowedOAuthFlows", []):
        yield Line("Services that sign in", 1, "client", prices.service_month)


def _monthly(what: str, unit: str, price: Callable[[Prices], float]) -> _Pricing:
    return lambda _properties, prices: iter([Line(what, 1, unit, price(prices))])


_PRICED: Final[Mapping[str, _Pricing]] = {
    "AWS::RDS::DBCluster": _database,
    "AWS::CloudWatch::Alarm": _alarm,
    "AWS::CloudWatch::Dashboard": _dashboard,
    "AWS::Events::Rule": _rule,
    "AWS::Cognito::UserPoolClient": _sign_in,
    "AWS::EC2::VPCEndpoint": _endpoint,
    "AWS::EC2::NatGateway": _monthly(
        "NAT gateways", "gateway", lambda prices: prices.nat_hour * HOURS
    ),
    "AWS::EC2::EgressOnlyInternetGateway": _monthly("IPv6 gateways", "gateway", lambda _prices: 0),
    "AWS::EC2::EIP": _monthly(
        "Public addresses", "address", lambda prices: prices.address_hour * HOURS
    ),
    "AWS::KMS::Key": _monthly("Keys", "key", lambda prices: prices.key_month),
    "AWS::SecretsManager::Secret": _monthly(
        "Secrets", "secret", lambda prices: prices.secret_month
    ),
    "AWS::WAFv2::WebACL": _firewall,
}
_FREE: Final = {
    "Alarms": _FREE_METRICS,
    "Custom metrics": _FREE_CUSTOM_METRICS,
    "Dashboards": _FREE_DASHBOARDS,
}


def extras(prices: Prices = US_EAST_1) -> list[Line]:
    """Return what a deployment may want besides; data through a gateway is paid on top."""
    return [
        Line(
            "NAT gateway with its public address, a zone",
            1,
            "gateway",
            (prices.nat_hour + prices.address_hour) * HOURS,
        ),
        Line("Interface endpoint, a zone", 1, "endpoint", prices.endpoint_hour * HOURS),
        Line("IPv6 with an egress-only gateway", 1, "gateway", 0),
        Line("Database that never pauses, 0.5 ACU", _AWAKE_ACU * HOURS, "ACU h", prices.acu_hour),
        Line("Reader beside such a writer, 0.5 ACU", _AWAKE_ACU * HOURS, "ACU h", prices.acu_hour),
        Line("Web ACL with three rules", 1, "ACL", prices.acl_month + 3 * prices.rule_month),
        Line("Key of your own in KMS, before its rotations", 1, "key", prices.key_month),
        Line("Service that signs in by itself", 1, "client", prices.service_month),
        Line(
            "Custom metrics of a busy month",
            len(_TIMED) + _COUNTED - _FREE_CUSTOM_METRICS,
            "metric",
            prices.custom_metric_month,
        ),
    ]


@dataclass(frozen=True, slots=True)
class Assumed:
    """What the two workloads take. These are assumptions, on the high side; nothing measures AWS.

    Seconds are billed per document, per page, per batch of vectors, or per question.
    """

    documents: int = 10
    pages: int = 1_000
    scanned_pages: int = 0
    """Of the pages, those on which words have to be looked for."""
    tokens_per_page: float = 600
    chunks_per_page: float = 2
    questions: int = 1_000
    context_tokens: int = 3_500
    answer_tokens: int = 300
    ingestion_minutes_awake: float = 10
    """Work and the wait for the pause, at twice the smallest capacity; shared by all documents."""
    question_hours_awake: float = 8
    """The questions come over one working day, and the database never pauses in between."""
    log_kb_per_event: float = 2

    @property
    def batches(self) -> int:
        per_document = self.pages / self.documents * self.chunks_per_page
        size = Settings.model_fields["embedding_batch_size"].default
        return self.documents * math.ceil(per_document / size)


# Of 100,000 chunks, docs/concepts/capacity.md: all that are touched, as if none stayed in memory.
_BLOCKS_PER_CHUNK: Final = 407
_BLOCKS_PER_QUESTION: Final = 2_227

_SECONDS_PER_DOCUMENT: Final = {
    "documents": 1.0,
    "claim": 1.5,
    "extract": 1.0,
    "store": 1.0,
    "clean": 1.0,
    "chunk": 1.0,
    "publish": 1.5,
}
_SECONDS_PER_PAGE: Final = {"extract": 0.05, "store": 0.03, "clean": 0.03, "chunk": 0.05}
_SECONDS_PER_SCAN: Final = {"recognise": 1.6}
_SECONDS_PER_BATCH: Final = {"embed": 4.0, "store": 3.0}
_SECONDS_PER_QUESTION: Final = {"authorize": 0.3, "query": 6.0, "retrieve": 1.0}


def ingestion(
    assumed: Assumed,
    prices: Prices = US_EAST_1,
    *,
    embedding_token_usd: float | None = _EMBEDDING.input / _MILLION,
    has_textract: bool = False,
) -> list[Line]:
    """Return what ingesting costs beside the floor; without a price, without its embedding."""
    invocations = (
        len(_SECONDS_PER_DOCUMENT) * assumed.documents
        + len(_SECONDS_PER_BATCH) * assumed.batches
        + assumed.scanned_pages  # at most: twenty of them share one
    )
    gigabyte_seconds = (
        _gigabyte_seconds(_SECONDS_PER_DOCUMENT) * assumed.documents
        + _gigabyte_seconds(_SECONDS_PER_PAGE) * assumed.pages
        + _gigabyte_seconds(_SECONDS_PER_SCAN) * assumed.scanned_pages
        + _gigabyte_seconds(_SECONDS_PER_BATCH) * assumed.batches
    )
    lines = [
        *_lambda(gigabyte_seconds, invocations, prices),
        Line(
            "State transitions",
            transitions() * assumed.documents + 2 * assumed.batches,
            "transition",
            prices.transition,
        ),
        Line("Events", assumed.documents * 2, "event", prices.event),
        Line("API requests, 10 a document", assumed.documents * 10, "request", prices.api_request),
        # The words of a scan, and the note that leads to them, are looked for and written.
        Line(
            "S3 writes",
            assumed.documents * 4 + assumed.batches * 2 + assumed.scanned_pages * 2,
            "request",
            prices.put,
        ),
        Line(
            "S3 reads",
            assumed.documents * 4 + assumed.batches * 3 + assumed.scanned_pages * 2,
            "request",
            prices.get,
        ),
        Line(
            "Aurora capacity",
            assumed.ingestion_minutes_awake / 60 * 2 * _AWAKE_ACU,
            "ACU h",
            prices.acu_hour,
        ),
        Line(
            "Aurora I/O",
            assumed.pages * assumed.chunks_per_page * _BLOCKS_PER_CHUNK,
            "block",
            prices.database_io,
        ),
        _logs(invocations, assumed, prices),
    ]
    if has_textract:
        lines.append(Line("Textract", assumed.scanned_pages, "page", prices.textract_page))
    if embedding_token_usd is not None:
        tokens = assumed.pages * assumed.tokens_per_page
        lines.append(Line("Embedding", tokens, "token", embedding_token_usd))
    return lines


def thousand_questions(assumed: Assumed, prices: Prices = US_EAST_1) -> list[Line]:
    """Return what answering 1,000 questions costs beside the floor."""
    count = assumed.questions
    invocations = len(_SECONDS_PER_QUESTION) * count
    return [
        *_lambda(_gigabyte_seconds(_SECONDS_PER_QUESTION) * count, invocations, prices),
        Line("API requests", count, "request", prices.api_request),
        Line("S3 writes: traces", count, "request", prices.put),
        Line(
            "Aurora capacity", assumed.question_hours_awake * _AWAKE_ACU, "ACU h", prices.acu_hour
        ),
        Line("Aurora I/O", count * _BLOCKS_PER_QUESTION, "block", prices.database_io),
        _logs(invocations, assumed, prices),
        Line("Embedding", count * 30, "token", _EMBEDDING.input / _MILLION),
        Line("Generation, input", count * assumed.context_tokens, "token", _CHAT.input / _MILLION),
        Line("Generation, output", count * assumed.answer_tokens, "token", _CHAT.output / _MILLION),
    ]


def _gigabyte_seconds(seconds: Mapping[str, float]) -> float:
    return sum(FUNCTIONS[name].memory_mb / 1024 * taken for name, taken in seconds.items())


def _lambda(gigabyte_seconds: float, invocations: int, prices: Prices) -> Iterator[Line]:
    yield Line("Lambda time", gigabyte_seconds, "GB s", prices.lambda_gb_second)
    yield Line("Lambda requests", invocations, "request", prices.lambda_request)


def _logs(invocations: int, assumed: Assumed, prices: Prices) -> Line:
    return Line("Logs", invocations * assumed.log_kb_per_event / 1e6, "GB", prices.log_gb)


def transitions() -> int:
    """Count the states that a document passes when all goes well, its batches aside."""
    machine = ingest_machine()
    count, name = 0, machine["StartAt"]
    while name is not None:
        state = machine["States"][name]
        count += 1
        name = next((choice["Next"] for choice in state.get("Choices", [])), state.get("Next"))
    return count + 1  # the start itself is one


def resources_in(folder: Path) -> list[Resource]:
    """Return every resource of a synthesised stage."""
    return [
        resource
        for file in sorted(folder.glob("*.template.json"))
        for resource in json.loads(file.read_text("utf-8"))["Resources"].values()
    ]


def total(lines: Iterable[Line]) -> float:
    return sum(line.usd for line in lines)


def main() -> None:
    """Print the bills; exit with an error where an idle month is above its stage's limit."""
    parser = ArgumentParser(prog="infra.cost", description=main.__doc__)
    parser.add_argument("--region", default=US_EAST_1.region, help="whose prices, eu-west-1")
    try:
        prices = prices_in(parser.parse_args().region)
    except ConfigurationError as error:
        sys.exit(f"error: {error}")
    print(f"Prices: {prices.source}.")
    too_dear: list[str] = []
    for stage in STAGES.values():
        folder = SYNTHESISED / stage.name
        if not folder.is_dir():
            sys.exit("error: no synthesised stage to price; run `make synth`")
        deployed = resources_in(folder)
        lines = floor(deployed, prices)
        print_bill(f"{stage.name}, an idle month (limit ${stage.max_floor_usd:.2f})", lines)
        if prices.borrowed:
            most = total(floor(deployed, prices.at_most()))
            label = f"at most, should what is of {US_EAST_1.region} cost more there"
            print(f"  {label:<60}{most:>11.4f}")
        another = total(floor(deployed, prices, earlier=1))
        print(f"  {'a second such stage in the account':<60}{another:>11.4f}")
        if total(lines) > stage.max_floor_usd:
            too_dear.append(stage.name)
    print_bill("1,000 pages as 10 documents (assumed workload)", ingestion(Assumed(), prices))
    print_bill("1,000 questions (assumed workload)", thousand_questions(Assumed(), prices))
    if too_dear:
        sys.exit(f"error: an idle month is above its limit in {', '.join(too_dear)}")


def print_bill(title: str, lines: Iterable[Line]) -> None:
    bill = list(lines)
    print(f"\n{title}")
    for line in bill:
        print(f"  {line.what:<34}{line.amount:>14} {line.unit:<11}{line.usd:>11.4f}")
    print(f"  {'total, USD':<60}{total(bill):>11.4f}")


if __name__ == "__main__":
    main()
