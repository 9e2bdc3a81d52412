"""What reading a page came to."""

from typing import Final

from pulsedocs.model.pages import PageOutcome

MORE_WORDS: Final = 2
"""Recognised text stands instead of a page's own from this many times its length: it holds a stamp
or a page number too, but a caption is better as it was written."""


def outcome_of(
    text: str, *, hidden_characters: int = 0, is_recognised: bool = False
) -> PageOutcome:
    if text.strip():
        return PageOutcome.OCR if is_recognised else PageOutcome.TEXT
    return PageOutcome.HIDDEN_ONLY if hidden_characters else PageOutcome.EMPTY
