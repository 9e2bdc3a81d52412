"""Ingestion: pages to cleaned text, and the sentences to measure where a profile asks for it."""

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, databases, providers
from pulsedocs.edge.tasks import RunRequest, task
from pulsedocs.ingestion.clean_document import CleanResult, clean_document


@task(RunRequest)
def handler(request: RunRequest) -> CleanResult:
    return clean_document(
        request.run,
        objects=buckets.object_store(),
        store=databases.ingestion_store(),
        count_tokens=_count_tokens,
        batch_size=bootstrap.settings().embedding_batch_size,
    )


def _count_tokens(text: str) -> int:
    """Load the tokenizer when first needed: it takes 0.4 s, and most documents need none here."""
    return providers.token_counter()(text)
