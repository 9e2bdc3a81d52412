"""Numbers, times and durations as a sheet shows them, by their format (ISO 29500, 18.8.31).

Of a format are understood its sections, digits with what stands among them, thousands, scale,
percent and durations; a fraction, a power of ten and what else there is leave a number plain.
The one library that does it all, ssf, is of 2020 and brings seven others.
"""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from math import isfinite
from typing import Final

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?'
    r"|\\(?P<escaped>.?)"
    r"|\[\$(?P<currency>[^\]-]*)[^\]]*\]"  # [$EUR-407]
    r"|\[(?P<condition>[<>=]{1,2}-?\d{1,15}(?:\.\d{1,15})?)\]"  # [>=1000]
    r"|(?P<gap>\[[^\]]*\]|[_*].?)"  # [Red]; as wide as a character, or filled with it
    r"|(?P<unknown>General|[@/]|E[+-])"
    r"|(?P<digits>[0#?]+)"
    r"|(?P<point>\.(?=[0#?]))"
    r"|(?P<thousands>(?<=[0#?]),+(?=[0#?]))"
    r"|(?P<scale>(?<=[0#?]),+)"
    r"|(?P<percent>%)"
    r"|(?P<end>;)"
    r"|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_OF_DURATION: Final = re.compile(
    r'"(?P<words>[^"]*)"|\\(?P<sign>.)|\[(?P<all>h+|m+|s+)\]|(?P<part>h+|m+|s+)|(?P<other>[: ])',
    re.IGNORECASE,
)
_DURATION: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_MOST: Final = {"h": 24, "m": 60, "s": 60}
_LONGEST: Final = 255  # characters of a format; Excel takes no more
_DIGITS: Final = 15  # that Excel keeps of a number
_PLAIN_DIGITS: Final = 11  # that it shows of one without a format
_DAYS: Final = datetime(1899, 12, 30)  # noqa: DTZ001 -- a sheet has no zone
_DAYS_FROM_1904: Final = datetime(1904, 1, 1)  # noqa: DTZ001 -- as above
_MOST_DAYS: Final = 2_958_465  # 9999-12-31
_LARGEST: Final = 1e300  # that is formatted, as a whole number may have thousands of digits
_ROUNDING: Final = Context(prec=2_000, rounding=ROUND_HALF_UP)  # 300 digits, those of 255 percents
_COMPARED: Final[dict[str, Callable[[Decimal, Decimal], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}


@dataclass(slots=True)
class _Places:
    """Signs that stand for digits, with the words before each of them and behind the last."""

    signs: str = ""
    words: list[str] = field(default_factory=lambda: [""])

    def add(self, signs: str) -> None:
        self.signs += signs
        self.words += [""] * len(signs)

    def filled(self, digits: Iterable[str]) -> str:
        return "".join(map(str.__add__, self.words, [*digits, ""]))


@dataclass(slots=True)
class _Section:
    """What is shown of some numbers."""

    whole: _Places = field(default_factory=_Places)
    decimals: _Places = field(default_factory=_Places)
    power: int = 0
    """Of ten, by which the number is multiplied: 2 for a percent, -3 for each comma of scale."""
    has_thousands: bool = False
    condition: tuple[str, Decimal] | None = None
    is_understood: bool = True

    def holds(self, number: Decimal) -> bool:
        if self.condition is None:
            return True
        compared, limit = self.condition
        return compared in _COMPARED and _COMPARED[compared](number, limit)


def shown_number(value: float, number_format: str) -> str:
    """Return a number as a sheet shows it, rounded half up as there.

    >>> shown_number(1234.5, '#,##0.00 "EUR"'), shown_number(-0.285, "0%"), shown_number(7, "000")
    ('1,234.50 EUR', '-29%', '007')
    """
    is_formatted = number_format != "General" and len(number_format) <= _LONGEST
    if not is_formatted or not abs(value) < _LARGEST:
        return _plain(value)
    number = Decimal(f"{value:.{_DIGITS}g}")
    sections = _sections(number_format)
    is_negative, is_ruled = number < 0, any(section.condition for section in sections)
    if is_ruled:
        section = next((each for each in sections if each.holds(number)), sections[-1])
    elif is_negative and len(sections) > 1:
        section, is_negative = sections[1], False  # which has a minus of its own, or brackets
    else:
        section = sections[2] if not number and len(sections) > len("+-") else sections[0]
    if not section.is_understood:
        return _plain(value)
    moved = abs(number).scaleb(section.power)
    rounded = moved.quantize(Decimal((0, (1,), -len(section.decimals.signs))), context=_ROUNDING)
    whole, _, decimals = f"{rounded:f}".partition(".")
    shown = _whole(section, whole.lstrip("0")) + _decimals(section, decimals)
    return f"-{shown.strip()}" if is_negative and rounded else shown.strip()


def shown_duration(value: timedelta, number_format: str) -> str:
    """Return how long something takes: of what stands in brackets as much as there is.

    >>> shown_duration(timedelta(hours=26.5), "[h]:mm"), shown_duration(timedelta(0, 90), "[s]")
    ('26:30', '90')
    """
    seconds = round(abs(value.total_seconds()))
    amounts = {"h": seconds // 3600, "m": seconds // 60, "s": seconds}
    shown = ""
    for token in _OF_DURATION.finditer(number_format.partition(";")[0]):
        unit = (token["all"] or token["part"] or "").lower()
        if unit:
            most = _MOST[unit[0]] if token["part"] else seconds + 1
            shown += f"{amounts[unit[0]] % most:0{len(unit)}}"
        else:
            shown += token["words"] or token["sign"] or token["other"] or ""
    return f"-{shown}" if value < timedelta() else shown


def shown_time(value: datetime | time, number_format: str) -> str:
    """Return a date, a time or both as in ISO 8601, whatever their order in the format.

    >>> shown_time(datetime(2031, 3, 1), "d mmm"), shown_time(time(7, 5), "h:mm")
    ('2031-03-01', '07:05')
    """
    if isinstance(value, datetime) and value.time() == time():
        return f"{value:%Y-%m-%d}"
    timespec = "seconds" if "s" in _letters(number_format) else "minutes"
    return value.isoformat(timespec=timespec).replace("T", " ")


def shown_serial(text: str, number_format: str, is_from_1904: bool = False) -> str:  # noqa: FBT001, FBT002 -- of a file
    """Return a number as its format shows it that may be a date, counted in days; "" of no number.

    >>> shown_serial("47849", "mmm yy"), shown_serial("1.5", "[h]:mm"), shown_serial("#N/A", "0")
    ('2031-01-01', '36:00', '')
    """
    try:
        value = float(text)
    except ValueError:
        return ""
    if not isfinite(value):
        return ""
    letters = _letters(number_format)
    if not 0 <= value <= _MOST_DAYS or letters.isdisjoint("ymdhs"):
        return shown_number(value, number_format)
    passed = timedelta(seconds=round(value * 24 * 3600))
    if "[" in letters:
        return shown_duration(passed, number_format)
    shown = (_DAYS_FROM_1904 if is_from_1904 else _DAYS) + passed
    return shown_time(shown if letters & {*"yd"} or value >= 1 else shown.time(), number_format)


def _letters(number_format: str) -> frozenset[str]:
    """Return the letters of a format that stand for parts of a time, with `[` for a duration's."""
    tokens = [*_TOKEN.finditer(number_format[:_LONGEST].partition(";")[0])]
    is_duration = any(_DURATION.fullmatch(token["gap"] or "") for token in tokens)
    letters = {(token["other"] or "").lower() for token in tokens}
    return frozenset(letters | {*"[h"} if is_duration else letters)


def _plain(value: float) -> str:
    if not abs(value) < _LARGEST:  # or not a number
        return str(value)
    is_whole = abs(value) < 10**_DIGITS and value == int(value)
    return f"{value:.0f}" if is_whole else f"{value:.{_PLAIN_DIGITS}g}"


@lru_cache(maxsize=256)  # formats: a sheet has few
def _sections(number_format: str) -> Sequence[_Section]:
    tokens: list[list[re.Match[str]]] = [[]]
    for token in _TOKEN.finditer(number_format):
        if token["end"]:
            tokens.append([])
        else:
            tokens[-1].append(token)
    return [_section(each) for each in tokens]


def _section(tokens: Iterable[re.Match[str]]) -> _Section:
    section = _Section()
    places = section.whole
    for token in tokens:
        kind = token.lastgroup or ""
        text = token[kind]
        match kind:
            case "digits":
                places.add(text)
            case "point" if places is section.whole:
                if not places.signs:
                    places.add("#")
                places = section.decimals
            case "thousands":
                section.has_thousands = True
            case "scale":
                section.power -= 3 * len(text)
            case "condition":
                limit = text.lstrip("<>=")
                section.condition = text.removesuffix(limit), Decimal(limit)
            case "unknown":
                section.is_understood = False
            case "gap":
                pass
            case _:
                section.power += 2 * (kind == "percent")
                places.words[-1] += text
    return section


def _whole(section: _Section, digits: str) -> str:
    """Place digits from the right; the first place takes all that are left."""
    signs = section.whole.signs
    if not signs:  # "Yes"
        return section.whole.filled(())
    digits = digits.zfill(len(signs.lstrip("#?")))
    parted = list(digits)
    if section.has_thousands:
        for at in range(len(digits) - 4, -1, -3):
            parted[at] += ","
    more = len(digits) - len(signs)
    first = ["".join(parted[: more + 1])] if more >= 0 else [""] * -more
    return section.whole.filled(first + parted[max(0, more + 1) :])


def _decimals(section: _Section, digits: str) -> str:
    least = len(section.decimals.signs.rstrip("#?"))
    shown = digits[:least] + digits[least:].rstrip("0")
    unseen = [""] * (len(digits) - len(shown))
    return ("." if shown else "") + section.decimals.filled([*shown, *unseen])
