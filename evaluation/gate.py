"""What became worse than the committed baseline, and at which stage first."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from pulsedocs.model.evaluations import EvaluatedStep, ProfileFigures

BASELINE: Final = Path(__file__).parent / "baseline.json"
TOLERANCE: Final = 0.02
ACROSS_PROCESSORS: Final = 0.06
"""Of weights of 8 bits: between two with and without VNNI, no figure moved by more than 0.053."""
_GATED: Final = ("recall@5", "recall@10", "recall@50", "ndcg@10", "mrr@10", "page@1", "near_page@5")
_ANSWERS: Final = ("answered", "cited", "refused")
_ABSTENTION: Final = ("precision", "recall")
_FIGURE: Final = re.compile(r"\[[^][{}]*\]")

Figures = dict[str, Any]
Interval: TypeAlias = Sequence[float]
"""A mean, and where 95 % of resampled means lie; the mean alone where nothing was resampled."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A figure that fell; `stage` is `abstention` for refusals, which have no interval."""

    profile: str
    stage: str
    figure: str
    before: Interval
    now: Interval

    def __str__(self) -> str:
        return (
            f"profile {self.profile!r}, stage {self.stage!r}: {self.figure} fell"
            f" from {_shown(self.before)} to {_shown(self.now)}"
        )


def recorded(figures: ProfileFigures) -> Figures:
    """Return what a baseline keeps of a profile: means with their intervals, stage by stage."""
    stages = {
        stage.value: {
            name: [own.mean, own.low, own.high] for name, own in figures.stages[stage].items()
        }
        for stage in EvaluatedStep
        if stage in figures.stages
    }
    abstention = {name: getattr(figures.abstention, name) for name in _ABSTENTION}
    return {"questions": figures.questions, "stages": stages, "abstention": abstention}


def written(results: Mapping[str, Mapping[str, Figures]]) -> str:
    """Return results as JSON with a figure a line, so that a change of one is a line of a diff."""
    text = json.dumps(results, indent=1)
    return _FIGURE.sub(lambda found: json.dumps(json.loads(found[0])), text) + "\n"


def fallen(
    baseline: Mapping[str, Mapping[str, Figures]], results: Mapping[str, Mapping[str, Figures]]
) -> Iterator[str]:
    """Yield a line for each figure that fell; what was not measured now is not compared."""
    for name, found in results.items():
        old = {key: own for key, own in baseline.get(name, {}).items() if key in found}
        tolerance = ACROSS_PROCESSORS if "local:" in name else TOLERANCE
        for each in regressions(old, found, tolerance=tolerance):
            yield f"{name}: {each}"


def regressions(
    before: Mapping[str, Figures], now: Mapping[str, Figures], *, tolerance: float = TOLERANCE
) -> Iterator[Regression]:
    """Yield what fell by more than the tolerance, by profile, in the order of the stages.

    Means are compared, however wide their intervals: the same questions are asked of the same
    models. The first of a profile names the stage to look at: what follows it may only have been
    handed on.
    """
    for profile, old in before.items():
        new = now.get(profile)
        if new is None:
            yield Regression(profile, "profile", "questions", (old["questions"],), (0,))
            continue
        for stage, figures in old["stages"].items():
            kept = {name: value for name, value in figures.items() if name in (*_GATED, *_ANSWERS)}
            own = new["stages"].get(stage, {})
            yield from _fallen(profile, stage, kept, own, tolerance=tolerance)
        refused, now_refused = _shares(old["abstention"]), _shares(new["abstention"])
        yield from _fallen(profile, "abstention", refused, now_refused, tolerance=tolerance)


def _shares(abstention: Mapping[str, float | None]) -> dict[str, Interval | None]:
    return {name: None if share is None else (share,) for name, share in abstention.items()}


def _fallen(
    profile: str,
    stage: str,
    before: Mapping[str, Interval | None],
    now: Mapping[str, Interval | None],
    *,
    tolerance: float,
) -> Iterator[Regression]:
    for name, old in before.items():
        new = now.get(name)
        if old is not None and (new is None or new[0] < old[0] - tolerance):
            yield Regression(profile, stage, name, old, new or (0.0,))


def _shown(interval: Interval) -> str:
    mean, *ends = interval
    return f"{mean:.3f}" + (f" [{ends[0]:.2f}-{ends[1]:.2f}]" if ends else "")
