"""Puts what the library of Word leaves out where it reads it, such as formulas and text boxes."""

import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from pulsedocs.extraction.namespaces import MC, W
from pulsedocs.extraction.word_formulas import FORMULAS, formula_of
from pulsedocs.extraction.word_styles import PARAGRAPH, VALUE

_VML: Final = "{urn:schemas-microsoft-com:vml}"
_AROUND: Final = frozenset({f"{W}fldSimple", f"{W}dir", f"{W}bdo"})
"""What the library leaves out with the runs that are in it."""
_READ_AS: Final = {
    f"{W}cr": f"{W}br",
    f"{W}ptab": f"{W}tab",
    f"{W}dstrike": f"{W}strike",
} | {f"{_VML}{shape}": f"{_VML}shape" for shape in ("arc", "curve", "line", "oval", "polyline")}
_ON_A_PATH: Final = f"{_VML}textpath"
_SHAPES: Final = frozenset({"wps", "wpg", "wpc"})
_TEXT: Final = f"{W}t"
_NUMBER: Final = re.compile(r"[0-9]{1,4}")
_COLUMNS: Final = re.compile(r"[1-9][0-9]{0,3}")


def put_out_text_boxes(root: Element) -> None:
    """Put text boxes where older programs look for them, unless those have them there already."""
    for either in root.iter(f"{MC}AlternateContent"):
        choice = either.find(f"{MC}Choice")
        other = either.find(f"{MC}Fallback")
        if choice is None or choice.get("Requires") not in _SHAPES or _says_anything(other):
            continue
        if other is not None:  # LibreOffice writes empty ones for shapes that older programs lack
            either.remove(other)
        choice.tag = f"{MC}Fallback"
    for shape in root.iter():
        for place, words in enumerate(shape):
            if words.tag == _ON_A_PATH:  # a watermark is drawn along a line
                shape[place] = _box(words.get("string", ""))
    for drawing in list(root.iter(f"{W}drawing")):
        for shape in list(drawing.iter()):
            for box in shape.findall(f"{W}txbxContent"):
                shape.remove(box)
                SubElement(drawing, f"{W}pict").append(box)


def _says_anything(node: Element | None) -> bool:
    return node is not None and any(text.text for text in node.iter(_TEXT))


def unfold(root: Element) -> None:
    """Put what the library leaves out as it reads it: formulas as plain text."""
    for parent in reversed(list(root.iter())):  # what lies within others first
        for index, child in reversed(list(enumerate(parent))):
            if child.tag in _AROUND:
                parent[index : index + 1] = list(child)
            elif child.tag in FORMULAS:
                run = Element(f"{W}r")
                run.append(_text(formula_of(child)))
                parent[index] = run
            elif child.tag == f"{W}ruby":
                parent[index] = _text(_with_reading(child))
            elif child.tag in _READ_AS:
                child.tag = _READ_AS[child.tag]
            elif (choice := _chosen(child)) is not None:
                parent.insert(index, choice)
            elif (before := _columns_before(child)) is not None:
                child.insert(0, before)


def _box(words: str) -> Element:
    box = Element(f"{W}txbxContent")
    SubElement(SubElement(box, PARAGRAPH), f"{W}r").append(_text(words))
    return box


def _text(words: str) -> Element:
    text = Element(_TEXT)
    text.text = words
    return text


def _with_reading(ruby: Element) -> str:
    base, reading = (
        "".join(text.text or "" for part in ruby.findall(f"{W}{name}") for text in part.iter(_TEXT))
        for name in ("rubyBase", "rt")
    )
    return f"{base}({reading})" if reading else base


def _chosen(field: Element) -> Element | None:
    """Return the words of a form's list that Word shows: where none were chosen, the first."""
    choices = field.find(f"{W}ffData/{W}ddList")
    if choices is None:
        return None
    stated = choices.find(f"{W}result")
    stated = choices.find(f"{W}default") if stated is None else stated
    number = "" if stated is None else stated.get(VALUE, "")
    at = int(number) if _NUMBER.fullmatch(number) else 0
    entries = choices.findall(f"{W}listEntry")[at : at + 1]
    return _text("".join(each.get(VALUE, "") for each in entries))


def _columns_before(row: Element) -> Element | None:
    """Return an empty cell as wide as the columns that a row leaves free at its beginning."""
    stated = row.find(f"{W}trPr/{W}gridBefore") if row.tag == f"{W}tr" else None
    columns = "" if stated is None else stated.get(VALUE, "")
    if not _COLUMNS.fullmatch(columns):
        return None
    cell = Element(f"{W}tc")
    SubElement(SubElement(cell, f"{W}tcPr"), f"{W}gridSpan", {VALUE: columns})
    SubElement(cell, PARAGRAPH)
    return cell
