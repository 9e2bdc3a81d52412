"""What became worse than the committed baseline, and at which stage first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pulsedocs.model.evaluations import EvaluatedStep, ProfileFigures

BASELINE: Final = Path(__file__).parent / "baseline.json"
TOLERANCE: Final = 0.02
"""Int8 kernels differ between processors, and one question of forty moves a mean by 0.025."""
_GATED: Final = ("recall@5", "recall@10", "recall@50", "ndcg@10", "mrr@10", "page@1", "near_page@5")
_ABSTENTION: Final = ("precision", "recall")

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Regression:
    """A figure that fell; `stage` is `abstention` for refusals."""

    profile: str
    stage: str
    figure: str
    before: float
    now: float

    def __str__(self) -> str:
        return (
            f"profile {self.profile!r}, stage {self.stage!r}: {self.figure} fell"
            f" from {self.before:.3f} to {self.now:.3f}"
        )


def recorded(figures: ProfileFigures) -> Figures:
    """Return what a baseline keeps of a profile: means only, in the order of the stages."""
    stages = {
        stage.value: {name: own.mean for name, own in figures.stages[stage].items()}
        for stage in EvaluatedStep
        if stage in figures.stages
    }
    abstention = {name: getattr(figures.abstention, name) for name in _ABSTENTION}
    return {"questions": figures.questions, "stages": stages, "abstention": abstention}


def fallen(
    baseline: Mapping[str, Mapping[str, Figures]], results: Mapping[str, Mapping[str, Figures]]
) -> Iterator[str]:
    """Yield a line for each figure that fell; what was not measured now is not compared."""
    for name, found in results.items():
        old = {key: own for key, own in baseline.get(name, {}).items() if key in found}
        for each in regressions(old, found):
            yield f"{name}: {each}"


def regressions(before: Mapping[str, Figures], now: Mapping[str, Figures]) -> Iterator[Regression]:
    """Yield what fell by more than the tolerance, by profile, in the order of the stages.

    The first of a profile names the stage to look at: what follows it may only have been handed on.
    """
    for profile, old in before.items():
        new = now.get(profile)
        if new is None:
            yield Regression(profile, "profile", "questions", old["questions"], 0)
            continue
        for stage, figures in old["stages"].items():
            kept = {name: value for name, value in figures.items() if name in _GATED}
            yield from _fallen(profile, stage, kept, new["stages"].get(stage, {}))
        yield from _fallen(profile, "abstention", old["abstention"], new["abstention"])


def _fallen(
    profile: str, stage: str, before: Mapping[str, float | None], now: Mapping[str, float | None]
) -> Iterator[Regression]:
    for name, old in before.items():
        new = now.get(name)
        if old is not None and (new is None or new < old - TOLERANCE):
            yield Regression(profile, stage, name, old, new or 0.0)
