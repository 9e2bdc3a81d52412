"""Whether a proof holds, without the stage: its signature, its choice, its words in originals."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pulsedocs.errors import ArtifactInvalid
from pulsedocs.model.highlights import text_digest
from pulsedocs.model.plurals import counted
from pulsedocs.model.proofs import Proof, ProvenCitation, Signature
from pulsedocs.pipeline import PIPELINE_REVISION
from pulsedocs.questions.proof_file import opened
from pulsedocs.retrieval.trace import foreign_names, marks_of, reading, replay

SHOWS: Final = True
REFUTES: Final = False
CANNOT_SAY: Final = None

_OTHER_VERSION: Final = "verify it with the version of `pulsedocs` that the stage has"
_SHORTEST_KEY_ID: Final = 8  # a beginning of less is found by trying keys for a minute

PagesOf = Callable[[bytes, ProvenCitation], Mapping[int, str]]
"""Reads a file as ingestion does: the text of each page by its number, from 1."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `holds` is None where nothing given can tell."""

    holds: bool | None
    detail: str

    @property
    def line(self) -> str:
        """One line, whoever wrote the names in it: a stranger's file could add verdicts to it."""
        mark = {SHOWS: "yes", REFUTES: "NO ", CANNOT_SAY: " ? "}[self.holds]
        shown = (each if each.isprintable() else "\ufffd" for each in self.detail)
        return f"{mark}  {''.join(shown)}"


def verify_proof(
    file: bytes,
    originals: Sequence[bytes],
    *,
    pages_of: PagesOf,
    is_signed: Callable[[bytes, Signature], bool],
    key_id: str | None = None,
) -> Iterator[Check]:
    """Check a file, with as many originals as are at hand. Raises InvalidRequest for no proof.

    `key_id` is that of the stage, or its beginning, from whoever keeps it: the file's own proves
    only that one hand wrote all of it.
    """
    proof, body, signature = opened(file)
    if is_signed(body, signature):
        yield Check(SHOWS, "not a letter was changed since it was signed")
    else:
        yield Check(REFUTES, "the signature does not fit: the file was changed after it was signed")
    yield _signer(signature.key_id, key_id)
    yield from _choice(proof)
    by_digest = {hashlib.sha256(original).hexdigest(): original for original in originals}
    for citation in proof.citations:
        yield _words(citation, by_digest, pages_of)


def _signer(found: str, wanted: str | None) -> Check:
    if wanted is None:
        return Check(CANNOT_SAY, f"whose key {found} is: compare it with the stage's /proofs/keys")
    if len(wanted) >= _SHORTEST_KEY_ID and found.startswith(wanted):
        return Check(SHOWS, "the key is the one expected")
    return Check(REFUTES, f"signed with the key {found}, not with {wanted}")


def _choice(proof: Proof) -> Iterator[Check]:
    trace = dict(proof.trace)
    try:
        with reading():
            differences = replay(trace)
            is_cited = marks_of(trace) == tuple(citation.mark for citation in proof.citations)
    except ArtifactInvalid:
        yield Check(CANNOT_SAY, f"which passages its rules select: {_OTHER_VERSION}")
        return
    passages = counted(len(trace["candidates"]), "passage")
    if differences and (names := foreign_names(trace)):
        unknown = f"this version knows no {', '.join(sorted(names))}; {_OTHER_VERSION}"
        yield Check(CANNOT_SAY, f"which of {passages} its rules select: {unknown}")
    elif differences:
        yield Check(REFUTES, f"the trace selects others of its {passages}")
    else:
        yield Check(SHOWS, f"its rules select these of {passages} when computed again")
    if not is_cited:
        yield Check(REFUTES, "the citations are not those of the trace")


def _words(citation: ProvenCitation, originals: Mapping[str, bytes], pages_of: PagesOf) -> Check:
    words, mark = citation.words, citation.mark
    where = f"[{citation.n}] {words.origin.source}, page {mark.page}"
    original = originals.get(words.origin.file_sha256 or "")
    if original is None:
        digest = (words.origin.file_sha256 or "")[:12]
        return Check(CANNOT_SAY, f"{where}: no file given has the digest {digest}…")
    text = pages_of(original, citation).get(mark.page, "")
    if text_digest(text) == words.text_sha256 and text[mark.start : mark.end] == words.quote:
        return Check(SHOWS, f"{where}: characters {mark.start} to {mark.end} are these words")
    if " ".join(words.quote.split()) in " ".join(text.split()):
        return Check(SHOWS, f"{where}: the words stand on the page")
    if words.origin.pipeline_revision == PIPELINE_REVISION:
        return Check(REFUTES, f"{where}: the words do not stand there")
    rules = f"read by rules {words.origin.pipeline_revision}, looked for by {PIPELINE_REVISION}"
    return Check(CANNOT_SAY, f"{where}: the words were not found ({rules})")
