"""Strangers' plug-ins pass the shipped suites, are found without core edits, and not trusted."""

import gc
import re
import subprocess
import sys
import weakref
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pulsedocs import bootstrap
from pulsedocs.adapters.plugins import PluginEmbedder, PluginReranker, Registry
from pulsedocs.adapters.plugins import registry as registry_module
from pulsedocs.bootstrap import providers
from pulsedocs.contracts import (
    ChunkerContract,
    EmbedderContract,
    RerankerContract,
    VectorDBContract,
)
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import (
    ConfigurationError,
    EmbeddingError,
    InvalidRequest,
    ModelNotFound,
    ProviderMalformed,
    RerankingError,
)
from pulsedocs.model.deadline import Deadline
from pulsedocs.plugins import BaseChunker, BaseEmbedder, BaseReranker, BaseVectorDB, ScoredChunk
from pulsedocs.ports.providers import Embedder
from tests.contract import test_embedder as of_embedders
from tests.contract.toy_plugins import (
    DaringChunker,
    DictionaryVectorDB,
    ForgetfulChunker,
    ParagraphChunker,
    WordEmbedder,
    WordReranker,
)

TOYS = "tests.contract.toy_plugins"


class TestParagraphChunker(ChunkerContract):
    def make(self) -> BaseChunker:
        return ParagraphChunker()


class TestParagraphChunkerWithOptions(TestParagraphChunker):
    config: ClassVar[Mapping[str, Any]] = {"limit": 50}


class TestWordEmbedder(EmbedderContract):
    def make(self) -> BaseEmbedder:
        return WordEmbedder("words", 64)


class TestWordReranker(RerankerContract):
    def make(self) -> BaseReranker:
        return WordReranker("words")


class TestDictionaryVectorDB(VectorDBContract):
    def make(self) -> BaseVectorDB:
        return DictionaryVectorDB()


class TestPluginEmbedder(of_embedders.EmbedderContract):
    """What passes the plug-ins' suite passes the port's, behind the adapter."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        return PluginEmbedder(parse_model_name("toy:words@64"), WordEmbedder("words", 64))


def soon() -> Deadline:
    return Deadline.after(30)


@pytest.mark.parametrize(
    ("suite", "broken", "test"),
    [
        (ChunkerContract, ForgetfulChunker, "test_all_of_a_text_is_in_its_pieces_in_order"),
        (EmbedderContract, None, "test_a_question_is_nearest_to_its_answer"),
    ],
)
def test_a_suite_fails_a_plugin_that_breaks_it(suite: type, broken: type | None, test: str) -> None:
    """S3-03: the suites can fail."""

    class Constant:
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0, 0.0] for _ in texts]

        def get_dimensions(self) -> int:
            return 2

    class Broken(suite):  # pyright: ignore[reportUntypedBaseClass] -- chosen by the parameter
        def make(self) -> object:
            return (broken or Constant)()

    with pytest.raises(AssertionError):
        getattr(Broken(), test)()


def test_the_guides_examples_pass_the_suites_that_the_guide_runs() -> None:
    """The page's blocks of Python are one module, as a reader would put them together."""
    page = Path(__file__).parents[2] / "docs" / "guides" / "plugins.md"
    blocks: list[str] = re.findall(
        r"```python\n(.+?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
    module: dict[str, Any] = {"__name__": "my_package"}
    exec("\n".join(blocks), module)  # noqa: S102 -- our own page

    suites = [each() for name, each in module.items() if name.startswith("Test")]
    tests = [getattr(each, name) for each in suites for name in dir(each) if name[:5] == "test_"]

    assert tests
    for test in tests:
        test()
    for kind in (BaseChunker, BaseEmbedder, BaseReranker):
        assert any(isinstance(each.make(), kind) for each in suites), kind


def test_the_suites_need_no_pytest() -> None:
    """S3-03: a third party runs them without this repository's tests, with any runner."""
    script = "import sys, pulsedocs.contracts; sys.exit('pytest' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_plugins_are_found_by_a_setting() -> None:
    """S3-03: `package.module:Class`, and the kind by its methods."""
    registry = Registry(
        [f"{TOYS}:WordEmbedder", f"{TOYS}:WordReranker", f"{TOYS}:ParagraphChunker"]
    )

    assert registry.find(BaseEmbedder, "toy") is WordEmbedder
    assert registry.find(BaseReranker, "toy") is WordReranker
    assert registry.find(BaseChunker, "paragraphs") is ParagraphChunker
    with pytest.raises(InvalidRequest, match="no plug-in chunker 'toy'; installed are paragraphs"):
        registry.find(BaseChunker, "toy")


def test_plugins_are_found_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-03: an installed package is enough."""
    installed = [EntryPoint("words", f"{TOYS}:WordEmbedder", "pulsedocs.plugins")]

    def of_group(*, group: str) -> list[EntryPoint]:
        return [entry for entry in installed if entry.group == group]

    monkeypatch.setattr(registry_module, "entry_points", of_group)

    assert Registry().find(BaseEmbedder, "toy") is WordEmbedder


def test_an_experimental_plugin_needs_a_flag() -> None:
    """S3-03: feature flags for experimental ones."""
    named = [f"{TOYS}:DaringChunker"]

    with pytest.raises(InvalidRequest, match="experimental"):
        Registry(named).find(BaseChunker, "daring")
    assert Registry(named, allows_experimental=True).find(BaseChunker, "daring") is DaringChunker


@pytest.mark.parametrize(
    "address",
    [
        "no.such.module:Class",
        f"{TOYS}:Nothing",
        f"{TOYS}:words_of",
        TOYS,
        "json:JSONDecoder",
        f"{TOYS}:DictionaryVectorDB",  # loaded once, and nothing could use it
    ],
)
def test_what_is_no_plugin_is_refused_by_name(address: str) -> None:
    with pytest.raises(ConfigurationError, match=address.partition(":")[0]):
        Registry([address])


def test_two_plugins_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ForgetfulChunker, "plugin_name", "paragraphs")

    with pytest.raises(ConfigurationError, match="second chunker named 'paragraphs'"):
        Registry([f"{TOYS}:ParagraphChunker", f"{TOYS}:ForgetfulChunker"])


class Wrong(WordEmbedder):
    """Answers in one wrong way."""

    def __init__(self, answer: list[list[float]] | Exception) -> None:
        super().__init__("wrong", 2)
        self._answer = answer

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        del texts
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([], ProviderMalformed),
        ([[1.0, 0.0, 0.0]], ProviderMalformed),
        ([[float("nan"), 1.0]], ProviderMalformed),
        (ValueError("the patient's private words"), EmbeddingError),
    ],
)
def test_an_embedders_wrong_answer_is_a_typed_error_without_its_words(
    answer: list[list[float]] | Exception, error: type[Exception]
) -> None:
    embedder = PluginEmbedder(parse_model_name("toy:wrong@2"), Wrong(answer))

    with pytest.raises(error) as caught:
        embedder.embed_passages(["text"], deadline=soon())
    assert "private" not in str(caught.value)


def test_an_empty_vector_is_a_refusal() -> None:
    embedder = PluginEmbedder(parse_model_name("toy:wrong@2"), Wrong([[], [0.0, 3.0]]))

    batch = embedder.embed_passages(["a", "b"], deadline=soon())

    assert (batch.vectors, batch.refused) == (((), (0.0, 1.0)), (0,))


class WrongReranker(WordReranker):
    def __init__(self, answer: list[ScoredChunk] | Exception) -> None:
        super().__init__("wrong")
        self._answer = answer

    def rerank(self, query: str, chunks: Sequence[str], top_k: int) -> list[ScoredChunk]:
        del query, chunks, top_k
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    "answer",
    [[], [ScoredChunk(1, 0.5)], [ScoredChunk(0, float("nan"))], RuntimeError("private")],
)
def test_a_rerankers_wrong_answer_is_a_typed_error(answer: list[ScoredChunk] | Exception) -> None:
    reranker = PluginReranker("toy:wrong", WrongReranker(answer))

    with pytest.raises(RerankingError):
        reranker.rerank("question", ["passage"], deadline=soon())


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    names = ("WordEmbedder", "WordReranker", "ParagraphChunker")
    listed = ", ".join(f'"{TOYS}:{name}"' for name in names)
    monkeypatch.setenv("PLUGINS", f"[{listed}]")
    monkeypatch.setenv("RERANKER_MODEL", "toy:words")
    bootstrap.reset()
    yield
    bootstrap.reset()


@pytest.mark.usefixtures("toys")
def test_settings_alone_put_plugins_to_use() -> None:
    """S3-03: no core edits."""
    embedder, reranker = providers.embedder("toy:words@64"), providers.reranker()

    assert (embedder.model, embedder.dimensions) == ("toy:words@64", 64)
    assert reranker is not None
    assert reranker.rerank("red lamp", ["a red lamp", "a dog"], deadline=soon()) == (1.0, 0.0)
    assert isinstance(providers.plugin_chunker("paragraphs"), ParagraphChunker)


def test_a_model_without_a_plugin_is_not_found() -> None:
    bootstrap.reset()
    with pytest.raises(ModelNotFound, match="toy:words@64"):
        providers.embedder("toy:words@64")


def test_only_a_few_embedders_are_kept_however_many_models_tenants_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S0-33: `POST /models` takes any name; an adapter that nobody asks for any more is let go."""
    monkeypatch.setenv("PULSEDOCS_STAGE", "local")
    bootstrap.reset()
    first = weakref.ref(providers.embedder("bedrock:amazon.titan-embed-text-v2:0@256"))

    for number in range(1, 9):
        name = f"memory:hashing@{number}"
        assert providers.embedder(name) is providers.embedder(name)
    gc.collect()

    assert first() is None
    bootstrap.reset()
