"""An address that a person can read, copy and open: it signs a browser in to the local console.

A token is 700 letters long. The door's address has a code of 16 instead, 96 random bits that are
new with each start; whoever opens it is sent on to the console with a fresh token in the fragment,
which browsers send to nobody. The code is kept as the token is: in `endpoint.json`, for its owner.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from werkzeug.wrappers import Response

from pulsedocs.headers import SECURITY_HEADERS

_PREFIX: Final = "/open/"
_CODE_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class Door:
    """`new_token` makes the token of who comes through."""

    new_token: Callable[[], str] = field(repr=False)
    _code: str = field(
        default_factory=lambda: secrets.token_urlsafe(_CODE_BYTES), init=False, repr=False
    )

    @property
    def path(self) -> str:
        return f"{_PREFIX}{self._code}"

    def answer(self, path: str) -> Response | None:
        """Send who has the code to the console, and who has an earlier start's to its sign-in page.

        None for any other path. How long it takes says nothing of how much of a code is right.
        """
        if not path.startswith(_PREFIX):
            return None
        is_open = secrets.compare_digest(path.encode(), self.path.encode())
        response = Response(status=303, headers=dict(SECURITY_HEADERS))
        response.headers["Location"] = f"/#token={self.new_token()}" if is_open else "/"
        response.autocorrect_location_header = False
        return response
