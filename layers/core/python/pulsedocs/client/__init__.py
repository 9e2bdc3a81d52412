"""PulseDocs from a program: add documents, change them, find passages, ask.

from pulsedocs.client import PulseDocs

with PulseDocs(url, token) as docs:
    added = docs.add_documents([Path("report.pdf")], collection="reports")
    print(docs.ask("How much is the deposit?", collection="reports")["answer"])

`AsyncPulseDocs` has the same methods to await.
"""

from pulsedocs.client.documents import DocumentInput
from pulsedocs.client.operations import AsyncConversation, AsyncPulseDocs
from pulsedocs.client.refusals import RequestRefused, StageUnreachable
from pulsedocs.client.results import AddDocumentsResponse, DocumentResult, ProcessingStats
from pulsedocs.client.service import Conversation, PulseDocs

__all__ = [
    "AddDocumentsResponse",
    "AsyncConversation",
    "AsyncPulseDocs",
    "Conversation",
    "DocumentInput",
    "DocumentResult",
    "ProcessingStats",
    "PulseDocs",
    "RequestRefused",
    "StageUnreachable",
]
