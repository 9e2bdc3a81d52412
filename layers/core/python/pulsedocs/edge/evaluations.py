"""What an evaluation is asked with, and what is shown of it."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from pulsedocs.edge.questions import Text
from pulsedocs.edge.requests import Name, Page, PolicyName, never
from pulsedocs.model.evaluations import MOST_QUESTIONS, Expected, LabelledQuestion


class ExpectedRequest(BaseModel):
    """A place that answers; a quote holds after documents are cut into other chunks."""

    model_config = ConfigDict(extra="forbid")

    source: Annotated[str, Field(min_length=1, max_length=1024)]
    page: Page | None = None
    quote: Annotated[str, Field(min_length=1, max_length=2000)] | None = None


_EXPECTS: JsonDict = {"properties": {"expected": {"minItems": 1}}, "required": ["expected"]}
_HAS_AN_ANSWER: JsonDict = {
    "properties": {"answerable": {"const": True}},
    "required": ["answerable"],
}
_HAS_NONE: JsonDict = {"properties": {"answerable": {"const": False}}, "required": ["answerable"]}


class LabelledRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra=never(
            {"allOf": [_HAS_AN_ANSWER, {"not": _EXPECTS}]}, {"allOf": [_HAS_NONE, _EXPECTS]}
        ),
    )

    question: Annotated[Text, Field(min_length=1)]
    expected: Annotated[list[ExpectedRequest], Field(max_length=50)] = Field(
        default_factory=list[ExpectedRequest]
    )
    answerable: Annotated[bool, Field(strict=True)] | None = None

    @model_validator(mode="after")
    def _agree(self) -> "LabelledRequest":
        if self.answerable is not None and self.answerable != bool(self.expected):
            raise ValueError("a question is answerable when it names where its answer is expected")
        return self

    def to_question(self) -> LabelledQuestion:
        expected = tuple(Expected(**place.model_dump()) for place in self.expected)
        return LabelledQuestion(self.question, expected, answerable=bool(expected))


class EvaluationRequest(BaseModel):
    """Questions whose answers are known, and the policies to compare on them."""

    model_config = ConfigDict(extra="forbid")

    collection: Name = "default"
    questions: Annotated[list[LabelledRequest], Field(min_length=1, max_length=MOST_QUESTIONS)]
    profiles: Annotated[list[PolicyName], Field(min_length=1, max_length=5)] = Field(
        default_factory=lambda: ["default"]
    )


class EvaluationView(BaseModel):
    """`profiles` fills as they are done; `corpus` changes when the documents do.

    An `error` beside RUNNING is what the last try ended by; there is another.
    """

    evaluation_id: UUID
    state: Literal["QUEUED", "RUNNING", "DONE", "FAILED"]
    collection: str
    questions: int
    profiles: dict[str, dict[str, Any] | None]
    corpus: str | None
    complete: bool
    error: dict[str, str] | None
