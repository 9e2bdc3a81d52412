"""The reference of what a stage costs: `make cost` writes it from the templates."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from infra.config import STAGES, SYNTHESISED
from infra.cost import (
    OPTIONS,
    PRICES_OF,
    Assumed,
    Line,
    floor,
    ingestion,
    resources_in,
    thousand_questions,
    total,
)
from infra.free import FREE_WHILE_IDLE

_NOT_THERE: Final = """\
The dev stage has none of them. Data through a gateway or an endpoint is paid on top; IPv6 reaches
only what answers over IPv6. A reader of a database that pauses costs what its writer does while
awake. A key costs $1 more after each of its first two yearly rotations, and stays when its stage
goes. A token that a service asks for costs $0.00225. What takes a stage over its limit fails the
test of the idle month."""
TARGET: Final = Path(__file__).parents[1] / "docs" / "reference" / "cost.md"
_HOW: Final = (
    f"`make cost` writes this page from the templates. Prices: {PRICES_OF}.\nThey are a list, and"
    " the workloads assumptions: nobody has deployed the stacks yet."
)
_HEAD: Final = "| what | quantity | unit | USD |\n| --- | ---: | --- | ---: |"


def document(floors: Mapping[str, Iterable[Line]]) -> str:
    """Return the whole page; `floors` are the idle months by stage."""
    parts = ["# What a stage costs", _HOW]
    for name, lines in floors.items():
        parts += [f"## {name}, an idle month", _bill(lines)]
        parts.append(f"The tests refuse more than ${STAGES[name].max_floor_usd:.2f}.")
    by_reason: dict[str, list[str]] = {}
    for kind, reason in FREE_WHILE_IDLE.items():
        by_reason.setdefault(reason, []).append(f"`{kind.removeprefix('AWS::')}`")
    free = [f"| {', '.join(kinds)} | {reason} |" for reason, kinds in by_reason.items()]
    assumed = Assumed()
    parts += [
        f"## {assumed.pages:,} pages, as {assumed.documents} documents",
        _bill(ingestion(assumed)),
        f"## {assumed.questions:,} questions",
        _bill(thousand_questions(assumed)),
        "Both workloads are assumptions on the high side, listed in `infra/cost.py`.",
        "## What could be added, a month each",
        _bill(OPTIONS, has_total=False),
        _NOT_THERE,
        "## What is free while nobody uses it",
        "\n".join(["| resources | why |", "| --- | --- |", *free]),
    ]
    return "\n\n".join(parts) + "\n"


def _bill(lines: Iterable[Line], *, has_total: bool = True) -> str:
    bill = list(lines)
    rows = [f"| {one.what} | {one.amount} | {one.unit} | {one.usd:.4f} |" for one in bill]
    if has_total:
        rows.append(f"| **together** | | | **{total(bill):.2f}** |")
    return "\n".join([_HEAD, *rows])


def main() -> None:
    floors = {name: floor(resources_in(SYNTHESISED / name)) for name in STAGES}
    TARGET.write_text(document(floors), encoding="utf-8")


if __name__ == "__main__":
    main()
