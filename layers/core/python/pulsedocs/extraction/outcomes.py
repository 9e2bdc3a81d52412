"""What reading a page came to."""

from pulsedocs.model.pages import PageOutcome


def outcome_of(
    text: str, *, hidden_characters: int = 0, is_recognised: bool = False
) -> PageOutcome:
    if text.strip():
        return PageOutcome.OCR if is_recognised else PageOutcome.TEXT
    return PageOutcome.HIDDEN_ONLY if hidden_characters else PageOutcome.EMPTY
