"""The signs of currencies, which stand before or behind a sum."""

from typing import Final

CURRENCY_SIGNS: Final = "$\u00a3\u00a5\u0e3f" + "".join(map(chr, range(0x20A0, 0x20C1)))
"""For a class of a pattern: dollar, pound, yen, baht, and the block of the others."""
