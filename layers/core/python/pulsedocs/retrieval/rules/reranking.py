"""The reranker's order, of what it read. Its scores and fused ones do not compare."""

from collections.abc import Sequence
from typing import Final

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import LostAt, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.ordering import Ranked, reorder
from pulsedocs.retrieval.rules.rule import Loss, Lost, Rejection, Rule, Sifted, Told


def shortlist(ranked: Sequence[Ranked], profile: Profile) -> list[Ranked]:
    """Return what the reranker is given to read."""
    return list(ranked[: profile.rerank_candidates])


def reranked(ranked: Sequence[Ranked], evidence: Evidence, profile: Profile) -> Sifted:
    """Order what the reranker has read and drop the rest; without a reranker nothing changes.

    What the embedder judges in its place stays as far as it is on the shortlist. Of pages that a
    question names, the printed number goes first.
    """
    asked = evidence.asked_pages

    def place(item: Ranked) -> int:
        return min((asked.index(page) for page in item.passage.pages if page in asked), default=0)

    if all(item.passage.rerank is None for item in ranked):
        return sorted(ranked, key=place), []
    listed = {item.passage.chunk_id for item in shortlist(ranked, profile)}
    read: list[Ranked] = []
    unread: list[tuple[int, Ranked]] = []
    for rank, item in enumerate(ranked, start=1):
        passage = item.passage
        is_judged = passage.by_similarity and passage.chunk_id in listed
        if passage.rerank is not None or is_judged:
            read.append(item)
        else:
            unread.append((rank, Ranked(passage, item.fused, score=0.0)))
    dropped = [
        Rejection(item, Reason.OUTRANKED, {"fused_rank": rank, "reranked": len(read)})
        for rank, item in unread
    ]
    return sorted(reorder(read, profile), key=place), dropped


def _tell(lost: Lost) -> Told:
    read = [item for item in lost.everyone if item.passage.rerank is not None]
    last = [max(read, key=lambda item: item.place_by_legs)] if read else []
    return f"the reranker read the first {lost.decision.numbers['reranked']}", last


RERANKING: Final = Rule(
    "reranking",
    EvaluatedStep.RERANKED,
    needs=frozenset({"rerank_candidates", "rerank_weight", "rrf_k", "blend_scores", "name_weight"}),
    apply=reranked,
    gives={Reason.OUTRANKED: Loss(LostAt.OUT_RANKED, "reranked", _tell)},
)
