"""What a question, a sentence and other words for the same are to those who compare them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Final, TypeAlias

from pulsedocs.model.years import YEAR

Nearest: TypeAlias = Callable[[str, Sequence[str]], float]
"""The greatest cosine of a word with one of some others; 0 where there are none."""
CODE: Final = re.compile(r"[^\W\d_](?=\S*\d)\S{2,40}")
"""A letter and what has digits behind it, which stands for one thing alone: E05, CA03, HX-400."""
_FEWEST_FOR_LOSS: Final = 3
"""Terms; of two, a synonym and a loss would leave nothing as it was asked."""
FEW_TERMS: Final = 6
"""A question of so many words that carry its meaning, or fewer, has to find all of them."""
_OF: Final = (
    r"(?:\W(?:of|for|von|vom|zum|zur|f\u00fcr|de[sl]?|du|d|pour|para|di|del\w*|per|da|do|van)"
    r"(?:\W(?:the|der|dem|den|las?|les?|los|il?|l))?)?"
)
"""Between words that another language may say as one: the "clé de la cave"."""
_TERMS_PER_LOSS: Final = 3
"""A longer one may miss one of so many: it says more of what it knows than of what it asks.

It also names where to look, and finds its words in the whole passage.
"""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What other words say the same: `same` is the least cosine of two such, "pets" and "dog".

    `across` is the least mean, over a question's words, of the cosine of each with the nearest word
    of an answer in another language; None where nobody measured it.
    """

    nearest: Nearest
    same: float
    across: float | None = None

    def is_same(self, word: str, others: Sequence[str]) -> bool:
        return self.nearest(word, others) >= self.same

    def is_about(self, asked: Sequence[str], said: Sequence[str], *, question: str) -> bool:
        """Say whether words of another language say, taken together, what was asked about.

        What stands side by side in a question may be one word elsewhere: a "rain coat" is an
        "impermeable", and neither half comes near it.
        """
        if self.across is None or not asked:
            return True
        near = [self.nearest(word, said) for word in asked]
        for index, (first, second) in enumerate(pairwise(asked)):
            if phrase := re.search(rf"\b{first}{_OF}\W{second}\b", question):
                both = self.nearest(phrase.group(), said)
                near[index : index + 2] = (max(each, both) for each in near[index : index + 2])
        return fmean(near) >= self.across


@dataclass(frozen=True, slots=True)
class QuestionMatch:
    """What of a question a sentence does not meet; `kind` is what it was to hold and does not.

    `alike` words are met by others that mean the same: the question is put in its own words, and
    one more of them may be missing, as long as another one stands there as it was asked. `own` is
    the share of the question's words that the sentence says itself, or says "it" for. `predicates`
    are unmet words that name nothing: they say something of what is asked about.
    """

    terms: int
    unmet: tuple[str, ...] = ()
    alike: frozenset[str] = frozenset()
    kind: str | None = None
    own: float = 0.0
    predicates: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    """Unmet words that its page says, and that the question does not name as a thing."""
    firm: frozenset[str] = frozenset()
    """Words that the sentence does not say, and that no other words can say for them."""
    things: frozenset[str] = frozenset()
    """Unmet words by which the question names a thing with an article."""
    absent: frozenset[str] = frozenset()
    """Unmet words that its page does not say either."""
    told_by: frozenset[str] = frozenset()
    """Names that its page does not have, and numbers, by which the question tells what it means."""
    allows_loss: bool = True
    """Whether a word may be missing beside one that is said in another way: a judge would know."""

    @property
    def loose(self) -> tuple[str, ...]:
        """Return the words that the sentence does not say as they are asked."""
        return (*self.unmet, *sorted(self.alike))

    @property
    def is_long(self) -> bool:
        return self.terms > FEW_TERMS

    @property
    def is_nearly_met(self) -> bool:
        """Say whether all that it leaves out, and little, stands elsewhere on its page."""
        is_little = len(self.unmet) <= max(1, self.terms // _TERMS_PER_LOSS) < self.terms - 1
        return self.kind is None and is_little and self.elsewhere.issuperset(self.unmet)

    @property
    def is_met(self) -> bool:
        if any(YEAR.fullmatch(term) or CODE.fullmatch(term) for term in self.unmet):
            return False
        if not self.told_by.isdisjoint(self.unmet):
            return False
        by_length = self.terms // _TERMS_PER_LOSS if self.is_long else 0
        as_asked = self.terms - len(self.unmet) - len(self.alike)
        may_lose = self.allows_loss and self.terms >= _FEWEST_FOR_LOSS and as_asked
        by_synonym = min(1, len(self.alike)) if may_lose else 0
        return self.kind is None and len(self.unmet) <= max(by_length, by_synonym)


@dataclass(frozen=True, slots=True)
class SentenceInContext:
    """A sentence under what governs it, and with the rest of its passage.

    `is_named_row` is a row of a table that the question names by its label: what its figures are
    may be said anywhere in the passage. `is_foreign`: its words cannot be compared with the
    question's, whatever the small words look like. `referred` are the sentences that its "it"
    refers to. `title`, with the file's name, says what is spoken of; its figures answer nothing.
    `page` is all that stands on its page. `other_days` is what a row says of days or years that are
    not asked about.
    """

    text: str
    governing: str
    passage: str
    title: str = ""
    referred: str = ""
    page: str = ""
    other_days: str = ""
    is_named_row: bool = False
    is_foreign: bool = False
