"""A plug-in's reranker behind the port: every passage gets its score, or the answer is refused."""

import math
from collections.abc import Sequence

from pulsedocs.calls.tries import within
from pulsedocs.embedding import encodable
from pulsedocs.errors import PulseDocsError, RerankingError, TimedOut
from pulsedocs.model.deadline import Deadline
from pulsedocs.plugins import BaseReranker, ScoredChunk


class PluginReranker:
    """Implements `ports.providers.Reranker`."""

    def __init__(self, model: str, plugin: BaseReranker) -> None:
        self._model = model
        self._plugin = plugin

    @property
    def model(self) -> str:
        return self._model

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        """Ask for all passages, so that selection stays a matter of the profile."""
        if not passages:
            return ()
        scores = {item.index: item.score for item in self._rerank(query, passages, deadline)}
        is_whole = scores.keys() == set(range(len(passages)))
        if not is_whole or not all(map(math.isfinite, scores.values())):
            raise RerankingError(
                f"the plug-in {self._model!r} scored {len(scores)} of {len(passages)} passages"
            )
        return tuple(scores[index] for index in range(len(passages)))

    def _rerank(
        self, query: str, passages: Sequence[str], deadline: Deadline
    ) -> Sequence[ScoredChunk]:
        asked, readable = encodable(query), [encodable(text) for text in passages]
        deadline.timeout(1)
        try:
            return within(deadline, lambda: self._plugin.rerank(asked, readable, len(readable)))
        except PulseDocsError:
            raise
        except TimeoutError:
            raise TimedOut(f"the plug-in {self._model!r} took too long") from None
        except Exception as error:
            raise RerankingError(
                f"the plug-in {self._model!r} failed: {type(error).__name__}"
            ) from error
