"""What of a caller's names others can be shown, in a terminal too."""

import re
from typing import Final

# Neither controls nor what turns text around.
_NEVER: Final = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_TAGS: Final = r"\U000e0000-\U000e007f"  # letters that nobody sees
SHOWN: Final = rf"^[^{_NEVER}]+$"
SAYS_SOMETHING: Final = rf"^[^{_NEVER}]*[^{_NEVER}\s][^{_NEVER}]*$"
"""As `SHOWN`, and not blank."""
TRIMMED: Final = rf"^[^{_NEVER}\s]([^{_NEVER}]*[^{_NEVER}\s])?$"
"""As `SHOWN`, with no blank at either end, which nobody sees."""
_NAME: Final = re.compile(rf"[^{_NEVER}{_TAGS}]+")


def is_shown(name: str) -> bool:
    """Say whether a name shows what it is.

    `str.isprintable` is stricter: of blanks it takes one, and macOS has U+202F in the names of
    screenshots; nor does it take what parts letters in Persian (U+200C), joins emoji (U+200D) or
    marks a direction (U+200E, which Windows puts into Hebrew names).
    """
    return _NAME.fullmatch(name) is not None and any(
        c.isprintable() and not c.isspace() for c in name
    )
