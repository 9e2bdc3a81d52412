"""Ingestion: raw pages to cleaned text, pure and deterministic."""

from dataclasses import dataclass

from pulsedocs.cleaning import clean
from pulsedocs.embedding_models.vectors import reserve_texts
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.ingestion.sentence_distances import SentencePlan, plan_sentences, write_sentences
from pulsedocs.ingestion.store_pages import empty_report
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddingBatchReference, references
from pulsedocs.model.object_keys import open_marker_key
from pulsedocs.model.pages import CleanedPage
from pulsedocs.model.steps import StepResult
from pulsedocs.pipeline import Outcome, Step
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import TokenCounter


@dataclass(frozen=True, slots=True)
class CleanPlan:
    pages: list[CleanedPage]
    sentences: SentencePlan


class CleanResult(StepResult):
    """`sentences` are measured by `model` before the text is cut, if `measures` says so."""

    step = Step.CLEAN

    outcome: Outcome | None = None
    pages: int = 0
    model: str = ""
    measures: bool = False
    sentences: tuple[EmbeddingBatchReference, ...] = ()


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
        sentences = plan_sentences(
            store.choices_of(run), pages, count_tokens=count_tokens, batch_size=batch_size
        )
        texts = (text for batch in sentences.batches for text in batch.texts)
        reserve_texts(run, texts, model=sentences.model, store=store)
        fault_point("clean.before_sentences")
        write_sentences(run, sentences.batches, objects=objects)
        return CleanPlan(pages, sentences)

    def write(writer: StepWriter, planned: CleanPlan) -> CleanResult:
        writer.write_cleaned(planned.pages)
        if not any(page.text.strip() for page in planned.pages):
            writer.end(Outcome.EMPTY, error=empty_report(len(planned.pages)))
            return CleanResult(outcome=Outcome.EMPTY)
        # Equal batches have one hash, and are measured once.
        hashes = dict.fromkeys(batch.batch_hash for batch in planned.sentences.batches)
        return CleanResult(
            outcome=None,
            pages=len(planned.pages),
            model=planned.sentences.model,
            measures=bool(hashes),
            sentences=references(hashes),
        )

    result = store.perform(run, CleanResult, plan=plan, write=write)
    if result.outcome is not None:
        objects.remove(open_marker_key(run.tenant_id, run.document_id))
    return result
