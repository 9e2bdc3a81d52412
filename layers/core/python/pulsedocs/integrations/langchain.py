"""A retriever and a loader for LangChain."""

from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from pulsedocs.client import PulseDocs
from pulsedocs.integrations.passages import Passage, pages_of, passages_in


class PulseDocsRetriever(BaseRetriever):
    """Passages by relevance; `options` are those of `PulseDocs.retrieve`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    docs: PulseDocs
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        return [_document(each) for each in passages_in(self.docs.retrieve(query, **self.options))]


class PulseDocsLoader(BaseLoader):
    """The pages of what was read, cleaned and recognised, one document each."""

    def __init__(self, docs: PulseDocs, *, collection: str | None = None) -> None:
        self._docs = docs
        self._collection = collection

    def lazy_load(self) -> Iterator[Document]:
        return map(_document, pages_of(self._docs, collection=self._collection))


def _document(passage: Passage) -> Document:
    score = {} if passage.score is None else {"relevance": passage.score}
    return Document(passage.text, id=passage.id, metadata={**passage.metadata, **score})
