"""Choose and build the adapters; the only module that knows which ones exist.

Adapters are imported where they are built: a function then loads only the libraries it uses, and
its cold start pays for nothing else.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar
from weakref import WeakSet

from pydantic import SecretStr

from pulsedocs import settings as _settings
from pulsedocs.batches.ports import BatchStore
from pulsedocs.chunking import plugin_of
from pulsedocs.deletion.ports import ObjectArchive, PurgeStore
from pulsedocs.documents.ports import (
    AuditTrail,
    BudgetStore,
    CollectionStore,
    DocumentCatalogue,
    DocumentChanges,
    DocumentOperations,
    ProfileStore,
    RequestLog,
    UsageLedger,
)
from pulsedocs.embedding import parse_model_name, refuse_unknown_model
from pulsedocs.embedding_models.ports import (
    BackfillStore,
    MigrationStore,
    ModelStore,
    RetirementStore,
)
from pulsedocs.errors import ConfigurationError, InvalidRequest, ModelNotFound
from pulsedocs.ingestion.ports import IngestionStore, Intake, PageExtractor, WebFetcher
from pulsedocs.model.budgets import Limits, microdollars
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import import_prefix
from pulsedocs.plugins import BaseChunker, BaseEmbedder, BaseReranker
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import ChatModel, Embedder, LanguageReader, Reranker, TokenCounter
from pulsedocs.questions.ports import (
    BoxFinder,
    BoxReader,
    ConversationStore,
    DatabaseProbe,
    PageLocator,
    QueryCache,
    RetrievalDatabase,
    RetrievalStore,
    TraceStore,
)
from pulsedocs.settings import SECRET_BY_NAME, SHORTEST_TRACE_SECRET, Settings
from pulsedocs.upkeep.ports import HistoryStore, Schema, SweepStore, VectorIndexes

if TYPE_CHECKING:
    from pulsedocs.adapters.aws.invocations import LambdaFunction
    from pulsedocs.adapters.plugins import Registry
    from pulsedocs.adapters.postgres.connection import Database

EXTRACTIVE = "extractive"
_Closes = TypeVar("_Closes", bound="_Closing")

_EMBEDDERS: Final = 8  # models are named by tenants; a stage has a few that are used all day


class _Closing(Protocol):
    def close(self) -> None: ...


_open_resources: WeakSet[_Closing] = WeakSet()


def settings() -> Settings:
    return _settings.load()


@cache
def object_store() -> ObjectStore:
    from pulsedocs.adapters.aws.object_store import S3ObjectStore

    return S3ObjectStore(
        bucket=_required("BUCKET", settings().bucket),
        region=settings().aws_region,
        endpoint_url=_text(settings().aws_endpoint_url),
        upload_seconds=settings().upload_seconds,
    )


@cache
def intake() -> Intake:
    from pulsedocs.adapters.aws.intake import S3Intake

    return S3Intake(
        bucket=_required("BUCKET", settings().bucket),
        region=settings().aws_region,
        endpoint_url=_text(settings().aws_endpoint_url),
    )


@cache
def request_log() -> RequestLog:
    """Return the memory of requests for a function that has no database."""
    from pulsedocs.adapters.aws.request_log import BucketRequestLog

    return BucketRequestLog(intake())


def ingest_prefixes() -> tuple[str, ...]:
    """Return the templates of the addresses that `s3_uri` may name."""
    bucket = _required("BUCKET", settings().bucket)
    return settings().ingest_prefixes or (import_prefix(bucket),)


@cache
def web_fetcher() -> WebFetcher:
    from pulsedocs.adapters.web import GuardedFetcher

    return GuardedFetcher(
        schemes=settings().url_schemes,
        max_bytes=settings().max_url_bytes,
        seconds=settings().url_seconds,
    )


@cache
def page_extractor() -> PageExtractor:
    from dataclasses import replace

    from pulsedocs.adapters.sandbox import SandboxedExtractor
    from pulsedocs.extraction import Budgets

    return SandboxedExtractor(
        replace(
            Budgets(),
            max_bytes=settings().max_upload_bytes,
            max_pages=settings().max_pages,
        ),
        deadline_seconds=settings().extract_seconds,
    )


@cache
def ingestion_store() -> IngestionStore:
    from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore

    return PostgresIngestionStore(
        _database(),
        default_model=settings().embedding_model,
        defaults=settings().defaults,
        limits=budget_limits(),
    )


@cache
def document_catalogue() -> DocumentCatalogue:
    from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue

    return PostgresDocumentCatalogue(_database(), defaults=settings().defaults)


@cache
def model_store() -> ModelStore:
    from pulsedocs.adapters.postgres.embedding_models.models import PostgresModelStore

    return PostgresModelStore(_database())


@cache
def migration_store() -> MigrationStore:
    from pulsedocs.adapters.postgres.embedding_models.model_migrations import PostgresMigrationStore

    return PostgresMigrationStore(_database())


@cache
def backfill_store() -> BackfillStore:
    from pulsedocs.adapters.postgres.embedding_models.backfills import PostgresBackfillStore

    return PostgresBackfillStore(_database(), limits=budget_limits(), defaults=settings().defaults)


@cache
def retirement_store() -> RetirementStore:
    from pulsedocs.adapters.postgres.embedding_models.retirements import PostgresRetirementStore

    return PostgresRetirementStore(_database())


@cache
def batch_store() -> BatchStore:
    from pulsedocs.adapters.postgres.batches.batches import PostgresBatchStore

    return PostgresBatchStore(_database())


@cache
def document_operations() -> DocumentOperations:
    from pulsedocs.adapters.postgres.documents.operations import PostgresDocumentOperations

    return PostgresDocumentOperations(_database())


@cache
def sweep_store() -> SweepStore:
    from pulsedocs.adapters.postgres.upkeep.sweeps import PostgresSweepStore

    return PostgresSweepStore(_database())


@cache
def history_store() -> HistoryStore:
    from pulsedocs.adapters.postgres.upkeep.history import PostgresHistoryStore

    chosen = settings()
    return PostgresHistoryStore(_database(), days=chosen.history_days, kept=chosen.kept_versions)


@cache
def document_changes() -> DocumentChanges:
    from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges

    return PostgresDocumentChanges(_database())


@cache
def collection_store() -> CollectionStore:
    from pulsedocs.adapters.postgres.documents.collections import PostgresCollectionStore

    return PostgresCollectionStore(_database())


@cache
def profile_store() -> ProfileStore:
    from pulsedocs.adapters.postgres.documents.profiles import PostgresProfileStore

    return PostgresProfileStore(_database())


@cache
def audit_trail() -> AuditTrail:
    from pulsedocs.adapters.postgres.documents.audits import PostgresAuditTrail

    return PostgresAuditTrail(_database())


@cache
def usage_ledger() -> UsageLedger:
    from pulsedocs.adapters.postgres.documents.usage import PostgresUsageLedger

    return PostgresUsageLedger(_database())


@cache
def budget_store() -> BudgetStore:
    from pulsedocs.adapters.postgres.budgets import PostgresBudgetStore

    return PostgresBudgetStore(_database(), limits=budget_limits())


def budget_limits() -> Limits:
    """Return what tenants without a budget of their own may take in a day."""
    chosen = settings()
    dollars = chosen.budget_usd_per_day
    return Limits(
        pages=chosen.budget_pages_per_day,
        tokens=chosen.budget_tokens_per_day,
        microdollars=None if dollars is None else microdollars(dollars),
    )


@cache
def purge_store() -> PurgeStore:
    from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore

    return PostgresPurgeStore(_database())


@cache
def object_archive() -> ObjectArchive:
    from pulsedocs.adapters.aws.object_store import S3ObjectStore

    return S3ObjectStore(
        bucket=_required("BUCKET", settings().bucket),
        region=settings().aws_region,
        endpoint_url=_text(settings().aws_endpoint_url),
    )


@cache
def schema() -> Schema:
    from pulsedocs.adapters.postgres.upkeep.schema import PostgresSchema

    return PostgresSchema(_database_url(), password=_database_password())


@cache
def vector_indexes() -> VectorIndexes:
    from pulsedocs.adapters.postgres.upkeep.vector_indexes import PostgresVectorIndexes

    return PostgresVectorIndexes(_database_url(), password=_database_password())


@cache
def retrieval_store() -> RetrievalDatabase:
    from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore

    return PostgresRetrievalStore(
        _database(), conversation_days=settings().conversation_days, limits=budget_limits()
    )


@cache
def conversation_store() -> ConversationStore:
    from pulsedocs.adapters.postgres.questions.conversations import PostgresConversationStore

    return PostgresConversationStore(_database())


def retrieval_client(deadline: Deadline) -> RetrievalStore:
    """Return the database side for one request."""
    from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore

    return LambdaRetrievalStore(_retrieve_function(), deadline=deadline)


def database_probe(deadline: Deadline) -> DatabaseProbe:
    from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore

    return LambdaRetrievalStore(_retrieve_function(), deadline=deadline)


def answer_log(deadline: Deadline) -> RequestLog:
    """Return the memory of questions for one request: they are remembered beside the documents."""
    from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore

    return LambdaRetrievalStore(_retrieve_function(), deadline=deadline)


def page_locator(deadline: Deadline) -> PageLocator:
    from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore

    return LambdaRetrievalStore(_retrieve_function(), deadline=deadline)


@cache
def _retrieve_function() -> "LambdaFunction":
    from pulsedocs.adapters.aws.retrieval_client import retrieve_function

    return retrieve_function(
        _required("RETRIEVE_FUNCTION", settings().retrieve_function),
        region=settings().aws_region,
        endpoint_url=_text(settings().aws_endpoint_url),
    )


def box_finder(deadline: Deadline) -> BoxFinder:
    from pulsedocs.adapters.aws.box_client import LambdaBoxFinder

    return LambdaBoxFinder(_boxes_function(), deadline=deadline)


@cache
def _boxes_function() -> "LambdaFunction":
    from pulsedocs.adapters.aws.box_client import boxes_function

    return boxes_function(
        _required("BOXES_FUNCTION", settings().boxes_function),
        region=settings().aws_region,
        endpoint_url=_text(settings().aws_endpoint_url),
    )


def trace_store(deadline: Deadline) -> TraceStore:
    """Return the bucket for one request's traces."""
    from pulsedocs.adapters.aws.trace_store import BucketTraceStore

    return BucketTraceStore(object_store(), deadline=deadline)


@cache
def box_reader() -> BoxReader:
    from dataclasses import replace

    from pulsedocs.adapters.sandbox import SandboxedBoxReader
    from pulsedocs.extraction import Budgets

    return SandboxedBoxReader(replace(Budgets(), max_bytes=settings().max_upload_bytes))


@lru_cache(maxsize=_EMBEDDERS)
def embedder(model: str) -> Embedder:
    """Return the embedder of a model; raise ModelNotFound for a provider that is not there."""
    named = parse_model_name(model)
    if named.provider == "local":
        return _local_embedder(named.name)
    if named.provider == "openai":
        from pulsedocs.adapters.openai.embedder import OpenAIEmbedder

        return _closing(
            OpenAIEmbedder(named, api_key=_openai_key(), base_url=_text(settings().openai_base_url))
        )
    if named.provider == "bedrock":
        from pulsedocs.adapters.bedrock.embedder import BedrockEmbedder

        return _closing(
            BedrockEmbedder(
                named, region=_bedrock_region(), endpoint_url=_text(settings().aws_endpoint_url)
            )
        )
    if named.provider == "cohere":
        from pulsedocs.adapters.cohere.embedder import CohereEmbedder

        return _closing(CohereEmbedder(named, api_key=_cohere_key()))
    if named.provider in settings().test_doubles:
        from pulsedocs.adapters.memory.embedder import HashingEmbedder

        return HashingEmbedder(dimensions=named.dimensions)
    from pulsedocs.adapters.plugins import PluginEmbedder

    try:
        made_by = _plugins().find(BaseEmbedder, named.provider)
    except InvalidRequest as error:
        message = f"no provider {named.provider!r} for the model {model!r}: {error.message}"
        raise ModelNotFound(message) from error
    return PluginEmbedder(named, made_by(name=named.name, dimensions=named.dimensions))


def _local_embedder(name: str) -> Embedder:
    if name == "muse":
        from pulsedocs.adapters.local.multilingual import MultilingualEmbedder

        return MultilingualEmbedder()
    from pulsedocs.adapters.local.embedder import LocalEmbedder

    return LocalEmbedder(_model_directory())


@cache
def reranker() -> Reranker | None:
    """Return the configured reranker, or None when reranking is turned off."""
    provider, _, name = settings().reranker_model.partition(":")
    if not provider:
        return None
    if provider == "local":
        return _local_reranker(name)
    if provider == "bedrock" and name:
        from pulsedocs.adapters.bedrock.reranker import BedrockReranker

        return _closing(
            BedrockReranker(
                name, region=_bedrock_region(), endpoint_url=_text(settings().aws_endpoint_url)
            )
        )
    if provider == "cohere" and name:
        from pulsedocs.adapters.cohere.reranker import CohereReranker

        return _closing(CohereReranker(name, api_key=_cohere_key()))
    if provider in settings().test_doubles:
        from pulsedocs.adapters.memory.reranker import OverlapReranker

        return OverlapReranker()
    from pulsedocs.adapters.plugins import PluginReranker

    try:
        made_by = _plugins().find(BaseReranker, provider)
    except InvalidRequest as error:
        message = f"RERANKER_MODEL {settings().reranker_model!r}: {error.message}"
        raise ConfigurationError(message) from error
    return PluginReranker(settings().reranker_model, made_by(name=name))


def _local_reranker(name: str) -> Reranker:
    if name == "answerai-colbert-small-v1":
        from pulsedocs.adapters.local.late_interaction import LateInteraction

        return LateInteraction(_model_directory())
    from pulsedocs.adapters.local.cross_encoder import CrossEncoder

    return CrossEncoder(_model_directory())


@cache
def chat_model() -> ChatModel | None:
    """Return the configured generator, or None for extractive answers."""
    return _chat("CHAT_MODEL", settings().chat_model)


@cache
def rewriter() -> ChatModel | None:
    """Return the model that rewrites questions: one of its own, or the generator."""
    named = settings().rewrite_model
    return _chat("REWRITE_MODEL", named) if named else chat_model()


def _chat(variable: str, model: str) -> ChatModel | None:
    provider, _, name = model.partition(":")
    if provider == EXTRACTIVE:
        return None
    if provider == "openai" and name:
        from pulsedocs.adapters.openai.chat import OpenAIChat

        return _closing(
            OpenAIChat(name, api_key=_openai_key(), base_url=_text(settings().openai_base_url))
        )
    if provider == "bedrock" and name:
        from pulsedocs.adapters.bedrock.chat import BedrockChat

        return _closing(
            BedrockChat(
                name, region=_bedrock_region(), endpoint_url=_text(settings().aws_endpoint_url)
            )
        )
    if provider == "cohere" and name:
        from pulsedocs.adapters.cohere.chat import CohereChat

        return _closing(CohereChat(name, api_key=_cohere_key()))
    message = f"{variable} {model!r} names an unknown provider"
    raise ConfigurationError(message)


@cache
def language_reader() -> LanguageReader | None:
    """Return what tells languages apart, or None where it is not installed: in Lambda.

    Collections then say which language they are in.
    """
    from importlib.util import find_spec

    if find_spec("py3langid") is None:
        return None
    from pulsedocs.adapters.local.languages import LettersReader

    return LettersReader()


@cache
def query_cache() -> QueryCache:
    from pulsedocs.adapters.local.query_cache import ExpiringCache

    return ExpiringCache()


def trace_secrets() -> tuple[bytes, ...]:
    """Return what the hashes in traces are keyed with, newest first; tenants' keys derive from it.

    Former ones stand behind it, with commas, until the last trace that they keyed has expired.
    """
    secret = settings().trace_secret
    if secret is None:
        message = "TRACE_SECRET must be set for this function"
        raise ConfigurationError(message)
    listed = [text.strip() for text in _plain("TRACE_SECRET", secret).split(",")]
    if min(map(len, listed)) < SHORTEST_TRACE_SECRET:
        message = f"TRACE_SECRET is shorter than {SHORTEST_TRACE_SECRET} characters"
        raise ConfigurationError(message)
    return tuple(text.encode() for text in listed)


def check_start() -> None:
    """Raise ConfigurationError for what would fail with the first document or question."""
    chosen = settings()
    models = (
        chosen.embedding_model,
        chosen.reranker_model,
        chosen.chat_model,
        chosen.rewrite_model,
    )
    providers = {model.partition(":")[0] for model in models}
    for provider, key in (("openai", chosen.openai_api_key), ("cohere", chosen.cohere_api_key)):
        if provider in providers and key is None:
            raise ConfigurationError(
                f"{provider.upper()}_API_KEY must be set to use a model of {provider}"
            )
    plugin = plugin_of(chosen.chunk_profile)
    if plugin is not None:
        try:
            plugin_chunker(plugin)
        except InvalidRequest as error:
            raise ConfigurationError(f"CHUNK_PROFILE: {error.message}") from error


def check_model(model: str) -> None:
    """Raise InvalidRequest, with what is known, for a model that this stage cannot embed with."""
    others = (*settings().test_doubles, *_plugins().names(BaseEmbedder))
    refuse_unknown_model(parse_model_name(model), others=others)


def plugin_chunker(name: str) -> BaseChunker:
    """Return a plug-in's chunker; raise InvalidRequest when this stage has none of the name."""
    return _plugins().find(BaseChunker, name)()


@cache
def _plugins() -> "Registry":
    from pulsedocs.adapters.plugins import Registry

    return Registry(settings().plugins, allows_experimental=settings().experimental_plugins)


@cache
def token_counter() -> TokenCounter:
    from pulsedocs.adapters.local.tokens import TiktokenCounter

    return TiktokenCounter(_model_directory())


@cache
def _database() -> "Database":
    from pulsedocs.adapters.postgres.connection import Database

    return _closing(Database(_database_url(), password=_database_password()))


def _database_url() -> str:
    return _required("DATABASE_URL", _text(settings().database_url))


def _database_password() -> Callable[[], str] | None:
    """Return what makes a password for each connection, or None where the address has one."""
    url = settings().database_url
    if url is None or settings().database_auth == "url":
        return None
    from pulsedocs.adapters.aws.database_tokens import DatabaseTokens

    [host] = url.hosts()
    return DatabaseTokens(
        host=host["host"] or "",
        port=host["port"] or 5432,
        role=host["username"] or "",
        region=settings().aws_region,
    )


def _model_directory() -> Path:
    directory = settings().model_directory
    if directory is None:
        message = "MODEL_DIRECTORY must name the folder of the local models"
        raise ConfigurationError(message)
    return directory


def _openai_key() -> str:
    key = settings().openai_api_key
    if key is None:
        message = "OPENAI_API_KEY must be set to use an openai: model"
        raise ConfigurationError(message)
    return _plain("OPENAI_API_KEY", key)


def _plain(variable: str, secret: SecretStr) -> str:
    """Return a secret, which on AWS lies in the parameter that the variable names."""
    text = secret.get_secret_value()
    if text.startswith(SECRET_BY_NAME):
        text = _parameter(text.removeprefix(SECRET_BY_NAME))
    if not text:
        raise ConfigurationError(f"{variable} is empty")
    return text


@cache
def _parameter(name: str) -> str:
    """Ask once an environment: a parameter that was written again is read by the next ones."""
    from pulsedocs.adapters.aws.parameters import ParameterStore

    store = ParameterStore(
        region=settings().aws_region, endpoint_url=_text(settings().aws_endpoint_url)
    )
    return store.read(name)


def _cohere_key() -> str:
    key = settings().cohere_api_key
    if key is None:
        raise ConfigurationError("COHERE_API_KEY must be set to use a cohere: model")
    return _plain("COHERE_API_KEY", key)


def _bedrock_region() -> str:
    return settings().bedrock_region or settings().aws_region


def _closing(adapter: _Closes) -> _Closes:
    """Return an adapter that `reset` closes, if somebody still has it then."""
    _open_resources.add(adapter)
    return adapter


def _required(name: str, value: str | None) -> str:
    if not value:
        message = f"{name} must be set for this function"
        raise ConfigurationError(message)
    return value


def _text(value: object | None) -> str | None:
    return None if value is None else str(value)


def reset() -> None:
    """Close and forget everything, so that the next call builds it from fresh settings."""
    while _open_resources:
        _open_resources.pop().close()
    _settings.load.cache_clear()
    for build in (
        object_store,
        intake,
        request_log,
        web_fetcher,
        page_extractor,
        ingestion_store,
        document_catalogue,
        document_changes,
        collection_store,
        profile_store,
        usage_ledger,
        audit_trail,
        budget_store,
        purge_store,
        object_archive,
        batch_store,
        model_store,
        migration_store,
        backfill_store,
        retirement_store,
        document_operations,
        sweep_store,
        history_store,
        retrieval_store,
        conversation_store,
        schema,
        vector_indexes,
        _retrieve_function,
        _boxes_function,
        box_reader,
        embedder,
        reranker,
        chat_model,
        rewriter,
        query_cache,
        token_counter,
        _parameter,
        _plugins,
        _database,
    ):
        build.cache_clear()
