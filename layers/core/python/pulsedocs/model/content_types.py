"""What a content type says: of which kind a file is, and of a text in what it is written."""

import re
from typing import Final

_CHARSET: Final = re.compile(
    r""";\s{0,9}charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})["']?\s{0,9}(?:;|\Z)""",
    re.ASCII | re.IGNORECASE,
)
_ASSUMED: Final = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_TEXTS: Final = ("text/", "application/xhtml+xml")


def kind_of(content_type: str) -> str:
    """Return a type without its parameters, in small letters."""
    return content_type.partition(";")[0].strip().lower()


def charset_of(content_type: str) -> str | None:
    """Return the encoding that a type states for a text; None for UTF-8, which needs no stating.

    >>> charset_of('text/plain; charset="KOI8-R"'), charset_of("text/plain; charset=UTF-8")
    ('koi8-r', None)
    """
    stated = _CHARSET.search(content_type) if kind_of(content_type).startswith(_TEXTS) else None
    label = stated[1].lower() if stated else ""
    return label if label not in {"", *_ASSUMED} else None


def in_charset_of(kind: str, content_type: str) -> str:
    """Return a type with the encoding that another states, or as it is where that states none.

    >>> in_charset_of("text/csv", "Text/Plain; format=flowed; charset=KOI8-R")
    'text/csv; charset=koi8-r'
    """
    charset = charset_of(content_type)
    return f"{kind}; charset={charset}" if charset else kind
