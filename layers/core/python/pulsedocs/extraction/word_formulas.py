"""Formulas of Word (OMML) in a line: what it draws by places, such as a fraction, gets signs."""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.namespaces import M, W

FORMULAS: Final = frozenset({f"{M}oMath", f"{M}oMathPara"})
_TEXTS: Final = frozenset({f"{W}t", f"{M}t"})
_SIGNS: Final = {
    f"{M}f": ("", "/"),
    f"{M}limLow": ("", "_"),
    f"{M}limUpp": ("", "^"),
    f"{M}rad": ("", "\u221a"),
    f"{M}sSub": ("", "_"),
    f"{M}sSubSup": ("", "_", "^"),
    f"{M}sSup": ("", "^"),
}
"""What stands before each of the parts."""
_BETWEEN: Final = {f"{M}m": "; ", f"{M}mr": ", ", f"{M}eqArr": "; "}
_ONE: Final = re.compile(r"[\w.,]*|\([^()]*\)")


def formula_of(node: Element) -> str:
    """Return a formula as it is typed: `(a+1)/b`, `x^2`."""
    written: dict[Element, str] = {}
    for part in reversed(list(node.iter())):  # what lies within others first
        written[part] = "".join(_written(part, written))
    return written[node]


def _written(part: Element, written: Mapping[Element, str]) -> Iterator[str]:
    if part.tag in _TEXTS:
        yield part.text or ""
        return
    parts = [written[child] for child in part if not child.tag.endswith("Pr")]
    if part.tag == f"{M}d":
        before, between, behind = (
            _shown(part, name, otherwise)
            for name, otherwise in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
        )
        yield f"{before}{between.join(parts)}{behind}"
    elif part.tag == f"{M}nary":
        yield _shown(part, "chr", "\u222b")
        yield from _signed(("_", "^", " "), parts)
    elif part.tag in _SIGNS:
        yield from _signed(_SIGNS[part.tag], parts)
    else:
        yield _BETWEEN.get(part.tag, "").join(parts)


def _signed(signs: tuple[str, ...], parts: list[str]) -> Iterator[str]:
    for sign, words in zip(signs, parts, strict=False):
        if words:
            yield f"{sign}{words}" if _ONE.fullmatch(words) else f"{sign}({words})"


def _shown(part: Element, name: str, otherwise: str) -> str:
    stated = part.find(f"{part.tag}Pr/{M}{name}")
    return otherwise if stated is None else stated.get(f"{M}val", "")
