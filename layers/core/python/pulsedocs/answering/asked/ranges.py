"""Figures of a question that lie in a range of a text, or beside it: 3 days in "2 to 6 days"."""

import re
from collections.abc import Iterator
from typing import Final

from pulsedocs.answering.asked.forms import FIGURES
from pulsedocs.model.currencies import CURRENCY_SIGNS

_UNIT: Final = rf"\s?(?P<unit>[^\W\d_]{{2,20}}|[%{CURRENCY_SIGNS}])"
_SAME: Final = 3  # letters that forms of a unit share: "day", "days"; "euro", "euros"
_FIGURE: Final = re.compile(rf"(?<![\w.,])(\d{{1,3}}){_UNIT}")
"""Longer ones are years and numbers of something."""
_COUNT: Final = re.compile(
    rf"(?<![\w.,])(\d{{1,3}}|(?:{'|'.join(filter(str.isalpha, FIGURES))})(?=[\s-]))-?{_UNIT}"
)
"""In words too, in small letters: "an eight-year-old labrador"."""
_BETWEEN: Final = re.compile(
    rf"(?<![\w.,])(\d{{1,3}})\s?(?:to|bis|-|\u2013|\u00e0|a|tot)\s?(\d{{1,3}}){_UNIT}",
    re.IGNORECASE,
)
_MORE_THAN: Final = (
    r"more than|over|mehr als|\u00fcber|plus de|m\u00e1s de|mayores de|pi\u00f9 di|oltre|mais de"
    r"|meer dan"
    r"|ouder dan"
)
_AT_LEAST: Final = (
    r"at least|from|mindestens|ab|au moins|d\u00e8s|\u00e0 partir de|al menos|desde|a partir d(?:e"
    r"|os|as)"
    r"|almeno|dai|a partire da[il]?|pelo menos|minstens|vanaf"
)
_LESS_THAN: Final = (
    r"less than|under|below|unter|weniger als|moins de|menos de|menores de|meno di|sotto|minder dan"
    r"|onder|jonger dan"
)
_AT_MOST: Final = (
    r"at most|up to|within|h\u00f6chstens|bis zu|innerhalb von|au plus|jusqu['\u2019](?:\u00e0"
    r"|aux?)"
    r"|como m\u00e1ximo|hasta|al massimo|fino a[il]?|entro|at\u00e9(?: a(?:os?|s)?)?|hoogstens"
    r"|maximaal|tot"
)
_ARTICLE: Final = r"\s(?:(?:the|de[nr]?|les|los|las|i|gli|os|as)\s)?"
_FROM: Final = re.compile(
    rf"\b(?:(?P<beyond>{_MORE_THAN})|{_AT_LEAST}){_ARTICLE}(?P<figure>\d{{1,3}}){_UNIT}"
    r"(?![^\W\d_]|\s(?:to|bis|until|\u00e0|al?|tot|at\u00e9|hasta|fino)\b)",
    re.IGNORECASE,
)
_UP_TO: Final = re.compile(
    rf"\b(?:(?P<below>{_LESS_THAN})|{_AT_MOST}){_ARTICLE}(?P<figure>\d{{1,3}}){_UNIT}",
    re.IGNORECASE,
)
_FIGURES: Final = 1000  # of up to three digits
_DAYS_IN: Final = {
    unit: days
    for units, days in (("day tag", 1.0), ("wee woc", 7.0), ("mon", 30.4375), ("yea jah", 365.25))
    for unit in units.split()
}
"""What ages and terms are counted in, by the letters that its forms share."""


def in_range_of(text: str, question: str) -> str:
    """Return a question with the range of a text in the place of a figure that lies in it.

    >>> in_range_of("If you cancel 2 to 6 days before, half is kept.", "If I cancel 3 days before?")
    'If I cancel 2 to 6 days before?'
    """
    if not _FIGURE.search(question):
        return question
    ranges = list(_ranges_in(text))

    def put(found: re.Match[str]) -> str:
        figure, unit = int(found[1]), found["unit"][:_SAME].lower()
        around = (
            words
            for words, of, held in ranges
            if (own := _counted(figure, unit, of)) is not None
            and held  # none is less than 0
            and held[0] <= own <= held[-1]
        )
        return next(around, found[0])

    return _FIGURE.sub(put, question)


def is_beside_range_of(text: str, question: str) -> bool:
    """Say whether a text has ranges of a unit of the question, and its figure lies in none.

    >>> is_beside_range_of("Dog under 7 years", "What do I pay for my eight-year-old dog?")
    True
    >>> is_beside_range_of("Puppy, 6 to 11 months", "What do I pay for my eight-year-old dog?")
    True
    """
    ranges = list(_ranges_in(text))
    for found in _COUNT.finditer(question.lower()) if ranges else ():
        word, unit = found[1], found["unit"][:_SAME]
        figure = FIGURES.get(word) or int(word)
        # Who is three years and four months old is "1 to 3 years" old.
        own = [
            int(counted) in held
            for _, of, held in ranges
            if (counted := _counted(figure, unit, of)) is not None
        ]
        if own and not any(own):
            return True
    return False


def _counted(figure: int, unit: str, of: str) -> float | None:
    """Return a figure as it is in another unit; None where they measure different things."""
    if unit == of:
        return figure
    return figure * _DAYS_IN[unit] / _DAYS_IN[of] if {unit, of} <= _DAYS_IN.keys() else None


def _ranges_in(text: str) -> Iterator[tuple[str, str, range]]:
    """Yield each range as it stands, its unit and the figures in it."""
    for found in _BETWEEN.finditer(text):
        least, most = sorted((int(found[1]), int(found[2])))  # "14 to 7 days before arrival"
        yield found[0], found["unit"][:_SAME].lower(), range(least, most + 1)
    for found in _FROM.finditer(text):
        least = int(found["figure"]) + bool(found["beyond"])
        yield found[0], found["unit"][:_SAME].lower(), range(least, _FIGURES)
    for found in _UP_TO.finditer(text):
        most = int(found["figure"]) - bool(found["below"])
        yield found[0], found["unit"][:_SAME].lower(), range(most + 1)
