"""Calculations that a sentence shows, each computed again: "43.6 + 51.2 = 94.8", "12 > 9".

A result stands on no page. It is believed where it follows from figures that do, and a sentence
with one that does not follow is not shown.
"""

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from pulsedocs.answering.wording import GROUPED
from pulsedocs.model.currencies import CURRENCY_SIGNS

_NUMBER: Final = rf"[-\u2212]?[{CURRENCY_SIGNS}]?\s?\d+(?:[.,]\d+)*"
_UNIT: Final = rf"(?:\s?%|(?:\s?[{CURRENCY_SIGNS}]|\s(?!x\b)[^\W\d_]{{1,16}}+){{1,3}}+)?"
_TERM: Final = rf"\(*\s*{_NUMBER}{_UNIT}\s*\)*"
_SIGN: Final = r"(?:[-+*/\u2212\u00d7\u00f7\u00b7]|:(?=\s)|x(?=\s))"
_SIDE: Final = rf"(?>{_TERM})(?>\s*{_SIGN}\s*{_TERM})*+"  # atomic: else its time is exponential
_RELATION: Final = r"(?:<=|>=|[=<>\u2264\u2265\u2248])"
_STATEMENT: Final = re.compile(rf"{_SIDE}(?:\s*{_RELATION}\s*{_SIDE})+")
_LONGEST: Final = 2000  # characters of a sentence: beyond, no calculation is believed
_READ: Final = re.compile(rf"(?P<number>{_NUMBER})(?P<percent>\s?%)?{_UNIT}|(?P<sign>{_SIGN}|[()])")
_SIGNS: Final = {"\u2212": "-", "\u00d7": "*", "\u00b7": "*", "x": "*", "\u00f7": "/", ":": "/"}
_HUNDRED: Final = "100"  # of a percentage
_OPENING: Final = frozenset("(+-*/")
_EQUAL: Final = frozenset("=\u2248")
_TRUE: Final[Mapping[str, Callable[[Fraction, Fraction], bool]]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "\u2265": operator.ge,
    "<=": operator.le,
    "\u2264": operator.le,
}
_COUNT: Final = re.compile(r"\bcount:\s*(\d{1,4})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What a text computes: whether all of it is right, what follows, and from which figures."""

    is_right: bool = True
    results: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a relation; `figures` as they are written, without signs and groups of three.

    `share` is its value where percentages are hundredths: "5 % * 200 = 10". `by_form` are figures
    that follow from how it is written, the number of terms that a mean divides by.
    """

    value: Fraction
    share: Fraction
    figures: tuple[str, ...]
    is_percent: bool
    by_form: tuple[str, ...]

    @property
    def is_computed(self) -> bool:
        return len(self.figures) > 1


def arithmetic_of(text: str, *, quotes: int) -> Arithmetic:
    """Compute every calculation in a text; `quotes` is how many different places it cites.

    `count: 3` is right where three places are cited.
    """
    if len(text) > _LONGEST:
        return Arithmetic(is_right=re.search(_RELATION, text) is None)
    is_right = True
    results: set[str] = set()
    given: set[str] = set()
    for found in _STATEMENT.finditer(text):
        first, *others = re.split(f"({_RELATION})", found.group())
        sides = [side for part in (first, *others[1::2]) if (side := _side(part)) is not None]
        if len(sides) <= len(others) // 2:
            return Arithmetic(is_right=False)
        for relation, left, right in zip(others[::2], sides, sides[1:], strict=False):
            is_right = is_right and _holds(relation, left, right)
        percent = any(side.is_percent for side in sides)
        computed = [side for side in sides if side.is_computed]
        for side in computed:
            needed = Counter(side.figures) - Counter(dict.fromkeys(results, len(side.figures)))
            by_form = [one for one in side.by_form if percent or one != _HUNDRED]
            given |= set(needed - Counter(by_form))
            results.update(by_form)
        equal = bool(computed) and set(others[::2]) <= _EQUAL
        results |= {side.figures[0] for side in sides if equal and not side.is_computed}
    for count in _COUNT.findall(text):
        is_right = is_right and int(count) == quotes
        results.add(count)
    return Arithmetic(is_right, frozenset(results), frozenset(given))


def _side(text: str) -> _Side | None:
    """Return the value of one side; None where it cannot be read or divides by zero."""
    plain: list[str] = []
    shares: list[str] = []
    figures: list[str] = []
    is_percent = False
    for part in _READ.finditer(_without_outer_brackets(text)):
        if part["sign"]:
            written = shared = _SIGNS.get(part["sign"], part["sign"])
        else:
            figure = GROUPED.sub("", re.sub(r"[^\d.,]", "", part["number"]))
            is_negative = part["number"][0] in "-\u2212"
            follows = "+" if is_negative and plain and plain[-1] not in _OPENING else ""
            value = figure.replace(",", ".").lstrip("0") or "0"
            written = f"{follows}{'-' if is_negative else ''}{value}"
            shared = f"{follows}({written.removeprefix('+')}/100)" if part["percent"] else written
            figures.append(figure)
            is_percent = is_percent or bool(part["percent"])
        plain.append(written)
        shares.append(shared)
    try:
        tree = ast.parse("".join(plain), mode="eval").body
        share = _value(ast.parse("".join(shares), mode="eval").body)
        return _Side(_value(tree), share, tuple(figures), is_percent, _by_form(tree))
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _without_outer_brackets(text: str) -> str:
    """Return a side without the brackets around its whole statement: "(900 - 700" of "= 200)"."""
    inner = text.strip()
    depth = lowest = 0
    for character in inner:
        depth += (character == "(") - (character == ")")
        lowest = min(lowest, depth)
    opened, closed = depth - lowest, -lowest
    for _ in range(opened):
        inner = inner.removeprefix("(").lstrip()
    for _ in range(closed):
        inner = inner.removesuffix(")").rstrip()
    return inner


def _value(tree: ast.expr) -> Fraction:
    match tree:
        case ast.BinOp(left, ast.Add(), right):
            return _value(left) + _value(right)
        case ast.BinOp(left, ast.Sub(), right):
            return _value(left) - _value(right)
        case ast.BinOp(left, ast.Mult(), right):
            return _value(left) * _value(right)
        case ast.BinOp(left, ast.Div(), right):
            return _value(left) / _value(right)
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand)
        case ast.Constant(int() | float() as number):
            return Fraction(str(number))
        case _:
            raise ValueError("no calculation")


def _by_form(tree: ast.expr) -> tuple[str, ...]:
    """Return the numbers that divide a sum of as many terms: "(3 + 4 + 8) / 3"; and factors 100."""
    return tuple(
        str(node.right.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult | ast.Div)
        and isinstance(node.right, ast.Constant)
        and (
            str(node.right.value) == _HUNDRED
            or (isinstance(node.op, ast.Div) and node.right.value == _terms(node.left) > 1)
        )
    )


def _terms(tree: ast.expr) -> int:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add):
        return _terms(tree.left) + _terms(tree.right)
    return 1


def _holds(relation: str, left: _Side, right: _Side) -> bool:
    """Say whether a relation is true; a result may be rounded to the places that it shows.

    A share may be written as a percentage, and a percentage meant as a share: 10.3 / 33.3 = 31 %.
    """
    written = [side.figures[0] for side in (left, right) if not side.is_computed]
    places = [len(figure.replace(",", ".").partition(".")[2]) for figure in written]
    tolerance = Fraction(1, 2 * 10 ** places[0]) if len(places) == 1 else Fraction(0)
    pairs = {(left.value, right.value), (left.share, right.value), (left.value, right.share)}
    if right.is_percent and not left.is_percent:
        pairs = {(left.value, right.value), (100 * left.value, right.value)}
    if relation in _EQUAL:
        return any(abs(one - other) <= tolerance for one, other in pairs)
    return _TRUE[relation](left.value, right.value)
