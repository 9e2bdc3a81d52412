"""What a question counts: eggs, days of leave, the barrels of tar."""

import re
from typing import Final

from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.asked.things import UNIT_OF_TIME
from pulsedocs.answering.languages import SMALL_IN_ANY

HOW_MANY: Final = re.compile(
    r"\b(?:how many|wie ?viele[rnm]?|combien d(?:e\b(?! temps\b)|['\u2019])|cu[a\u00e1]nt[oa]s\b"
    r"|quant(?:[ie]|[oa]s)\b|hoeveel\b(?= (?:(?:andere|soorten|verschillende) )?"
    r"(?!(?:(?:kost|betal|bedrag|weg|krijg|moet|mog|kunn|dur)en|was)\b)\w{2,}(?:en|s)\b))"
    r"(?:\s+(?:more|fewer|other|further|different|kinds of|weitere|andere|verschiedene"
    r"|autres|m\u00e1s|otr[oa]s|altr[ie]|outr[oa]s)\b)?"
    r"((?:[\W_]*[^\W_]+){1,3})",
    re.IGNORECASE,
)
_OF: Final = frozenset(("of", "de", "d", "di", "van"))  # behind a measure, of which it is how many


def counted_in(question: str) -> list[list[str]]:
    """Return the words behind each "how many", up to three: what is counted is mostly the first."""
    return [PART.findall(words.lower()) for words in HOW_MANY.findall(question)]


def things_counted(question: str) -> frozenset[str]:
    """Return what a question counts: the first word behind each "how many", and of what it is."""
    return frozenset(first for first, *_ in counted_in(question)) | things_measured(question)


def things_measured(question: str) -> frozenset[str]:
    """Return what a question counts by a measure: the tar, of which there are barrels.

    Who asks for days of leave counts days.
    """
    measured = (
        words[2]
        for words in counted_in(question)
        if words[2:] and words[1] in _OF and not UNIT_OF_TIME.fullmatch(words[0])
    )
    return frozenset(measured) - SMALL_IN_ANY
