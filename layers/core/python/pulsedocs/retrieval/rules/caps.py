"""At most n passages of a page, a section and a document, the best first."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import LostAt, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence, Passage
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.rule import (
    Decision,
    Loss,
    Lost,
    Rejection,
    Rule,
    Sifted,
    Told,
)

_Key: TypeAlias = tuple[Reason, str]


def diverse(ranked: Sequence[Ranked], evidence: Evidence, profile: Profile) -> Sifted:
    limits = {
        Reason.PAGE_LIMIT: profile.per_page,
        Reason.SECTION_LIMIT: profile.per_section,
        Reason.DOCUMENT_LIMIT: 0 if evidence.single_document else profile.per_document,
    }
    taken: Counter[_Key] = Counter()
    kept: list[Ranked] = []
    dropped: list[Rejection] = []
    for item in ranked:
        keys = [key for key in _counted_for(item.passage) if limits[key[0]]]
        full = next((key for key in keys if taken[key] >= limits[key[0]]), None)
        if full is None:
            taken.update(keys)
            kept.append(item)
        else:
            numbers = {"limit": limits[full[0]], "of": full[1]}
            dropped.append(Rejection(item, full[0], numbers))
    return kept, dropped


def _counted_for(passage: Passage) -> list[_Key]:
    """Return what the caps count, in the order in which a full one is named."""
    document = str(passage.document_id)
    keys = [(Reason.PAGE_LIMIT, f"{document} page {page}") for page in passage.pages]
    if passage.section:
        keys.append((Reason.SECTION_LIMIT, f"{document} section {passage.section}"))
    return [*keys, (Reason.DOCUMENT_LIMIT, document)]


def _tell(lost: Lost) -> Told:
    own = lost.decision
    kind = own.reason.value.partition("_")[0].lower()
    takers = [item for item in lost.further if _share(item, own)]
    return f"its {kind} may give {own.numbers['limit']}, and better ones of it did", takers


def _share(other: Decision, capped: Decision) -> bool:
    """Return whether two passages count towards the cap that ended one of them."""
    left, right = other.passage, capped.passage
    if left.document_id != right.document_id:
        return False
    if capped.reason is Reason.PAGE_LIMIT:
        full = int(str(capped.numbers["of"]).rpartition(" ")[2])
        return full in left.pages
    return capped.reason is Reason.DOCUMENT_LIMIT or left.section == right.section


_CAPPED: Final = Loss(LostAt.CAPPED, "limit", _tell)

CAPS: Final = Rule(
    "caps",
    EvaluatedStep.CAPPED,
    needs=frozenset({"per_page", "per_section", "per_document"}),
    apply=diverse,
    gives={
        Reason.PAGE_LIMIT: _CAPPED,
        Reason.SECTION_LIMIT: _CAPPED,
        Reason.DOCUMENT_LIMIT: _CAPPED,
    },
)
