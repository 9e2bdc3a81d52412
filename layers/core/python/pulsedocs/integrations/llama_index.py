"""A retriever for LlamaIndex."""

from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from pulsedocs.client import PulseDocs
from pulsedocs.integrations.passages import passages_in


class PulseDocsRetriever(BaseRetriever):
    """Passages by relevance; `options` are those of `PulseDocs.retrieve`."""

    def __init__(self, docs: PulseDocs, **options: Any) -> None:
        super().__init__()
        self._docs = docs
        self._options = options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._docs.retrieve(query_bundle.query_str, **self._options)
        return [
            NodeWithScore(
                node=TextNode(id_=each.id, text=each.text, metadata=each.metadata),
                score=each.score,
            )
            for each in passages_in(found)
        ]
