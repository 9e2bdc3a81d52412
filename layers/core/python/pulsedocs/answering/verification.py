"""Each claim held against the pages it names; what cannot be shown there is not said."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias
from uuid import UUID

from pulsedocs.answering.arithmetic import Arithmetic, arithmetic_of
from pulsedocs.answering.asked.displaced import is_of_another_thing
from pulsedocs.answering.attributed import is_of_another
from pulsedocs.answering.claims import Claim, Marker, Piece
from pulsedocs.answering.governing import in_context
from pulsedocs.answering.names import invented_names
from pulsedocs.answering.neutral import BEFORE_TARGET
from pulsedocs.answering.numbers_said import counted_in, numbers_said
from pulsedocs.answering.passages import Block, PageText, Words, sentences_of, spans_of
from pulsedocs.answering.references import citations_of
from pulsedocs.answering.sentences import before_final_stop
from pulsedocs.answering.tables import row_of
from pulsedocs.answering.wording import (
    Normalised,
    covered,
    figures_in,
    is_negated,
    locate,
    normalise,
    numbers_in,
    stems,
)
from pulsedocs.model.answers import Citation, CitationStatus
from pulsedocs.model.years import YEAR

_ALIGNED = 0.6  # of a sentence's words: below it, paraphrase and invention look alike
_FEWEST_ALIGNED = 3  # words of meaning; fewer are in some sentence of any page
_FEWEST_WORDS = 2  # a single word proves nothing, unless it is a number
_FEWEST_CHARACTERS = 6  # for scripts that do not put spaces between words
_SAID_FIRST = re.compile(r"^\W*(?:no|nein|non)\b[\s,;:.\u2013\u2014-]+(?=\w)", re.IGNORECASE)
"""An answer to the question, not a denial of what follows: "No, it closes at nine"."""


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer of verified claims only; `counts` is by status, over all claims it had."""

    text: str
    citations: tuple[Citation, ...]
    counts: Mapping[CitationStatus, int]


_Proof: TypeAlias = tuple[Words, ...]
"""The words of one marker: two where a quote goes on over the page."""
_Checked: TypeAlias = tuple[CitationStatus, _Proof]
_Result: TypeAlias = tuple[CitationStatus, str, list[Citation]]


_UNPROVEN: _Result = (CitationStatus.NOT_FOUND, "", [])


class Verifier:
    """Keeps the claims of one answer that a named source bears out, all at once or as they come.

    `asked` is the question, and what was said before it: an answer may repeat its names.
    """

    def __init__(self, blocks: Sequence[Block], *, asked: str = "") -> None:
        self._checker = _Checker(blocks, asked)

    def verify(self, claims: Sequence[Claim]) -> Verified:
        counts: Counter[CitationStatus] = Counter()
        kept: list[tuple[int, str]] = []
        parts: list[tuple[str, list[Citation]]] = []
        for claim in claims:
            status, text, citations = self._checker.check(claim)
            counts[status] += 1
            if status is CitationStatus.FOUND:
                kept.append((claim.line, text))
                parts.append((text, citations))
        lines: dict[int, list[str]] = defaultdict(list)
        for line, text in kept:
            lines[line].append(text)
        shown = "\n".join(" ".join(sentences) for sentences in lines.values())
        return Verified(shown, citations_of(parts), dict(counts))


def citation_of(words: Words, *, marker: int = 0) -> Citation:
    """Return words of one page as the proof of a marker of their part of the answer."""
    return Citation(
        n=words.block.n,
        markers=(marker,),
        document_id=words.block.document_id,
        version=words.block.version,
        source=words.block.source,
        title=words.block.title,
        page=words.page.number,
        page_label=words.page.label,
        quote=words.text,
        start=words.start,
        end=words.end,
        status=CitationStatus.FOUND,
        ocr=words.is_recognised,
        confidence=words.page.confidence if words.is_recognised else None,
        doubtful_words=words.doubtful,
    )


class _Checker:
    """Looks words up in the pages of all blocks; each page is normalised once."""

    def __init__(self, blocks: Sequence[Block], asked: str) -> None:
        self._blocks = {block.n: block for block in blocks}
        self._asked = asked
        self._pages: dict[PageText, Normalised] = {}
        self._sentences: dict[int, list[Words]] = {}

    def check(self, claim: Claim) -> _Result:
        """Return the claim's best status, its text with the markers that hold, and the proof."""
        checked = {marker: self._marker(marker, claim) for marker in claim.markers}
        proof = [words for _, found in checked.values() for words in found]
        text, places = _rendered(claim.pieces, checked)
        if proof:
            arithmetic = arithmetic_of(claim.text, quotes=_separate(proof))
            if not arithmetic.is_right:
                return CitationStatus.MISCALCULATED, text, []
            proofs = [found for _, found in checked.values() if found]
            if self._invents(claim) or not self._agrees(claim, proofs, arithmetic):
                return _UNPROVEN
            cited = [citation_of(words, marker=at) for words, at in places]
            return CitationStatus.FOUND, text, cited
        if not claim.markers and (words := self._aligned(claim, list(self._blocks.values()))):
            if self._invents(claim):
                return _UNPROVEN
            cut = before_final_stop(text)
            marked = f"{text[:cut]} [{words.block.n}]{text[cut:]}"
            return CitationStatus.FOUND, marked, [citation_of(one) for one in words.parts]
        missed = {status for status, _ in checked.values()}
        wrong_place = CitationStatus.MISATTRIBUTED in missed
        return (
            CitationStatus.MISATTRIBUTED if wrong_place else CitationStatus.NOT_FOUND,
            text,
            [],
        )

    def _marker(self, marker: Marker, claim: Claim) -> _Checked:
        block = self._blocks.get(marker.n)
        if marker.quote is None:
            words = self._aligned(claim, [block]) if block else None
            return (CitationStatus.FOUND, words.parts) if words else (CitationStatus.NOT_FOUND, ())
        quote = marker.quote.strip()
        is_telling = len(quote.split()) >= _FEWEST_WORDS or len(quote) >= _FEWEST_CHARACTERS
        if not is_telling and not numbers_in(quote):
            return CitationStatus.NOT_FOUND, ()
        found = self._quoted(marker.quote, block) if block else ()
        if found:
            return CitationStatus.FOUND, found
        elsewhere = any(self._quoted(marker.quote, other) for other in self._blocks.values())
        return (CitationStatus.MISATTRIBUTED if elsewhere else CitationStatus.NOT_FOUND), ()

    def _quoted(self, quote: str, block: Block) -> _Proof:
        for page in block.pages:
            if span := locate(quote, self._page(page)):
                return (Words(block, page, span.start, span.end),)
        across = (self._across(quote, block, *pair) for pair in pairwise(block.pages))
        return next((found for found in across if found), ())

    def _across(self, quote: str, block: Block, page: PageText, following: PageText) -> _Proof:
        """Return the words of a quote that begins on one page and ends on the next."""
        one, other = self._page(page), self._page(following)
        if following.number != page.number + 1 or not (one.text.strip() and other.text.strip()):
            return ()
        first, rest = one.text.rstrip(), other.text.lstrip()
        joined = Normalised(f"{first} {rest}", tuple(range(len(first) + 1 + len(rest))))
        span = locate(quote, joined)
        if span is None or not span.start < len(first) < span.end - 1:
            return ()
        skipped = len(other.text) - len(rest)
        last = span.end - len(first) - 2 + skipped
        return (
            Words(block, page, one.origins[span.start], one.origins[len(first) - 1] + 1),
            Words(block, following, other.origins[skipped], other.origins[last] + 1),
        )

    def _agrees(self, claim: Claim, proofs: Sequence[_Proof], arithmetic: Arithmetic) -> bool:
        """Say whether a claim states no figure that its proof lacks, and turns nothing around.

        A year may stand anywhere on the page: a heading says it for all that is below. What was
        computed stands nowhere; what it was computed from has to.
        """
        words = [one for proof in proofs for one in proof]
        around = " ".join(f"{one.text} {self._around(one)}" for one in words)
        stated = (figures_in(claim.text) - arithmetic.results) | arithmetic.given
        stated |= numbers_said(claim.text) - arithmetic.results - counted_in(claim.text, around)
        missing = stated - numbers_said(around)
        pages = (
            figures_in(" ".join(one.page.text for one in words)) if missing else frozenset[str]()
        )
        if any(not (YEAR.fullmatch(figure) and figure in pages) for figure in missing):
            return False
        if any(is_of_another(claim.text, self._read_out(one)) for one in words):
            return False
        around_each = [self._sentence(one) for one in words]
        stand = [in_context(one, row_of(one), question=claim.text) for one in around_each]
        if is_of_another_thing(claim.text, stand):
            return False
        denies = is_negated(_SAID_FIRST.sub("", claim.text))
        for proof in proofs:
            is_denied = is_negated(" ".join(one.text for one in proof))
            if denies and not is_denied:  # "not" may stand before the words that were quoted
                is_denied = any(is_negated(self._around(one)) for one in proof)
            if is_denied == denies:
                return True
        return False

    def _invents(self, claim: Claim) -> bool:
        """Say whether a claim states a name that nobody mentioned: that its quote is true is idle.

        A quote may speak of "the landlord" where another passage says who that is.
        """
        return bool(invented_names(claim.text, list(self._blocks.values()), asked=self._asked))

    def _around(self, words: Words) -> str:
        return self._sentence(words).text

    def _sentence(self, words: Words) -> Words:
        """Return the sentence of the page that holds the words, or the first of them."""
        return next(
            (
                replace(words, start=span.start, end=span.end)
                for span in spans_of(words.page)
                if span.start <= words.start < span.end
            ),
            words,
        )

    def _read_out(self, words: Words) -> str:
        """Return the sentence around words; of a row its cells, each under its column's name."""
        row = row_of(words)
        spoken = row.spoken if row and row.columns else None
        return self._around(words) if spoken is None else spoken.partition(", ")[2]

    def _page(self, page: PageText) -> Normalised:
        if page not in self._pages:
            self._pages[page] = normalise(page.text)
        return self._pages[page]

    def _aligned(self, claim: Claim, blocks: Sequence[Block]) -> Words | None:
        """Return the sentence that says nearly the same, and says every number of the claim."""
        wanted, figures = stems(claim.text), numbers_in(claim.text)
        denies = is_negated(claim.text)
        if len(wanted) < _FEWEST_ALIGNED:
            return None
        for block in blocks:
            if block.n not in self._sentences:
                self._sentences[block.n] = sentences_of(block)
        scored = [
            (covered(wanted, words.text), words)
            for block in blocks
            for words in self._sentences[block.n]
            if figures <= numbers_in(words.text) and is_negated(words.text) == denies
        ]
        score, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        return best if score >= _ALIGNED else None


def _separate(proof: Sequence[Words]) -> int:
    """Return how many places words stand at; of those that overlap, one counts."""
    end_of: dict[tuple[UUID, int], int] = {}
    found = 0
    for words in sorted(proof, key=lambda one: one.end):
        page = words.block.document_id, words.page.number
        if words.start >= end_of.get(page, 0):
            end_of[page] = words.end
            found += 1
    return found


def _rendered(
    pieces: Sequence[Piece], checked: Mapping[Marker, _Checked]
) -> tuple[str, list[tuple[Words, int]]]:
    """Put the markers that hold back into the sentence, once each where they repeat.

    Also return the proof, all words with the marker that they stand at.
    """
    shown: list[str] = []
    places: list[tuple[Words, int]] = []
    markers = 0
    for piece in pieces:
        if isinstance(piece, str):
            shown.append(piece)
        elif found := checked[piece][1]:
            if not "".join(shown).endswith(f"[{piece.n}]"):
                shown.append(f" [{piece.n}]")
                markers += 1
            places += [(words, markers - 1) for words in found]
    # A marker must not become a link to what follows it, nor leave a gap.
    spaced = BEFORE_TARGET.sub("] ", "".join(shown))
    return re.sub(r"[ \t]+([.,;:!?])", r"\1", re.sub(r"[ \t]+", " ", spaced)).strip(), places
