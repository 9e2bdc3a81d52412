"""Ingestion: raw pages to cleaned text, pure and deterministic."""

from pulsedocs.cleaning import clean
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import open_marker_key
from pulsedocs.model.pages import CleanedPage
from pulsedocs.pipeline import Outcome, Step
from pulsedocs.ports import IngestionStore, ObjectStore, StepResult, StepWriter
from pulsedocs.usecases.store_pages import empty_report


def clean_document(run: Run, *, objects: ObjectStore, store: IngestionStore) -> StepResult:
    """Write the cleaned text beside the raw; only furniture left means EMPTY."""

    def write(writer: StepWriter, pages: list[CleanedPage]) -> StepResult:
        writer.write_cleaned(pages)
        if not any(page.text.strip() for page in pages):
            writer.end(Outcome.EMPTY, error=empty_report(len(pages)))
            return {"outcome": Outcome.EMPTY.value}
        return {"outcome": None, "pages": len(pages)}

    result = store.perform(run, Step.CLEAN, plan=lambda: clean(store.raw_pages(run)), write=write)
    if result["outcome"] is not None:
        objects.remove(open_marker_key(run.tenant_id, run.document_id))
    return result
