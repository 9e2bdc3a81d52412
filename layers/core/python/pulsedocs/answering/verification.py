"""Each claim held against the pages it names; what cannot be shown there is not said."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pulsedocs.answering.claims import Claim, Marker, Piece
from pulsedocs.answering.passages import Block, PageText, Words, sentences_of
from pulsedocs.answering.sentences import before_final_stop
from pulsedocs.answering.wording import Normalised, covered, locate, normalise, numbers_in, stems
from pulsedocs.model.answers import Citation, CitationStatus

_ALIGNED = 0.6  # of a sentence's words: below it, paraphrase and invention look alike
_FEWEST_ALIGNED = 3  # words of meaning; fewer are in some sentence of any page
_FEWEST_WORDS = 2  # a single word proves nothing, unless it is a number
_FEWEST_CHARACTERS = 6  # for scripts that do not put spaces between words


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer of verified claims only; `counts` is by status, over all claims it had."""

    text: str
    citations: tuple[Citation, ...]
    counts: Mapping[CitationStatus, int]


_Checked: TypeAlias = tuple[CitationStatus, Words | None]


def verify(claims: Sequence[Claim], blocks: Sequence[Block]) -> Verified:
    """Keep the claims that at least one named source bears out, with the words that do."""
    return Verifier(blocks).verify(claims)


class Verifier:
    """Verifies the claims of one answer, all at once or as they come."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._checker = _Checker(blocks)

    def verify(self, claims: Sequence[Claim]) -> Verified:
        counts: Counter[CitationStatus] = Counter()
        kept: list[tuple[int, str]] = []
        citations: list[Citation] = []
        for claim in claims:
            status, text, proof = self._checker.check(claim)
            counts[status] += 1
            if status is CitationStatus.FOUND:
                kept.append((claim.line, text))
                citations.extend(citation_of(words) for words in proof)
        return Verified(_joined(kept), tuple(dict.fromkeys(citations)), dict(counts))


def citation_of(words: Words) -> Citation:
    return Citation(
        n=words.block.n,
        document_id=words.block.document_id,
        source=words.block.source,
        title=words.block.title,
        page=words.page.number,
        page_label=words.page.label,
        quote=words.text,
        start=words.start,
        end=words.end,
        status=CitationStatus.FOUND,
    )


def _joined(kept: Sequence[tuple[int, str]]) -> str:
    lines: dict[int, list[str]] = {}
    for line, text in kept:
        lines.setdefault(line, []).append(text)
    return "\n".join(" ".join(sentences) for sentences in lines.values())


class _Checker:
    """Looks words up in the pages of all blocks; each page is normalised once."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = {block.n: block for block in blocks}
        self._pages: dict[PageText, Normalised] = {}
        self._sentences: dict[int, list[Words]] = {}

    def check(self, claim: Claim) -> tuple[CitationStatus, str, list[Words]]:
        """Return the claim's best status, its text with the markers that hold, and the proof."""
        checked = {marker: self._marker(marker, claim) for marker in claim.markers}
        proof = [words for _, words in checked.values() if words is not None]
        text = _rendered(claim.pieces, checked)
        if proof:
            return CitationStatus.FOUND, text, proof
        if not claim.markers and (words := self._aligned(claim, list(self._blocks.values()))):
            return CitationStatus.FOUND, _with_marker(text, words.block.n), [words]
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
            return (CitationStatus.FOUND if words else CitationStatus.NOT_FOUND), words
        if not _is_telling(marker.quote):
            return CitationStatus.NOT_FOUND, None
        words = self._quoted(marker.quote, block) if block else None
        if words is not None:
            return CitationStatus.FOUND, words
        elsewhere = any(self._quoted(marker.quote, other) for other in self._blocks.values())
        return (CitationStatus.MISATTRIBUTED if elsewhere else CitationStatus.NOT_FOUND), None

    def _quoted(self, quote: str, block: Block) -> Words | None:
        found = ((page, locate(quote, self._page(page))) for page in block.pages)
        return next(
            (Words(block, page, span.start, span.end) for page, span in found if span), None
        )

    def _page(self, page: PageText) -> Normalised:
        if page not in self._pages:
            self._pages[page] = normalise(page.text)
        return self._pages[page]

    def _aligned(self, claim: Claim, blocks: Sequence[Block]) -> Words | None:
        """Return the sentence that says nearly the same, and says every number of the claim."""
        wanted, figures = stems(claim.text), numbers_in(claim.text)
        if len(wanted) < _FEWEST_ALIGNED:
            return None
        scored = [
            (covered(wanted, words.text), words)
            for words in self._candidates(blocks)
            if figures <= numbers_in(words.text)
        ]
        score, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        return best if score >= _ALIGNED else None

    def _candidates(self, blocks: Sequence[Block]) -> Iterator[Words]:
        for block in blocks:
            if block.n not in self._sentences:
                self._sentences[block.n] = sentences_of(block)
            yield from self._sentences[block.n]


def _is_telling(quote: str) -> bool:
    """Return whether words are enough of a quote to prove anything."""
    several = len(quote.split()) >= _FEWEST_WORDS
    return several or len(quote.strip()) >= _FEWEST_CHARACTERS or bool(numbers_in(quote))


def _rendered(pieces: Sequence[Piece], checked: Mapping[Marker, _Checked]) -> str:
    """Put the markers that hold back into the sentence, once each where they repeat."""
    shown: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            shown.append(piece)
        elif checked[piece][1] is not None and not "".join(shown).endswith(f"[{piece.n}]"):
            shown.append(f" [{piece.n}]")
    return _tidy("".join(shown))


def _with_marker(text: str, n: int) -> str:
    cut = before_final_stop(text)
    return f"{text[:cut]} [{n}]{text[cut:]}"


def _tidy(text: str) -> str:
    """Close the gaps that markers left, and keep one from becoming a link to what follows it."""
    spaced = re.sub(r"\](?=[(:\[])", "] ", text)
    return re.sub(r"[ \t]+([.,;:!?])", r"\1", re.sub(r"[ \t]+", " ", spaced)).strip()
