"""Pages that a question names: by number ("page 17", "S. 4"), by place ("the last page"), as text.

In English, German, French, Spanish, Italian, Portuguese and Dutch. What may be a page of something
else ("the first page of the form", "how do I print the last page?") is left alone.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pulsedocs.model.currencies import CURRENCY_SIGNS
from pulsedocs.model.documents import KIND_OF_DOCUMENT
from pulsedocs.model.retrieval import AskedPages, NamedPages

_MOST_PAGES: Final = 10  # of a range: whoever names more asks about a part, not about pages
_NOUN: Final = (
    r"(?:pages?|slides?|seiten?|folien?|p[a\u00e1]ginas?|pagine|pagina's|bladzijden?"
    r"|diapositiv(?:a|as|e|es|o|os)|(?:pp?|pgs?|p[a\u00e1]gs?|blz)\.|(?-i:S\.))"
)
_PLACES: Final = {
    1: "first|1st|erste[nrsm]?|premi\u00e8re|1re|primera|prima|primeira|eerste|1e",
    2: "second|2nd|zweite[nrsm]?|deuxi\u00e8me|seconde|2e|segunda|seconda|tweede",
    3: "third|3rd|dritte[nrsm]?|troisi\u00e8me|3e|tercera|terza|terceira|derde",
    4: "fourth|vierte[nrsm]?|quatri\u00e8me|cuarta|quarta|vierde",
    5: "fifth|f\u00fcnfte[nrsm]?|cinqui\u00e8me|quinta|vijfde",
    6: "sixth|sechste[nrsm]?|sixi\u00e8me|sexta|sesta|zesde",
    7: "seventh|siebte[nrsm]?|septi\u00e8me|s\u00e9ptima|settima|s\u00e9tima|zevende",
    8: "eighth|achte[nrsm]?|huiti\u00e8me|octava|ottava|oitava|achtste",
    9: "ninth|neunte[nrsm]?|neuvi\u00e8me|novena|nona|negende",
    10: "tenth|zehnte[nrsm]?|dixi\u00e8me|d[e\u00e9]cima|tiende",
    -2: "penultimate|second[- ](?:to[- ])?last|next[- ]to[- ]last|vorletzte[nrsm]?"
    "|avant-derni\u00e8re|pen[u\u00fa]ltima|voorlaatste",
    -1: "last|final|letzte[nrsm]?|derni\u00e8re|[u\u00fa]ltima|laatste",
}
_COUNTED: Final = r"(?P<nth>\d{1,3})(?:th|st|nd|rd|\.|e|\u00aa|a)"
_NUMBERS: Final = {
    1: "one|eins|uno",
    2: "two|zwei|deux|dos|due|dois|twee",
    3: "three|drei|trois|tres|tr\u00eas|tre|drie",
    4: "four|vier|quatre|cuatro|quattro|quatro",
    5: "five|f\u00fcnf|cinq|cinco|cinque|vijf",
    6: "six|sechs|seis|zes",
    7: "seven|sieben|sept|siete|sette|sete|zeven",
    8: "eight|acht|huit|ocho|otto|oito",
    9: "nine|neun|neuf|nueve|nove|negen",
    10: "ten|zehn|dix|diez|dieci|dez|tien",
}
_ROMAN: Final = r"(?=[ivxl]{2})(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})|(?-i:[ivx])(?=\W*$|[?.,;:])"
_LABEL: Final = rf"(?P<label>[a-z]-?\d{{1,4}}|{_ROMAN})(?!\w)"
_FIGURES: Final = (
    rf"(?P<from>\d{{1,5}})(?![\w%{CURRENCY_SIGNS}]|[.,]\d)"
    r"(?:\s*(?P<join>-|\u2013|to|bis|t/m|and|und|et|y|en|e|&|,)\s*(?P<to>\d{1,5})(?![\w%]|[.,]\d))?"
)
_THROUGH: Final = frozenset(("-", "\u2013", "to", "bis", "t/m"))
_AT: Final = (
    r"(?:according to|laut|gem\u00e4\u00df|selon|seg\u00fan|secondo|segundo|volgens"
    r"|on|in|at|from|of|auf|von|aus|sur|\u00e0|dans|de|en|sulla|nella|alla|della|su|a|na|da|em"
    r"|op|van|does)"
)
_THE: Final = r"(?:the|this|der|die|de|het|la|a)"
_OF: Final = r"(?:of|in|from|von|vom|des|der|im|du|del|della|dello|dell'|do|da|de|van)"
_OF_IT: Final = rf"(?:\s+{_OF}\s+(?:(?:the|this|that|dem|diesem|dieses|het|dit|ce|este|questo)\s+)?"
_OF_WHOLE: Final = rf"{_OF_IT}{KIND_OF_DOCUMENT}\b)?"
_OF_ELSE: Final = re.compile(
    r"\s+(?:of|von|vom|des|der|eine[rs]|du|del|della|do|da|de|van)\s+\w", re.IGNORECASE
)
"""What follows a page of something else: of a form, of annex B."""


def _one_of(words: dict[int, str], prefix: str) -> str:
    return "|".join(f"(?P<{prefix}{abs(n)}{'e' if n < 0 else ''}>{w})" for n, w in words.items())


_BY_NUMBER: Final = re.compile(
    rf"(?:\b{_AT}\s+)?(?:\b{_THE}\s+)?(?<!web\s)(?<!home\s)(?<!\w){_NOUN}\s*"
    rf"(?:(?:number|no\.|nr\.|n\u00b0|n\u00ba)\s*)?"
    rf"(?:{_FIGURES}|(?<=\s)(?:{_LABEL}|(?:{_one_of(_NUMBERS, 'n')})(?!\w))){_OF_WHOLE}",
    re.IGNORECASE,
)
# "second to last" before "second".
_BY_PLACE: Final = re.compile(
    rf"(?<!\w){_AT}\s+(?:{_THE}\s+|l')?(?:very\s+)?"
    rf"(?:{_one_of(dict(sorted(_PLACES.items())), 'p')}|{_COUNTED})\s+{_NOUN}(?!\w){_OF_WHOLE}",
    re.IGNORECASE,
)
_HOW_TO: Final = re.compile(
    r"\bhow (?:to|do|can|should|must)\b|\bwie (?:kann|muss|soll|druck\w+|mach\w+)\b|\bcomment\b"
    r"|\bc[o\u00f3]mo\b|\bcome (?:si|posso)\b|\bhoe (?:kan|moet)\b",
    re.IGNORECASE,
)


def named_pages(question: str) -> NamedPages | None:
    """Return the pages that a question names; None where it names none."""
    labels, places = list[str](), list[int]()
    for found in _references(question):
        named = {name: text for name, text in found.groupdict().items() if text}
        if "from" in named:
            numbers = _numbers(int(named["from"]), int(named.get("to", 0)), named.get("join", ""))
            labels += map(str, numbers)
            places += numbers
        elif "label" in named:
            labels.append(named["label"].lower())
        elif "nth" in named:
            places.append(int(named["nth"]))
        else:
            place = next(name for name in named if name[1:].rstrip("e").isdigit())
            number = int(place[1:].rstrip("e"))
            places.append(-number if place.endswith("e") else number)
            labels += [str(number)] if place.startswith("n") else []
    if not labels and not places:
        return None
    return NamedPages(tuple(dict.fromkeys(labels)), tuple(dict.fromkeys(places)))


def without_pages(question: str) -> str:
    """Return a question without the pages it names; as it is where nothing else is left of it."""
    rest, end = "", 0
    for found in _references(question):
        rest += question[end : found.start()]
        end = found.end()
    rest = re.sub(r"\s+(?=[?.,;:!])", "", " ".join((rest + question[end:]).split()))
    return rest if re.search(r"\w", rest) else question


def pages_of(named: NamedPages, *, labelled: Sequence[int], of: int) -> AskedPages:
    """Return the pages of a document of `of` pages: those that bear the label, then by place."""
    places = (place if place > 0 else of + 1 + place for place in named.places)
    numbers = (*labelled, *(place for place in places if 1 <= place <= of))
    return AskedPages(tuple(dict.fromkeys(numbers)), of)


def _references(question: str) -> Iterator[re.Match[str]]:
    """Yield where a question names pages, in its order."""
    found = list(_BY_NUMBER.finditer(question))
    if not _HOW_TO.search(question):
        found += _BY_PLACE.finditer(question)
    end = 0
    for match in sorted(found, key=lambda one: one.start()):
        if match.start() >= end and not _OF_ELSE.match(question, match.end()):
            end = match.end()
            yield match


def _numbers(first: int, last: int, join: str) -> list[int]:
    if not last:
        return [first]
    if join.lower() in _THROUGH and first <= last < first + _MOST_PAGES:
        return list(range(first, last + 1))
    return [first, last]
