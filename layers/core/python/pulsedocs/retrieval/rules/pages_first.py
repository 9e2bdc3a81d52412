"""A page that was shown already waits until each other one was. Nothing is dropped.

Who looks for a page looks at the first few places, and three passages of one page fill them.
"""

from collections.abc import Sequence
from typing import Final

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.rule import Rule, Sifted


def pages_first(ranked: Sequence[Ranked], _evidence: Evidence, profile: Profile) -> Sifted:
    if not profile.pages_first:
        return list(ranked), []
    # A passage is named by the first of its pages.
    pages = [(item.passage.document_id, item.passage.pages[:1]) for item in ranked]
    is_repeated = [page in pages[:place] for place, page in enumerate(pages)]
    order = sorted(range(len(ranked)), key=is_repeated.__getitem__)
    return [ranked[place] for place in order], []


PAGES_FIRST: Final = Rule(
    "pages_first",
    EvaluatedStep.SELECTED,
    needs=frozenset({"pages_first"}),
    apply=pages_first,
)
