"""The years that a text names, however it writes them."""

import re
from typing import Final

_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FISCAL: Final = re.compile(
    r"(?<![^\W_])(?:fy\s?|(?:fiscal|financial)(?: year)? (?=\d{4}))((?:19|20)?)(\d\d)(?!\d)",
    re.IGNORECASE,
)


def years_in(text: str) -> frozenset[str]:
    """Return the years of four digits, also within words: FY22 and 2022Q2 are of 2022."""
    return frozenset(_YEAR.findall(with_plain_years(text)))


def with_plain_years(text: str) -> str:
    """Return a text with FY22 and "fiscal year 2022" as 2022."""
    return _FISCAL.sub(lambda found: f"{found[1] or '20'}{found[2]}", text)
