"""What cannot be read is marked; what merely looks odd is not."""

from typing import Final

import pytest

from pulsedocs.chunking import GARBLED, validate
from pulsedocs.model.garbling import has_wrong_letters

GERMAN: Final = (
    "Die Rechtsschutzversicherung ersetzt Schadenersatzansprüche, soweit die Angstschweißbildung"
    " nachweislich auf Arbeitsschutzpflichtverletzungen zurückgeht. Größere Straßenbaumaßnahmen"
    " bedürfen der schriftlichen Zustimmung des Geschäftsführers und der Rechtsabteilung."
)
GREEK: Final = (
    "\u0397 \u03b1\u03bd\u03c4\u03bb\u03af\u03b1 \u03c0\u03c1\u03ad\u03c0\u03b5\u03b9 \u03bd\u03b1"
    " \u03b3\u03b5\u03bc\u03af\u03b6\u03b5\u03b9 \u03bc\u03b5 \u03bd\u03b5\u03c1\u03cc."
)
CHINESE: Final = (
    "水泵首次运行前必须注满清水\uff0c否则密封件会干磨损坏。请每天早上检查水位并记录读数。"
)
JAPANESE: Final = "ポンプは最初の運転の前に水で満たす必要があります。毎朝、水位を確認してください。"
RUSSIAN: Final = (
    "\u041d\u0430\u0441\u043e\u0441 \u0437\u0430\u043f\u043e\u043b\u043d\u044f\u044e\u0442"
    " \u0447\u0438\u0441\u0442\u043e\u0439 \u0432\u043e\u0434\u043e\u0439 \u0434\u043e"
    " \u043f\u0443\u0441\u043a\u0430."
)
POLISH: Final = "Chrząszcz brzmi w trzcinie w Szczebrzeszynie; przestrzeń pompy wypełnij wodą. " * 4
CZECH: Final = (
    "Strč prst skrz krk. Čtvrtstoletí zvlhčovač vzduchu čerpadlo naplňte čistou vodou. " * 4
)
FRENCH: Final = (
    "Dès l\u2019été, l\u2019entreprise « Ânes & Cie » augmente ses tarifs d\u2019hébergement…"
)
CODE: Final = (
    "def rd_cfg(p: str) -> dict[str, int]:\n    with open(p) as f:\n"
    "        return {k: int(v) for k, v in (ln.split('=') for ln in f)}\n"
    "#define MAX_XFER_SZ 4096\nstatic int strncpy_s(char *dst, size_t sz);\n"
)
TABLE: Final = (
    "Position | 2023 | 2022 | Change\nNet sales | 184.6 | 164.8 | +12.0 %\n"
    "EBIT | 12.1 | 9.8 | +23.5 %\nHeadcount | 1,204 | 1,118 | +7.7 %\n"
)
HASHES: Final = "\n".join(f"{number:032x}  file-{number}.bin" for number in range(7**9, 7**9 + 20))
TODAY: Final = (
    "The pump needs clean water before the first run, or its seals will run dry and leak."
)


@pytest.mark.parametrize(
    "text",
    [GERMAN, GREEK, CHINESE, JAPANESE, RUSSIAN, POLISH, CZECH, FRENCH, CODE, TABLE, HASHES, TODAY],
    ids=lambda text: text[:12],
)
def test_a_text_that_somebody_can_read_is_not_marked(text: str) -> None:
    """S3-08: languages, tables, code and lists of hashes."""
    assert validate(text, tokens=100) == ()


def misread(text: str, encoding: str) -> str:
    return text.encode().decode(encoding, "replace")


def shifted(text: str) -> str:
    """Return the letters that a font without its code table yields: each off by three."""
    moved = str.maketrans({chr(97 + index): chr(97 + (index + 3) % 26) for index in range(26)})
    return text.lower().translate(moved)


@pytest.mark.parametrize(
    "text",
    [
        misread(GERMAN.replace("s", "ß").replace("a", "ä"), "latin-1"),
        misread(FRENCH.replace("e", "é"), "cp1252"),
        misread(GREEK, "latin-1"),
        misread(CHINESE, "cp1252"),
        shifted(
            f"{TODAY} The registered representatives distributed the printed instructions."
            " Contracting partners confirm the measurements throughout the northern regions."
            " Straightforward arrangements strengthen productive relationships."
        ),
        "\ufffd\ufffd\ufffd text \ufffd\ufffd\ufffd",
        "\ue001\ue002\ue003\ue004 private characters \ue005\ue006",
        ". . . . . . . . . . . . . . . . . . . . 7",
        "ab12" * 60,
    ],
    ids=lambda text: text[:12],
)
def test_a_text_that_nobody_can_read_is_marked(text: str) -> None:
    """S3-08: misread encodings, lost code tables, replacement characters, rulers, dumps."""
    assert GARBLED in validate(text, tokens=100)


def test_one_misread_name_does_not_condemn_a_page() -> None:
    assert validate(f"{TODAY} The rule was written by J\u00c3\u00bcrgen.", tokens=30) == ()


@pytest.mark.parametrize(
    "text",
    [
        "1.1 Safety of machine CX-10l7 " + "." * 100 + " 4",
        "Name: " + "_" * 60 + "\nDate: " + "_ " * 60,
        "The key is " + "0O1l" * 60 + " and part No. 0O1lI-0 fits.",
        "",
    ],
)
def test_leaders_lines_to_fill_in_and_keys_are_no_wrong_letters(text: str) -> None:
    assert not has_wrong_letters(text)
