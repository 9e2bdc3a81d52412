"""The reference of what a stage costs: `make cost` writes it from the templates."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from infra.config import STAGES, SYNTHESISED
from infra.cost import (
    Assumed,
    Line,
    Resource,
    extras,
    floor,
    ingestion,
    resources_in,
    thousand_questions,
    total,
)
from infra.free import FREE_WHILE_IDLE
from infra.prices import LARGEST_DIFFERENCE, REGIONS, US_EAST_1, Prices

_NOT_THERE: Final = """\
The dev stage has none of them. Data through a gateway or an endpoint is paid on top; IPv6 reaches
only what answers over IPv6. A reader of a database that pauses costs what its writer does while
awake. A key costs $1 more after each of its first two yearly rotations, and stays when its stage
goes. A token that a service asks for costs $0.00225. The custom metrics are those beyond the
account's ten of a stage whose functions all work in each hour of the month. What takes a stage over
its limit fails the test of the idle month."""
_WORKLOADS: Final = """\
Both workloads are assumptions on the high side, listed in `infra/cost.py`. Aurora's I/O is that of
[100,000 chunks](../concepts/capacity.md) as if nothing stayed in memory; of a million, a question
touches 13 to 37 times as many blocks."""
_ELSEWHERE: Final = f"""\
`make cost REGION=eu-west-2` prints the bills with another region's prices, and fails when a
stage's limit is passed there. What AWS's price list was seen to say of a region is in
`infra/prices.py`, with the month. All else, and all of a region that is not listed, is priced as in
us-east-1: no price that was found elsewhere is more than {LARGEST_DIFFERENCE:.0%} above its one,
and the second figure is the sum if all that is borrowed cost that much more."""
TARGET: Final = Path(__file__).parents[1] / "docs" / "reference" / "cost.md"
_HOW: Final = (
    f"`make cost` writes this page from the templates. Prices: {US_EAST_1.source}.\n"
    "They are a list, and the workloads assumptions: nobody has deployed the stacks yet."
)
_HEAD: Final = "| what | quantity | unit | USD |\n| --- | ---: | --- | ---: |"


def document(deployed: Mapping[str, Sequence[Resource]]) -> str:
    """Return the whole page; `deployed` are the resources of each stage."""
    floors = {name: floor(resources) for name, resources in deployed.items()}
    parts = ["# What a stage costs", _HOW]
    for name, lines in floors.items():
        another = total(floor(deployed[name], earlier=1))
        parts += [f"## {name}, an idle month", _bill(lines)]
        parts.append(
            f"A second such stage in the account costs ${another:.2f}: what is free is free once an"
            f" account. The tests refuse more than ${STAGES[name].max_floor_usd:.2f} for the first."
        )
    by_reason: dict[str, list[str]] = {}
    for kind, reason in FREE_WHILE_IDLE.items():
        by_reason.setdefault(reason, []).append(f"`{kind.removeprefix('AWS::')}`")
    free = [f"| {', '.join(kinds)} | {reason} |" for reason, kinds in by_reason.items()]
    assumed = Assumed()
    parts += [
        "## An idle month elsewhere",
        _ELSEWHERE,
        "\n".join(
            [
                f"| region | {' | '.join(deployed)} | found in AWS's price list |",
                f"| --- |{' ---: |' * len(deployed)} --- |",
                *(_elsewhere(prices, deployed.values()) for prices in REGIONS.values()),
            ]
        ),
        f"## {assumed.pages:,} pages, as {assumed.documents} documents",
        _bill(ingestion(assumed)),
        f"## {assumed.questions:,} questions",
        _bill(thousand_questions(assumed)),
        _WORKLOADS,
        "## What could be added, a month each",
        _bill(extras(), has_total=False),
        _NOT_THERE,
        "## What is free while nobody uses it",
        "\n".join(["| resources | why |", "| --- | --- |", *free]),
    ]
    return "\n\n".join(parts) + "\n"


def _elsewhere(prices: Prices, deployed: Iterable[Sequence[Resource]]) -> str:
    cells: list[str] = []
    for resources in deployed:
        least, most = (total(floor(resources, each)) for each in (prices, prices.at_most()))
        cells.append(f"{least:.2f}" + (f" to {most:.2f}" if prices.borrowed else ""))
    found = ", ".join(prices.found) if prices.borrowed else "all"
    return f"| {prices.region} | {' | '.join(cells)} | {found} ({prices.seen}) |"


def _bill(lines: Iterable[Line], *, has_total: bool = True) -> str:
    bill = list(lines)
    rows = [f"| {one.what} | {one.amount} | {one.unit} | {one.usd:.4f} |" for one in bill]
    if has_total:
        rows.append(f"| **together** | | | **{total(bill):.2f}** |")
    return "\n".join([_HEAD, *rows])


def main() -> None:
    deployed = {name: resources_in(SYNTHESISED / name) for name in STAGES}
    TARGET.write_text(document(deployed), encoding="utf-8")


if __name__ == "__main__":
    main()
