"""Questions that are answered by yes or no."""

import re
from typing import Final

from pulsedocs.answering.languages import language_of

_ASKS_ELSE: Final = re.compile(
    r"^\W*(?:can|could|would|will|do|does) (?:you|i|we|one) (?:please )?"
    r"(?:tell|explain|say|show|know|find|list|give|describe)\b"
    r"|\b(?:qui|quoi|quels?|quelles?|quand|o\u00f9|comment|pourquoi|combien)\b|\bqu'"
    r"|^\W*que\b"
    r"|^\W*do (?:czego|kogo|kiedy|kt\u00f3r\w+|jak\w+|ilu)\b",
    re.IGNORECASE,
)
"""An order in the form of a question, French question words, which an inversion may follow, and
Polish ones behind "do", "to what"."""
_WAS: Final = re.compile(r"\W*was\b", re.IGNORECASE)
_OPENINGS: Final = {
    "en": r"(?:is|are|was|were|am|do|does|did|can|could|may|might|must|shall|should|will|would|has"
    r"|have|had)(?:n['\u2019]t)?\s",
    "de": r"(?:ist|sind|war|waren|kann|k\u00f6nnen|k\u00f6nnte|darf|d\u00fcrfen|muss|m\u00fcssen"
    r"|m\u00fcsste"
    r"|soll|sollen|sollte|wird|werden|wurde|wurden|hat|haben|habe|gibt es|gilt|gelten|braucht"
    r"|brauche|brauchen|bekommt|bekomme|bekommen|zahlt|\u00fcbernimmt|geh\u00f6rt|geh\u00f6ren)\s",
    "fr": r"est-ce\s+qu|y a-t-il\s",
    "es": r"(?:es|son|est\u00e1|est\u00e1n|hay|puedo|puede|pueden|podemos|se (?:puede|permite"
    r"|admite|acepta)n?"
    r"|debo|debe|deben|tengo que|tiene|tienen|necesito|hace falta|hay que|existe|existen|cubre"
    r"|incluye"
    r"|admiten|aceptan)\s",
    "it": r"(?:\u00e8|sono|c['\u2019]\u00e8|ci sono|posso|pu\u00f2|possono|si (?:pu\u00f2|possono"
    r"|deve|devono|accettano)"
    r"|devo|deve|devono|ha|hanno|bisogna|esiste|serve|servono|occorre|copre|accettate)\s",
    "pt": r"(?:\u00e9|s\u00e3o|est\u00e1|est\u00e3o|h\u00e1|posso|podem?(?:-se)?|podemos|devo"
    r"|devem?|tenho (?:de|que)|tem|t\u00eam"
    r"|preciso|precisa|existem?|cobre|inclui|aceitam)\s",
    "nl": r"(?:is|zijn|kan|kun|kunnen|mag|mogen|moet|moeten|heeft|heb|hebben|wordt|worden|geldt"
    r"|gelden|krijg|krijgt|hoort|bestaat)\s",
}
"""How a question that is answered by yes or no begins."""
_YES_NO: Final = re.compile(
    # Signs are read from their first, and once: 3,000 of ";" took 4 s.
    r"(?:^|(?<!\W)(?>\W*?[,;:]\s))\W*+(?:and |so |but |und |et |y |e |en )?"
    rf"(?:{'|'.join(_OPENINGS.values())})"
    r"|\b[^\W\d_]+-(?:t-)?(?:il|elle|on|ils|elles|je|tu|nous|vous)\b",
    re.IGNORECASE,
)


def asks_yes_or_no(question: str) -> bool:
    """Say whether a question is closed: "Was it paid?"; "Was kostet das?" asks for a price."""
    text = question.replace("\u2019", "'")
    if _ASKS_ELSE.search(text) or (_WAS.match(text) and language_of(text) != "en"):
        return False
    return _YES_NO.search(text) is not None
