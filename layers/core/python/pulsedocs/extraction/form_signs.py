"""The signs for boxes of a form."""

from typing import Final

TICKED: Final = "\u2611"
NOT_TICKED: Final = "\u2610"
