"""Retrieval policies that people write for their collections."""

from dataclasses import dataclass
from datetime import datetime

from pulsedocs.model.retrieval import Profile


@dataclass(frozen=True, slots=True)
class DefinedProfile:
    """One revision of a policy; it never changes, and the next one leaves it in place."""

    profile: Profile
    created_at: datetime
    created_by: str
