"""Who did what, when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """`actor` is a token's subject, or the part of the stage that did it by itself."""

    event_id: UUID
    at: datetime
    actor: str
    action: str
    object: str
    outcome: str
    detail: Mapping[str, Any]
