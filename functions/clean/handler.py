"""Ingestion: pages to cleaned text, and the sentences to measure where a profile asks for it."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import task
from pulsedocs.ingestion.clean_document import clean_document
from pulsedocs.model.documents import Run
from pulsedocs.model.steps import CleanResult


class CleanRequest(BaseModel):
    run: Run


@task(CleanRequest)
def handler(request: CleanRequest) -> CleanResult:
    return clean_document(
        request.run,
        objects=bootstrap.object_store(),
        store=bootstrap.ingestion_store(),
        count_tokens=_count_tokens,
        batch_size=bootstrap.settings().embedding_batch_size,
    )


def _count_tokens(text: str) -> int:
    """Load the tokenizer when first needed: it takes 0.4 s, and most documents need none here."""
    return bootstrap.token_counter()(text)
