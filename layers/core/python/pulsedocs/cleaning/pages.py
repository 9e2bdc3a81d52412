"""Applies the rules in their order to the pages of one document."""

from collections.abc import Sequence
from typing import Final

from pulsedocs.cleaning.characters import tidy
from pulsedocs.cleaning.draft import Draft
from pulsedocs.cleaning.furniture import without_furniture
from pulsedocs.cleaning.hyphenation import joined
from pulsedocs.model.pages import CleanedPage, Heading, Page

CLEANING_REVISION: Final = 1
"""Raise with `pipeline.PIPELINE_REVISION` when a rule would give other text."""


def clean(pages: Sequence[Page]) -> list[CleanedPage]:
    """Return one cleaned page for each page, in order; a page without text stays empty.

    A pure function of all pages: running headers and words with hyphens are judged by the whole
    document. Its own output is left as it is.
    """
    drafts = [tidy(Draft.of(page.text)) for page in pages]
    numbers = [page.number for page in pages]
    labels = [page.label for page in pages]
    while True:
        # Headers go first: a footer below a divided word would be joined to it. Joining may leave
        # lines that turn out to come back, hence until nothing changes; each round only removes.
        shorter = joined(without_furniture(drafts, numbers=numbers, labels=labels))
        if [draft.text for draft in shorter] == [draft.text for draft in drafts]:
            break
        drafts = shorter
    return [_cleaned(page, draft) for page, draft in zip(pages, drafts, strict=True)]


def _cleaned(page: Page, draft: Draft) -> CleanedPage:
    return CleanedPage(
        number=page.number,
        text=draft.text,
        offsets=draft.offset_map(),
        label=page.label,
        headings=tuple(
            Heading(heading.level, _title(heading.title), draft.from_raw(heading.start))
            for heading in page.headings
        ),
    )


def _title(title: str) -> str:
    return " ".join(tidy(Draft.of(title)).text.split())
