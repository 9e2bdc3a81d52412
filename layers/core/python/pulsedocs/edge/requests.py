"""What a request may say of a document, whichever way its bytes come."""

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StringConstraints,
)
from pydantic.config import JsonDict
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_after_validator_function

from pulsedocs.chunking import PROFILE_NAME
from pulsedocs.embedding import MODEL_NAME
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.days import day_of
from pulsedocs.model.documents import (
    MAX_METADATA_BYTES,
    DuplicateBy,
    IngestOptions,
    OnDuplicate,
)
from pulsedocs.model.requests import Choices
from pulsedocs.model.shown import SAYS_SOMETHING, TRIMMED
from pulsedocs.retrieval.profiles import NAME


def matching(text: re.Pattern[str]) -> JsonDict:
    """Return what a schema says of a text that is matched whole, in every engine's expressions.

    Beside it stands no check of the edge: what does not match is refused where the expression is,
    in a sentence that says what to write.
    """
    return {"pattern": f"^(?:{re.sub(r'[?]P<[a-z_]+>', '?:', text.pattern)})$"}


@dataclass(frozen=True, slots=True)
class Written:
    """How a text is written: an expression for programs, and words for who wrote it otherwise."""

    expression: str
    words: str

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"pattern": self.expression, **handler(core_schema)}

    def _checked(self, text: str) -> str:
        if not re.fullmatch(self.expression, text):
            raise ValueError(self.words)
        return text


def _refuse_dots(name: str) -> str:
    """Raise ValueError for a name that no path can have: programs fold `/collections/..` away."""
    if name in {".", ".."}:
        raise ValueError("neither `.` nor `..` is a name")
    return name


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=128),
    Written(TRIMMED, "has a blank before or behind it, or a character that is not shown"),
    AfterValidator(_refuse_dots),
    Field(json_schema_extra={"not": {"enum": [".", ".."]}}),
]
PolicyName = Annotated[Name, Field(json_schema_extra=matching(NAME))]
"""Of a retrieval profile: the product's, or a collection's own."""
EmbeddingModel = Annotated[
    str,
    StringConstraints(min_length=3, max_length=200),
    Field(json_schema_extra=matching(MODEL_NAME)),
]
"""`provider:name@dimensions`."""
ChunkProfileName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    Field(json_schema_extra=matching(PROFILE_NAME)),
]
Title = Annotated[
    str,
    StringConstraints(min_length=1, max_length=1024),
    Written(SAYS_SOMETHING, "is blank, or has a character that is not shown"),
]
Day = Annotated[date, BeforeValidator(day_of)]
FILTERS_ARE = (
    "Conditions on the documents' metadata and built-in fields: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`,"
    " `$lte`, `$in`, `$nin`, `$contains`, `$exists`, joined by `$and`, `$or`, `$not`;"
    " docs/reference/filters.md has the grammar."
)
Filters = Annotated[dict[str, Any] | None, Field(description=FILTERS_ARE)]


def _whole(number: Any) -> Any:  # noqa: ANN401 -- whatever JSON has in the number's place
    """Return 5 for 5.0: to JSON Schema, and to programs that have one kind of number, it is one."""
    is_whole = isinstance(number, float) and number.is_integer()
    return int(number) if is_whole else number


WHOLE: Final = BeforeValidator(_whole)
"""Of a strict number in a body; behind its bounds, or no schema has them."""
LAST_PAGE: Final = 100_000
Page = Annotated[int, Field(ge=1, le=LAST_PAGE, strict=True), WHOLE]


def never(*shapes: JsonDict) -> JsonDict:
    """Return what a schema says of bodies that a validator of the whole refuses."""
    return {"not": {"anyOf": list(shapes)}}


def has(*names: str) -> JsonDict:
    """Return the shape of a body in which all of these fields are given, and none is null."""
    return {
        "required": list(names),
        "properties": {name: {"not": {"type": "null"}} for name in names},
    }


def has_no(*names: str) -> JsonDict:
    """Return the shape of a body in which none of these fields is given."""
    return {"not": {"anyOf": [has(name) for name in names]}}


class DocumentChoices(BaseModel):
    """The fields that every request for a new document has."""

    model_config = ConfigDict(extra="forbid")

    title: Title | None = None
    collection: Name = "default"
    document_id: UUID | None = None
    on_duplicate: OnDuplicate = OnDuplicate.SKIP
    duplicate_by: DuplicateBy = DuplicateBy.CONTENT
    hold: Annotated[bool, Field(strict=True)] = False
    chunking: dict[str, Any] = Field(default_factory=dict)
    validate_chunks: Annotated[bool, Field(strict=True)] = True
    metadata: dict[str, Any] = Field(default_factory=dict)
    content_date: Day | None = None

    def choices(self, actor: str) -> Choices:
        """Return them as those of a caller, whom the audit names."""
        if len(json.dumps(self.metadata)) > MAX_METADATA_BYTES:
            raise InvalidRequest(f"metadata is larger than {MAX_METADATA_BYTES} bytes")
        return Choices(
            document_id=self.document_id,
            title=self.title,
            metadata=self.metadata,
            content_date=self.content_date,
            options=IngestOptions(
                collection=self.collection,
                on_duplicate=self.on_duplicate,
                duplicate_by=self.duplicate_by,
                hold=self.hold,
                chunking=self.chunking,
                validate_chunks=self.validate_chunks,
            ),
            actor=actor,
        )
