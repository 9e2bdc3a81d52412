"""What several routes take in their path and query."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from pydantic import Field

from pulsedocs.documents.cursors import CURSOR, LONGEST
from pulsedocs.edge.requests import LAST_PAGE, matching
from pulsedocs.retrieval.profiles import NAME, PROFILES

DocumentId = Annotated[UUID, Path()]
PathName = Annotated[str, Path(max_length=512)]
"""As it was sent: `edge.api.path_text` decodes it."""
OwnPolicy = Annotated[
    str,
    Path(max_length=512, json_schema_extra={**matching(NAME), "not": {"enum": sorted(PROFILES)}}),
]
"""The name of a policy to define."""
PageNumber = Annotated[int, Field(ge=1, le=LAST_PAGE)]
PathPage = Annotated[PageNumber, Path()]
Version = Annotated[int | None, Query(ge=1, le=2_000_000_000)]
PageSize = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str | None, Query(max_length=LONGEST, json_schema_extra=matching(CURSOR))]
