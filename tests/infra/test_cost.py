"""An idle stage costs what its stage allows, and nothing is added without a price."""

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from infra.config import STAGES, Stage
from infra.cost import (
    Assumed,
    Line,
    extras,
    floor,
    ingestion,
    main,
    resources_in,
    thousand_questions,
    total,
    transitions,
)
from infra.cost_table import TARGET, document
from infra.free import FREE_WHILE_IDLE
from infra.prices import LARGEST_DIFFERENCE, REGIONS, US_EAST_1
from pulsedocs.errors import ConfigurationError
from tests.emitted import EMITTED
from tests.infra.synthesise import WITH_SERVICES
from tests.infra.templates import StageTemplates


def resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{kind}", "Properties": properties}


def test_an_idle_month_stays_below_the_stages_limit(
    templates: StageTemplates, stage: Stage
) -> None:
    """P-04: the dev stage costs less than a dollar while nobody uses it."""
    assert total(floor(templates.resources.values())) <= stage.max_floor_usd


def test_a_second_stage_pays_for_its_alarms(templates: StageTemplates) -> None:
    """An account has ten metrics of alarms free, and the first stage watches as many or one more.

    Metrics of our own and dashboards have room for two.
    """
    first, second = (
        total(floor(templates.resources.values(), earlier=earlier)) for earlier in (0, 1)
    )

    assert second - first == pytest.approx(10 * US_EAST_1.metric_month)


def test_the_dev_stages_limit_is_a_dollar(templates: StageTemplates, stage: Stage) -> None:
    if stage.name == "dev":
        assert stage.max_floor_usd == 1
        assert 0 < total(floor(templates.resources.values())) < 1


@pytest.mark.parametrize(
    "addition",
    [
        resource("EC2::NatGateway"),
        resource("EC2::VPCEndpoint", VpcEndpointType="Interface", SubnetIds=["a", "b"]),
        resource("RDS::DBCluster", ServerlessV2ScalingConfiguration={"MinCapacity": 0.5}),
        resource("KMS::Key"),
        resource("WAFv2::WebACL", Rules=[{}]),
    ],
    ids=lambda addition: addition["Type"],
)
def test_what_costs_while_idle_would_exceed_the_dev_stages_limit(
    addition: dict[str, Any], templates: StageTemplates, stage: Stage
) -> None:
    if stage.name == "dev":
        assert total(floor([*templates.resources.values(), addition])) > stage.max_floor_usd


NIGHTLY = resource(
    "Events::Rule", ScheduleExpression="cron(0 5 * * ? *)", Targets=[{"Input": '{"full":true}'}]
)


def test_a_schedule_that_asks_the_database_is_priced_with_the_time_it_keeps_it_awake() -> None:
    """P-04: 30.4 nights of 5 minutes until the pause and 1.5 of work, at 0.5 ACU."""

    def database(seconds: int | None) -> dict[str, Any]:
        pause = {} if seconds is None else {"SecondsUntilAutoPause": seconds}
        scaling = {"MinCapacity": 0 if seconds else 0.5, **pause}
        return resource("RDS::DBCluster", ServerlessV2ScalingConfiguration=scaling)

    def added(rule: dict[str, Any], seconds: int | None) -> float:
        return total(floor([database(seconds), rule])) - total(floor([database(seconds)]))

    every_minute = resource(
        "Events::Rule", ScheduleExpression="rate(1 minute)", Targets=[{"Input": '{"full":true}'}]
    )
    of_markers = resource(
        "Events::Rule", ScheduleExpression="rate(5 minutes)", Targets=[{"Input": '{"full":false}'}]
    )
    assert added(NIGHTLY, 300) == pytest.approx(730 / 24 * 6.5 / 60 * 0.5 * 0.12, abs=0.002)
    assert added(NIGHTLY, 1800) > 4 * added(NIGHTLY, 300)
    assert added(NIGHTLY, None) < 0.002, "it never pauses: the capacity is priced as it is"
    assert 730 * 0.5 * 0.12 < added(every_minute, 300) < 730 * 0.5 * 0.12 + 1
    assert added(of_markers, 300) < 0.12


def test_one_more_night_shift_or_a_longer_pause_would_exceed_the_limit(
    templates: StageTemplates, stage: Stage
) -> None:
    if stage.auto_pause_minutes is None:
        return
    longer = deepcopy([*templates.resources.values()])
    for each in longer:
        if each["Type"] == "AWS::RDS::DBCluster":
            each["Properties"]["ServerlessV2ScalingConfiguration"]["SecondsUntilAutoPause"] = 1800

    assert total(floor([*templates.resources.values(), NIGHTLY])) > stage.max_floor_usd
    assert total(floor(longer)) > stage.max_floor_usd


def test_a_schedule_of_unknown_frequency_is_refused() -> None:
    odd = resource("Events::Rule", ScheduleExpression="cron(0/10 * * * ? *)", Targets=[])

    with pytest.raises(ConfigurationError, match="has no price"):
        floor([odd])


def test_a_resource_without_a_price_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="AWS::MSK::Cluster has no price"):
        floor([resource("MSK::Cluster")])


def test_what_is_called_free_is_deployed_somewhere(templates: StageTemplates) -> None:
    """Types that only one stage has are shown by the others to be few."""
    unused = set(FREE_WHILE_IDLE) - {item["Type"] for item in templates.resources.values()}

    assert unused <= {
        "AWS::ApiGateway::BasePathMapping",
        "AWS::ApiGateway::DomainName",
        "AWS::Budgets::Budget",
        "AWS::CDK::Metadata",
        "AWS::Cognito::UserPool",
        "AWS::Cognito::UserPoolResourceServer",
        "AWS::Cognito::UserPoolDomain",
        "AWS::Cognito::UserPoolGroup",
        "AWS::KMS::Alias",
        "AWS::SNS::Subscription",
        "AWS::WAFv2::WebACLAssociation",
    }


def test_a_program_that_signs_in_by_itself_is_priced_and_a_person_is_not(assemblies: Path) -> None:
    lines = {line.what: line.usd for line in floor(resources_in(assemblies / WITH_SERVICES))}

    assert lines["Services that sign in"] == 2 * 6
    assert "Services that sign in" not in {
        line.what for line in floor(resources_in(assemblies / "dev")) if line.usd
    }


def test_alarms_are_counted_by_what_they_watch_beyond_the_free_ten() -> None:
    eleven = [resource("CloudWatch::Alarm", MetricName="x")] * 9 + [
        resource(
            "CloudWatch::Alarm",
            Metrics=[{"MetricStat": {}}, {"MetricStat": {}}, {"Expression": "a + b"}],
        )
    ]

    assert floor(eleven) == [Line("Alarms", 1, "metric", 0.10)]


def test_a_question_costs_less_without_a_generator_to_pay() -> None:
    bill = thousand_questions(Assumed())

    paid = [line for line in bill if line.what.startswith("Generation")]
    assert 0 < sum(line.usd for line in paid) < total(bill) < 5


def test_a_thousand_pages_are_counted_with_their_batches() -> None:
    assumed = Assumed()

    assert assumed.batches == 30  # ten documents of 200 chunks, 96 a batch
    assert 0 < total(ingestion(assumed)) < 1
    [moved] = [line for line in ingestion(assumed) if line.what == "State transitions"]
    assert moved.quantity == transitions() * 10 + 60


def test_what_a_stage_at_work_sends_and_touches_is_priced() -> None:
    """Fails when: a function or a count is added whose metric is not in the bill."""
    tasks = [
        each for each in Path("functions").glob("*/handler.py") if "@task(" in each.read_text()
    ]
    [metrics] = [line for line in extras() if line.what.startswith("Custom metrics")]
    measured = Path("docs/concepts/capacity.md").read_text("utf-8")

    assert metrics.quantity == len(tasks) + len(EMITTED.keys() - {"TaskDuration"}) - 10
    for bill, blocks in ((ingestion(Assumed()), 407), (thousand_questions(Assumed()), 2_227)):
        [touched] = [line for line in bill if line.what == "Aurora I/O"]
        assert touched.quantity % blocks == 0
        assert touched.usd > 0.1
        assert re.search(rf"\b{blocks:,} \|", measured)


def test_a_dashboard_of_more_than_fifty_metrics_is_not_free() -> None:
    def dashboard(metrics: int) -> dict[str, Any]:
        body = json.dumps({"widgets": [{"properties": {"metrics": [["a", "b"]] * metrics}}]})
        return resource("CloudWatch::Dashboard", DashboardBody=body)

    assert total(floor([dashboard(50)])) == 0
    assert total(floor([dashboard(51)])) == 3


def test_the_reference_shows_what_the_templates_cost(assemblies: Path) -> None:
    """P-04: `make cost` writes it again."""
    deployed = {name: resources_in(assemblies / name) for name in STAGES}

    assert TARGET.read_text("utf-8") == document(deployed)


def cost(monkeypatch: pytest.MonkeyPatch, synthesised: Path, *arguments: str) -> str | int | None:
    """Run `make cost`; return what it exits with."""
    monkeypatch.setattr("infra.cost.SYNTHESISED", synthesised)
    monkeypatch.setattr("sys.argv", ["cost", *arguments])
    try:
        main()
    except SystemExit as exited:
        return exited.code
    return 0


def test_the_command_fails_where_an_idle_month_is_above_its_limit(
    assemblies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-04: one key more in the dev stage is a dollar more."""
    for name in STAGES:
        (tmp_path / name).mkdir()
        more = {"Key": resource("KMS::Key")} if name == "dev" else {}
        deployed = dict(enumerate(resources_in(assemblies / name))) | more
        (tmp_path / name / "x.template.json").write_text(json.dumps({"Resources": deployed}))

    assert cost(monkeypatch, assemblies) == 0
    assert cost(monkeypatch, tmp_path) == "error: an idle month is above its limit in dev"
    assert "make synth" in str(cost(monkeypatch, tmp_path / "nothing"))


def test_another_region_is_priced_with_its_own_prices_and_says_what_it_borrows(
    assemblies: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """P-04: what no price list said of a region is named, with what it may come to."""
    assert cost(monkeypatch, assemblies, "--region", "eu-west-2") == 0
    london = capsys.readouterr().out
    assert cost(monkeypatch, assemblies, "--region", "xx-nowhere-1") == 0
    nowhere = capsys.readouterr().out
    in_seoul = cost(monkeypatch, assemblies, "--region", "ap-northeast-2")

    deployed = resources_in(assemblies / "dev")
    raised = 1 + LARGEST_DIFFERENCE
    assert f"{total(floor(deployed, REGIONS['eu-west-2'])):.4f}" in london
    assert "eu-west-2, September and October 2026, for acu hour, gb month, secret month" in london
    assert "us-east-1 for all else" in london
    assert "Prices: us-east-1, because none of xx-nowhere-1 are known" in nowhere
    assert f"{total(floor(deployed)):.4f}" in nowhere
    assert f"{total(floor(deployed)) * raised:.4f}" in nowhere
    assert in_seoul == "error: an idle month is above its limit in dev, staging, prod"
    assert "no region of AWS" in str(cost(monkeypatch, assemblies, "--region", "Ireland"))


def test_a_price_found_elsewhere_is_not_borrowed_as_well() -> None:
    for prices in REGIONS.values():
        assert set(prices.found) | {each.replace("_", " ") for each in prices.borrowed} == set(
            US_EAST_1.found
        )
        assert bool(prices.borrowed) == (prices.region != "us-east-1")
        assert prices.seen
