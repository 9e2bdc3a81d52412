"""The years and quarters that a text names, however it writes them."""

import re
from typing import Final

YEAR: Final = re.compile(r"(?:19|20)\d\d")
PERIOD: Final = re.compile(rf"{YEAR.pattern}|q[1-4]")
"""A year or a quarter, as a word in small letters."""
_YEAR_IN_TEXT: Final = re.compile(rf"(?<!\d){YEAR.pattern}(?!\d)")
_FISCAL: Final = re.compile(
    r"(?<![^\W_])(?:fy\s?|(?:fiscal|financial)(?: year)? (?=\d{4}))((?:19|20)?)(\d\d)(?!\d)",
    re.IGNORECASE,
)
COMPARED: Final = re.compile(
    r"\([^()]*\)|\b(?:than|compared|versus|vs|against|from \W?\d[\d.,]*(?: \w+){0,3} in)\b"
    r"(?:[^.;]|\.(?=\d)){0,60}?(?:19|20)\d\d",
    re.IGNORECASE,
)
"""Where a text names a year to compare with: "(2022: 760)", "5 per cent more than in 2022"."""
_QUARTERS: Final = (
    r"first|1st|1\.|erste[nrsm]?|premier|1er|primer|primo|primeiro",
    r"second|2nd|2\.|zweite[nrsm]?|deuxi\u00e8me|2e|segundo|secondo",
    r"third|3rd|3\.|dritte[nrsm]?|troisi\u00e8me|3e|tercer|terzo|terceiro",
    r"fourth|last|4th|4\.|vierte[nrsm]?|letzte[nrsm]?|quatri\u00e8me|4e|cuarto|quarto",
)
_QUARTER: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(f'({each})' for each in _QUARTERS)})[\s-]"
    r"(?:quarter|quartals?|trim[ei]stre)\b(?: (?:of|de|del|di|do)(?= (?:19|20)\d\d))?",
    re.IGNORECASE,
)
_QUARTER_OVER: Final = re.compile(r"(?<!\w)Quarter (?:(First)|(Second)|(Third)|(Fourth))(?!\w)")
"""A head over the names of four columns, as these are read with it."""


def years_in(text: str) -> frozenset[str]:
    """Return the years of four digits, also within words: FY22 and 2022Q2 are of 2022."""
    return frozenset(_YEAR_IN_TEXT.findall(with_plain_years(text)))


def with_plain_years(text: str) -> str:
    """Return a text with FY22 and "fiscal year 2022" as 2022."""
    return _FISCAL.sub(lambda found: f"{found[1] or '20'}{found[2]}", text)


def with_plain_periods(text: str) -> str:
    """Return a text with its years and quarters as a table heads its columns: 2022, Q3."""
    return with_plain_quarters(with_plain_years(text))


def with_plain_quarters(text: str) -> str:
    """Return a text with "third quarter" and "3. Quartal" as Q3, as tables head their columns.

    >>> with_plain_quarters("profit in the third quarter of 2031")
    'profit in the Q3 2031'
    """
    for names in (_QUARTER, _QUARTER_OVER):
        text = names.sub(lambda found: f"Q{found.lastindex}", text)
    return text
