"""What stands before the paragraphs of a slide: points, and numbers that are in no text."""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.counting import written
from pulsedocs.extraction.namespaces import A

_POINT: Final = "- "
_LEVELS: Final = frozenset("12345678")
_NUMBER: Final = re.compile(r"[0-9]{1,5}")
_SCHEME: Final = re.compile(r"(arabic|alpha|roman)(Lc|Uc|)(Period|ParenR|ParenBoth|Plain)")
_KINDS: Final = {"arabic": "decimal", "alpha": "Letter", "roman": "Roman"}
_CASES: Final = {"": "", "Lc": "lower", "Uc": "upper"}
_FORMS: Final = {"Period": "{}. ", "ParenR": "{}) ", "ParenBoth": "({}) ", "Plain": "{} "}


def level_of(paragraph: Element) -> int:
    stated = paragraph.find(f"{A}pPr")
    level = "" if stated is None else stated.get("lvl", "")
    return int(level) if level in _LEVELS else 0


def marks_of(paragraphs: Sequence[Element], *, are_points: bool) -> Iterator[str]:
    """Yield what each paragraph has before it, where it says nothing else a point if they are some.

    A level counts on until it shows something else, or a paragraph of a higher one.
    """
    counts: dict[int, tuple[str, int]] = {}
    for paragraph in paragraphs:
        level = level_of(paragraph)
        properties = paragraph.find(f"{A}pPr")
        counted = None if properties is None else properties.find(f"{A}buAutoNum")
        counts = {at: count for at, count in counts.items() if at <= level}
        if counted is not None:
            scheme, start = counted.get("type", ""), counted.get("startAt", "")
            first = int(start) if _NUMBER.fullmatch(start) else 1
            before = counts.get(level, ("", 0))
            counts[level] = scheme, before[1] + 1 if before[0] == scheme else first
            yield _numbered(*counts[level])
            continue
        counts.pop(level, None)
        says_none = properties is not None and properties.find(f"{A}buNone") is not None
        says_point = properties is not None and properties.find(f"{A}buChar") is not None
        yield _POINT if says_point or (are_points and not says_none) else ""


def _numbered(scheme: str, number: int) -> str:
    found = _SCHEME.match(scheme)
    kind, case, form = found.groups() if found else ("arabic", "", "Period")
    return _FORMS[form].format(written(number, _CASES[case] + _KINDS[kind]))
