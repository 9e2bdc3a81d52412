"""A model's answer as JSON: each sentence beside the words that bear it out.

Where the provider enforces schemas, a citation cannot be left out or misspelt. A reply that is no
such JSON is read as prose with markers, as a streamed one is.
"""

from collections.abc import Callable
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pulsedocs.answering.claims import MARKER, MAX_ANSWER, Claim, Marker
from pulsedocs.answering.neutral import without_controls, without_markup
from pulsedocs.answering.sentences import before_final_stop, split_sentences
from pulsedocs.model.answers import ReplySchema

_MOST_SENTENCES: Final = 100
_CITED: Final = {
    "type": "object",
    "properties": {"source": {"type": "integer"}, "quote": {"type": "string"}},
    "required": ["source", "quote"],
    "additionalProperties": False,
}
_SENTENCE: Final = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "citations": {"type": "array", "items": _CITED},
    },
    "required": ["text", "citations"],
    "additionalProperties": False,
}
CITED_ANSWER: Final = ReplySchema(
    "cited_answer",
    {
        "type": "object",
        "properties": {"sentences": {"type": "array", "items": _SENTENCE}},
        "required": ["sentences"],
        "additionalProperties": False,
    },
)


class _Citation(BaseModel):
    model_config = ConfigDict(strict=True)

    source: int
    quote: Annotated[str, Field(max_length=2000)]


class _Sentence(BaseModel):
    model_config = ConfigDict(strict=True)

    text: str
    citations: list[_Citation]


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True)

    sentences: Annotated[list[_Sentence], Field(max_length=_MOST_SENTENCES)]


def structured_claims(reply: str, *, is_known_address: Callable[[str], bool]) -> list[Claim] | None:
    """Return the sentences of a JSON answer; None where the reply is none.

    Of a text that holds several sentences, the last has the citations: the others have to stand in
    a source nearly as they are.
    """
    fenced = reply.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    if len(reply) > MAX_ANSWER or not fenced.lstrip().startswith("{"):
        return None
    try:
        sentences = _Reply.model_validate_json(fenced).sentences
    except ValidationError:
        return None
    claims: list[Claim] = []
    for sentence in sentences:
        plain = " ".join(MARKER.sub("", without_controls(sentence.text)).split())
        text = without_markup(plain, is_known_address=is_known_address)
        markers = [Marker(one.source, without_controls(one.quote)) for one in sentence.citations]
        *others, last = [text[span.start : span.end] for span in split_sentences(text)] or [""]
        claims += [Claim((other,), 0) for other in others]
        cut = before_final_stop(last)
        if last:
            claims.append(Claim((last[:cut], *markers, last[cut:]), 0))
    return claims
