"""The text of a file: by the mark it begins with, by what HTML or XML declares, else UTF-8."""

import codecs
import re
from typing import Final

from pulsedocs.errors import TextNotUTF8
from pulsedocs.extraction.storable import storable

_WIDE_MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32",  # begins as the next one does
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF32_BE: "utf-32",
}
_PRESCANNED: Final = 1_024  # bytes in which a page declares its encoding
_COMMENT: Final = re.compile(rb"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)
_DECLARED: Final = re.compile(
    rb"(?:\A\s{0,9}<\?xml\b[^>]{0,200}?\bencoding|<meta\b[^>]{0,200}?\bcharset)"
    rb"\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w.:-]{1,40})",
    re.IGNORECASE,
)
_CODECS: Final = {
    **{f"{windows}125{n}": f"cp125{n}" for windows in ("windows", "cp", "xcp") for n in range(9)},
    **{f"iso8859{n}": f"iso8859_{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **dict.fromkeys(("iso88591", "latin1", "ascii", "usascii"), "cp1252"),
    **dict.fromkeys(("iso88599", "latin5"), "cp1254"),
    **dict.fromkeys(("iso885911", "tis620", "windows874"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030"), "gb18030"),
    **dict.fromkeys(("shiftjis", "sjis", "windows31j", "xsjis"), "cp932"),
    **dict.fromkeys(("euckr", "ksc56011987", "ksc5601", "windows949"), "cp949"),
    "latin2": "iso8859_2",
    "iso88598i": "iso8859_8",
    "koi8r": "koi8_r",
    "koi8u": "koi8_u",
    "ibm866": "cp866",
    "big5": "big5hkscs",
    "eucjp": "euc_jp",
    "iso2022jp": "iso2022_jp",
    "macintosh": "mac_roman",
}
"""What browsers read the labels of encodings as, but for UTF; labels without their hyphens.

Python has codecs that are none of a text's, such as "unicode_escape", or that no browser knows:
what a page says in EBCDIC, its readers do not see.
"""


def codec_of(label: str) -> str | None:
    """Return what a label of an encoding stands for in Python, None for one that is not known.

    >>> codec_of("ISO-8859-1"), codec_of("gb2312"), codec_of("cp037")
    ('cp1252', 'gb18030', None)
    """
    return _CODECS.get(re.sub(r"[\s_-]", "", label).lower())


def is_wide(body: bytes) -> bool:
    """Say whether a file begins with the mark of UTF-16 or UTF-32."""
    return body.startswith(tuple(_WIDE_MARKS))


def decoded(body: bytes, *, is_html: bool = False) -> str:
    """Return the text, every line end a newline. Raises TextNotUTF8."""
    wide = next((name for mark, name in _WIDE_MARKS.items() if body.startswith(mark)), None)
    try:
        text = body.decode(wide or "utf-8")
    except UnicodeDecodeError as error:
        declared = _declared(body) if is_html and wide is None else None
        if declared is not None:
            return storable(declared)
        name = (wide or "utf-8").upper()
        raise TextNotUTF8(f"byte {error.start} is not {name}", byte=error.start) from error
    nul = text.find("\0") if wide else -1
    if nul >= 0:
        byte = len(text[:nul].encode(wide or "utf-8"))
        raise TextNotUTF8(f"byte {byte} is NUL, which no text has", byte=byte)
    return storable(text.removeprefix("\ufeff"))


def _declared(body: bytes) -> str | None:
    """Return the text of a page in the first encoding but UTF-8 that it declares, if it fits."""
    labels = _DECLARED.findall(_COMMENT.sub(b"", body[:_PRESCANNED]))
    codecs_declared = (codec_of(label.decode("ascii", "replace")) for label in labels)
    codec = next(filter(None, codecs_declared), None)
    try:
        return body.decode(codec) if codec else None
    except UnicodeDecodeError:
        return None
