"""Documents and questions of several languages find each other, without a network."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.local.multilingual import MultilingualEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.evaluations import EvaluatedStep, Expected, LabelledQuestion
from pulsedocs.model.retrieval import Scope
from pulsedocs.questions.evaluate_profiles import evaluate_profile, figures_of
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.refusal_texts import RefusalTexts

TEXTS = {
    "english": {
        "bicycle": "The company pays 300 euros a year towards the repair of bicycles.",
        "visitors": "Visitors sign the register at the gate and wear a helmet on the site.",
        "holiday": "Every employee has thirty days of paid holiday each year.",
        "fire": "When the fire alarm sounds, leave the building by the nearest stairs.",
    },
    "german": {
        "bicycle": "Die Firma zahlt jährlich 300 Euro für die Reparatur von Fahrrädern.",
        "visitors": "Besucher tragen sich am Tor ein und tragen auf dem Gelände einen Helm.",
        "holiday": "Alle Beschäftigten haben dreißig Tage bezahlten Urlaub im Jahr.",
        "fire": "Bei Feueralarm verlassen Sie das Gebäude über die nächste Treppe.",
    },
    "spanish": {
        "bicycle": "La empresa paga 300 euros al año para la reparación de bicicletas.",
        "visitors": "Los visitantes se registran en la puerta y llevan casco en el recinto.",
        "holiday": "Cada empleado tiene treinta días de vacaciones pagadas al año.",
        "fire": "Cuando suene la alarma de incendios, salga por la escalera más cercana.",
    },
}
QUESTIONS = {
    "english": {
        "bicycle": "How much money is there for repairing a bicycle?",
        "visitors": "What must guests wear on the site?",
        "holiday": "How many days of holiday do I get?",
        "fire": "What should I do in case of fire?",
    },
    "german": {
        "bicycle": "Wie viel Geld gibt es für die Reparatur eines Fahrrads?",
        "visitors": "Was müssen Gäste auf dem Gelände tragen?",
        "holiday": "Wie viele Urlaubstage habe ich?",
        "fire": "Was soll ich tun, wenn es brennt?",
    },
    "spanish": {
        "bicycle": "¿Cuánto dinero hay para reparar una bicicleta?",
        "visitors": "¿Qué deben llevar los invitados en el recinto?",
        "holiday": "¿Cuántos días de vacaciones tengo?",
        "fire": "¿Qué debo hacer en caso de incendio?",
    },
}


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder()


@pytest.fixture
def store(database_as: Callable[[str], Database]) -> PostgresRetrievalStore:
    return PostgresRetrievalStore(database_as("query"))


@pytest.fixture
def shelves(library: Library, embedder: MultilingualEmbedder) -> dict[str, Shelf]:
    """Put each language into a collection of its own, so that its words are cut to its stems."""
    tenant_id = uuid4()
    shelves: dict[str, Shelf] = {}
    for language, texts in TEXTS.items():
        shelves[language] = library.shelf(
            embedder.model, tenant_id=tenant_id, collection=language, language=language
        )
        for subject, text in texts.items():
            [vector] = embedder.embed_passages([text], deadline=Deadline.after(60)).vectors
            paper = Paper([Passage(text, vector)], source=f"{language}/{subject}.txt")
            library.add(shelves[language], paper)
    return shelves


def engine(store: PostgresRetrievalStore, embedder: MultilingualEmbedder) -> QueryEngine:
    return QueryEngine(
        store=store,
        objects=InMemoryObjectStore(),
        providers=Providers(lambda _model: embedder, lambda: None, lambda: None),
        texts=RefusalTexts("", "", "", ""),
        tenant_key=bytes(32),
        deadline=Deadline.after(120),
    )


def reciprocal_rank(
    store: PostgresRetrievalStore,
    shelves: dict[str, Shelf],
    embedder: MultilingualEmbedder,
    *,
    asked: str,
    answered: str,
    stage: EvaluatedStep,
) -> float:
    questions = [
        LabelledQuestion(text, (Expected(f"{answered}/{subject}.txt"),))
        for subject, text in QUESTIONS[asked].items()
    ]
    found = evaluate_profile(
        "default",
        questions,
        scope=Scope(shelves[answered].tenant_id, (answered,)),
        engine=engine(store, embedder),
    )
    return figures_of(found).stages[stage]["mrr@10"].mean


def test_a_question_finds_its_answer_in_each_language(
    store: PostgresRetrievalStore, shelves: dict[str, Shelf], embedder: MultilingualEmbedder
) -> None:
    """S2-17: three languages, and every pair of them, offline; four of four are found first."""
    found = {
        (asked, answered): reciprocal_rank(
            store, shelves, embedder, asked=asked, answered=answered, stage=EvaluatedStep.VECTOR
        )
        for asked in QUESTIONS
        for answered in TEXTS
    }

    assert found == dict.fromkeys(found, 1)


@pytest.mark.parametrize("language", ["german", "spanish"])
def test_words_are_cut_to_the_stems_of_the_collections_language(
    store: PostgresRetrievalStore,
    library: Library,
    embedder: MultilingualEmbedder,
    language: str,
) -> None:
    """S2-17: BM25 per language; English stems do not join these words."""
    text, asked = {
        "german": ("Die Häuser stehen leer.", "Haus"),
        "spanish": ("Los niños corrieron mucho.", "corriendo"),
    }[language]
    found: dict[str, int] = {}
    for own in (language, "english"):
        shelf = library.shelf(embedder.model, collection="default", language=own)
        library.add(shelf, Paper([Passage(text, [1.0, *[0.0] * 511])], source="a.txt"))
        [judged] = evaluate_profile(
            "default",
            [LabelledQuestion(asked, (Expected("a.txt"),))],
            scope=Scope(shelf.tenant_id),
            engine=engine(store, embedder),
        )
        found[own] = round(judged.figures[EvaluatedStep.KEYWORD]["recall@5"])
    assert found == {language: 1, "english": 0}
