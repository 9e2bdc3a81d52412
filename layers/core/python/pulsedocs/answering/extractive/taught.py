"""A second model says how likely a sentence answers a question.

Relevance is high wherever a sentence speaks of what was asked about. This model was taught on
answers and near misses: it reads the sentence with what stands over and before it, and tells what
answers, in whatever words, from what shares many of the question's words and answers another.
"""

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final

from pulsedocs.answering.around.headings import own_title
from pulsedocs.answering.around.lists import list_under
from pulsedocs.answering.around.neighbours import with_one_before
from pulsedocs.answering.asked.counted import counted_in
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.match import QuestionMatch
from pulsedocs.answering.asked.parts import one_by_one
from pulsedocs.answering.asked.prices import costs_nothing
from pulsedocs.answering.asked.terms import PART, terms_of
from pulsedocs.answering.asked.things.numbers import counts
from pulsedocs.answering.asked.things.times import WHEN
from pulsedocs.answering.extractive.candidates import Read, Scored, as_put, log_odds
from pulsedocs.answering.extractive.choice import WHAT_TO_DO, Judged, is_counterpart
from pulsedocs.answering.languages import SMALL_IN_ANY, language_of
from pulsedocs.answering.left_out import Answers
from pulsedocs.answering.passages import Wording
from pulsedocs.answering.reading import reading_of
from pulsedocs.answering.sentences import is_labelled
from pulsedocs.model.answers import Reading
from pulsedocs.model.documents import name_of
from pulsedocs.model.years import YEAR, with_plain_periods

SURE_ANSWER: Final = 0.75  # of a sentence in a passage that the reranker takes for irrelevant
_BESIDE: Final = 0.06  # what is less likely to answer does not, whatever words it shares
_MOST_COMPARED: Final = 5  # that stand under a heading which says all that was asked
_FAR: Final = 1.0  # of log-odds: nearly three times the odds
_BESIDE_IN_ANOTHER: Final = 0.003  # the same, in another language than the question's
_SURE_ACROSS: Final = 0.96  # relevance: at .94, 4 more of 84 that nothing answers were answered
_LIKELY: Final = 0.4  # what is as likely to answer may, in whatever words,
_SURE: Final = 0.8  # that it is of the kind asked for: "at sunset" is when
_IRRELEVANT: Final = 0.3  # to the reranker: what says no word of the question has to be sure
_ALONE: Final = 0.3  # if it is as likely as this when read without the sentence before

_ASKS_ALL: Final = re.compile(
    r"\W*(?:please )?(?:list|enumerate|(?:name|show|give)(?: me)? all|nennen?(?: sie)? alle)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"[;.!?]\s")
_DATE: Final = re.compile(rf"{WHEN.pattern}|\b(?:1\d|20)\d\d\b", re.IGNORECASE)
_OF_SEVERAL: Final = frozenset({Reading.COMPARISON, Reading.SUM})


class Taught:
    """Tells how likely sentences answer one question: each is read once, and only if it matters.

    One that `is_multilingual` reads a sentence without the one before, and knows more than words
    do: what the embedder takes for one, "Kaution" and "Miete", are often two things. But what says
    all words as they are asked is never beside the question to it, where words can be compared.
    Without `answers`, or once it fails, nothing is beside the question and nothing likely. Nor are
    lists as a whole, and sentences in another language than the question: no pair of two was
    taught.
    """

    def __init__(
        self,
        question: str,
        *,
        answers: Answers | None,
        is_multilingual: bool,
    ) -> None:
        self._question = with_plain_periods(question)
        self._answers = answers
        self.is_multilingual = is_multilingual
        self._chances: dict[Scored, float] = {}
        self._alone: dict[Scored, float] = {}
        self._across: dict[Scored, float] = {}
        self._asks_what_to_do = WHAT_TO_DO.search(question) is not None
        reading = reading_of(question)
        asks_each = bool(one_by_one(question)) or _ASKS_ALL.match(question) is not None
        self._asks_several = reading in _OF_SEVERAL or asks_each
        self._counts = reading is Reading.COUNT
        # "Lost-time accidents", to the first small word behind it.
        self._counted = [
            word
            for words in counted_in(question)
            for word in takewhile(lambda word: word not in SMALL_IN_ANY, words)
        ]

    @property
    def chance(self) -> float | None:
        """Return how likely the likeliest of those read answers; None where none was."""
        return max((*self._chances.values(), *self._across.values()), default=None)

    def without_those_beside(self, found: Sequence[Judged]) -> list[Judged]:
        """Return what may answer what was asked about.

        What is compared, added up, joined or to be listed stands in no single sentence: there none
        is beside the question. Nor is what is counted, unless it gives a number of something else,
        or what another document says like one that answers: its title may not name what both speak
        of.
        """
        if self._asks_several:
            return list(found)
        if not self._counts and self._says_nothing_of_it([item for item, _ in found]):
            return []
        chances = self._chances_of([item for item, _ in found])
        told = [
            item
            for item, match in found
            if chances.get(item, 1.0) >= _BESIDE
            or (self.is_multilingual and not match.loose and _wording(item) is Wording.COMPARED)
            or (self._counts and not self._counts_another(item.read))
        ]
        return [
            pair
            for pair in found
            if pair[0] in told or any(is_counterpart(pair[0], item) for item in told)
        ]

    def from_first_not_beside(self, found: Sequence[Judged]) -> list[Judged]:
        """Return what was found, from the first on that may answer; none behind it is read."""
        for at, pair in enumerate(found):
            if self.without_those_beside([pair]):
                return list(found[at:])
        return []

    def far_likelier(self, found: Sequence[Judged], *, than: Sequence[Judged]) -> list[Judged]:
        """Return the likeliest of those found if it is far likelier to answer than the first."""
        chances = self._chances_of([item for item, _ in (*found[:_MOST_COMPARED], *than[:1])])
        best = max(found, key=lambda pair: chances.get(pair[0], 0.0), default=None)
        if best is None or than[0][0] not in chances:
            return []
        odds, first = (log_odds(chances.get(item, 0.0)) for item in (best[0], than[0][0]))
        return [best] if odds >= first + _FAR else []

    def is_sure(self, item: Scored) -> bool:
        """Say whether a likely sentence surely holds what is asked for, in words no list has.

        One that `is_multilingual` cannot tell when from by whom.
        """
        read = (self._chances, self._alone)
        return not self.is_multilingual and min(one.get(item, 0.0) for one in read) >= _SURE

    def is_borne_out(self, item: Scored, match: QuestionMatch) -> bool:
        """Say whether a likely sentence has more than that for it, or surely answers.

        What says no word of the question and is irrelevant to the reranker was no answer 21 of 26
        times where it was not sure, and 19 of 38 times where it was.
        """
        has_more = match.own or item.relevance >= _IRRELEVANT
        return bool(has_more) or self.is_multilingual or self.is_sure(item)

    def likely(self, items: Sequence[Scored]) -> list[Scored]:
        """Return those that likely answer, the most likely first."""
        chances = self._chances_of(items)
        likely = [item for item in items if chances.get(item, 0.0) >= _LIKELY]
        alone = self._chances
        if not self.is_multilingual:
            alone = self._alone = self._ask(likely, text=as_read_alone)
        found = [item for item in likely if alone.get(item, 0.0) >= _ALONE]
        # The sentence before may say more of the matter than the one that is read behind it.
        return sorted(found, key=lambda item: -chances[item] - alone[item])

    def _chances_of(self, items: Sequence[Scored]) -> dict[Scored, float]:
        new = [item for item in items if self._may_know(item) and item not in self._chances]
        self._chances.update(self._ask(new, text=self._text_of))
        return self._chances

    def _text_of(self, read: Read) -> str:
        """Return the words as the model reads them: alone, where it was not taught their language.

        Under the title of its document a Chinese sentence likely answered by .003 instead of .9.
        Of a list it is what leads into it: a whole page of rules answered whatever was asked.
        """
        if read.words.block.wording is Wording.UNLISTED:
            return read.plain if read.lead is None else " ".join(read.lead.text.split())
        return as_read_alone(read) if self.is_multilingual else as_read(read)

    def _says_nothing_of_it(self, items: Sequence[Scored]) -> bool:
        """Say whether all are of another language than the question's, and none may answer it.

        Which of them answers is left to the embedder, and all of it where the language is none of
        those that can be told apart here.
        """
        blocks = {one.words.block for one in items}
        is_known = all(language_of(block.text) for block in blocks)
        is_across = all(block.wording is Wording.FOREIGN for block in blocks)
        if not (self.is_multilingual and is_known and is_across):
            return False
        if any(item.relevance >= _SURE_ACROSS for item in items):
            return False
        self._across.update(self._ask(items, text=as_read_alone))
        chances = [self._across[item] for item in items if item in self._across]
        return bool(chances) and max(chances) < _BESIDE_IN_ANOTHER

    def _may_know(self, item: Scored) -> bool:
        """Say whether it was taught on the like: on single sentences, items and rows.

        Not on what says when the things of a list are to be done, and is shown with the list, nor
        on what is free: it took "Entry is free" for no price (.04).
        """
        wording = _wording(item)
        if wording is Wording.FOREIGN:
            return False
        if item.read.lead is not None:
            return wording is Wording.UNLISTED
        if costs_nothing(self._question, item.read.plain):
            return False
        return not (self._asks_what_to_do and list_under(item.words, leads=True))

    def _counts_another(self, read: Read) -> bool:
        """Say whether it gives numbers, years apart, but none in a clause about what is counted.

        Rows are counted themselves, and so are the items of a list.
        """
        if read.row is not None or read.lead is not None:
            return False
        with_number = [one for one in _CLAUSE_END.split(read.plain) if counts(_DATE.sub(" ", one))]
        said = words_of(" ".join(with_number))
        return bool(with_number) and not any(is_said(word, said) for word in self._counted)

    def _ask(self, items: Sequence[Scored], *, text: Callable[[Read], str]) -> dict[Scored, float]:
        chances: dict[Scored, float] = {}
        for asked, places in as_put(self._question, [item.read for item in items]).items():
            own = [items[place] for place in places]
            told = self._answers and self._answers(asked, [text(item.read) for item in own])
            if told is None:
                self._answers = None
                return {}
            chances.update(zip(own, told, strict=True))
        return chances


def _wording(item: Scored) -> Wording:
    return item.words.block.wording


def as_read(read: Read) -> str:
    """Return words below their document's title and their heading, behind the sentence before."""
    stands_alone = read.row is not None or read.before
    whole = None if stands_alone else with_one_before(read.words)
    return _under_titles(read, read.plain if whole is None else whole.text)


def as_read_alone(read: Read) -> str:
    """Return them without the sentence before."""
    return _under_titles(read, read.plain)


def _under_titles(read: Read, text: str) -> str:
    title = read.words.block.title or name_of(read.words.block.source)
    # Of a form: its file may be called "card", and its first line say what card it is.
    own = own_title(read.words) if is_labelled(read.words.text) else ""
    told = (title if _names_something(title) else "", own, *read.words.section[-1:])
    over = dict.fromkeys(one for one in told if one)
    return " ".join(" ".join((*(f"{one.rstrip('.')}." for one in over), text)).split())


def _names_something(title: str) -> bool:
    """Say whether a document is called by more than a number or a letter: "answer 3", "a"."""
    terms = terms_of(" ".join(PART.findall(title)))
    return any(term.isalpha() or YEAR.fullmatch(term) for term in terms)
