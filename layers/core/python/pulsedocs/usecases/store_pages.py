"""Ingestion: what extraction found, validated, from S3 into rows."""

from pulsedocs.errors import PDFEmptyError
from pulsedocs.model.documents import ErrorReport, Run
from pulsedocs.model.object_keys import open_marker_key
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.pipeline import Outcome, Step
from pulsedocs.ports import IngestionStore, ObjectStore, StepResult, StepWriter
from pulsedocs.usecases.artifacts import decode_pages
from pulsedocs.usecases.extract_document import Extracted


def store_pages(
    run: Run, extracted: Extracted, *, objects: ObjectStore, store: IngestionStore
) -> StepResult:
    """Record the content and its pages; a duplicate or a file without text ends here."""

    def write(writer: StepWriter, pages: list[Page]) -> StepResult:
        decision = writer.accept_content(
            sha256=bytes.fromhex(extracted.sha256), size=extracted.size, pages=len(pages)
        )
        if decision.outcome is not None:
            writer.end(decision.outcome)
            ended = {"outcome": decision.outcome.value, "duplicate_of": str(decision.duplicate_of)}
            return {**ended, "extract_ms": extracted.elapsed_ms}
        read = {"pages": len(pages), "extract_ms": extracted.elapsed_ms}
        writer.insert_pages(pages)
        if not any(page.outcome is PageOutcome.TEXT for page in pages):
            writer.end(Outcome.EMPTY, error=empty_report(len(pages)))
            return {"outcome": Outcome.EMPTY.value, **read}
        return {"outcome": None, **read}

    result = store.perform(
        run,
        Step.STORE,
        plan=lambda: decode_pages(objects.read(extracted.pages_key)),
        write=write,
    )
    if result["outcome"] is not None:
        objects.remove(open_marker_key(run.tenant_id, run.document_id))
    return result


def empty_report(pages: int) -> ErrorReport:
    """Say why a document without text is not simply published."""
    return ErrorReport(
        code=PDFEmptyError.code,
        message=f"none of the {pages} pages has readable text",
        context={"pages": pages},
        guidance=PDFEmptyError.guidance,
    )
