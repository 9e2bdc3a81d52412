"""The text of a file: by the mark it begins with, by what HTML declares, else UTF-8."""

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
_PRESCANNED: Final = 1_024  # bytes in which HTML declares its encoding
_DECLARED: Final = re.compile(
    rb"<meta\b[^>]{0,200}?\bcharset\s{0,9}=\s{0,9}[\"']?\s{0,9}"
    # Codecs of letters only: Python has others, such as "idna", that are none of a page.
    rb"((?:windows|iso|latin|us|cp|koi8|gb|big5|shift|euc|mac)[\w-]{0,20})",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(r"(?:iso-?8859-?1|latin-?1|us-ascii)", re.IGNORECASE)
"""What browsers read as Windows-1252, since most pages that say so are that."""


def is_wide(body: bytes) -> bool:
    """Say whether a file begins with the mark of UTF-16 or UTF-32."""
    return body.startswith(tuple(_WIDE_MARKS))


def decoded(body: bytes, *, is_html: bool = False) -> str:
    """Return the text, every line end a newline. Raises TextNotUTF8."""
    wide = next((name for mark, name in _WIDE_MARKS.items() if body.startswith(mark)), None)
    try:
        return storable(body.decode(wide or "utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        declared = _declared(body) if is_html and wide is None else None
        if declared is not None:
            return storable(declared)
        name = (wide or "utf-8").upper()
        raise TextNotUTF8(f"byte {error.start} is not {name}", byte=error.start) from error


def _declared(body: bytes) -> str | None:
    """Return the text of a page in the encoding that it declares, None without one that fits."""
    found = _DECLARED.search(body, 0, _PRESCANNED)
    if found is None:
        return None
    name = found[1].decode()
    try:
        return body.decode("cp1252" if _WEAK.fullmatch(name) else name)
    except (LookupError, UnicodeDecodeError):
        return None
