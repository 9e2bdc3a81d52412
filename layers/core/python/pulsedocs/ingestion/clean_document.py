"""Ingestion: raw pages to cleaned text, pure and deterministic."""

from collections.abc import Sequence
from dataclasses import dataclass

from pulsedocs.chunking import SentenceBatch
from pulsedocs.cleaning import clean
from pulsedocs.embedding import tokens_at_most
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.ingestion.sentence_distances import chunking_choice, planned_batches, write_sentences
from pulsedocs.ingestion.store_pages import empty_report
from pulsedocs.model.budgets import bought
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import references
from pulsedocs.model.object_keys import open_marker_key
from pulsedocs.model.pages import CleanedPage
from pulsedocs.model.steps import CleanResult
from pulsedocs.pipeline import Outcome
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import TokenCounter


@dataclass(frozen=True, slots=True)
class CleanPlan:
    """`sentences` are to be measured before the text can be cut; most profiles need none."""

    pages: list[CleanedPage]
    model: str
    sentences: list[SentenceBatch]


def clean_document(
    run: Run,
    *,
    objects: ObjectStore,
    store: IngestionStore,
    count_tokens: TokenCounter,
    batch_size: int,
) -> CleanResult:
    """Write the cleaned text beside the raw; nothing that shows means EMPTY.

    Batches of sentences are written before the transaction, as `chunk` does with its own.
    """

    def plan() -> CleanPlan:
        pages = clean(store.raw_pages(run))
        model = store.active_model(run)
        profile = chunking_choice(run, store).profile
        sentences = planned_batches(
            pages, profile, model=model, count_tokens=count_tokens, batch_size=batch_size
        )
        _reserve(run, sentences, model=model, store=store)
        fault_point("clean.before_sentences")
        write_sentences(run, sentences, objects=objects)
        return CleanPlan(pages, model, sentences)

    result = store.perform(run, CleanResult, plan=plan, write=_write)
    if result.outcome is not None:
        objects.remove(open_marker_key(run.tenant_id, run.document_id))
    return result


def _reserve(
    run: Run, sentences: Sequence[SentenceBatch], *, model: str, store: IngestionStore
) -> None:
    tokens = sum(tokens_at_most(text) for batch in sentences for text in batch.texts)
    if tokens:
        store.reserve(run, model, bought(model, input_tokens=tokens))


def _write(writer: StepWriter, planned: CleanPlan) -> CleanResult:
    writer.write_cleaned(planned.pages)
    if not any(page.text.strip() for page in planned.pages):
        writer.end(Outcome.EMPTY, error=empty_report(len(planned.pages)))
        return CleanResult(outcome=Outcome.EMPTY)
    hashes = dict.fromkeys(batch.batch_hash for batch in planned.sentences)
    return CleanResult(
        outcome=None,
        pages=len(planned.pages),
        model=planned.model,
        measures=bool(hashes),
        sentences=references(hashes),
    )
