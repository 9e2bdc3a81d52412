"""Applies the rules in their order to the pages of one document."""

from collections.abc import Sequence
from typing import Final

from pulsedocs.cleaning.budget import CpuBudget
from pulsedocs.cleaning.characters import tidy
from pulsedocs.cleaning.draft import PageDraft
from pulsedocs.cleaning.furniture import without_furniture
from pulsedocs.cleaning.hyphenation import joined
from pulsedocs.cleaning.line_numbers import without_line_numbers
from pulsedocs.model.pages import CleanedPage, Heading, Page

_MOST_ROUNDS: Final = 10  # a document takes two; a file made for it would take one a line


def clean(pages: Sequence[Page], *, budget: CpuBudget | None = None) -> list[CleanedPage]:
    """Return one cleaned page for each page, in order; a page without text stays empty.

    A pure function of all pages: running headers and words with hyphens are judged by the whole
    document. Pages that are clean already do not change. Raises ResourceExhausted.
    """
    within = budget or CpuBudget()
    drafts = [tidy(PageDraft.of(page.text, page.verbatim)) for page in within.each(pages)]
    drafts = without_line_numbers(drafts)
    lines: list[tuple[str, ...]] = [()] * len(drafts)
    for _ in range(_MOST_ROUNDS):
        # Headers go first: a footer below a divided word would be joined to it. Joining may leave
        # lines that turn out to come back, hence until nothing changes; each round only removes.
        within.check()
        left = without_furniture(drafts, pages)
        lines = [before + page.lines for before, page in zip(lines, left, strict=True)]
        shorter = joined([page.draft for page in left])
        if [draft.text for draft in shorter] == [draft.text for draft in drafts]:
            break
        drafts = shorter
    return [
        CleanedPage(
            number=page.number,
            text=draft.text,
            offsets=draft.offset_map(),
            label=page.label,
            headings=tuple(
                Heading(
                    level=heading.level,
                    title=_title(heading, draft),
                    start=draft.from_raw(heading.start),
                )
                for heading in page.headings
            ),
            furniture=furniture,
        )
        for page, draft, furniture in zip(within.each(pages), drafts, lines, strict=True)
    ]


def _title(heading: Heading, draft: PageDraft) -> str:
    """Return a title with its divided words joined, and its line's number left out, as there."""
    title = " ".join(tidy(PageDraft.of(heading.title)).text.split())
    start = draft.from_raw(heading.start)
    shown = " ".join(draft.text[start : start + len(title)].split())
    joined = title.replace("- ", "")
    without_number = joined.partition(" ")[2]
    as_there = (each for each in (joined, without_number) if each and shown.startswith(each))
    return next(as_there, title)
