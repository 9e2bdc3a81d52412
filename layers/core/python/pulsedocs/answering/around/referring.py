"""The sentences before one that its "it" refers to."""

import re
from itertools import pairwise
from typing import Final

from pulsedocs.answering.around.headings import place_of, texts_of
from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.languages import REFERS_BACK, SMALL_IN_ANY
from pulsedocs.answering.passages import Words

BACK: Final = 2  # sentences: what "it" means stands in the one before, or before that
_BARE_NOUN: Final = re.compile(
    r"\b(?:the|der|die|das|de[mns]|le|la|les|el|los|las|il|lo|gli)\s+([^\W\d_]{4,})\b"
    r"(?!\s+(?:of|for|in|at|on|to|from|with|de[rsmn]?|du|d'|f\u00fcr|von|vom|im|am|zum|zur|pour|para|di|del\w*|per)\b)",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(
    r"the|an?|der|die|das|eine?|les?|la|une?|el|l[ao]s|il|lo|gli|i|os?|as?|uma?|de|het|een"
)
_GOES_ON: Final = re.compile(
    r"(?:;|\b(?:and|but|und|aber|et|mais|y|e|pero|ma|mas|en|maar))\s+(?!then\b|dann\b)"
)
"""Before a clause about the subject of the clause that it is joined to: "; her captain"."""


def sentences_referred_to(words: Words) -> list[str]:
    """Return the sentences before that an "it" refers to, or "the tank" to a "water tank"."""
    at = place_of(words)
    found: list[str] = []
    before = texts_of(words.page)[max(0, at - BACK) : at][::-1]
    for following, text in pairwise([words.text, *before]):
        if not (_refers_back(following) or _takes_up(following, text)):
            break
        found.append(text)
    return found


def _refers_back(text: str) -> bool:
    """Say whether a sentence means by "it" what was spoken of before, not a subject of its own."""
    of_its_own = {
        goes_on.end() for goes_on in _GOES_ON.finditer(text) if _begins_with_subject(text)
    }
    return any(found.start() not in of_its_own for found in REFERS_BACK.finditer(text))


def _begins_with_subject(text: str) -> bool:
    """Say whether it begins with an article or a word that tells something: no "If", no "In"."""
    first = PART.search(text)
    word = first[0].casefold() if first else ""
    return word not in SMALL_IN_ANY or _ARTICLE.fullmatch(word) is not None


def _takes_up(following: str, text: str) -> bool:
    """Say whether a sentence speaks of a thing by a noun alone that the one before has."""
    nouns = [noun.casefold() for noun in _BARE_NOUN.findall(following)]
    said = PART.findall(text)
    # The Tank is a Wassertank; the table, in small letters, is no vegetable.
    return any(
        word.casefold() == noun or (word[0].isupper() and word.casefold().endswith(noun))
        for noun in nouns
        for word in said
    )
