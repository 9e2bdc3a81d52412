"""What may answer: sentences, rows and lists, each with its relevance, the best first."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID

from pulsedocs.answering.around.contents import is_in_contents
from pulsedocs.answering.around.headings import is_heading, without_section_number
from pulsedocs.answering.around.lists import announces, lines_under, list_under
from pulsedocs.answering.around.neighbours import with_its_term
from pulsedocs.answering.asked.parts import asked_of
from pulsedocs.answering.asked.ranges import in_range_of
from pulsedocs.answering.governing import read_after
from pulsedocs.answering.left_out import Scorer
from pulsedocs.answering.passages import Block, Words, sentences_of
from pulsedocs.answering.sentences import (
    EMPTY_BOX,
    TICKED_BOX,
    is_ended,
    is_entry,
    is_item,
    is_labelled,
    is_options,
)
from pulsedocs.answering.tables import Row, named_labels, row_of
from pulsedocs.answering.wording import ITEM_NUMBER, covered, numbers_in, stems
from pulsedocs.model.sentences import CLOSERS, WIDE_STOPS

_MAX_READ = 40  # sentences put to the scorer: about a quarter of a second of the local reranker
_FEWEST_WORDS = 3  # fewer are a heading or a table cell,
_OF_A_SENTENCE = 2  # unless a stop ends them: "MIT licence."
MARGIN = 1.5  # of log-odds below the best: a further sentence has at least a fifth of its odds
_CERTAIN = 0.999  # beyond, a calibrated relevance says no more
_UNKNOWN = 0.5  # the relevance of a passage that nothing has judged: it moves nothing
_WIDE_STOP: Final = re.compile(f"[{WIDE_STOPS}]")
_QUESTION: Final = re.compile(f"[?\uff1f\u061f][{CLOSERS}]*$")
_QUOTATION_MARKS: Final = frozenset("\"'\u00ab\u00bb\u201c\u201d\u201e\u2018\u2019\u300c\u300d")
_EMPTY: Final = re.compile(EMPTY_BOX)
_TICKED: Final = re.compile(TICKED_BOX)
_BEHIND_EMPTY: Final = re.compile(rf"\s*(?:[-*\u2022]\s+|\d{{1,3}}[.)]\s+)?{EMPTY_BOX}\s")
_BEFORE_EMPTY: Final = re.compile(rf"\s{EMPTY_BOX}\s*$")
_GOES_ON: Final = re.compile(r"\s*[,;)\]\uff0c\u3001]")
"""What begins so is the rest of a sentence: of one around a formula."""
_LEADS_TO_LINES: Final = re.compile(r":\s*\n\s*\S")
"""To stop it, enter the following, and below it the command."""
_RUN_IN: Final = re.compile(
    r"\s*(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]?|\u00a7\s?\d{1,4}[a-z]?|\([a-z]\))\s+[^\W\d_]+\."
)
_ON_THE_LINE: Final = re.compile(r"[ \t]+[^\W\d_]")
_STEP: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|\(\d{1,2}\))\s", re.MULTILINE)
_POINTS_BACK: Final = re.compile(
    r"\b(?:by|when) (?:following|taking|using) (?:th[eio]se?|the (?:above|steps|tips|advice))\b"
    r"|\b(?:outlined|listed|described|mentioned) above\b"
    r"|\bmit diesen (?:schritten|tipps|hinweisen)\b|\ben suivant ces\b|\bsiguiendo est[oa]s\b",
    re.IGNORECASE,
)
HOW_TO: Final = re.compile(
    r"\bhow (?:to|(?:do|can|should|must|does|is|are)\b)"
    r"|\bwie (?:kann|macht|mache|muss|soll|wird|geht)\b"
    r"|\bwie \w{3,}(?:e ich|t man|en (?:sie|wir))\b"
    r"|\bcomment\b|\bc\u00f3mo\b|\bcome (?:si|posso)\b|\bcomo (?:se|posso|fa\u00e7o|devo|podemos)\b"
    r"|\bhoe (?:kan|moet|wordt|doe|maak|(?!veel|lang)\w{3,} (?:ik|je|men|wij?))\b|\bsteps\b"
    r"|\bprocedure\b",
    re.IGNORECASE,
)

ASKS_COMMAND: Final = re.compile(
    r"\b(?:(?:which|what)(?: \w+){0,3} commands?|welche[rnsm]? (?:befehle?|kommandos?)"
    r"|quelles? commandes?|(?:qu\u00e9|qual[ei]) comand[oi]s?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Read:
    """Words put to the scorer: a sentence, a row of a table, or a list with what leads into it.

    `lead` is what leads into a `listed` one, and `before` what has to be read before the words.
    `by_line` are words with lines of another kind below them: commands.
    """

    words: Words
    row: Row | None = None
    before: str = ""
    lead: Words | None = None
    by_line: bool = False

    @property
    def plain(self) -> str:
        """Return the words on one line, and before a row what its table calls the figures."""
        text = " ".join(f"{self.before} {self.words.text}".split())
        if self.row is None:
            return text
        heading = self.row.title if self.row.cells else self.row.heading
        spoken = self.row.spoken or text
        return f"{heading.rstrip(':')}: {spoken}" if heading else spoken


@dataclass(frozen=True, slots=True)
class Scored:
    read: Read
    relevance: float
    odds: float

    @property
    def words(self) -> Words:
        return self.read.words


def worth_reading(question: str, blocks: Sequence[Block]) -> list[Read]:
    """Return each sentence once, though passages overlap, under the passage selected first.

    Of too many, such as the rows of a long table, those that have most words of the question.
    """
    once = {
        (*_place(words), words.goes_on is None): words
        for block in reversed(blocks)
        for words in reversed(sentences_of(block))
    }
    ends = {_place(words.goes_on) for words in once.values() if words.goes_on is not None}
    telling: list[Read] = []
    asks_how = HOW_TO.search(question) or ASKS_COMMAND.search(question)
    for words in reversed(once.values()):
        if _place(words) in ends:
            continue  # read with the page before, where its sentence begins
        if (listed := list_under(words)) is not None:
            lead, whole = listed
            before = "" if whole.start == lead.start else lead.text
            # A paragraph before steps answers other questions, and better by itself.
            if not before or asks_how:
                telling.append(Read(whole, before=before, lead=lead))
            if announces(lead.text) or (is_item(lead.text) and not is_heading(lead)):
                continue  # a clause that ends in a colon says nothing without its points
        elif (led := lines_under(words, commands=asks_how is not None)) is not None:
            lead = None if words.text.endswith(":") else words
            telling.append(Read(led, before=read_after(words), lead=lead, by_line=True))
            continue
        row = row_of(words)
        own = words if row else with_its_term(words)
        if _says_something(words, row) or (own is not words and not is_heading(words)):
            telling.append(Read(own, row, "" if row else read_after(own)))
    telling = [one for one in telling if not _quotes(one.words.text, question)]
    asked = stems(question)
    shared = [covered(asked, one.plain) for one in telling]
    first = sorted(range(len(telling)), key=lambda at: -shared[at])[:_MAX_READ]
    return [telling[at] for at in sorted(first)]


def _place(words: Words) -> tuple[UUID, int, int]:
    return words.block.document_id, words.page.number, words.start


def _quotes(text: str, question: str) -> bool:
    """Say whether a text only names the question, between quotation marks: an example of asking."""
    asked = question.casefold().strip()
    if not asked:  # who teaches the judge takes all sentences
        return False
    before, _, behind = text.casefold().partition(asked)
    return before[-1:] in _QUOTATION_MARKS and behind[:1] in _QUOTATION_MARKS


def scores_of(question: str, read: Sequence[Read], *, scorer: Scorer) -> list[float]:
    scores: dict[int, float] = {}
    for asked, places in as_put(question, read).items():
        found = scorer(asked, [read[place].plain for place in places])
        scores.update(zip(places, found, strict=True))
    return [scores[place] for place in range(len(read))]


def as_put(question: str, read: Sequence[Read]) -> dict[str, list[int]]:
    """Return a question as it is put to documents of other names, each with what it is put to.

    And to ranges: the model that was taught found no 3 days in "2 to 6 days" (chance .04).
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(read):
        asked = asked_of(question, one.words.block.called)
        places[in_range_of(one.words.text, asked)].append(place)
    return places


def ranked(
    question: str,
    read: Sequence[Read],
    scores: Sequence[float],
    *,
    relevance: Mapping[int, float | None],
    gate: float,
) -> tuple[list[Scored], list[Scored]]:
    """Return what is relevant by itself or in its passage, and the rest, each the best first."""
    labels = named_labels(question, [one.row for one in read if one.row])
    relevant, rest = list[Scored](), list[Scored]()
    for one, score in zip(read, scores, strict=True):
        of_passage = log_odds(relevance.get(one.words.block.n))
        odds = log_odds(score) + of_passage - _handicap(question, one, labels=labels)
        is_relevant = score >= gate or odds >= MARGIN
        (relevant if is_relevant else rest).append(Scored(one, score, odds))
    # The sort is stable: equal scores keep the order of selection and of the page.
    relevant.sort(key=lambda item: (item.relevance < gate, -item.odds))
    return relevant, sorted(rest, key=lambda item: -item.odds)


def _says_something(words: Words, row: Row | None) -> bool:
    """Return whether it is more than a heading: a whole sentence, a list item or a row."""
    sentence = words.text
    if row is not None and row.cells:
        said = [cell for cell in row.cells if cell and not _EMPTY.fullmatch(cell)]
        return not row.is_heading and len(said) > 1
    if _is_unticked(words) or _GOES_ON.match(sentence) or _heads_its_line(words):
        return False
    # A sentence of a script without spaces is one word.
    fewest = _OF_A_SENTENCE if is_ended(sentence) else _FEWEST_WORDS
    if len(ITEM_NUMBER.sub("", sentence).split()) < fewest and not (
        is_item(sentence) or is_labelled(sentence) or _WIDE_STOP.search(sentence)
    ):
        return False
    if is_in_contents(words):
        return False
    if _QUESTION.search(sentence) or (row is None and is_item(sentence) and is_heading(words)):
        return False
    return stands_alone(sentence) or bool(numbers_in(without_section_number(words)))


def _heads_its_line(words: Words) -> bool:
    """Say whether a numbered word stands before what it heads: "4. Pets. The tenant may"."""
    is_heading = _RUN_IN.fullmatch(words.text) is not None
    return is_heading and _ON_THE_LINE.match(words.page.text, words.end) is not None


def _is_unticked(words: Words) -> bool:
    """Say whether an empty box begins or ends the line that words stand on: nobody stated them."""
    text = words.page.text
    if not _has_empty_box(text):
        return False
    line, line_end = text.rfind("\n", 0, words.start) + 1, text.find("\n", words.end)
    up_to, on = text[line : words.end], text[words.start : line_end if line_end >= 0 else None]
    return bool(
        (_BEHIND_EMPTY.match(up_to) and not _TICKED.search(up_to))
        or (_BEFORE_EMPTY.search(on) and not _TICKED.search(on))
    )


@lru_cache(maxsize=64)  # pages: each sentence asks
def _has_empty_box(text: str) -> bool:
    return _EMPTY.search(text) is not None


def stands_alone(sentence: str) -> bool:
    """Say whether words are a whole statement, as a line with a ticked box is."""
    first, below, _ = sentence.partition("\n")
    is_explained = bool(below) and is_options(first)
    is_led = _LEADS_TO_LINES.search(sentence) or _TICKED.search(sentence)
    is_line = is_item(sentence) or is_labelled(sentence) or is_entry(sentence)
    is_whole = is_ended(sentence) or is_line
    return is_whole or is_explained or is_led is not None


def _handicap(question: str, one: Read, *, labels: Sequence[frozenset[str]]) -> float:
    """Return by how much, in log-odds, words have to be better than others to answer.

    A row or a title that the question does not name has to be clearly better than a sentence. What
    leaves out a name that the question takes from a table speaks of something else: net sales of
    the group, where those in Asia were asked for. What is gained "by following these steps" does
    not name them. Who asks how to do something wants the steps rather than what is said of them,
    and not what they are done with.
    """
    said = stems(one.plain)
    is_named = one.row is not None and stems(one.row.label) in labels
    is_whole = is_named or one.lead is not None or stands_alone(one.words.text)
    is_listed = one.lead is not None or one.row is not None
    is_to_do = one.lead and (one.by_line or _STEP.search(one.words.text))
    procedure = 0
    if is_listed and HOW_TO.search(question):
        procedure = -1 if is_to_do else 2
    points_back = 2 * (_POINTS_BACK.search(one.words.text) is not None)
    leaves_out = any(not label <= said for label in labels)
    return MARGIN * ((not is_whole) + leaves_out + procedure + points_back)


def log_odds(relevance: float | None) -> float:
    share = _UNKNOWN if relevance is None else min(_CERTAIN, max(1 - _CERTAIN, relevance))
    return math.log(share / (1 - share))
