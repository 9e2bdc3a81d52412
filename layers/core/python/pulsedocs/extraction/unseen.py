"""What no reader of a page sees, whichever library reads it."""

from typing import Final

SMALLEST: Final = 1.5
"""Points; text set smaller is there for machines only."""

UNSEEN_MODES: Final = frozenset({3, 7})
"""Of text in a PDF: neither filled nor stroked, and only added to the clip (ISO 32000, 9.3.6)."""
