"""Fit how far a score can be trusted: best cosine and best logit of a question, to 0-1.

    python -m evaluation.calibrate DIR [--questions FILE ...]

DIR holds PDF and text files. A question file is JSON lines, `question` and `kind` (answerable,
near_miss, absurd, off_topic); absurd and off-topic ones fit any collection and are always asked.
The gate of a retrieval profile looks at the best evidence, so the best score of each question is
what is fitted: answerable against absurd and off-topic. Near misses, questions of the right
subject without an answer, are reported and not fitted: they would move the gate into the
answerable ones.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2

from local.models import ensure_models
from pulsedocs.adapters.local.cross_encoder import CrossEncoder
from pulsedocs.adapters.local.embedder import LocalEmbedder
from pulsedocs.adapters.local.late_interaction import LateInteraction
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.embedding import relevance_map
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import Embedder, Reranker

_QUESTIONS: Final = Path(__file__).parent / "questions"
_KINDS: Final = ("answerable", "near_miss", "absurd", "off_topic")
_GATE: Final = 0.30
_GATE_LOGIT: Final = math.log(_GATE / (1 - _GATE))
_WORDS: Final = 180  # about 250 tokens
_OVERLAP: Final = 30
_RERANKED: Final = 10
_RIDGE: Final = 1.0
"""Weight of the penalty on the slope: classes that separate completely would make it infinite."""

Scores = npt.NDArray[np.float64]
_forever = partial(Deadline.after, 1e9)


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    kind: str


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evaluation.calibrate")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--questions", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    passages = [one for text in texts(arguments.directory) for one in windows(text)]
    files = [*arguments.questions, _QUESTIONS / "unanswerable.jsonl"]
    asked = [question for file in files for question in questions(file)]
    print(f"{len(passages)} passages, {len(asked)} questions")
    models = ensure_models()
    measure(LocalEmbedder(models), CrossEncoder(models), asked, passages)
    measure(LocalEmbedder(models), LateInteraction(models), asked, passages)
    measure(HashingEmbedder(), OverlapReranker(), asked, passages)


def measure(
    embedder: Embedder, reranker: Reranker, asked: Sequence[Question], passages: Sequence[str]
) -> None:
    """Print what was found for one embedder, and for one reranker over its best passages."""
    vectors = np.array(embedder.embed_passages(passages, deadline=_forever()).vectors)
    cosines: list[float] = []
    logits: list[float] = []
    for question in asked:
        query = np.array(embedder.embed_query(question.text, deadline=_forever()))
        similarity = vectors @ query
        best = [passages[int(index)] for index in np.argsort(-similarity)[:_RERANKED]]
        cosines.append(float(similarity.max()))
        logits.append(max(reranker.rerank(question.text, best, deadline=_forever())))
    report(embedder.model, asked, np.array(cosines))
    report(reranker.model, asked, np.array(logits))


def report(model: str, asked: Sequence[Question], scores: Scores) -> None:
    print(f"\n{model}")
    answerable, unrelated = of_kinds(asked, "answerable"), of_kinds(asked, "absurd", "off_topic")
    slope, intercept = fit(scores[answerable], scores[unrelated])
    gate = (_GATE_LOGIT - intercept) / slope
    print(f"  fitted here: slope {slope:.2f}, intercept {intercept:.2f}, gate at {gate:.2f}")
    registered = relevance_map(model)
    for kind in _KINDS:
        ours = scores[of_kinds(asked, kind)]
        if ours.size:
            kept = np.mean([registered(score) >= _GATE for score in ours])
            fitted = float((slope * ours + intercept >= _GATE_LOGIT).mean())
            low, middle, high = np.quantile(ours, [0.05, 0.5, 0.95])
            print(
                f"  {kind:10} {ours.size:3}  5/50/95 %: {low:6.2f} {middle:6.2f} {high:6.2f}"
                f"  kept at {_GATE}: {kept:4.0%} as registered, {fitted:4.0%} as fitted here"
            )


def fit(positive: Scores, negative: Scores) -> tuple[float, float]:
    """Return a logistic whose value at the best boundary between the two is the gate's.

    The slope is the regression's; its own boundary, where both are equally likely, would put
    the gate elsewhere.
    """
    slope = _slope(positive, negative)
    return slope, _GATE_LOGIT - slope * boundary(positive, negative)


def boundary(positive: Scores, negative: Scores) -> float:
    """Return the score with the fewest errors: the share refused wrongly plus that kept wrongly."""
    scores = np.unique(np.concatenate([positive, negative]))
    middles = (scores[1:] + scores[:-1]) / 2
    errors = [(positive < middle).mean() + (negative >= middle).mean() for middle in middles]
    return float(np.median(middles[np.isclose(errors, min(errors))]))


def _slope(positive: Scores, negative: Scores) -> float:
    """Return the slope of the logistic regression in which each class weighs half."""
    scores = np.concatenate([positive, negative])
    truth = np.concatenate([np.ones_like(positive), np.zeros_like(negative)])
    weight = np.where(truth == 1, 0.5 / positive.size, 0.5 / negative.size) * scores.size
    design = np.column_stack([(scores - scores.mean()) / scores.std(), np.ones_like(scores)])
    penalty = np.diag([_RIDGE, 0.0])
    beta = np.zeros(2)
    for _ in range(50):  # Newton's method; settles to 1e-9 in about ten steps
        chance = 1 / (1 + np.exp(-design @ beta))
        gradient = design.T @ (weight * (truth - chance)) - penalty @ beta
        curvature = (design.T * (weight * chance * (1 - chance))) @ design + penalty
        beta += np.linalg.solve(curvature, gradient)
    return float(beta[0] / scores.std())


def of_kinds(asked: Sequence[Question], *kinds: str) -> npt.NDArray[np.bool_]:
    return np.array([question.kind in kinds for question in asked])


def questions(file: Path) -> Iterator[Question]:
    """Read a question file; `answerable: true` is understood in place of a kind."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kind = row.get("kind") or ("answerable" if row["answerable"] else "near_miss")
        yield Question(row["question"], kind)


def texts(directory: Path) -> Iterator[str]:
    """Yield the text of each page of each document."""
    for path in sorted(directory.rglob("*")):
        if path.suffix == ".pdf":
            with pypdfium2.PdfDocument(path) as document:
                yield from [page.get_textpage().get_text_bounded() for page in document]
        elif path.suffix in {".txt", ".md"}:
            yield path.read_text(encoding="utf-8")


def windows(text: str) -> Iterator[str]:
    words = text.split()
    for start in range(0, max(1, len(words) - _OVERLAP), _WORDS - _OVERLAP):
        yield " ".join(words[start : start + _WORDS])


if __name__ == "__main__":
    main()
