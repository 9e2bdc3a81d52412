"""Where words stand that a reader is asked for: on the only page of a file."""

from pulsedocs.extraction import PDF
from pulsedocs.model.highlights import WordsOnPage, text_digest


def words_at(text: str, *ranges: tuple[int, int], content_type: str = PDF) -> WordsOnPage:
    return WordsOnPage(
        content_type=content_type, page=1, ranges=ranges, text_sha256=text_digest(text)
    )
