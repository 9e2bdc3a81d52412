"""An answer without a chat model: the sentences that answer best, as they stand on their pages."""

import math
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.judging import goes_on_about, judged, says_more
from pulsedocs.answering.asked.kinds import counted_in, missing_kind
from pulsedocs.answering.asked.match import CODE, Likeness, QuestionMatch, SentenceInContext
from pulsedocs.answering.asked.parts import asked_of, one_by_one
from pulsedocs.answering.asked.terms import terms_of
from pulsedocs.answering.asked.things import OPPOSED
from pulsedocs.answering.governing import (
    in_context,
    is_heading,
    is_in_contents,
    lines_under,
    list_under,
    next_to,
    read_after,
    with_its_term,
    with_one_before,
)
from pulsedocs.answering.left_out import SURE, Judge, Scorer, weighed
from pulsedocs.answering.neutral import without_controls, without_markup
from pulsedocs.answering.passages import Block, PageText, Words, sentences_of
from pulsedocs.answering.reading import (
    is_left_to_count,
    names_no_subject,
    reading_of,
    states_count,
)
from pulsedocs.answering.sentences import before_final_stop, is_item
from pulsedocs.answering.tables import Row, named_labels, row_of
from pulsedocs.answering.verification import citation_of
from pulsedocs.answering.wording import (
    ITEM_NUMBER,
    alike_but_for_figures,
    covered,
    numbers_in,
    repeats,
    stems,
)
from pulsedocs.model.answers import Citation, Reading
from pulsedocs.model.sentences import CLOSERS, WIDE_STOPS
from pulsedocs.model.years import with_plain_years, years_in

_MAX_SENTENCES = 4
_MAX_READ = 40  # sentences put to the scorer: about a quarter of a second of the local reranker
_MAX_JUDGED = 10  # of them, best first, held against what was asked
_FEWEST_WORDS = 3  # fewer are a heading or a table cell
_MARGIN = 1.5  # of log-odds below the best: a further sentence has at least a fifth of its odds
_SAME_MATTER = 0.8  # of the shorter one's words: two documents speak of the same
_MOST_PAIRS: Final = 3  # best first, read again with the sentence before
_FEWEST_FOR_PREDICATE: Final = 4  # words of a question of which one may say something of the others
_HALF: Final = 0.5  # of a question's words, that a sentence says itself
_SURE = 0.8  # relevance of a sentence that may leave a word to the rest of its page
_EVEN = 0.0  # log-odds: as likely right as wrong
_WORDS_ENOUGH: Final = 0.3  # of the question's words, where no model judges
_CERTAIN = 0.999  # beyond, a calibrated relevance says no more
_UNKNOWN = 0.5  # the relevance of a passage that nothing has judged: it moves nothing
_WIDE_STOP: Final = re.compile(f"[{WIDE_STOPS}]")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")  # "2000mAh" is none
_QUESTION: Final = re.compile(f"[?\uff1f\u061f][{CLOSERS}]*$")
_LEADS_TO_LINES: Final = re.compile(r":\s*\n\s*\S")
"""To stop it, enter the following, and below it the command."""
_STEP: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|\(\d{1,2}\))\s", re.MULTILINE)
_POINTS_BACK: Final = re.compile(
    r"\b(?:by|when) (?:following|taking|using) (?:th[eio]se?|the (?:above|steps|tips|advice))\b"
    r"|\b(?:outlined|listed|described|mentioned) above\b"
    r"|\bmit diesen (?:schritten|tipps|hinweisen)\b|\ben suivant ces\b|\bsiguiendo est[oa]s\b",
    re.IGNORECASE,
)
_HOW_TO: Final = re.compile(
    r"\bhow (?:to|(?:do|can|should|must|does|is|are)\b)"
    r"|\bwie (?:kann|macht|mache|muss|soll|wird|geht)\b"
    r"|\bwie \w{3,}(?:e ich|t man|en (?:sie|wir))\b"
    r"|\bcomment\b|\bc\u00f3mo\b|\bcome (?:si|posso)\b|\bsteps\b|\bprocedure\b",
    re.IGNORECASE,
)
_FIRST: Final = re.compile(
    r"(?:^\W*|[,;:]\s|\b(?:must|should|please)\s)first(?:ly)?\b(?! (?:aid|class|floor))"
    r"|\b(?:zuerst|zun\u00e4chst|d['\u2019]abord|primero,|anzitutto)",
    re.IGNORECASE,
)
_THEN: Final = re.compile(
    r"\W*(?:then|next|after (?:that|this)|afterwards|finally|lastly|dann|danach|anschlie\u00dfend"
    r"|zuletzt|schlie\u00dflich|ensuite|puis|enfin|luego|despu\u00e9s|finalmente|poi|dopo|infine)\b",
    re.IGNORECASE,
)
"""How the steps of a procedure follow each other in a paragraph."""
_HE: Final = re.compile(
    r"(?:He|She|They|These|Er|Sie sind|Sie haben|Elle|Ils|Elles|Ella|Ellos|Ellas|Lui|Lei|Loro)\s"
)
"""Who reads a sentence by itself has to be told who this is."""
_WHAT_TO_DO: Final = re.compile(
    r"\bwhat (?:to do|(?:do|can|should|must|shall) (?:i|we|you|one) do)\b"
    r"|\bwas (?:mache[nt]?|tun?e?) (?:ich|man|wir|sie)\b|\bwas tun\b|\bwas ist\b.*\bzu tun\b"
    r"|\bwas (?:muss|soll\w*|kann) (?:ich|man|wir|sie)\b.*\b(?:tun|machen)\b"
    r"|\bque (?:faire|(?:dois-je|faut-il|peut-on) faire)\b|\bqu\u00e9 (?:hago|(?:debo )?hacer)\b"
    r"|\bcosa (?:faccio|(?:devo )?fare)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extract:
    """`best` is the highest relevance of any sentence read, answered or not.

    `best_sentence` is the best that was relevant, whether it meets the question or not, and
    `match` what the first one that meets it, or else the best, met of it. `unanswered` are the
    questions in one of which nothing was found, where others were answered.
    """

    text: str
    citations: tuple[Citation, ...]
    best: float
    best_sentence: Words | None = None
    match: QuestionMatch | None = None
    unanswered: tuple[str, ...] = ()

    @property
    def quoted(self) -> str:
        """Return the words of the documents without the numbers of the passages."""
        return "\n".join(citation.quote for citation in self.citations)


@dataclass(frozen=True, slots=True)
class _Read:
    """Words put to the scorer: a sentence, a row of a table, or a list with what leads into it.

    `lead` is what leads into a `listed` one, and `before` what has to be read before the words.
    """

    words: Words
    row: Row | None = None
    before: str = ""
    lead: Words | None = None

    @property
    def plain(self) -> str:
        """Return the words on one line, and before a row what its table calls the figures."""
        text = " ".join(f"{self.before} {self.words.text}".split())
        if self.row is None:
            return text
        heading = self.row.title if self.row.cells else self.row.heading
        spoken = self.row.spoken or text
        return f"{heading}: {spoken}" if heading else spoken


@dataclass(frozen=True, slots=True)
class _Scored:
    read: _Read
    relevance: float
    odds: float

    @property
    def words(self) -> Words:
        return self.read.words


_Judged: TypeAlias = tuple[_Scored, QuestionMatch]


def by_shared_words(question: str, sentences: Sequence[str]) -> list[float]:
    """Score sentences without a model: the share of the question's words that each has."""
    words = stems(question)
    return [covered(words, sentence) for sentence in sentences]


def missing_years(question: str, blocks: Sequence[Block]) -> frozenset[str]:
    """Return the years that a question asks about and no passage or title mentions.

    A sentence about this year reads like one about another: only the figures differ.
    """
    mentioned = years_in(" ".join(f"{one.called} {one.text}" for one in blocks))
    return frozenset(_YEAR.findall(with_plain_years(question))) - mentioned


def extract(
    question: str,
    blocks: Sequence[Block],
    *,
    judge: Judge,
    relevance: Mapping[int, float | None],
    gate: float = _WORDS_ENOUGH,
    likeness: Likeness | None = None,
    foreign: Container[int] = (),
) -> Extract:
    """Return one to four sentences in reading order.

    A sentence below `gate` answers only in a passage that surely does, by the question's own words.
    `relevance` is that of each passage by number. It is weighed in, as log-odds: a sentence alone
    says "it" where its passage says what. Each sentence is verbatim in its citation; the text
    shows it with layout and markup removed. `foreign` are the numbers of passages
    whose words cannot be compared with the question's.
    """
    read = _worth_reading(question, blocks)
    if not read:
        return Extract("", (), best=0.0)
    scores = _scores(question, read, scorer=judge.scorer)
    ranked = _ranked(question, read, scores, relevance=relevance, gate=gate)
    sentences = _most_telling(question, ranked, foreign=foreign)
    # In a passage that surely answers, a sentence below the gate may say all that is asked.
    told = [
        (item, match)
        for item, match in _matches(question, sentences, likeness=likeness)
        if item.relevance >= gate or (not match.loose and match.own >= _HALF)
    ]
    matches = _weighed(question, told, scorer=judge.reader)
    ways = _ways_to_answer(question, sentences, told, matches, reader=judge.reader)
    meeting = next((pairs for pairs in ways if pairs), list[_Judged]())
    best = list(dict.fromkeys(item for item, _ in meeting))
    if best and _WHAT_TO_DO.search(question):
        best = _with_what_follows(best)
    if best and _HOW_TO.search(question):
        best = _with_further_steps(best)
    if best and _HE.match(best[0].words.text) and best[0].read.row is None:
        best = _in_place_of(best, with_one_before(best[0].words) or best[0].words)
    chosen = _in_reading_order(best)
    first = (meeting or matches)[:1]
    return Extract(
        " ".join(_shown(item) for item in chosen),
        tuple(
            citation_of(words)
            for item in chosen
            # A row's figures mean what its columns say, and the name of its group.
            for words in (*_over(item.read.row), item.words)
            if words is not None
        ),
        best=max(scores),
        best_sentence=ranked[0].words if ranked else None,
        match=first[0][1] if first else None,
    )


def _ranked(
    question: str,
    read: Sequence[_Read],
    scores: Sequence[float],
    *,
    relevance: Mapping[int, float | None],
    gate: float,
) -> list[_Scored]:
    """Return what is relevant by itself or in its passage, the best first."""
    labels = named_labels(question, [one.row for one in read if one.row])
    relevant: list[_Scored] = []
    for one, score in zip(read, scores, strict=True):
        of_passage = _log_odds(relevance.get(one.words.block.n))
        odds = _log_odds(score) + of_passage - _handicap(question, one, labels=labels)
        if score >= gate or odds >= _MARGIN:
            relevant.append(_Scored(one, score, odds))
    # The sort is stable: equal scores keep the order of selection and of the page.
    return sorted(relevant, key=lambda item: (item.relevance < gate, -item.odds))


def _most_telling(
    question: str, ranked: Sequence[_Scored], *, foreign: Container[int]
) -> list[tuple[_Scored, SentenceInContext]]:
    """Return the sentences to hold against the question, each where it stands.

    Those that hold no number, where one is asked for, take no place from those that do.
    """
    sentences = [
        (
            item,
            in_context(
                item.read.lead or item.words,
                item.read.row,
                question=question,
                is_foreign=item.words.block.n in foreign,
            ),
        )
        for item in ranked
    ]
    sentences.sort(key=lambda pair: missing_kind(question, pair[1]) is not None)
    return sentences[:_MAX_JUDGED]


def _ways_to_answer(
    question: str,
    sentences: Sequence[tuple[_Scored, SentenceInContext]],
    told: Sequence[_Judged],
    matches: Sequence[_Judged],
    *,
    reader: Scorer | None,
) -> Iterator[list[_Judged]]:
    """Yield what answers a question in one way after another; the first that finds any is taken."""
    reading = reading_of(question)
    meeting = _meeting(question, matches)
    if reading is Reading.COUNT:
        meeting = _countable(question, matches, stated=meeting)
    yield _best(meeting)
    yield _by_code(question, sentences)
    yield _after_one_before(question, told, scorer=reader)[:1]
    yield _part_by_part(question, sentences)
    if reading in {Reading.COMPARISON, Reading.SUM}:
        yield _together(question, matches)
    yield _part_by_part(question, sentences, whole=matches)
    if reading in {Reading.COUNT, Reading.COMPARISON, Reading.SUM}:
        yield _on_one_page(question, sentences, matches, counts=reading is Reading.COUNT)


def joined(found: Mapping[str, Extract]) -> Extract | None:
    """Return the answers to several questions as one; None where none is answered."""
    answered = [one for one in found.values() if one.text]
    if not answered:
        return None
    distinct = list({one.text: one for one in answered}.values())
    return replace(
        max(answered, key=lambda one: one.best),
        text=" ".join(one.text for one in distinct),
        citations=tuple(dict.fromkeys(cited for one in distinct for cited in one.citations)),
        unanswered=tuple(part for part, one in found.items() if not one.text),
    )


def _over(row: Row | None) -> tuple[Words | None, ...]:
    return (row.columns, row.group) if row else ()


def _matches(
    question: str,
    sentences: Sequence[tuple[_Scored, SentenceInContext]],
    *,
    likeness: Likeness | None,
) -> list[_Judged]:
    return [(item, judged(question, own, likeness=likeness)) for item, own in sentences]


def _weighed(
    question: str,
    matches: Sequence[_Judged],
    *,
    scorer: Scorer | None,
) -> list[_Judged]:
    """Return how sentences meet a question as one sees it that can tell which words matter."""
    if scorer is None:
        return list(matches)
    found = [match for _, match in matches]
    for asked, places in _as_put(question, [item.read for item, _ in matches]).items():
        own = [matches[place] for place in places]
        told = [(item.read.plain, item.relevance, match) for item, match in own]
        for place, match in zip(places, weighed(asked, told, scorer=scorer), strict=True):
            found[place] = match
    return [(item, match) for (item, _), match in zip(matches, found, strict=True)]


def _after_one_before(
    question: str, matches: Sequence[_Judged], *, scorer: Scorer | None
) -> list[_Judged]:
    """Return sentences, each with the one before, which says the words that it lacks.

    "The cycle store is behind the house. A key is 15 euros." Whoever reads both has to be sure, and
    no surer where the question goes without those words: else they name something else.
    """
    found: list[_Judged] = []
    for item, match in matches[:_MOST_PAIRS]:
        whole = with_one_before(item.words)
        is_sentence = item.read.row is None and item.read.lead is None
        if whole is None or not is_sentence or match.kind is not None or match.is_long:
            continue
        goes_on = goes_on_about(question, match.loose, item.words.text)
        both = judged(question, in_context(whole, None, question=question), likeness=None)
        if scorer is None or both.loose or both.kind is not None or not goes_on:
            continue
        read = _Read(whole)
        [score] = scorer(question, [read.plain])
        if score < SURE:
            continue
        told = replace(both, alike=frozenset(match.loose))
        [seen] = weighed(question, [(read.plain, score, told)], scorer=scorer)
        if seen.is_met:
            found.append((replace(item, read=read, relevance=score), seen))
    return found


def _part_by_part(
    question: str,
    sentences: Sequence[tuple[_Scored, SentenceInContext]],
    *,
    whole: Sequence[_Judged] | None = None,
) -> list[_Judged]:
    """Return the best sentence for each thing that a question joins; none where one has none.

    What is found of one thing alone would pass for all that was asked. Where `whole` is given, how
    sentences meet the whole question, one that is surely relevant may leave a word to the rest of
    its page, and a question that joins nothing is one part.
    """
    # One thing that is asked for is no synonym of the other.
    parts = [(part, _matches(part, sentences, likeness=None)) for part in one_by_one(question)] or (
        [] if whole is None else [(question, list(whole))]
    )
    found: list[list[_Judged]] = []
    for part, matches in parts:
        told = [
            (item, replace(match, unmet=()))
            if whole is not None and match.is_nearly_met and item.relevance >= _SURE
            else (item, match)
            for item, match in matches
        ]
        found.append(_meeting(part, told))
    return [pairs[0] for pairs in found] if all(found) else []


def _meeting(question: str, matches: Sequence[_Judged]) -> list[_Judged]:
    """Return what meets a question; what says more of its words itself comes first."""
    met = [
        (item, match)
        for item, match in matches
        if match.is_met and (item.read.lead or says_more(question, item.words.text))
    ]
    lists = [item.words for item, _ in met if item.read.lead]
    meeting = [
        (item, match)
        for item, match in met
        if item.read.lead
        or not any(  # an item of a list that meets the question as a whole
            item.words.page == whole.page and whole.start <= item.words.start < whole.end
            for whole in lists
        )
    ]
    meeting.sort(key=lambda pair: -(pair[0].odds + _MARGIN * pair[1].own))
    if meeting and meeting[0][1].own:  # what only stands under the same heading is beside the point
        meeting = [pair for pair in meeting if pair[1].own]
    return meeting


def _countable(
    question: str,
    matches: Sequence[_Judged],
    *,
    stated: Sequence[_Judged],
) -> list[_Judged]:
    """Return the lists whose items can be counted, unless what meets the question says how many.

    "1. Open both doors" has a number, and says nothing of how many steps there are.
    """
    if any(states_count(question, item.read.plain) for item, _ in stated):
        return list(stated)
    lists = ((item, replace(match, kind=None)) for item, match in matches if item.read.lead)
    return [(item, match) for item, match in lists if match.is_met] or list(stated)


def _together(question: str, matches: Sequence[_Judged]) -> list[_Judged]:
    """Return the sentences that meet a question only together: one for each side of a comparison.

    Each of them meets what the others share, and something that those before it do not, or says
    itself what those before have only in what stands over them.
    """
    asked = [term for term in terms_of(question) if not names_no_subject(term)]
    chosen: list[_Judged] = []
    left, said = frozenset(asked), frozenset[str]()
    for item, match in matches:
        unmet = frozenset(term for term in match.unmet if not names_no_subject(term))
        if match.kind is not None or unmet.issuperset(asked):
            continue
        own = words_of(item.words.text)
        says = frozenset(term for term in asked if is_said(term, own))
        if not chosen or ((left - unmet or says - said) and len(chosen) < _MAX_SENTENCES):
            left, said = left & unmet, said | says
            chosen.append((item, match))
    return chosen if not left else []


def _by_code(
    question: str, sentences: Sequence[tuple[_Scored, SentenceInContext]]
) -> list[_Judged]:
    """Return the best sentence that has the codes of a question, on a page that has the rest.

    A list of codes says once, at its top, what they are the codes of.
    """
    codes = frozenset(term for term in terms_of(question) if CODE.fullmatch(term))
    for item, own in sentences:
        if codes and item.relevance >= _HALF and codes <= words_of(item.words.text):
            match = judged(question, replace(own, governing=own.page), likeness=None)
            if match.is_met:
                return [(item, match)]
    return []


def _on_one_page(
    question: str,
    sentences: Sequence[tuple[_Scored, SentenceInContext]],
    matches: Sequence[_Judged],
    *,
    counts: bool,
) -> list[_Judged]:
    """Return the sentences of the first page that says, as a whole, all that is asked about.

    What is counted, compared or added up stands in no single sentence. Each has to say itself what
    is counted, and whether it is the large or the small.
    """
    named = {first for first, *_ in counted_in(question)} | OPPOSED.keys()
    told = {
        item
        for item, match in matches
        if item.relevance >= _SURE
        and (counts or match.kind is None)
        and named.isdisjoint(match.unmet)
    }
    sure = [(item, own) for item, own in sentences if item in told]
    pages: dict[PageText, SentenceInContext] = {}
    for item, own in sure:
        pages.setdefault(item.words.page, own)
    for page, context in pages.items():
        if counts and not is_left_to_count(question, page.text):
            continue
        match = judged(question, replace(context, text=page.text), likeness=None)
        if match.is_met or (
            match.kind is None
            and match.terms >= _FEWEST_FOR_PREDICATE
            and len(match.unmet) == 1
            and match.predicates.issuperset(match.unmet)
        ):
            return [(item, match) for item, _ in sure if item.words.page == page][:_MAX_SENTENCES]
    return []


def _scores(question: str, read: Sequence[_Read], *, scorer: Scorer) -> list[float]:
    scores: dict[int, float] = {}
    for asked, places in _as_put(question, read).items():
        found = scorer(asked, [read[place].plain for place in places])
        scores.update(zip(places, found, strict=True))
    return [scores[place] for place in range(len(read))]


def _as_put(question: str, read: Sequence[_Read]) -> dict[str, list[int]]:
    """Return a question as it is put to documents of other names, each with what it is put to."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(read):
        places[asked_of(question, one.words.block.called)].append(place)
    return places


def _worth_reading(question: str, blocks: Sequence[Block]) -> list[_Read]:
    """Return each sentence once, though passages overlap, under the passage selected first.

    Of too many, such as the rows of a long table, those that have most words of the question.
    """
    once = {
        (words.block.document_id, words.page.number, words.start): words
        for block in reversed(blocks)
        for words in reversed(sentences_of(block))
    }
    telling: list[_Read] = []
    asks_how = _HOW_TO.search(question) is not None
    for words in reversed(once.values()):
        if (listed := list_under(words)) is not None:
            lead, whole = listed
            before = "" if whole.start == lead.start else lead.text
            # A paragraph before steps answers other questions, and better by itself.
            if not before or asks_how:
                telling.append(_Read(whole, before=before, lead=lead))
        elif (led := lines_under(words)) is not None:
            telling.append(_Read(led, before=read_after(words)))
        row = row_of(words)
        if _says_something(words, row):
            own = words if row else with_its_term(words)
            telling.append(_Read(own, row, "" if row else read_after(own)))
    asked = stems(question)
    shared = [covered(asked, one.plain) for one in telling]
    first = sorted(range(len(telling)), key=lambda at: -shared[at])[:_MAX_READ]
    return [telling[at] for at in sorted(first)]


def _says_something(words: Words, row: Row | None) -> bool:
    """Return whether it is more than a heading: a whole sentence, a list item or a row."""
    sentence = words.text
    if row is not None and row.cells:
        return not row.is_heading and sum(map(bool, row.cells)) > 1
    # A sentence of a script without spaces is one word.
    if len(ITEM_NUMBER.sub("", sentence).split()) < _FEWEST_WORDS and not (
        is_item(sentence) or _WIDE_STOP.search(sentence)
    ):
        return False
    if is_in_contents(words):
        return False
    if _QUESTION.search(sentence) or (row is None and is_item(sentence) and is_heading(words)):
        return False
    return _stands_alone(sentence) or bool(numbers_in(sentence))


def _stands_alone(sentence: str) -> bool:
    return (
        before_final_stop(sentence) < len(sentence)
        or is_item(sentence)
        or _LEADS_TO_LINES.search(sentence) is not None
    )


def _handicap(question: str, one: _Read, *, labels: Sequence[frozenset[str]]) -> float:
    """Return by how much, in log-odds, words have to be better than others to answer.

    A row or a title that the question does not name has to be clearly better than a sentence. What
    leaves out a name that the question takes from a table speaks of something else: net sales of
    the group, where those in Asia were asked for. What is gained "by following these steps" does
    not name them. Who asks how to do something wants the steps rather than what is said of them,
    and not what they are done with.
    """
    said = stems(one.plain)
    is_named = one.row is not None and stems(one.row.label) in labels
    is_whole = is_named or one.lead is not None or _stands_alone(one.words.text)
    is_listed = one.lead is not None or one.row is not None
    procedure = 0
    if is_listed and _HOW_TO.search(question):
        procedure = -1 if one.lead and _STEP.search(one.words.text) else 2
    points_back = 2 * (_POINTS_BACK.search(one.words.text) is not None)
    leaves_out = any(not label <= said for label in labels)
    return _MARGIN * ((not is_whole) + leaves_out + procedure + points_back)


def _log_odds(relevance: float | None) -> float:
    share = _UNKNOWN if relevance is None else min(_CERTAIN, max(1 - _CERTAIN, relevance))
    return math.log(share / (1 - share))


def _best(meeting: Sequence[_Judged]) -> list[_Judged]:
    """Take the best sentence and those that add to it; first what other documents say of it."""
    chosen, further = list(meeting[:1]), meeting[1:]
    if not chosen or chosen[0][0].read.lead:
        return chosen
    best = chosen[0][0]
    for pair in sorted(further, key=lambda pair: not _is_counterpart(pair[0], best)):
        if _adds(pair[0], [item for item, _ in chosen]):
            chosen.append(pair)
    return chosen[:_MAX_SENTENCES]


def _adds(item: _Scored, chosen: Sequence[_Scored]) -> bool:
    """Say whether it is a whole sentence that answers too and is not among the chosen already.

    Where even the best sentence is rather wrong than right, no other one comes with it.
    """
    if item.read.lead or not _stands_alone(item.words.text):
        return False
    if any(repeats(item.words.text, other.words.text) for other in chosen):
        return False
    is_near = item.odds >= max(chosen[0].odds - _MARGIN, _EVEN)
    return is_near or _is_counterpart(item, chosen[0])


def _is_counterpart(item: _Scored, best: _Scored) -> bool:
    """Say whether another document says the like: what differs may be what matters.

    Their passages may be unlike; the sentences alone are compared.
    """
    if item.words.block.document_id == best.words.block.document_id:
        return False
    is_near = _log_odds(item.relevance) >= _log_odds(best.relevance) - _MARGIN
    alike = alike_but_for_figures(item.words.text, best.words.text)
    return is_near and alike >= _SAME_MATTER


def _with_what_follows(best: Sequence[_Scored]) -> list[_Scored]:
    """Return sentences, the best with the next one: it may say only when something is to be done.

    Of a heading that says so, it is the two sentences below; before a list, it is the list.
    """
    first, following = best[0], next_to(best[0].words)
    listed = None if first.read.lead else list_under(first.words, leads=True)
    if listed is not None:
        lead, whole = listed
        return [replace(first, read=_Read(whole, lead=lead))]
    if first.read.lead or first.read.row or following is None:
        return list(best)
    words = following if is_heading(first.words) else first.words
    last = next_to(words) if words is following else following
    return _in_place_of(best, replace(words, end=(last or words).end))


def _with_further_steps(best: Sequence[_Scored]) -> list[_Scored]:
    """Return sentences, the best with those behind it in its paragraph, where these are steps."""
    first = best[0]
    if first.read.lead or first.read.row or not _is_in_prose(first.words.text):
        return list(best)
    is_step = _FIRST.search(first.words.text) is not None
    last = first.words
    for _ in range(_MAX_SENTENCES):
        following = next_to(last)
        is_step = following is not None and (is_step or _THEN.match(following.text) is not None)
        if following is None or not is_step or not _is_in_prose(following.text):
            break
        last = following
    return _in_place_of(best, replace(first.words, end=last.end))


def _is_in_prose(text: str) -> bool:
    return before_final_stop(text) < len(text) and not is_item(text)


def _in_place_of(best: Sequence[_Scored], whole: Words) -> list[_Scored]:
    """Return sentences, with what the best is a part of in its place and in that of its parts."""
    first, *others = best
    apart = [
        item
        for item in others
        if item.words.page != whole.page
        or item.words.start >= whole.end
        or item.words.end <= whole.start
    ]
    return [replace(first, read=replace(first.read, words=whole)), *apart]


def _in_reading_order(chosen: Sequence[_Scored]) -> list[_Scored]:
    """Keep the best document first, and read each from front to back.

    What says the same of another figure comes as it was selected: the newer first.
    """
    alike = [item for item in chosen if item is chosen[0] or _is_counterpart(item, chosen[0])]
    in_order = [*sorted(alike, key=lambda item: item.words.block.n), *chosen]
    documents = list(dict.fromkeys(item.words.block.document_id for item in in_order))
    return sorted(
        chosen,
        key=lambda item: (
            documents.index(item.words.block.document_id),
            item.words.page.number,
            item.words.start,
        ),
    )


def _shown(item: _Scored) -> str:
    if item.read.lead:  # each item of the list on a line of its own
        lines: list[str] = []
        for line in filter(None, (" ".join(line.split()) for line in item.words.text.splitlines())):
            if lines and not is_item(line):
                lines[-1] = f"{lines[-1]} {line}"
            else:
                lines.append(line)
        shown = "\n".join(lines)
    else:
        row = item.read.row
        shown = (row and row.spoken) or replace(item.read, before="").plain
    harmless = without_markup(without_controls(shown), is_known_address=lambda _address: True)
    cut = before_final_stop(harmless)
    return f"{harmless[:cut]} [{item.words.block.n}]{harmless[cut:] or '.'}"
