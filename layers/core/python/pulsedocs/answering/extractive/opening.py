"""How a document begins, in answer to what it is about and called, who wrote it, to whom, when."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pulsedocs.answering.around.headings import is_heading
from pulsedocs.answering.asked.document import Aspect
from pulsedocs.answering.extractive.candidates import Read
from pulsedocs.answering.extractive.extract import Extract, shown
from pulsedocs.answering.passages import Block, Words, spans_of
from pulsedocs.answering.references import citations_of
from pulsedocs.answering.sentences import is_ended, is_item, is_row
from pulsedocs.answering.verification import citation_of
from pulsedocs.answering.wording import covered, stems

_MOST: Final = 3  # sentences: with the title as many as any answer has
_FEWEST_WORDS: Final = 6  # fewer are a motto or "All rights reserved."
_FIRST_LINES: Final = 12  # of a page, among which a title is looked for
_LONGEST_TITLE: Final = 120  # characters
_LEADER: Final = re.compile(r"\.\s?\.")  # of a table of contents
_NAMED: Final = 0.6  # of a title's words, in the line that is taken for it
_NTH: Final = r"(?:st|nd|rd|th|er|\.)?"
_DATE: Final = (
    r"(?:\b\d{1,2}([./-])\d{1,2}\1(?:\d{2}|\d{4})\b|\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b"
    rf"|\b(?:\d{{1,2}}{_NTH} (?:de |of )?)?[^\W\d_]{{3,10}}\.? (?:\d{{1,2}}{_NTH},? )?(?:de )?"
    r"(?:19|20)\d\d\b)"
)
_SAYS: Final[Mapping[Aspect, re.Pattern[str]]] = {
    Aspect.AUTHOR: re.compile(
        r"^(?:by [A-Z\u00c0-\u00de]|(?i:(?:from|von|de|da): ))"
        r"|(?i:\b(?:authors?|editors?|publishers?|verfasser(?:in)?|autor(?:in)?|herausgeber(?:in)?"
        r"|auteurs?|\u00e9diteur|autore|editore) ?:"
        r"|\b(?:written|prepared|published|issued|produced|compiled|edited|authored|drafted) by\b"
        r"|\b(?:verfasst|herausgegeben|ver\u00f6ffentlicht|erstellt) von\b|\bpubli\u00e9 par\b"
        r"|\b(?:publicado|editado) por\b|\ba cura di\b)"
    ),
    Aspect.RECIPIENT: re.compile(r"^(?:to|an|\u00e0|para|a): ", re.IGNORECASE),
    Aspect.DATE: re.compile(
        rf"^(?:[\w ]{{1,40}}, )?{_DATE}$"
        r"|\b(?:dated?|issued?|edition|version|publi\w+|released?|revis\w+"
        r"|updated|effective|valid|in force|as (?:of|at)|stand|ausgabe|datum|vom|g\u00fcltig"
        rf"|erschienen|\u00e9dition|fecha|edici\u00f3n|data|edizione)\b[^.;]{{0,40}}?{_DATE}",
        re.IGNORECASE,
    ),
    Aspect.EDITION: re.compile(
        r"\b(?:version|edition|revision|rev\.|issue|document no\.|ausgabe|auflage|\u00e9dition"
        r"|edici\u00f3n|edizione)\s?:?\s?(?:of\s|no\.\s|nr\.\s)?[\w.]*\d"
        r"|\b(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|\d+\.|(?:erste|zweite|dritte)) "
        r"(?:edition|issue|auflage|ausgabe)\b",
        re.IGNORECASE,
    ),
}
_OF_ANOTHER: Final = re.compile(
    r"\b(?:replaces?|supersedes?|previous|earlier|former|ersetzt|remplace|sustituye|sostituisce)\b",
    re.IGNORECASE,
)


def quoted_of(aspect: Aspect, blocks: Sequence[Block]) -> Extract:
    """Return what the pages say to what is asked of their document as such, if anything."""
    if aspect is Aspect.OVERVIEW:
        quoted = opening_of(blocks)
    else:
        found = title_of(blocks) if aspect is Aspect.TITLE else _stated(_SAYS[aspect], blocks)
        quoted = [] if found is None else [found]
    parts = [(shown(Read(words)), [citation_of(words)]) for words in quoted]
    text = " ".join(text for text, _ in parts)
    return Extract(text, citations_of(parts), best=float(bool(quoted)))


def title_of(blocks: Sequence[Block]) -> Words | None:
    """Return where a document says its own name: the first line that has most of its title.

    Where none has, the first heading of its first page.
    """
    lines = list(_lines(blocks))
    lines = [one for one in lines if one.page == lines[0].page][:_FIRST_LINES]
    named = [(covered(stems(one.block.title or ""), one.text), one) for one in lines]
    share, best = max(named, key=lambda pair: pair[0], default=(0.0, None))
    if share >= _NAMED:
        return best
    return next((one for one in lines if is_heading(one)), None)


def opening_of(blocks: Sequence[Block]) -> list[Words]:
    """Return the title and the first whole sentences of prose, in their order."""
    title = title_of(blocks)
    prose = [one for one in _sentences(blocks) if _is_prose(one)][:_MOST]
    return [one for one in (title, *prose) if one is not None]


def _stated(says: re.Pattern[str], blocks: Sequence[Block]) -> Words | None:
    """Return the first words that say something of their own document, not of one before it."""
    every = (one for one in _sentences(blocks) if not _OF_ANOTHER.search(one.text))
    return next((one for one in every if says.search(" ".join(one.text.split()))), None)


def _sentences(blocks: Sequence[Block]) -> Iterator[Words]:
    """Yield the sentences of the pages that passages lie on, each once, in reading order."""
    pages = {page.number: (block, page) for block in reversed(blocks) for page in block.pages}
    for _, (block, page) in sorted(pages.items()):
        for span in spans_of(page):
            yield Words(block, page, span.start, span.end)


def _lines(blocks: Sequence[Block]) -> Iterator[Words]:
    """Yield what may be a title: short, and no sentence."""
    for one in _sentences(blocks):
        is_short = one.end - one.start <= _LONGEST_TITLE
        if is_short and not is_ended(one.text) and not is_row(one.text):
            yield one


def _is_prose(words: Words) -> bool:
    text = words.text
    is_whole = is_ended(text) and not is_item(text) and not is_row(text)
    is_long = len(text.split()) >= _FEWEST_WORDS
    return is_whole and is_long and not is_heading(words) and not _LEADER.search(text)
