"""Passages on pages, for the tests of answers."""

from uuid import UUID

from pulsedocs.answering.passages import Block, PageText

LEASE = (
    "The lease starts on 1 March 2024. The rent is 1,200 EUR a month, due on the third day. "
    "Notice must be given three months ahead \u2014 in writing."
)
PETS = "Cats are allowed. Dogs need the landlord\u2019s consent. A fine of 50 EUR may be charged."


def block(n: int = 1, text: str = LEASE, *, page: int = 1, page_text: str | None = None) -> Block:
    """Return a passage on one page; the page has more words where `page_text` says so."""
    return Block(
        n=n,
        document_id=UUID(int=n),
        source=f"file-{n}.pdf",
        title=None,
        text=text,
        pages=(PageText(page, page_text or text),),
    )
