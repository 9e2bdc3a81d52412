"""The tokens of whoever is signed in: one file a pool client, for its owner's eyes only."""

import json
import os
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import click

_HAS_MODES: Final = os.name == "posix"
"""On Windows a file's mode says nothing of who may read it: a new one has 0o666."""
_EARLY_SECONDS: Final = 120  # a token is not used for what may outlive it


class NotSignedIn(click.ClickException):
    """There is no token that could be used or renewed; the message says what to do."""


@dataclass(frozen=True, slots=True, repr=False)
class Tokens:
    """Without a `repr`: a traceback must not show them. `from_page` says which door renews them."""

    access_token: str
    refresh_token: str
    expires_at: float
    from_page: bool

    @property
    def is_fresh(self) -> bool:
        return time.time() < self.expires_at - _EARLY_SECONDS


def keep(client_id: str, tokens: Tokens) -> Path:
    """Write the tokens in one step, readable by their owner only; return the file."""
    file = _file(client_id)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_suffix(f".{secrets.token_hex(4)}")
    # O_EXCL: not into a file that somebody else may have opened before.
    descriptor = os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as opened:
        json.dump(asdict(tokens), opened)
    draft.replace(file)
    return file


def kept(client_id: str) -> Tokens | None:
    """Return what was kept; raise NotSignedIn where others may have read it."""
    file = _file(client_id)
    try:
        if _HAS_MODES and file.stat().st_mode & 0o077:
            raise NotSignedIn(f"others may read {file}: remove it")
        found: dict[str, Any] = json.loads(file.read_text())
        return Tokens(**found)
    except (FileNotFoundError, ValueError, TypeError):
        return None


def forget(client_id: str) -> None:
    _file(client_id).unlink(missing_ok=True)


def _file(client_id: str) -> Path:
    return Path(click.get_app_dir("pulsedocs"), f"{client_id}.json")
