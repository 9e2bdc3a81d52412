"""Every parameter, read from the environment once; the only module that does."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

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

from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import ConfigurationError, InvalidRequest

SECRET_BY_NAME = "ssm:"  # noqa: S105 -- a prefix
"""How the value of a secret begins that names a parameter instead of being it."""
SHORTEST_TRACE_SECRET = 16
_MEBIBYTE = 1024 * 1024
_PREFIX = r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/(.*/)?\{tenant\}/(.*/)?$"

_ORIGIN = r"^https?://[a-z0-9.-]+(:[0-9]{1,5})?$"

_Absent = BeforeValidator(lambda given: None if given == "" else given)
_PerDay = Annotated[int | None, Field(ge=0, le=10**15), _Absent]
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
    token_jwks_url: HttpUrl | None = Field(default=None, alias="TOKEN_JWKS_URL")
    token_algorithms: tuple[str, ...] = Field(default=("RS256",), alias="TOKEN_ALGORITHMS")
    token_tenant_claim: str = Field(default="tenant_id", alias="TOKEN_TENANT_CLAIM")

    cors_origins: tuple[Annotated[str, Field(pattern=_ORIGIN)], ...] = Field(
        default=(), alias="CORS_ORIGINS"
    )
    """Whose pages a browser lets read answers, as a JSON list: `["https://app.example"]`."""

    model_directory: Path | None = Field(default=None, alias="MODEL_DIRECTORY")
    """Where the local models and the tokenizer's rank files lie."""
    embedding_model: str = Field(default="local:bge-small-en-v1.5@384", alias="EMBEDDING_MODEL")
    """A stage's default model, `provider:name@dimensions`; the dimensions may also be given by
    `EMBEDDING_DIMENSION`, and must then agree."""
    embedding_dimension: Annotated[int, Field(ge=1, le=4000)] | None = Field(
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
        default_factory=dict, alias="ABBREVIATIONS"
    )
    """Long forms to search with, as a JSON object: `{"SLA": "service level agreement"}`."""
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
    chunk_profile: str = Field(default="classic", alias="CHUNK_PROFILE")
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
    embed_seconds: Annotated[float, Field(gt=0, le=900)] = Field(default=280, alias="EMBED_SECONDS")
    max_upload_mb: Annotated[int, Field(ge=1, le=5120)] = Field(default=50, alias="MAX_UPLOAD_MB")
    max_pages: Annotated[int, Field(ge=1, le=100_000)] = Field(default=5000, alias="MAX_PAGES")
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
    not_indexed_text: str = Field(
        default="This document has not been indexed for the selected retrieval model.",
        alias="NOT_INDEXED_TEXT",
    )
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

    @model_validator(mode="after")
    def _give_tokens_to_nobody_else(self) -> "Settings":
        """Without a check of the certificate, whoever answers would be handed the token."""
        parts = dict(self.database_url.query_params()) if self.database_url else {}
        is_checked = parts.get("sslmode") == "verify-full" and parts.get("sslrootcert")
        if self.database_auth == "iam" and self.database_url and not is_checked:
            message = "DATABASE_AUTH is iam: DATABASE_URL needs sslmode=verify-full and sslrootcert"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _agree_on_dimensions(self) -> "Settings":
        try:
            named = parse_model_name(self.embedding_model)
        except InvalidRequest as error:
            raise ValueError(error.message) from error
        if self.embedding_dimension not in {None, named.dimensions}:
            message = (
                f"EMBEDDING_DIMENSION is {self.embedding_dimension} but "
                f"EMBEDDING_MODEL {self.embedding_model!r} has {named.dimensions}"
            )
            raise ValueError(message)
        return self


@cache
def load() -> Settings:
    """Read the environment; raise ConfigurationError naming each wrong variable."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(str(part) for part in item['loc']) or 'settings'}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)
        )
        message = f"settings cannot be read: {wrong}"
        raise ConfigurationError(message) from None
