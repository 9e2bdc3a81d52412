"""Every parameter, read from the environment once; the only module that does."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    HttpUrl,
    PostgresDsn,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from pulsedocs.chunking import sized
from pulsedocs.embedding import PROVIDERS, completed, parse_model_name, refuse_unknown_model
from pulsedocs.errors import ConfigurationError, InvalidRequest, PulseDocsError, what_is_wrong
from pulsedocs.model.changes import StageDefaults
from pulsedocs.model.embeddings import MOST_DIMENSIONS
from pulsedocs.model.pages import ALWAYS_RECOGNISED, RecognisedLanguage
from pulsedocs.model.retrieval import Profile
from pulsedocs.plugins import GROUP
from pulsedocs.retrieval.profiles import LIMITS, of_stage

SECRET_BY_NAME = "ssm:"  # noqa: S105 -- a prefix
"""How the value of a secret begins that names a parameter instead of being it."""
SHORTEST_TRACE_SECRET = 16
LOCAL_STAGE = "local"
TEST_DOUBLE = "memory:"
"""How a model begins that is none: `adapters.memory` compares words, not what they mean."""
_MEBIBYTE = 1024 * 1024
_PREFIX = r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/(.*/)?\{tenant\}/(.*/)?$"

_CHUNK_PROFILE = r"^(classic|semantic|words|plugin:[a-z][a-z0-9-]{0,31})$"
_CHATS = ("openai", "bedrock", "cohere")
_RERANKERS = ("local", "bedrock", "cohere")
_LOCAL_RERANKERS = ("ms-marco-MiniLM-L12-v2", "answerai-colbert-small-v1")
_SHORTEST_KEY = 6
_OF_ACCOUNTS = {
    "PP&E": "property, plant and equipment",
    "SG&A": "selling, general and administrative expenses",
    "R&D": "research and development",
    "COGS": "cost of goods sold, cost of sales",
    "capex": "capital expenditures",
    "CapEx": "capital expenditures",
}
"""Nothing else is called so in other papers than accounts, and statements write these out."""
ORIGIN = r"^https?://[a-z0-9.-]+(:[0-9]{1,5})?$"

_Absent = BeforeValidator(lambda given: None if given == "" else given)
_PerDay = Annotated[int | None, Field(ge=0, le=10**15), _Absent]
_Number = Annotated[int | None, Field(ge=0), _Absent]
_Short = Annotated[str, Field(min_length=1, max_length=32)]
_Long = Annotated[str, Field(min_length=1, max_length=200)]


class Settings(BaseSettings):
    """Settings of one function. Those a function does not use may be absent from it."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    stage: str = Field(default="dev", alias="PULSEDOCS_STAGE")

    bucket: str = Field(default="", alias="BUCKET")
    """The stage's bucket."""
    aws_endpoint_url: HttpUrl | None = Field(default=None, alias="AWS_ENDPOINT_URL")
    """Only where AWS is not AWS: the local stage's address."""
    aws_region: str = Field(default="us-east-1", alias="AWS_REGION")
    retrieve_function: str = Field(default="", alias="RETRIEVE_FUNCTION")
    """Name or ARN of the function that `query` invokes."""
    boxes_function: str = Field(default="", alias="BOXES_FUNCTION")
    """Name or ARN of the function that `query` invokes for the boxes of quoted words."""

    database_url: PostgresDsn | None = Field(default=None, alias="DATABASE_URL")
    """Address, user and database. Where `DATABASE_AUTH` is iam, a token takes the password's place,
    and `sslmode=verify-full` with an `sslrootcert` has to be in it."""
    database_auth: Literal["url", "iam"] = Field(default="url", alias="DATABASE_AUTH")

    token_issuer: str = Field(default="", alias="TOKEN_ISSUER")
    token_audience: str = Field(default="", alias="TOKEN_AUDIENCE")
    """Whom tokens are for; several with spaces between them."""
    token_jwks_url: HttpUrl | None = Field(default=None, alias="TOKEN_JWKS_URL")
    token_algorithms: tuple[str, ...] = Field(default=("RS256",), alias="TOKEN_ALGORITHMS")
    token_tenant_claim: str = Field(default="tenant_id", alias="TOKEN_TENANT_CLAIM")
    token_scope_claim: str = Field(default="scope", alias="TOKEN_SCOPE_CLAIM")
    """Claims that hold what a token allows, as words or a list; several with spaces between."""

    cors_origins: tuple[Annotated[str, Field(pattern=ORIGIN)], ...] = Field(
        default=(), alias="CORS_ORIGINS"
    )
    """Whose pages a browser lets read answers, as a JSON list: `["https://app.example"]`."""

    sign_in_page: str = Field(default="", alias="SIGN_IN_PAGE")
    """Where people sign in to the console, `https://<domain of the pool>`; empty: with a token."""
    sign_in_client: str = Field(default="", alias="SIGN_IN_CLIENT")
    """As which client of the pool the console signs them in."""

    model_directory: Path | None = Field(default=None, alias="MODEL_DIRECTORY")
    """Where the local models and the tokenizer's rank files lie."""
    embedding_model: str = Field(default="local:bge-small-en-v1.5@384", alias="EMBEDDING_MODEL")
    """A stage's default model, `provider:name@dimensions`; the dimensions may also be given by
    `EMBEDDING_DIMENSION`, and must then agree."""
    embedding_dimension: Annotated[int, Field(ge=1, le=MOST_DIMENSIONS)] | None = Field(
        default=None, alias="EMBEDDING_DIMENSION"
    )
    embedding_batch_size: Annotated[int, Field(ge=1, le=2048)] = Field(
        default=96, alias="EMBEDDING_BATCH_SIZE"
    )
    reranker_model: str = Field(default="local:ms-marco-MiniLM-L12-v2", alias="RERANKER_MODEL")
    """Empty turns reranking off."""
    chat_model: str = Field(default="extractive", alias="CHAT_MODEL")
    """`extractive` quotes the passages and needs no key; else `provider:name`."""
    chat_temperature: Annotated[float, Field(ge=0, le=2)] = Field(
        default=0.2, alias="CHAT_TEMPERATURE"
    )
    chat_max_tokens: Annotated[int, Field(ge=1, le=32_768)] = Field(
        default=1024, alias="CHAT_MAX_TOKENS"
    )
    rewrite_model: str = Field(default="", alias="REWRITE_MODEL")
    """Makes follow-up questions stand alone, where the profile asks for it: a cheap model will do.
    `provider:name`; empty means `CHAT_MODEL`."""
    abbreviations: Annotated[dict[_Short, _Long], Field(max_length=500)] = Field(
        default_factory=lambda: dict(_OF_ACCOUNTS), alias="ABBREVIATIONS"
    )
    """Long forms to search with, as a JSON object that takes the place of this one."""
    openai_api_key: SecretStr | None = Field(default=None, alias="OPENAI_API_KEY")
    openai_base_url: HttpUrl | None = Field(default=None, alias="OPENAI_BASE_URL")
    cohere_api_key: SecretStr | None = Field(default=None, alias="COHERE_API_KEY")
    bedrock_region: str = Field(default="", alias="BEDROCK_REGION")
    """Where the models of `bedrock:` are called; empty means `AWS_REGION`."""
    trace_secret: SecretStr | None = Field(
        default=None, alias="TRACE_SECRET", min_length=SHORTEST_TRACE_SECRET
    )
    """Keys the hashes in traces. To rotate it, put the new one before the old one and a comma:
    questions of older traces are still recognised."""

    conversation_days: Annotated[int, Field(ge=1, le=365)] = Field(
        default=30, alias="CONVERSATION_DAYS"
    )
    """How long a conversation is kept after its last answer."""
    retrieval_profile: str = Field(default="default", alias="RETRIEVAL_PROFILE")
    """A built-in one, of collections that name none. The next three change it, wherever it is used;
    a request and your own profiles win."""
    top_k: _Number = Field(default=None, alias="TOP_K")
    """Passages of an answer; empty: the profile's own. So it is for the next two."""
    rerank_candidates: _Number = Field(default=None, alias="RERANK_CANDIDATES")
    """Passages that the reranker orders; 0 turns it off."""
    context_tokens: _Number = Field(default=None, alias="CONTEXT_TOKENS")
    chunk_profile: Annotated[str, Field(pattern=_CHUNK_PROFILE)] = Field(
        default="classic", alias="CHUNK_PROFILE"
    )
    """Of collections that name none."""
    chunk_size: _Number = Field(default=None, alias="CHUNK_SIZE")
    """Of `CHUNK_PROFILE`, in its unit: characters, words, or tokens for semantic; empty: its own.
    For documents from now on that ask for no numbers themselves. So it is for the next one."""
    chunk_overlap: _Number = Field(default=None, alias="CHUNK_OVERLAP")
    """In the same unit; for semantic in percent."""
    request_seconds: Annotated[float, Field(gt=0, le=28)] = Field(
        default=25, alias="REQUEST_SECONDS"
    )
    stream_seconds: Annotated[float, Field(gt=0, le=870)] = Field(
        default=60, alias="STREAM_SECONDS"
    )
    """For an answer that leaves sentence by sentence; on AWS it also bounds what a client that has
    left still costs."""
    adapter_port: Annotated[int, Field(ge=1, le=65535)] = Field(default=8080, alias="AWS_LWA_PORT")
    """Where the Lambda Web Adapter finds the function that streams."""
    extract_seconds: Annotated[float, Field(gt=0, le=900)] = Field(
        default=570, alias="EXTRACT_SECONDS"
    )
    """Ends the parsing of one file before the function's own timeout would."""
    ocr_languages: Annotated[tuple[RecognisedLanguage, ...], Field(max_length=8)] = Field(
        default=ALWAYS_RECOGNISED, alias="OCR_LANGUAGES"
    )
    """In which languages words of scanned pages are recognised, the likeliest first, as a JSON
    list of ISO 639-2 codes; the language of a collection comes before them. Empty turns recognition
    off: such pages then have no text."""
    ocr_engine: Literal["tesseract", "textract"] = Field(default="tesseract", alias="OCR_ENGINE")
    """Who recognises them: Tesseract inside the stage, or Amazon Textract, which finds out the
    languages by itself, reads handwriting and is paid by the page."""
    read_comments: bool = Field(default=True, alias="READ_COMMENTS")
    """Whether what people wrote beside a text is read too, marked as such: comments of PDF and
    Office files, and speakers' notes."""
    tracked_changes: Literal["accepted", "rejected"] = Field(
        default="accepted", alias="TRACKED_CHANGES"
    )
    """Whether Word files are read as their tracked changes make them, or as they were before."""
    embed_seconds: Annotated[float, Field(gt=0, le=900)] = Field(default=280, alias="EMBED_SECONDS")
    max_upload_mb: Annotated[int, Field(ge=1, le=5120)] = Field(default=50, alias="MAX_UPLOAD_MB")
    max_pages: Annotated[int, Field(ge=1, le=100_000)] = Field(default=5000, alias="MAX_PAGES")
    history_days: Annotated[int, Field(ge=1, le=3650)] = Field(default=30, alias="HISTORY_DAYS")
    """How long pages, chunks, vectors and bytes of a version stay after a newer one replaced it."""
    kept_versions: Annotated[int, Field(ge=0, le=1000)] = Field(default=0, alias="KEPT_VERSIONS")
    """Of each document, so many of the newest superseded versions stay however old they are."""
    upload_seconds: Annotated[int, Field(ge=10, le=3600)] = Field(
        default=300, alias="UPLOAD_SECONDS"
    )

    ingest_prefixes: tuple[Annotated[str, Field(pattern=_PREFIX)], ...] = Field(
        default=(), alias="INGEST_PREFIXES"
    )
    """Where `s3_uri` may point, as a JSON list; empty means `s3://<BUCKET>/imports/{tenant}/`."""
    url_schemes: tuple[Literal["https", "http"], ...] = Field(
        default=("https",), alias="URL_SCHEMES"
    )
    """Schemes that `POST /ingest` fetches, as a JSON list; `[]` turns fetching off."""
    max_url_mb: Annotated[int, Field(ge=1, le=100)] = Field(default=20, alias="MAX_URL_MB")
    url_seconds: Annotated[float, Field(gt=0, le=20)] = Field(default=10, alias="URL_SECONDS")
    """For a page as a whole: names, redirects and bytes."""

    budget_pages_per_day: _PerDay = Field(default=None, alias="BUDGET_PAGES_PER_DAY")
    """What a tenant without a budget of its own may ingest in a day of UTC; empty means no limit.
    So it does for the next two."""
    budget_tokens_per_day: _PerDay = Field(default=None, alias="BUDGET_TOKENS_PER_DAY")
    budget_usd_per_day: Annotated[float | None, Field(ge=0, le=1_000_000), _Absent] = Field(
        default=None, alias="BUDGET_USD_PER_DAY"
    )
    """By the price list in `pulsedocs.prices`; a model that is not on it counts tokens only."""

    plugins: tuple[str, ...] = Field(default=(), alias="PLUGINS")
    """Plug-ins beside the installed ones, each `package.module:Class`."""
    experimental_plugins: bool = Field(default=False, alias="EXPERIMENTAL_PLUGINS")
    """Whether plug-ins that call themselves experimental may be used."""

    no_information_text: str = Field(
        default="The provided documents do not contain this information.",
        alias="NO_INFORMATION_TEXT",
    )
    not_found_text: str = Field(
        default=(
            "This was not found, but part of the documents could not be searched:"
            " it is not indexed for this model or has no readable text."
        ),
        alias="NOT_FOUND_TEXT",
    )
    language_unknown_text: str = Field(
        default=(
            "This was not found, but it may be there in other words: no model that searches here"
            " knows the language of the question, or of these documents. A collection with a"
            " multilingual model finds more."
        ),
        alias="LANGUAGE_UNKNOWN_TEXT",
    )
    not_indexed_text: str = Field(
        default="This document has not been indexed for the selected retrieval model.",
        alias="NOT_INDEXED_TEXT",
    )
    no_documents_text: str = Field(default="", alias="NO_DOCUMENTS_TEXT")
    """Empty says of which documents none can be searched yet."""
    empty_query_text: str = Field(
        default="I don't have enough information.", alias="EMPTY_QUERY_TEXT"
    )
    no_answer_text: str = Field(
        default="I don't have enough information to answer that.", alias="NO_ANSWER_TEXT"
    )

    @property
    def max_upload_bytes(self) -> int:
        return self.max_upload_mb * _MEBIBYTE

    @property
    def max_url_bytes(self) -> int:
        return min(self.max_url_mb * _MEBIBYTE, self.max_upload_bytes)

    @property
    def defaults(self) -> StageDefaults:
        """What collections and documents have that do not say it themselves."""
        chunking = sized(self.chunk_profile, size=self.chunk_size, overlap=self.chunk_overlap)
        return StageDefaults(self.chunk_profile, chunking, self.retrieval_profile)

    @property
    def policy(self) -> Profile:
        """The retrieval profile of this stage, with the numbers that it chose."""
        return of_stage(
            self.retrieval_profile,
            top_k=self.top_k,
            rerank_candidates=self.rerank_candidates,
            context_tokens=self.context_tokens,
        )

    @model_validator(mode="after")
    def _cut_and_find_as_is_possible(self) -> "Settings":
        try:
            _ = self.defaults
        except PulseDocsError as error:
            names = "CHUNK_PROFILE, CHUNK_SIZE, CHUNK_OVERLAP"
            raise ValueError(f"{names}: {error.message}") from error
        if self.top_k is not None and not 1 <= self.top_k <= LIMITS["top_k"][1]:
            raise ValueError(f"TOP_K is from 1 to {LIMITS['top_k'][1]}, not {self.top_k}")
        try:
            _ = self.policy
        except PulseDocsError as error:
            names = "RETRIEVAL_PROFILE, TOP_K, RERANK_CANDIDATES, CONTEXT_TOKENS"
            raise ValueError(f"{names}: {error.message}") from error
        return self

    @model_validator(mode="after")
    def _give_tokens_to_nobody_else(self) -> "Settings":
        """Without a check of the certificate, whoever answers would be handed the token."""
        parts = dict(self.database_url.query_params()) if self.database_url else {}
        is_checked = parts.get("sslmode") == "verify-full" and parts.get("sslrootcert")
        if self.database_auth == "iam" and self.database_url and not is_checked:
            message = "DATABASE_AUTH is iam: DATABASE_URL needs sslmode=verify-full and sslrootcert"
            raise ValueError(message)
        return self

    @model_validator(mode="before")
    @classmethod
    def _complete_the_model(cls, given: Any) -> Any:  # noqa: ANN401 -- whatever the source gives
        """Take `text-embedding-3-small` and EMBEDDING_DIMENSION for one name."""
        model, dimension = given.get("EMBEDDING_MODEL"), given.get("EMBEDDING_DIMENSION")
        if not isinstance(model, str) or not str(dimension or "").isdecimal():
            return given
        return given | {"EMBEDDING_MODEL": completed(model, int(str(dimension)))}

    @model_validator(mode="after")
    def _answer_by_real_models(self) -> "Settings":
        for variable, model in (
            ("EMBEDDING_MODEL", self.embedding_model),
            ("RERANKER_MODEL", self.reranker_model),
        ):
            if model.startswith(TEST_DOUBLE) and not self.test_doubles:
                raise ValueError(
                    f"{variable} {model!r} is a test double, which only the local stage may use"
                )
        return self

    @model_validator(mode="after")
    def _know_the_providers(self) -> "Settings":
        """Refuse at the start what would fail with the first question or document."""
        provider, _, name = self.reranker_model.partition(":")
        rerankers = (*_RERANKERS, *self.test_doubles)
        if provider in rerankers or not self.has_plugins:
            _refuse_unknown("RERANKER_MODEL", self.reranker_model, rerankers)
        for variable, model in (
            ("CHAT_MODEL", self.chat_model),
            ("REWRITE_MODEL", self.rewrite_model),
        ):
            if model != "extractive":
                _refuse_unknown(variable, model, _CHATS)
        if provider == "local" and name not in _LOCAL_RERANKERS:
            listed = ", ".join(f"local:{known}" for known in _LOCAL_RERANKERS)
            raise ValueError(
                f"RERANKER_MODEL {self.reranker_model!r} is unknown; known are {listed}"
            )
        return self

    @property
    def test_doubles(self) -> tuple[str, ...]:
        """The providers that only the local stage has."""
        return (TEST_DOUBLE.rstrip(":"),) if self.stage == LOCAL_STAGE else ()

    @model_validator(mode="after")
    def _have_keys_that_can_be_keys(self) -> "Settings":
        is_openai = self.openai_base_url is None
        for variable, key, begins in (
            ("OPENAI_API_KEY", self.openai_api_key, "sk-" if is_openai else ""),
            ("COHERE_API_KEY", self.cohere_api_key, ""),
        ):
            text = "" if key is None else key.get_secret_value()
            if not text or text.startswith(SECRET_BY_NAME):
                continue
            if len(text) < _SHORTEST_KEY or not text.isascii() or not text.isprintable():
                raise ValueError(f"{variable} is no key: too short, or with other than ASCII")
            if " " in text or not text.startswith(begins):
                hint = f"begins with {begins!r} and " if begins else ""
                raise ValueError(f"{variable} is no key: one {hint}has no spaces")
        return self

    @property
    def has_plugins(self) -> bool:
        """Say whether a provider that is none of ours may be a plug-in's; loads none of them."""
        return bool(self.plugins) or bool(entry_points(group=GROUP))

    @model_validator(mode="after")
    def _agree_on_dimensions(self) -> "Settings":
        try:
            named = parse_model_name(self.embedding_model)
            if named.provider in PROVIDERS or not self.has_plugins:
                refuse_unknown_model(named, others=self.test_doubles)
        except InvalidRequest as error:
            raise ValueError(f"EMBEDDING_MODEL: {error.message}") from error
        if self.embedding_dimension not in {None, named.dimensions}:
            message = (
                f"EMBEDDING_DIMENSION is {self.embedding_dimension} but "
                f"EMBEDDING_MODEL {self.embedding_model!r} has {named.dimensions}"
            )
            raise ValueError(message)
        return self


def _refuse_unknown(variable: str, model: str, known: Sequence[str]) -> None:
    provider, _, name = model.partition(":")
    if not model or (provider in known and name):
        return
    listed = ", ".join(f"{each}:<name>" for each in known)
    raise ValueError(f"{variable} {model!r} is of an unknown provider; known are {listed}")


@cache
def load() -> Settings:
    """Read the environment; raise ConfigurationError naming each wrong variable."""
    try:
        return Settings()
    except ValidationError as error:
        message = f"settings cannot be read: {what_is_wrong(error.errors())}"
        raise ConfigurationError(message) from None
