"""The numbers that a text says, in figures or in words: "six bolts" are "6 bolts"."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import permutations
from typing import Final

from pulsedocs.answering.languages import language_of
from pulsedocs.answering.sentences import split_sentences
from pulsedocs.answering.wording import figures_in

_ONES: Final = {
    "en": "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty",
    "de": "zwei drei vier f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf dreizehn vierzehn"
    " f\u00fcnfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici"
    " quindici sedici",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien",
    "pt": "dois tr\u00eas quatro cinco seis sete oito nove dez onze doze treze catorze quinze",
}
_TENS: Final = {
    "en": "thirty forty fifty sixty seventy eighty ninety",
    "de": "drei\u00dfig vierzig f\u00fcnfzig sechzig siebzig achtzig neunzig",
    "fr": "trente quarante cinquante soixante",
    "es": "treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "nl": "dertig veertig vijftig zestig zeventig tachtig negentig",
    "pt": "trinta quarenta cinquenta sessenta setenta oitenta noventa",
}
_ONE_OF: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_VALUES: Final[Mapping[str, Mapping[str, int]]] = {
    code: {word: n for n, word in enumerate(ones.split(), start=2)}
    | {word: 10 * n for n, word in enumerate(_TENS[code].split(), start=3)}
    for code, ones in _ONES.items()
}
_ORDINALS: Final = {
    word: n
    for words in (
        "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
        "zweiten dritten vierten f\u00fcnften sechsten siebten achten neunten zehnten",
        "deuxi\u00e8me troisi\u00e8me quatri\u00e8me cinqui\u00e8me sixi\u00e8me septi\u00e8me",
    )
    for n, word in enumerate(words.split(), start=2)
}
"""On "day three", where the page says "on the third day"."""
_OTHER_WORDS: Final = frozenset(["due", "sei", "once", "elf", "seize", "dos"])  # of other languages
_IN_ANY: Final = {
    word: value
    for values in _VALUES.values()
    for word, value in values.items()
    if word not in _OTHER_WORDS
}
_COMPOSED: Final = re.compile(
    rf"\b(twenty|{'|'.join(_TENS['en'].split())})[- ]({'|'.join(_ONE_OF)})\b"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_SPLIT: Final = re.compile(r"(?<![\d.,]),(?!\d)|;|\b(?:and|or|und|oder|et|ou|y|o|e|en|of)\b")
_LONG: Final = 16  # digits: no number that somebody computes with
_MOST_COMPUTED: Final = 12  # figures: of more, any small number is some difference
_UNITS_IN: Final = (7, 12, 24, 60)  # days of a week, months of a year, hours, minutes


@lru_cache(maxsize=1024)
def words_for_numbers(text: str) -> Mapping[str, int]:
    """Return the words of a text that say a number above one, with their values.

    In its language alone, if that is told: "sei" is six, and "be" in German. "One" is mostly no
    number.
    """
    folded = text.lower()
    code = language_of(text)
    known = _IN_ANY if code is None else _VALUES.get(code, {})
    found = {
        f"{ten} {one}": known[ten] + 1 + _ONE_OF.index(one)
        for ten, one in (_COMPOSED.findall(folded) if "twenty" in known else ())
    }
    rest = _COMPOSED.sub(" ", folded) if found else folded
    return found | {word: known[word] for word in _WORD.findall(rest) if word in known}


def numbers_said(text: str) -> frozenset[str]:
    """Return the numbers of a text as figures, those in words too."""
    return figures_in(text) | {str(value) for value in words_for_numbers(text).values()}


def counted_in(claim: str, said: str) -> frozenset[str]:
    """Return the numbers that a text may state in words, since they follow from what is `said`.

    It may count what it lists, and say in two years, or two fewer, what is said in figures.
    """
    return frozenset(str(value) for value in _following(claim, said))


def _following(claim: str, said: str) -> Iterator[int]:
    for text in (claim, said):
        for span in split_sentences(text):
            sentence = text[span.start : span.end]
            yield from (len(_SPLIT.findall(part)) + 1 for part in sentence.split(":"))
    yield from (_ORDINALS[word] for word in _WORD.findall(said.lower()) if word in _ORDINALS)
    figures = sorted(numbers_said(said) | figures_in(claim))
    values = [int(figure) for figure in figures if figure.isdecimal() and len(figure) < _LONG]
    for one, other in permutations(values[:_MOST_COMPUTED], 2):
        yield one - other
        yield one + other
        if other > 1 and one % other == 0:
            yield one // other
    for one in values:
        yield from (one // unit for unit in _UNITS_IN if one % unit == 0)
