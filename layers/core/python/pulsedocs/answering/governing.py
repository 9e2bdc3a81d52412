"""What stands over a sentence: the title, the headings, the head of its table, what "it" means."""

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from pulsedocs.answering.asked import SentenceInContext
from pulsedocs.answering.passages import PageText, Words
from pulsedocs.answering.sentences import before_final_stop, is_item, is_row, split_sentences
from pulsedocs.answering.tables import Row
from pulsedocs.answering.wording import stems

_LONGEST_HEADING: Final = 100  # characters
_REACH: Final = 40  # sentences up the page in which a heading is looked for
_BACK: Final = 2  # sentences: what "it" means stands in the one before, or before that
_ANAPHOR: Final = re.compile(
    r"\b(?:it|its|they|their|theirs|them|this|these|those|that|he|she|his|her|him|such|both|there|then"
    r"|otherwise|however|es|sie|er|ihn|ihm|ihre[nmrs]?|dies\w*|dabei|dazu|davon|daf\u00fcr|dort|dann"
    r"|deren|dessen|beide\w*|il|elle|ils|elles|cela|ceci|celui|celle|leur|lo|\u00e9l|ella|ellos|ellas|esto"
    r"|este|esta|su|sus|esso|essa|questo|questa|suo|sua|ele|ela|isto|hij|ze|dit|deze)\b",
    re.IGNORECASE,
)


def in_context(
    words: Words, row: Row | None, *, question: str, is_foreign: bool = False
) -> SentenceInContext:
    """Return a sentence as it stands: under its headings, in its passage."""
    block = words.block
    title = f"{block.title or ''} {PurePosixPath(block.source).stem}"
    of_table = row.heading if row else ""
    return SentenceInContext(
        text=f"{row.spoken or words.text}" if row else words.text,
        governing=" ".join((title, *block.section, of_table, *_above(words, row))),
        passage=block.text,
        is_named_row=row is not None and row.is_named_in(stems(question)),
        is_foreign=is_foreign,
    )


def _above(words: Words, row: Row | None) -> list[str]:
    """Return the nearest heading, what leads into a list, and the sentences that "it" refers to."""
    spans = _spans(words.page)
    at = next((n for n, (start, _) in enumerate(spans) if start >= words.start), len(spans))
    before = [words.page.text[start:end] for start, end in spans[max(0, at - _REACH) : at]][::-1]
    found = [text for text in before if _is_heading(text)][:1]
    if is_item(words.text):
        found += [text for text in before if not is_item(text)][:1]
    if row is not None:  # what is said before a table is said of its rows
        return found + [text for text in before if not is_row(text)][:_BACK]
    for following, text in pairwise([words.text, *before[:_BACK]]):
        if not _ANAPHOR.search(following):
            break
        found.append(text)
    return found


def _is_heading(text: str) -> bool:
    is_open = before_final_stop(text) == len(text)
    return len(text) <= _LONGEST_HEADING and is_open and not is_item(text) and not is_row(text)


@lru_cache(maxsize=64)  # pages: each sentence that is looked at asks again
def _spans(page: PageText) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in split_sentences(page.text))
