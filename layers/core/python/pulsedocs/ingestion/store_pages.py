"""Ingestion: what extraction found, validated, from S3 into rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from pulsedocs.errors import (
    ArtifactInvalid,
    PDFEmptyError,
    ResourceExhausted,
    TooManyPagesFailed,
    TooMuchText,
)
from pulsedocs.extraction import Budgets
from pulsedocs.ingestion.extract_document import Extracted
from pulsedocs.ingestion.extract_range import RangeRead
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.model.artifacts import decode_pages
from pulsedocs.model.documents import ErrorReport, Run
from pulsedocs.model.object_keys import open_marker_key, pages_key, recognised_key
from pulsedocs.model.page_ranges import is_whole
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.model.steps import StepResult
from pulsedocs.model.titles import title_of
from pulsedocs.model.warnings import warnings_of
from pulsedocs.pipeline import Outcome, Step
from pulsedocs.ports.objects import ObjectStore

_NO_WORDS: Final = "Check that it is the file that was meant, and upload it again."
_CHARACTERS: Final = Budgets().document_characters  # ranges know only their own


class StoreResult(StepResult):
    step = Step.STORE

    outcome: Outcome | None = None
    duplicate_of: UUID | None = None
    pages: int = 0
    extract_ms: int = 0


def store_pages(
    run: Run,
    extracted: Extracted,
    recognised: Sequence[RangeRead] = (),
    *,
    objects: ObjectStore,
    store: IngestionStore,
) -> StoreResult:
    """Record the content and its pages; a duplicate or a file without text ends here.

    Pages whose words were recognised stand in for the pictures that were extracted.
    """

    def write(writer: StepWriter, pages: list[Page]) -> StoreResult:
        decision = writer.accept_content(
            sha256=bytes.fromhex(extracted.sha256), size=extracted.size, pages=len(pages)
        )
        if decision.outcome is not None:
            writer.end(decision.outcome)
            return StoreResult(
                outcome=decision.outcome,
                duplicate_of=decision.duplicate_of,
                extract_ms=extracted.elapsed_ms,
            )
        writer.insert_pages(pages)
        writer.name_file(title_of(pages))
        # Behind the decision: a duplicate costs its tenant no page of the day.
        writer.count_pages(len(pages))
        writer.warn(warnings_of(pages))
        outcome = None if any(page.has_text for page in pages) else Outcome.EMPTY
        if outcome is not None:
            is_text = not any(page.is_sheet for page in pages)
            writer.end(outcome, error=empty_report(len(pages), is_text=is_text))
        return StoreResult(outcome=outcome, pages=len(pages), extract_ms=extracted.elapsed_ms)

    result = store.perform(
        run,
        StoreResult,
        plan=lambda: _pages(run, extracted, recognised, objects=objects),
        write=write,
    )
    if result.outcome is not None:
        objects.remove(open_marker_key(run.tenant_id, run.document_id))
    return result


def _pages(
    run: Run, extracted: Extracted, recognised: Sequence[RangeRead], *, objects: ObjectStore
) -> list[Page]:
    """Return every page. Raises ArtifactInvalid, TooMuchText and TooManyPagesFailed."""
    parts = sorted(extracted.parts)
    if not is_whole(parts, page_count=extracted.pages):
        message = f"the {len(parts)} parts are not the document's {extracted.pages} pages"
        raise ArtifactInvalid(message, pages=extracted.pages, parts=len(parts))
    pages: list[Page] = []
    characters = 0
    for part in parts:
        pages += decode_pages(objects.read(pages_key(run, part)), part)
        # Counted as they come: too many are noticed before all of them are in memory.
        characters += sum(len(page.text) for page in pages[part.first - 1 :])
        if characters > _CHARACTERS:
            raise TooMuchText(f"more than {_CHARACTERS} characters", page=part.last)
    for scan in recognised:
        stretch = slice(scan.first - 1, scan.last)
        if scan.lost is None:
            read = decode_pages(objects.read(recognised_key(run, scan.part)), scan.part)
            pages[stretch] = map(_better, pages[stretch], read)
        else:
            pages[stretch] = [_lost(page) for page in pages[stretch]]
    if sum(len(page.text) for page in pages) > _CHARACTERS:
        raise TooMuchText(f"more than {_CHARACTERS} characters", page=len(pages))
    if pages and all(page.outcome is PageOutcome.FAILED for page in pages):
        message = f"{_none_of(len(pages))} could be read (page 1: {pages[0].failure})"
        raise TooManyPagesFailed(message)
    return pages


def _better(extracted: Page, recognised: Page) -> Page:
    """Return the recognised page, unless that failed and the page has some text of its own."""
    has_failed = recognised.outcome is PageOutcome.FAILED
    return _lost(extracted) if has_failed and extracted.has_text else recognised


def _lost(page: Page) -> Page:
    """Return a page as it is when nobody could recognise its words: one without any has failed."""
    if not page.is_picture:
        return page
    if page.has_text:  # of a stamp, or its number
        return replace(page, unread=(*page.unread, "the words on its picture"))
    return replace(page, outcome=PageOutcome.FAILED, failure=ResourceExhausted.code)


def empty_report(pages: int, *, is_text: bool = False) -> ErrorReport:
    """Say why a document without words is not simply published; a text was not scanned."""
    message, guidance = f"{_none_of(pages)} has readable text", PDFEmptyError.guidance
    if is_text:
        message, guidance = "the text has no words", _NO_WORDS
    context = {"pages": pages}
    return ErrorReport(PDFEmptyError.code, message, context=context, guidance=guidance)


def _none_of(pages: int) -> str:
    return "no page" if pages == 1 else f"none of the {pages} pages"
