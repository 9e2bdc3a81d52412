"""The year that a question means by today's: last year, this month, nächstes Jahr.

Those words are small or name an answer's form, so that no sentence has to say them: the figure of
whatever year was there would pass for last year's.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.model.years import COMPARED, years_in

_LAST: Final = (
    r"(?<!the )(?:last|the (?:previous|past)) year(?! of\b)|(?:letzte|vorige|vergangene)[nsm]? jahr"
    r"|vorjahr|l['\u2019]an(?:n\u00e9e)? (?:derni(?:er|\u00e8re)|pass\u00e9e?)|a\u00f1o pasado"
    r"|anno scorso|ano passado|vorig jaar"
)
_THIS: Final = (
    r"this (?:year|month)|diese[sm] jahr|diese[nm] monat|cette ann\u00e9e|ce mois"
    r"|este (?:a\u00f1o|ano|mes|m\u00eas)|quest['\u2019]anno|questo mese|dit jaar|deze maand"
)
_NEXT: Final = (
    r"(?<!the )next year(?! of\b)|(?:n\u00e4chste|kommende)[nsm]? jahr"
    r"|(?:l['\u2019])?an(?:n\u00e9e prochaine| prochain)|pr\u00f3ximo (?:a\u00f1o|ano)"
    r"|a\u00f1o que viene|ano que vem|anno prossimo|volgend jaar"
)
_YEARS: Final = tuple(
    (offset, re.compile(rf"\b(?:{words})(?:['\u2019]?e?s)?\b", re.IGNORECASE))
    for offset, words in ((-1, _LAST), (0, _THIS), (1, _NEXT))
)
_BESIDE: Final = re.compile(rf"(?!\((?:19|20)\d\d\))(?:{COMPARED.pattern})", re.IGNORECASE)
"""What is compared with; but "the rent (2025)" is of that year."""
_SINCE: Final = re.compile(
    r"\b(?:since|than|with|to|from|over|versus|against|seit|als|gegen\u00fcber|mit|depuis|que|\u00e0"
    r"|desde|rispetto al?|dal|sinds|dan)(?: (?:dem|l))?\W*$",
    re.IGNORECASE,
)
"""Before a year by which another is measured: the changes since last year are this year's."""
_UP_TO: Final = re.compile(r"(?<!\d)(20)\d\d[-/\u2013](\d\d)(?!\d)")
"""A school year, 2024-25, which is of both."""


@dataclass(frozen=True, slots=True)
class YearMeant:
    """A year, and the words that mean it; they are said of now where it `is_now`."""

    year: str
    words: re.Pattern[str]
    is_now: bool

    def is_told_by(self, sentence: SentenceInContext, *, dated: date | None) -> bool:
        """Say whether a sentence may give what was in that year: its own words tell first.

        Then what stands over it, then its title, which compare with nothing: "Fees (as of 2025)".
        What names no year holds now, but of another year only where its passage says so before
        it, or the date of its document. What says "last year" itself is quoted with these words,
        and is of its document's.
        """
        if self.words.search(sentence.text):
            return True
        own, referred = (_BESIDE.sub(" ", text) for text in (sentence.text, sentence.referred))
        for text in (own, f"{referred} {sentence.governing}", sentence.title):
            if told := _years_of(text):
                return self.year in told
        of_date = frozenset[str]() if dated is None else frozenset((str(dated.year),))
        before, *_ = sentence.passage.split(sentence.text, maxsplit=1)
        return self.is_now or self.year in of_date | _years_of(_BESIDE.sub(" ", before))


def year_meant(question: str, today: date) -> YearMeant | None:
    """Return the year that a question means by today's; None where it names none so."""
    for offset, words in _YEARS:
        found = words.search(question)
        if found is not None and not _SINCE.search(question[: found.start()]):
            return YearMeant(str(today.year + offset), words, is_now=not offset)
    return None


def _years_of(text: str) -> frozenset[str]:
    ends = (f"{century}{end}" for century, end in _UP_TO.findall(text))
    return years_in(text).union(ends)
