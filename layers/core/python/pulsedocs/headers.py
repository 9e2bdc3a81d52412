"""What every answer over HTTP tells a browser, whoever gives it: a function or the gateway."""

from collections.abc import Mapping
from typing import Final

SECURITY_HEADERS: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    # Nearly all of it is a tenant's: what is not says otherwise.
    "Cache-Control": "no-store",
}

CHALLENGE: Final[Mapping[str, str]] = {"WWW-Authenticate": "Bearer"}
"""What goes with a 401 of the gateway (RFC 9110, 11.6.1): how a caller says who they are."""

SENT_BY_PAGES: Final = ("Accept", "Authorization", "Content-Type", "Idempotency-Key")
"""Headers that pages of other origins may send, where the stage lets any call it."""
PREFLIGHT_SECONDS: Final = 600
"""How long a browser goes by what it was told of them."""
