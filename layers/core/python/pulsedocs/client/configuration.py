"""One object that says what a program works with, checked as a whole before anything is done.

Its categories and defaults are those of the Doc Directors design. With an address it speaks to that
stage, whose operator holds the keys; without one it describes a stage of this machine, which
`pulsedocs.local` starts, and every provider it names needs its key.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from pulsedocs.chunking import profile_named as chunk_profile_named
from pulsedocs.client.options import CONFIGURED, DocumentOptions, QuestionOptions
from pulsedocs.embedding import parse_model_name, refuse_unknown_model
from pulsedocs.errors import ConfigurationError, PulseDocsError
from pulsedocs.model.pages import ALWAYS_RECOGNISED
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval.profiles import Overrides, changed, profile_named, with_overrides
from pulsedocs.settings import LOCAL_STAGE, Settings

_KEYED: Final = ("openai", "cohere")
_LONGEST_NAME: Final = 128
_SAID_ALREADY: Final = frozenset({"EMBEDDING_MODEL", "CHUNK_PROFILE", "RETRIEVAL_PROFILE"})


class _Given(Settings):
    """The settings of a stage without those that this process has in its environment."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorDatabase:
    """Where vectors are kept: in the PostgreSQL of a stage, at `url` with an access `token`."""

    url: str | None = None
    token: str | None = field(default=None, repr=False)
    collection: str = "default"
    language: str = "english"


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """What the collection's texts are embedded with; `base_url` is of a server like OpenAI's."""

    provider: str = "openai"
    model: str = "text-embedding-3-large"
    dimensions: int = 3072
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    batch_size: int = 96

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}@{self.dimensions}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """What orders the passages that were found, at most `candidates`; no provider turns it off."""

    provider: str | None = "cohere"
    model: str = "rerank-v3.5"
    api_key: str | None = field(default=None, repr=False)
    candidates: int | None = None

    @property
    def name(self) -> str:
        return "" if self.provider is None else f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """What writes queries and answers; without a provider, passages are quoted."""

    provider: str | None = "openai"
    model: str = "gpt-4o"
    api_key: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return "extractive" if self.provider is None else f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """How documents are cut. Numbers left out are the method's own.

    Those of `semantic` are at most 1,000 tokens, 20 % overlap and breaks at the 95th percentile.
    """

    method: str = "semantic"
    parameters: Mapping[str, int | str] = field(default_factory=dict[str, int | str])
    validate_chunks: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfProcessing:
    """How PDFs are read: by pdfium, by pypdf where that fails, scans by Tesseract."""

    parser: Literal["pdfium"] = "pdfium"
    ocr_languages: tuple[str, ...] = ALWAYS_RECOGNISED
    max_pages: int = 5000
    max_upload_mb: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """How passages are found. What is None is the profile's own.

    Those of `full_hybrid` are 25 passages for each query by vectors, 50 by words, 100 reranked, 20
    returned, with HyDE.
    """

    profile: str = "full_hybrid"
    vector_limit: int | None = None
    keyword_limit: int | None = None
    top_k: int | None = None
    enable_hyde: bool | None = None
    enable_keyword_search: bool | None = None
    enable_reranking: bool | None = None
    score_threshold: float | None = None
    deduplicate: bool | None = None
    distance: Literal["cosine"] = "cosine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Raises ConfigurationError, which names everything that is wrong, when it is made."""

    vector_database: VectorDatabase = field(default_factory=VectorDatabase)
    embedding: Embedding = field(default_factory=Embedding)
    reranking: Reranking = field(default_factory=Reranking)
    language_model: LanguageModel = field(default_factory=LanguageModel)
    chunking: Chunking = field(default_factory=Chunking)
    pdf: PdfProcessing = field(default_factory=PdfProcessing)
    retrieval: Retrieval = field(default_factory=Retrieval)

    def __post_init__(self) -> None:
        wrong = [*self._wrong()]
        if wrong:
            raise ConfigurationError(f"the configuration is invalid: {'; '.join(wrong)}")

    @property
    def is_of_this_machine(self) -> bool:
        return self.vector_database.url is None

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a stage of this machine."""
        chosen = {
            "EMBEDDING_MODEL": self.embedding.name,
            "EMBEDDING_BATCH_SIZE": str(self.embedding.batch_size),
            "RERANKER_MODEL": self.reranking.name,
            "CHAT_MODEL": self.language_model.name,
            "CHUNK_PROFILE": self.chunking.method,
            "RETRIEVAL_PROFILE": self.retrieval.profile,
            "OCR_LANGUAGES": json.dumps(self.pdf.ocr_languages),
            "MAX_PAGES": str(self.pdf.max_pages),
            "MAX_UPLOAD_MB": str(self.pdf.max_upload_mb),
            **{f"{name.upper()}_API_KEY": min(keys) for name, keys in self._keys().items()},
        }
        if self.retrieval.top_k is not None:
            chosen["TOP_K"] = str(self.retrieval.top_k)
        if self.embedding.base_url is not None:
            chosen["OPENAI_BASE_URL"] = self.embedding.base_url
        return chosen

    @property
    def chunk_parameters(self) -> dict[str, Any]:
        """All numbers of the method, those left out included."""
        return dict(chunk_profile_named(self.chunking.method, self.chunking.parameters).parameters)

    @property
    def policy(self) -> Profile:
        """The retrieval profile with the numbers of the configuration."""
        base = profile_named(self.retrieval.profile)
        return changed(
            with_overrides(base, Overrides(top_k=self.retrieval.top_k)), self.profile_values
        )

    @property
    def profile_values(self) -> dict[str, int]:
        """What a profile of the collection's own has to have; empty: `profile` has it already."""
        base = asdict(profile_named(self.retrieval.profile))
        wanted = {
            "vector_candidates": self.retrieval.vector_limit,
            "keyword_candidates": self.retrieval.keyword_limit,
            "rerank_candidates": self.reranking.candidates,
        }
        given = {name: number for name, number in wanted.items() if number is not None}
        if all(base[name] == number for name, number in given.items()):
            return {}
        return given | ({} if self.retrieval.top_k is None else {"top_k": self.retrieval.top_k})

    @property
    def document_options(self) -> DocumentOptions:
        """What documents are added with where a call does not say otherwise."""
        return DocumentOptions(
            collection=self.vector_database.collection,
            chunking={"profile": self.chunking.method, **self.chunking.parameters},
            validate_chunks=self.chunking.validate_chunks,
        )

    @property
    def question_options(self) -> QuestionOptions:
        """What questions are asked with where a call does not say otherwise."""
        chosen = self.retrieval
        options = QuestionOptions(
            collection=self.vector_database.collection,
            profile=CONFIGURED if self.profile_values else chosen.profile,
        )
        if chosen.top_k is not None:
            options["top_k"] = chosen.top_k
        if chosen.enable_hyde is not None:
            options["enable_hyde"] = chosen.enable_hyde
        if chosen.enable_keyword_search is not None:
            options["enable_keyword_search"] = chosen.enable_keyword_search
        if chosen.enable_reranking is not None:
            options["enable_reranking"] = chosen.enable_reranking
        elif self.reranking.provider is None:
            options["enable_reranking"] = False
        if chosen.score_threshold is not None:
            options["score_threshold"] = chosen.score_threshold
        if chosen.deduplicate is not None:
            options["deduplicate"] = chosen.deduplicate
        return options

    def _wrong(self) -> Iterator[str]:
        """Yield what is wrong, each with its category."""
        database = self.vector_database
        if database.url is not None and not database.url.startswith(("http://", "https://")):
            yield f"vector_database: {database.url!r} is no http address"
        if database.url is not None and not database.token:
            yield "vector_database: a stage at an address needs a token"
        if not 1 <= len(database.collection) <= _LONGEST_NAME:
            yield f"vector_database: a collection's name has 1 to {_LONGEST_NAME} characters"
        for category, problem in (
            ("embedding", self._check_embedding),
            ("chunking", lambda: self.chunk_parameters),
            ("retrieval", lambda: self.policy),
        ):
            try:
                problem()
            except PulseDocsError as error:
                yield f"{category}: {error.message}"
        if self.pdf.parser != "pdfium":
            yield f"pdf: {self.pdf.parser!r} is no parser; there is pdfium, and pypdf behind it"
        if self.retrieval.distance != "cosine":
            yield f"retrieval: {self.retrieval.distance!r} is no distance; there is cosine"
        threshold = self.retrieval.score_threshold
        if threshold is not None and not 0 <= threshold <= 1:
            yield f"retrieval: a score_threshold is from 0 to 1, not {threshold}"
        yield from self._wrong_keys()
        yield from self._wrong_settings()

    def _check_embedding(self) -> None:
        refuse_unknown_model(parse_model_name(self.embedding.name), others=("memory",))

    def _keys(self) -> dict[str, set[str]]:
        """Return the keys given, by provider: one each, as a stage has."""
        found: dict[str, set[str]] = {}
        for each in (self.embedding, self.reranking, self.language_model):
            if each.provider is not None and each.api_key is not None:
                found.setdefault(each.provider, set()).add(each.api_key)
        return found

    def _wrong_keys(self) -> Iterator[str]:
        keys = self._keys()
        named = {self.embedding.provider, self.reranking.provider, self.language_model.provider}
        for provider in _KEYED:
            if len(keys.get(provider, ())) > 1:
                yield f"{provider}: two keys are given, and a stage has one of each provider"
            if self.is_of_this_machine and provider in named and provider not in keys:
                yield f"{provider}: its models need an api_key"
        for provider in keys.keys() - {*_KEYED}:
            yield f"{provider}: takes no api_key"

    def _wrong_settings(self) -> Iterator[str]:
        """Yield what a stage would refuse to start with, each setting by itself."""
        given: dict[str, Any] = self.settings | {"OCR_LANGUAGES": self.pdf.ocr_languages}
        shared = {"PULSEDOCS_STAGE": LOCAL_STAGE, "OPENAI_BASE_URL": self.embedding.base_url}
        for name, value in given.items():
            if name in _SAID_ALREADY:
                continue
            try:
                _Given.model_validate({**shared, name: value})
            except ValidationError as error:
                told = error.errors(include_input=False, include_url=False)[0]["msg"]
                told = told.removeprefix("Value error, ")
                yield told if name in told else f"{name}: {told}"
