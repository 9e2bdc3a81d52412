"""What a model's score is worth: each scale mapped to one relevance from 0 to 1.

Fitted with `python -m evaluation.calibrate local/samples/text --questions
evaluation/questions/samples.jsonl` (29 passages of about 250 tokens; 40 answerable questions
against 20 absurd and 30 off-topic ones; the best score of each question). Share of questions that
relevance 0.30 lets through, there and on a collection that was not fitted (six benefit and
handbook PDFs, 692 passages, 50 answerable questions of other people, 12 near misses):

| model                  | gate at | answerable | absurd, off-topic | near miss |
|------------------------|--------:|-----------:|------------------:|----------:|
| bge-small cosine       |     .56 | 100%, 100% |           10%, 6% | 86%, 100% |
| ms-marco-MiniLM logit  |   -7.23 |  95%, 100% |            0%, 0% | 71%, 100% |
| ColBERT mean MaxSim    |     .80 |        98%, - |            4%, - |    79%, - |
| memory:hashing cosine  |     .13 |  88%, 100% |          22%, 76% | 79%, 100% |
| memory:overlap share   |     .45 |   85%, 98% |           8%, 12% |  57%, 58% |

`local:muse` (gate at .13) is fitted on evaluation/questions/languages.jsonl: 6 facts in 14
languages, each question asked of each language's facts (1,176 pairs), 26 absurd and 16 off-topic
questions of the same languages. .93 of the pairs pass, .07 of the absurd and .39 of the off-topic;
at .16, where errors are fewest, it would be .90, .02 and .17, and a right answer refused is worse.
The English samples agree: .95 of the answerable pass.

Near misses, questions of the right subject whose answer is missing, are mostly let through: a
score says that a passage is about the question, not that it answers it; what is cited is verified
later. Questions that share no word with their answer sit lower (cross-encoder: median -4.9, down
to -11 on 30 such pairs), long narrative ones too.
"""

import math
from collections.abc import Callable
from typing import Final

_LOGISTIC: Final[dict[str, tuple[float, float]]] = {
    "local:bge-small-en-v1.5": (30.45, -17.93),
    "local:ms-marco-MiniLM-L12-v2": (0.43, 2.27),
    "local:pulsedocs-answers": (0.5, 0.0),  # as it was taught: a probability that it answers
    "local:pulsedocs-multilingual-answers": (1.5, -1.3),  # so that .06 and .4 tell as there
    "local:answerai-colbert-small-v1": (44.82, -36.60),
    "local:muse": (27.0, -4.36),
    "memory:hashing": (23.32, -3.90),
    "memory:overlap": (6.53, -3.79),
}
"""Slope and intercept of `1 / (1 + exp(-(slope * score + intercept)))`, by model without its
dimensions."""

_WORDS_ALIKE: Final[dict[str, float]] = {"local:bge-small-en-v1.5": 0.76, "local:muse": 0.53}
"""The least cosine of two words that mean the same, by model without its dimensions.

With bge, English words for the same lie at .77 and more ("dog" and "pets" .81, "salary" and
"wages" .83), others of the same kind below ("lift" and "crane" .74, "roses" and "tulips" .71).
With muse, of 29 pairs in four languages that mean the same, 24 lie above .53 ("borrow" and "lent"
.54), and of 31 others 26 below ("Orchester" and "Chor" .43; "lift" and "crane" .56 is wrong).
No other model was measured: without one, words have to be the same.
"""


_WORDS_ACROSS: Final[dict[str, float]] = {"local:muse": 0.5}
"""The least mean, over the words of a question, of the cosine of each with the nearest word of an
answer in another language, by model without its dimensions.

Of the 240 pairs of a question and its answer in seven of the languages of
evaluation/questions/languages.jsonl that pass the gate, .946 lie above; of 95 with another text
.19.
At .48 it would be .954 and .34, at .52 .887 and .14.
"""


def words_across(model: str) -> float | None:
    """Return the least mean cosine of what answers in another language; None if not measured."""
    return _WORDS_ACROSS.get(model.partition("@")[0])


def words_alike(model: str) -> float | None:
    """Return the least cosine of two words that mean the same; None where nobody measured it."""
    return _WORDS_ALIKE.get(model.partition("@")[0])


def relevance_map(model: str) -> Callable[[float], float]:
    """Return the map from `model`'s score to relevance; it never falls as the score rises.

    A model that nobody has fitted is taken as it is, cut to 0-1: right for a reranker that
    returns a probability, and for a cosine no more than an assumption. Hosted models are such;
    fit one with `evaluation.calibrate` before the gate of a profile is relied on.
    """
    name, _, _dimensions = model.partition("@")
    if name not in _LOGISTIC:
        return lambda score: min(1.0, max(0.0, score))
    slope, intercept = _LOGISTIC[name]
    # tanh neither overflows nor loses the order at the ends: 1/(1+exp(-x)) = (1+tanh(x/2))/2.
    return lambda score: (1 + math.tanh((slope * score + intercept) / 2)) / 2
