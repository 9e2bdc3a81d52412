"""An evaluation from a file of questions to tables that a person reads."""

import codecs
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click
from pydantic import ValidationError

from pulsedocs.edge.evaluations import LabelledRequest
from pulsedocs.errors import what_is_wrong
from pulsedocs.model.plurals import counted
from pulsedocs_cli.printing import say

_SHOWN: Final = (
    "recall@5",
    "recall@10",
    "recall@50",
    "mrr@10",
    "ndcg@10",
    "page@1",
    "page@5",
    "page@10",
)
_STAGE_WIDTH: Final = 10
Figures = Mapping[str, Any]


def questions_in(file: Path) -> list[dict[str, Any]]:
    """Return the question of each line, checked as the stage would; click.BadParameter if not."""
    lines = file.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    questions = [
        _question(line, f"{file.name}, line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not questions:
        raise click.BadParameter(f"{file.name} has no question", param_hint="FILE")
    return questions


def _question(line: bytes, place: str) -> dict[str, Any]:
    try:
        return LabelledRequest.model_validate_json(line).model_dump(exclude_none=True)
    except ValidationError as error:
        wrong = what_is_wrong(error.errors())
        raise click.BadParameter(f"{place}: {wrong}", param_hint="FILE") from error


class Progress:
    """Says on standard error how far an evaluation is, each time that it has moved."""

    def __init__(self) -> None:
        self._said = ""

    def __call__(self, found: Figures) -> None:
        profiles = found["profiles"].values()
        done = sum(figures is not None for figures in profiles)
        line = (
            f"evaluation {found['evaluation_id']}: {found['state']}, "
            f"{done} of {len(profiles)} profiles done"
        )
        if line != self._said:
            say(line, err=True)
        self._said = line


def evaluation_lines(found: Figures) -> Iterator[str]:
    """Yield a table of stages and figures for each profile, and what was not measured."""
    yield f"{counted(found['questions'], 'question')} on collection {found['collection']!r}"
    for name, figures in found["profiles"].items():
        yield ""
        if figures is None:
            yield f"{name}: no question was asked"
        else:
            yield from _profile_lines(figures, questions=found["questions"])
    error = found["error"]
    if error is not None:
        yield ""
        yield f"failed: {error['code']}: {error['message']}"
    elif not found["complete"]:
        yield ""
        yield "The time ran out before every profile was asked everything: give fewer of either."


def _profile_lines(figures: Figures, *, questions: int) -> Iterator[str]:
    yield (
        f"{figures['profile']} (revision {figures['revision']}), "
        f"asked {figures['questions']} of {counted(questions, 'question')}"
    )
    if figures["stages"]:
        yield from _table(figures["stages"])
    else:
        yield "  no question has an answer to be found"
    said = figures["abstention"]
    rightly = said["refused_rightly"]
    yield (
        f"  refused by the search: precision {_share(said['precision'])}"
        f" ({rightly} of {said['refused']} refusals were due),"
        f" recall {_share(said['recall'])} ({rightly} of {said['unanswerable']} due were made)"
    )
    for part, times in figures["degraded"].items():
        yield f"  degraded: {part} was missing for {counted(times, 'question')}"


def _table(stages: Mapping[str, Figures]) -> Iterator[str]:
    columns = [name for name in _SHOWN if any(name in own for own in stages.values())]
    yield f"  {'stage':<{_STAGE_WIDTH}}" + "".join(f"  {name:>9}" for name in columns)
    for stage, own in stages.items():
        cells = (f"{own[name]['mean']:.3f}" if name in own else "-" for name in columns)
        yield f"  {stage:<{_STAGE_WIDTH}}" + "".join(f"  {cell:>9}" for cell in cells)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
