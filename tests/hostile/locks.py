"""Files that are locked, or lie about their lock."""

import io
from functools import partial

from pypdf import PdfReader, PdfWriter

from tests.hostile.building import WORDS, Case, Make, cases, document, pdf_of

LOCKS = ("RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256")


def locked(algorithm: str, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of(WORDS))))
    writer.encrypt(password, "owner", algorithm=algorithm)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def claims(lock: bytes) -> Make:
    """Return a file that is not locked, but says so."""
    return lambda: document().replace(b"trailer\n<<", b"trailer\n<</ID[(a)(b)]/Encrypt " + lock)


KEYS = b"/O(%s)/U(%s)/P -4" % (b"o" * 32, b"u" * 32)

LOCKED: list[Case] = [
    *cases("TEXT:1", {f"{lock}, no password": partial(locked, lock, "") for lock in LOCKS}),
    *cases("PDF_ENCRYPTED", {f"{lock}, password": partial(locked, lock, "no") for lock in LOCKS}),
    *cases(
        "PDF_ENCRYPTED",
        {
            "lock of another maker": claims(b"<</Filter/Other/V 1/R 2%s>>" % KEYS),
            "lock of version 99": claims(b"<</Filter/Standard/V 99/R 99%s>>" % KEYS),
            "key of all numbers": claims(
                b"<</Filter/Standard/V 2/R 3/Length 2000000000%s>>" % KEYS
            ),
            "wrong keys": claims(b"<</Filter/Standard/V 1/R 2%s>>" % KEYS),
            "no keys": claims(b"<</Filter/Standard/V 1/R 2>>"),
            "short keys": claims(b"<</Filter/Standard/V 1/R 2/O(o)/U(u)/P -4>>"),
            "lock that is nothing": claims(b"<<>>"),
            "lock that is a page": claims(b"5 0 R"),
        },
    ),
    *cases(
        "TEXT:1",
        {
            "lock that is a number": claims(b"7"),
            "lock that is not there": claims(b"77 0 R"),
        },
    ),
]
