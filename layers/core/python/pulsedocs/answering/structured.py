"""A model's answer as JSON: each sentence beside the words that bear it out.

Where the provider enforces schemas, a citation cannot be left out or misspelt; elsewhere, and where
a reply ends at its limit, what is whole is read. A reply without such JSON is read as prose with
markers, as a streamed one is.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from json import JSONDecoder
from typing import Annotated, Final, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from pulsedocs.answering.claims import MARKER, MAX_ANSWER, Claim, Marker, claims_of
from pulsedocs.answering.neutral import without_controls, without_markup
from pulsedocs.answering.sentences import before_final_stop, split_sentences
from pulsedocs.model.answers import ReplySchema

_MOST_SENTENCES: Final = 100
_JSON: Final = JSONDecoder(strict=False)  # models break lines inside a text
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

_Read = TypeVar("_Read", bound=BaseModel)


class _Citation(BaseModel):
    source: int
    quote: Annotated[str, Field(max_length=2000)]


def _listed(one: object) -> object:
    """Return one citation as the list of it, which weak models leave out."""
    return [cast("object", one)] if isinstance(one, dict) else one


class _Sentence(BaseModel):
    text: str
    citations: Annotated[list[object], BeforeValidator(_listed)] = []


def structured_claims(reply: str, *, is_known_address: Callable[[str], bool]) -> list[Claim] | None:
    """Return the sentences of a JSON answer; None where the reply is none, or has none to read.

    Of a text that holds several sentences, the last has the citations: the others have to stand in
    a source nearly as they are.
    """
    found = _sentences_in(reply[:MAX_ANSWER])
    sentences = _valid(_Sentence, found or [])
    if prose := [one for one in found or [] if isinstance(one, str)]:
        return claims_of("\n".join(prose), is_known_address=is_known_address)
    if found is None or (found and not sentences):
        return None
    claims: list[Claim] = []
    for sentence in sentences[:_MOST_SENTENCES]:
        plain = " ".join(MARKER.sub("", without_controls(sentence.text)).split())
        text = without_markup(plain, is_known_address=is_known_address)
        cited = _valid(_Citation, sentence.citations)
        markers = [Marker(one.source, without_controls(one.quote)) for one in cited]
        *others, last = [text[span.start : span.end] for span in split_sentences(text)] or [""]
        claims += [Claim((other,), 0) for other in others]
        cut = before_final_stop(last)
        if last:
            claims.append(Claim((last[:cut], *markers, last[cut:]), 0))
    return claims


def _sentences_in(reply: str) -> list[object] | None:
    """Return what stands as sentences in a reply; None where it has none of their form."""
    found: list[object] | None = None
    for each in _objects_in(reply):
        if isinstance(listed := each.get("sentences"), list):
            found = [*(found or []), *cast("list[object]", listed)]
        elif "text" in each and "citations" in each:
            found = [*(found or []), each]
    return found


def _objects_in(reply: str) -> Iterator[dict[str, object]]:
    """Yield the objects of JSON in a text; of one that is cut short, the whole ones inside it."""
    start = reply.find("{")
    while start >= 0:
        try:
            each, end = _JSON.raw_decode(reply, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield each
        start = reply.find("{", end)


def _valid(kind: type[_Read], found: Iterable[object]) -> list[_Read]:
    """Return those that can be read; one that cannot costs no other."""
    valid: list[_Read] = []
    for each in found:
        with suppress(ValidationError):
            valid.append(kind.model_validate(each))
    return valid
