"""An answer as lines for a person to read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

REASONS: Final = {
    "EMPTY_QUERY": "The question has no words to search for.",
    "NO_SUCH_PAGE": "The document does not have the page that the question names.",
    "WHICH_DOCUMENT": "This asks about one document, and several are searched: name one.",
    "NO_DOCUMENTS": "There is no document here that can be searched.",
    "NO_CANDIDATES": "Nothing was found.",
    "BELOW_THRESHOLD": "No passage was close enough to the question.",
    "NOT_INDEXED_FOR_MODEL": "These documents are not yet prepared for this model.",
    "NO_ANSWER_IN_CONTEXT": "No sentence of what was found surely says what was asked.",
}
"""Much as the console says them (`edge/console/words.js`), without what only it has to click on; a
stage may know more than its client."""


def answer_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answer, or why there is none; then the quotes, and the trace to ask about."""
    yield answer["answer"]
    if (abstained := answer["abstained"]) is not None:
        yield from refusal_lines(abstained)
    if note := answer.get("note"):
        yield f"  {note['message']}"
    yield from citation_lines(answer["citations"])
    yield from record_lines(answer)


def refusal_lines(abstained: Mapping[str, Any]) -> Iterator[str]:
    """Yield why there is no answer, and the sentence that came nearest to one."""
    reason, detail = abstained["reason"], abstained["detail"]
    if detail in abstained["message"]:
        yield f"  {reason}"
    else:
        why = f"{reason}: {detail}"
        yield f"  {REASONS[reason]} ({why})" if reason in REASONS else f"  {why}"
    if nearest := abstained.get("nearest"):
        words = _in_one_line(nearest["quote"])
        yield f"  nearest: {nearest['source']}, p. {nearest['page']}: {words}"


def record_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield what failed on the way, and the trace, unless it is what was lost."""
    if lost := answer["degraded"]:
        yield f"  answered with less: {', '.join(lost)}"
    if is_traced(answer):
        yield f"  trace {answer['trace_id']}"


def is_traced(answer: Mapping[str, Any]) -> bool:
    """Whether the stage kept how the answer came about: an answer stands without its trace."""
    return "trace" not in answer["degraded"]


def citation_lines(citations: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the words of each citation with their page, a document's below each other.

    Each is one line: what a page breaks could pass for another citation.
    """
    shown: dict[int, str] = {}
    for citation in sorted(citations, key=lambda one: (one["n"], one["page"])):
        number, place = citation["n"], f"{citation['source']}, page {citation['page']}"
        label = f"[{number}] {place}:" if number not in shown else " " * len(f"[{number}]") + " and"
        if shown.setdefault(number, place) != place:
            label += f" {place}:"
        yield f"  {label} “{_in_one_line(citation['quote'])}”"


def _in_one_line(quote: str) -> str:
    return " ".join(quote.split())
