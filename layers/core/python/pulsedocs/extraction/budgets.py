"""How much one file may cost before it is refused, and what of it is read."""

from dataclasses import dataclass
from math import ceil

from pulsedocs.model.pages import MOST_CHARACTERS


@dataclass(frozen=True, slots=True)
class Budgets:
    """Limits for one document. The ones in CPU seconds and memory are kept by the sandbox.

    A file of 5 KB can cost pypdf 21 CPU-seconds (measured), hence limits on time, not on size.
    """

    max_bytes: int = 50 * 1024 * 1024
    max_pages: int = 5_000
    page_characters: int = MOST_CHARACTERS
    document_characters: int = 20_000_000
    open_cpu_seconds: int = 20
    page_cpu_seconds: int = 5
    document_cpu_seconds: int = 300
    memory_bytes: int = 768 * 1024 * 1024
    comments: bool = True
    """Read what people wrote beside the text: speaker's notes, and comments."""
    changes: bool = True
    """Read a text as its tracked changes make it, not as it was before them."""
    drawings: bool = False
    """Draw pages that are pictures, and say which picture it is."""
    average_page_cpu_seconds: int = 0
    """Of every page, where all of them together may take more than `document_cpu_seconds`."""

    def cpu_seconds_for(self, pages: int, *, page_count: int) -> int:
        """Return what some of a document's pages may take: opening it, and their share."""
        allowed = max(self.document_cpu_seconds, self.average_page_cpu_seconds * page_count)
        if pages >= page_count:
            return allowed
        return min(allowed, self.open_cpu_seconds + ceil(allowed * pages / page_count))
