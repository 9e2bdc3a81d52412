"""A component for pipelines of Haystack."""

from typing import Any

from haystack import Document, component

from pulsedocs.client import PulseDocs
from pulsedocs.integrations.passages import passages_in


@component
class PulseDocsRetriever:
    """Passages by relevance; `options` are those of `PulseDocs.retrieve`."""

    def __init__(self, docs: PulseDocs, **options: Any) -> None:
        self._docs = docs
        self._options = options

    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict[str, list[Document]]:
        found = passages_in(self._docs.retrieve(query, **self._options))
        return {
            "documents": [
                Document(id=each.id, content=each.text, meta=each.metadata, score=each.score)
                for each in found
            ]
        }
