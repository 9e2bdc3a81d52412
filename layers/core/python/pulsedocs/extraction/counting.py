"""Numbers as lists show them: in figures, letters or Roman numerals."""

from typing import Final

_MOST_LETTERS: Final = 130  # "zzzzz"
_MOST_ROMAN: Final = 3_999
_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def written(number: int, kind: str) -> str:
    """Return a number in a way that Word names; in figures where it has no other."""
    if kind == "none":
        return ""
    if kind.endswith("Letter") and 0 < number <= _MOST_LETTERS:
        times, letter = divmod(number - 1, 26)
        shown = chr(ord("a") + letter) * (times + 1)
    elif kind.endswith("Roman") and 0 < number <= _MOST_ROMAN:
        shown = _roman(number)
    else:
        shown = f"{number:02}" if kind == "decimalZero" else str(number)
    return shown.upper() if kind.startswith("upper") else shown


def _roman(number: int) -> str:
    shown = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        shown += letters * times
    return shown
