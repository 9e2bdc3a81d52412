"""Files that are no PDF, or only the beginning of one."""

import random

from tests.hostile.building import WORDS, Case, Make, cases, pdf_of

NOISE = random.Random(7).randbytes(5_000_000)
LIMIT = 50 * 1024 * 1024
WHOLE = pdf_of(WORDS, WORDS)


def behind(head: bytes, at: int = 0) -> Make:
    """Return a file with something else before the PDF, which begins at `at`."""
    return lambda: head + b" " * (at - len(head)) + WHOLE


def cut(tenths: int) -> Make:
    return lambda: WHOLE[: len(WHOLE) * tenths // 10]


NOT_PDFS: list[Case] = [
    *cases("FILE_EMPTY", {"no bytes": bytes}),
    *cases(
        "NOT_A_PDF",
        {
            "one byte": lambda: b"%",
            "random bytes": lambda: NOISE,
            "web page": lambda: b"<!doctype html><title>%</title>",
            "line ends": lambda: b"\r\n" * 1_000,
            "zeros only": lambda: bytes(100_000),
            "other mark": lambda: WHOLE.replace(b"%PDF-", b"%PFD-"),
            "wide characters": lambda: WHOLE.decode("latin-1").encode("utf-16"),
            "PDF after 1,024 bytes": behind(b"", 1_030),
        },
    ),
    *cases(
        "CONTENT_TYPE_MISMATCH",
        {
            "program": lambda: b"MZ" + NOISE[:100_000],
            "program of another system": lambda: b"\x7fELF" + NOISE[:100_000],
            "archive": lambda: b"PK\x03\x04" + NOISE[:100_000],
            "packed": lambda: b"\x1f\x8b\x08" + NOISE[:100_000],
            "picture": lambda: b"\x89PNG\r\n\x1a\n" + NOISE[:100_000],
            "photograph": lambda: b"\xff\xd8\xff\xe0" + NOISE[:100_000],
            "archive that is also a PDF": behind(b"PK\x03\x04", 600),
            "program that is also a PDF": behind(b"MZ", 600),
        },
    ),
    *cases("TEXT:2", {"PDF after 600 bytes": behind(b"", 600)}),
    *cases("FILE_TOO_LARGE", {"one byte too many": lambda: b"%PDF-1.7\n".ljust(LIMIT + 1)}),
    *cases(
        "PDF_CORRUPTED",
        {
            "header only": lambda: b"%PDF-1.7\n",
            "header and random bytes": lambda: b"%PDF-1.7\n" + NOISE,
            "header and zeros": lambda: b"%PDF-1.7\n" + bytes(1_000_000),
            "headers only": lambda: b"%PDF-1.7\n" * 100_000,
            "end only": lambda: b"%PDF-1.7\n" + WHOLE[-30:],
        },
    ),
    *[Case(f"first {tenths}0 %", "PDF_CORRUPTED", cut(tenths)) for tenths in range(1, 10)],
]
