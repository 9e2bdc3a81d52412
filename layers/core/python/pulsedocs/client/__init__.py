"""PulseDocs from a program: add documents, change them, find passages, ask.

from pulsedocs.client import PulseDocs

with PulseDocs(url, token) as docs:
    added = docs.add_documents([Path("report.pdf")], collection="reports")
    print(docs.ask("How much is the deposit?", collection="reports")["answer"])
"""

from pulsedocs.client.documents import DocumentInput
from pulsedocs.client.results import AddedDocuments, ProcessingStats
from pulsedocs.client.service import PulseDocs
from pulsedocs.client.transport import RequestRefused

__all__ = ["AddedDocuments", "DocumentInput", "ProcessingStats", "PulseDocs", "RequestRefused"]
