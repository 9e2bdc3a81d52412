"""An answer without a chat model: the sentences that answer best, as they stand on their pages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from typing import Final

from pulsedocs.answering.around.lists import lead_of, over_command
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.kinds import missing_kind
from pulsedocs.answering.asked.match import CODE, Likeness, QuestionMatch, SentenceInContext
from pulsedocs.answering.asked.terms import terms_of
from pulsedocs.answering.asked.things.measures import UNIT
from pulsedocs.answering.asked.years_meant import YearMeant, year_meant
from pulsedocs.answering.extractive.candidates import (
    Read,
    Scored,
    ranked,
    scores_of,
    worth_reading,
)
from pulsedocs.answering.extractive.choice import (
    MAX_ROWS,
    MAX_SENTENCES,
    asks_several,
    with_what_belongs,
)
from pulsedocs.answering.extractive.taught import Taught
from pulsedocs.answering.extractive.ways import answering
from pulsedocs.answering.governing import in_context
from pulsedocs.answering.left_out import Judge
from pulsedocs.answering.neutral import as_quoted
from pulsedocs.answering.passages import Block, Wording, Words
from pulsedocs.answering.references import citations_of
from pulsedocs.answering.sentences import (
    before_final_stop,
    is_item,
    split_sentences,
    without_bullet,
)
from pulsedocs.answering.verification import citation_of
from pulsedocs.answering.wording import covered, stems
from pulsedocs.model.answers import Citation
from pulsedocs.model.years import YEAR, with_plain_years, years_in

_MAX_JUDGED = 10  # best first, held against what was asked; and further ones put to a judge
_COMMAND: Final = "command Befehl Kommando commande comando"
_WORDS_ENOUGH: Final = 0.3  # of the question's words, where no model judges
_BEFORE_NEXT_ITEM: Final = ",; \u00a0\u202f"
_ASKED_YEAR: Final = re.compile(rf"\b(?:{YEAR.pattern})\b(?!\s?(?:{UNIT.pattern})(?!\w))")
"""Not "2000mAh", nor "2000 kg"."""


@dataclass(frozen=True, slots=True)
class Extract:
    """`best` is the highest relevance of any sentence read, answered or not.

    `best_sentence` is the best, whether it is relevant and meets the question or not, and
    `match` what the first one that meets it, or else the best, met of it. `chance` is how likely
    the likeliest answers, where one who was taught was asked. `unanswered` are the questions in one
    of which nothing was found, where others were answered. `rows` are those of tables that are
    shown, and `rows_left` how many more say as much. There `may_be_more` sentences where several
    things are asked for, and as many answer as an answer has.
    """

    text: str
    citations: tuple[Citation, ...]
    best: float = 0.0
    best_sentence: Words | None = None
    match: QuestionMatch | None = None
    chance: float | None = None
    unanswered: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    rows_left: int = 0
    may_be_more: bool = False

    @property
    def quoted(self) -> str:
        """Return the words of the documents without the numbers of the passages."""
        return "\n".join(citation.quote for citation in self.citations)


def by_shared_words(question: str, sentences: Sequence[str]) -> list[float]:
    """Score sentences without a model: the share of the question's words that each has."""
    words = stems(question)
    return [covered(words, sentence) for sentence in sentences]


def missing_years(question: str, blocks: Sequence[Block]) -> frozenset[str]:
    """Return the years that a question asks about and no passage or title mentions.

    A sentence about this year reads like one about another: only the figures differ.
    """
    mentioned = years_in(" ".join(f"{one.called} {one.text}" for one in blocks))
    return frozenset(_ASKED_YEAR.findall(with_plain_years(question))) - mentioned


def extract(
    question: str,
    blocks: Sequence[Block],
    *,
    judge: Judge,
    relevance: Mapping[int, float | None],
    gate: float = _WORDS_ENOUGH,
    likeness: Likeness | None = None,
    today: date | None = None,
) -> Extract:
    """Return one to four sentences in reading order.

    A sentence below `gate` answers only in a passage that surely does, by the question's own words,
    or where `judge` tells that it answers.
    What a question calls last year is that before `today`'s.
    `relevance` is that of each passage by number. It is weighed in, as log-odds: a sentence alone
    says "it" where its passage says what. Each sentence is verbatim in its citation; the text
    shows it with layout and markup removed.
    """
    meant = None if today is None else year_meant(question, today)
    if meant is not None:
        question = meant.words.sub(" ", question)
    read = _on_pages_with_a_code(question, worth_reading(question, blocks))
    if not read:
        return Extract("", ())
    scores = scores_of(question, read, scorer=judge.scorer)
    relevant, rest = ranked(question, read, scores, relevance=relevance, gate=gate)
    sentences = _most_telling(question, relevant, most=_MAX_JUDGED, meant=meant)
    # A judge of several languages takes half a millisecond for each.
    most = _MAX_JUDGED - (0 if judge.is_multilingual else len(sentences))
    taught = Taught(
        question,
        answers=judge.answers,
        is_multilingual=judge.is_multilingual and judge.answers is not None,
    )
    meeting, matches = answering(
        question,
        sentences,
        _most_telling(question, rest, most=most, meant=meant),
        gate=gate,
        likeness=likeness,
        reader=judge.reader,
        taught=taught,
    )
    first = (meeting or sorted(matches, key=lambda pair: not pair[1].is_met))[:1]
    return replace(
        _told(question, list(dict.fromkeys(item for item, _ in meeting)), today=today),
        best=max(scores),
        best_sentence=next((item.words for item in (*relevant, *rest)), None),
        match=first[0][1] if first else None,
        chance=taught.chance,
    )


def _told(question: str, answers: Sequence[Scored], *, today: date | None) -> Extract:
    """Return sentences that answer as one text, with what belongs to them."""
    chosen = with_what_belongs(question, answers, today=today)
    rows_left = [item for item in chosen if item.read.row][MAX_ROWS:]
    reads = [item.read for item in chosen if item not in rows_left]
    parts = [(shown(read), _proof(read)) for read in reads]
    rows = tuple(read.words.text for read in reads if read.row)
    return Extract(
        _as_text(reads, [text for text, _ in parts]),
        citations_of(parts),
        rows=rows,
        rows_left=len(rows_left),
        may_be_more=asks_several(question) and len(reads) - len(rows) >= MAX_SENTENCES,
    )


def _as_text(chosen: Sequence[Read], texts: Sequence[str]) -> str:
    """Return words as one text; rows of a table stand on lines of their own."""
    before = [None, *chosen]
    gaps = (
        "\n" if above and above.row and read.row else " "
        for above, read in zip(before, chosen, strict=False)
    )
    return "".join(f"{gap}{text}" for gap, text in zip(gaps, texts, strict=True)).strip()


def _on_pages_with_a_code(question: str, read: Sequence[Read]) -> Sequence[Read]:
    """Return what may speak of a code that a question has; all where no page has one.

    The sheets of ten other pumps took all places of those that are judged.
    """
    codes = [term for term in terms_of(question) if CODE.fullmatch(term)]
    if not codes:
        return read
    having = {
        (called, page)
        for called, page in {(one.words.block.called, one.words.page) for one in read}
        if any(is_said(code, words_of(f"{called} {page.text}")) for code in codes)
    }
    return [one for one in read if (one.words.block.called, one.words.page) in having] or read


def _most_telling(
    question: str, ranked: Sequence[Scored], *, most: int, meant: YearMeant | None
) -> list[tuple[Scored, SentenceInContext]]:
    """Return the sentences to hold against the question, each where it stands.

    Those that hold no number, where one is asked for, take no place from those that do.
    """
    placed = [(item, _in_context(question, item)) for item in ranked]
    sentences = [
        (item, own)
        for item, own in placed
        if meant is None or meant.is_told_by(own, dated=item.words.block.dated_at)
    ]
    sentences.sort(key=lambda pair: missing_kind(question, pair[1]) is not None)
    return sentences[:most]


def _in_context(question: str, item: Scored) -> SentenceInContext:
    """Return words where they stand; lines for a shell are a command, which no text calls them."""
    context = in_context(
        item.read.lead or item.words,
        item.read.row,
        question=question,
        is_foreign=item.words.block.wording is not Wording.COMPARED,
    )
    is_command = item.read.by_line and over_command(item.words)
    return replace(context, governing=f"{context.governing}\n{_COMMAND}") if is_command else context


def joined(found: Mapping[str, Extract]) -> Extract | None:
    """Return the answers to several questions as one; None where none is answered."""
    answered = [one for one in found.values() if one.text]
    if not answered:
        return None
    distinct = list({one.text: one for one in answered}.values())
    return replace(
        max(answered, key=lambda one: one.best),
        text=" ".join(one.text for one in distinct),
        citations=citations_of((one.text, one.citations) for one in distinct),
        unanswered=tuple(part for part, one in found.items() if not one.text),
    )


def _proof(read: Read) -> list[Citation]:
    """Return the words with what stands over them: a row means what its columns and group say."""
    over = (read.row.columns, read.row.group) if read.row else (_lead_of(read),)
    cited = (words.parts for words in (*over, read.words) if words is not None)
    return [citation_of(words) for words in chain.from_iterable(cited)]


def shown(read: Read) -> str:
    """Return words as an answer shows them: plain, with the number of their passage."""
    alone = without_bullet(replace(read, before="").plain)
    if (lead := _lead_of(read)) is not None:
        alone = f"{' '.join(lead.text.split())}\n{alone}"
    text = _by_line(read) or (read.row and read.row.shown) or alone
    harmless, marker = as_quoted(text), f"[{read.words.block.n}]"
    if read.by_line:  # a stop would pass for a part of the command, as that of "pip install ." is
        return f"{harmless} {marker}"
    harmless = harmless.rstrip(_BEFORE_NEXT_ITEM)
    cut = before_final_stop(harmless)
    return f"{harmless[:cut]} {marker}{harmless[cut:] or '.'}"


def _lead_of(read: Read) -> Words | None:
    return None if read.row or read.lead else lead_of(read.words)


def _by_line(read: Read) -> str:
    """Return a list with each item on a line of its own, commands as they stand; "" of others."""
    text = read.words.text
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if read.by_line:
        lead = split_sentences(text)[0].end
        below = [line.strip() for line in text[lead:].splitlines() if line.strip()]
        return "\n".join((" ".join(text[:lead].split()), *below))
    if read.lead is None:
        return ""
    items: list[str] = []
    for line in lines:
        if items and not is_item(line):
            items[-1] = f"{items[-1]} {line}"
        else:
            items.append(line)
    return "\n".join(items)
