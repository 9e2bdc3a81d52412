"""Ask a corpus the questions of a data set, as the product answers them."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

from evaluation.corpora import Corpus, Cutting
from evaluation.datasets import Dataset
from evaluation.remembered import Memory, RememberingEmbedder, RememberingReranker
from pulsedocs.adapters.local.cross_encoder import ANSWERS, TAUGHT, CrossEncoder, answer_judge
from pulsedocs.adapters.local.embedder import LocalEmbedder
from pulsedocs.adapters.local.languages import LettersReader
from pulsedocs.adapters.local.late_interaction import LateInteraction
from pulsedocs.adapters.local.multilingual import MultilingualEmbedder
from pulsedocs.adapters.local.multilingual_answers import READS, MultilingualJudge
from pulsedocs.adapters.local.tokens import TiktokenCounter
from pulsedocs.adapters.local.vocabulary import WholeWords
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.adapters.memory.tokens import WhitespaceTokenCounter
from pulsedocs.chunking import ChunkProfile, profile_named
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.evaluations import ProfileFigures
from pulsedocs.ports.providers import ChatModel, Embedder, LanguageReader, Reranker, Vocabulary
from pulsedocs.questions.evaluate_profiles import evaluate_profile, figures_of
from pulsedocs.questions.ports import RetrievalStore
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.refusal_texts import RefusalTexts

RERANKERS: Final[dict[str, Callable[[Path], Reranker]]] = {
    "local:answerai-colbert-small-v1": LateInteraction,
    "local:ms-marco-MiniLM-L12-v2": CrossEncoder,
}
_SECONDS: Final = 1e9
_KEY: Final = bytes(32)  # the hashes of a measurement hide nothing


@dataclass(frozen=True, slots=True)
class Models:
    """What a measurement embeds, reads and cuts with."""

    embedder: Embedder
    reranker: Reranker
    cutting: Cutting
    languages: Callable[[], LanguageReader | None] = lambda: None
    vocabulary: Callable[[], Vocabulary | None] = lambda: None
    answer_judge: Callable[[str], Reranker | None] = lambda _model: None
    chat: ChatModel | None = None
    """What writes the answers; without it they are the documents' own sentences."""

    @property
    def name(self) -> str:
        """Name models and cutting; the plain cut goes without, as baselines know it."""
        cut = self.cutting.profile
        plain = profile_named("classic", {})
        extra = "" if cut == plain else f", {cut.name} with {cut.context}"
        return f"{self.embedder.model}, {self.reranker.model}{extra}"


def memory_models() -> Models:
    """Return the models that need no file: what the rules do shows with them in a second."""
    return Models(
        HashingEmbedder(),
        OverlapReranker(),
        Cutting(profile_named("classic", {}), WhitespaceTokenCounter()),
    )


def local_models(directory: Path, *, kept: Path, reranker: str, cut: ChunkProfile) -> Models:
    """Return the local models; what they say of a text is computed once and kept."""
    memory = Memory(kept / "said.sqlite")
    return Models(
        RememberingEmbedder(LocalEmbedder(directory), memory),
        RememberingReranker(reranker, partial(RERANKERS[reranker], directory), memory),
        Cutting(cut, TiktokenCounter(directory)),
        LettersReader,
        cache(lambda: WholeWords(directory)),
        cache(partial(_remembered_judge, directory, kept)),
    )


def _remembered_judge(directory: Path, kept: Path, model: str) -> Reranker:
    """Return the taught judge, with a memory of its own for each time that it is taught."""
    if model == READS:
        return MultilingualJudge(MultilingualEmbedder())
    taught = hashlib.sha256(TAUGHT.read_bytes()).hexdigest()[:12]
    memory = Memory(kept / f"answers-{taught}.sqlite")
    return RememberingReranker(ANSWERS, partial(answer_judge, directory), memory)


def multilingual(models: Models, *, kept: Path) -> Models:
    """Return the models of a collection in several languages, as shipped."""
    memory = Memory(kept / "said.sqlite")
    embedder = RememberingEmbedder(MultilingualEmbedder(), memory)
    return replace(models, embedder=embedder, vocabulary=lambda: None)


def cut_as(models: Models, profile: str) -> Models:
    return replace(models, cutting=replace(models.cutting, profile=profile_named(profile, {})))


def measure(
    dataset: Dataset,
    corpus: Corpus,
    *,
    profiles: Sequence[str],
    store: RetrievalStore,
    models: Models,
) -> list[ProfileFigures]:
    """Return the figures of each profile over all questions of the data set."""
    engine = engine_of(store, models)
    return [
        figures_of(
            evaluate_profile(
                profile,
                dataset.questions,
                scope=corpus.scope,
                engine=engine,
            )
        )
        for profile in profiles
    ]


def engine_of(store: RetrievalStore, models: Models) -> QueryEngine:
    """Return what answers questions with these models."""
    reader: list[LanguageReader | None] = []

    def languages() -> LanguageReader | None:
        reader.extend([] if reader else [models.languages()])
        return reader[0]

    return QueryEngine(
        store=store,
        objects=InMemoryObjectStore(),
        providers=Providers(
            embedder=lambda _model: models.embedder,
            reranker=lambda: models.reranker,
            chat=lambda: models.chat,
            languages=languages,
            vocabulary=models.vocabulary,
            answer_judge=models.answer_judge,
        ),
        texts=RefusalTexts("", "", "", ""),
        tenant_key=_KEY,
        deadline=Deadline.after(_SECONDS),
    )
