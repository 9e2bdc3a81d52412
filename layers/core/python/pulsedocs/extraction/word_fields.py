"""Fields of Word: an instruction, a result that is seen, and the end of both.

A field may lie in the instruction of another: `{ IF { MERGEFIELD Age } < 18 "40" "65" }`. What is
shown for the inner one, such as 17, Word compares and nobody sees.
"""

from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.namespaces import W

_FIELD: Final = f"{W}fldChar"
_KIND: Final = f"{W}fldCharType"
_INSTRUCTION: Final = f"{W}instrText"
_SHOWN: Final = frozenset(f"{W}{name}" for name in ("t", "br", "cr", "noBreakHyphen", "sym", "tab"))


def take_out_instructions(root: Element) -> None:
    """Call all that lies in instructions a part of them.

    A field without an end has no instruction: all that follows would be one.
    """
    shown: list[Element] = []  # since the first field that is open
    begun: list[int | None] = []  # how many were shown before each instruction; None behind it
    for node in root.iter():
        kind = node.get(_KIND) if node.tag == _FIELD else None
        if kind == "begin":
            begun.append(len(shown))
        elif kind in {"separate", "end"} and begun:
            start = begun.pop()
            for each in () if start is None else shown[start:]:
                each.tag = _INSTRUCTION
            del shown[len(shown) if start is None else start :]
            if kind == "separate":
                begun.append(None)
        elif begun and node.tag in _SHOWN:
            shown.append(node)
