"""What embeds, orders, writes, counts and cuts: models of providers, local ones and plug-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulsedocs import embedding
from pulsedocs.bootstrap import aws, closing, once, settings, text
from pulsedocs.bootstrap.keys import api_key, given_key
from pulsedocs.calls.limits import CHAT, EMBEDDING, RERANKING, CallLimits
from pulsedocs.chunking import plugin_of
from pulsedocs.embedding import parse_model_name, refuse_unknown_model
from pulsedocs.errors import ConfigurationError, InvalidRequest, ModelNotFound
from pulsedocs.plugins import BaseChunker, BaseEmbedder, BaseReranker

if TYPE_CHECKING:
    from pathlib import Path

    from pulsedocs.adapters.bedrock.calls import BedrockCalls, Service
    from pulsedocs.adapters.cohere.calls import CohereCalls
    from pulsedocs.adapters.openai.calls import OpenAICalls
    from pulsedocs.adapters.plugins import Registry
    from pulsedocs.ports.providers import (
        ChatModel,
        Embedder,
        LanguageReader,
        Reranker,
        TokenCounter,
        Vocabulary,
    )
    from pulsedocs.questions.ports import QueryCache


@once
def embedder(model: str) -> Embedder:
    """Return the embedder of a model; raise ModelNotFound for a provider that is not there."""
    named = parse_model_name(model)
    if named.provider == "local":
        return _local_embedder(named.name)
    if named.provider == "openai":
        from pulsedocs.adapters.openai.embedder import OpenAIEmbedder

        return closing(OpenAIEmbedder(named, _openai(EMBEDDING)))
    if named.provider == "bedrock":
        from pulsedocs.adapters.bedrock.embedder import BedrockEmbedder

        return closing(BedrockEmbedder(named, _bedrock(EMBEDDING)))
    if named.provider == "cohere":
        from pulsedocs.adapters.cohere.embedder import CohereEmbedder

        return closing(CohereEmbedder(named, _cohere(EMBEDDING)))
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


@once
def reranker() -> Reranker | None:
    """Return the configured reranker, or None when reranking is turned off."""
    provider, _, name = settings().reranker_model.partition(":")
    if not provider:
        return None
    if provider == "local":
        return _local_reranker(name)
    if provider == "bedrock" and name:
        from pulsedocs.adapters.bedrock.reranker import BedrockReranker

        return closing(BedrockReranker(name, _bedrock(RERANKING, "bedrock-agent-runtime")))
    if provider == "cohere" and name:
        from pulsedocs.adapters.cohere.reranker import CohereReranker

        return closing(CohereReranker(name, _cohere(RERANKING)))
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


def answer_judge(model: str) -> Reranker | None:
    """Return what tells answers from near misses, where it comes from the model that scores."""
    if model == "local:ms-marco-MiniLM-L12-v2":
        return _taught_reranker()
    return _multilingual_judge() if model == "local:muse@512" else None


@once
def _taught_reranker() -> Reranker:
    from pulsedocs.adapters.local.cross_encoder import answer_judge as taught

    return taught(_model_directory())


@once
def _multilingual_judge() -> Reranker:
    from pulsedocs.adapters.local.multilingual_answers import READS, MultilingualJudge

    return MultilingualJudge(embedder(READS))


@once
def chat_model() -> ChatModel | None:
    """Return the configured generator, or None for extractive answers."""
    return _chat("CHAT_MODEL", settings().chat_model)


@once
def rewriter() -> ChatModel | None:
    """Return the model that rewrites questions: one of its own, or the generator."""
    named = settings().rewrite_model
    return _chat("REWRITE_MODEL", named) if named else chat_model()


def _chat(variable: str, model: str) -> ChatModel | None:
    provider, _, name = model.partition(":")
    if provider == "extractive":
        return None
    if provider == "openai" and name:
        from pulsedocs.adapters.openai.chat import OpenAIChat

        return closing(OpenAIChat(name, _openai(CHAT)))
    if provider == "bedrock" and name:
        from pulsedocs.adapters.bedrock.chat import BedrockChat

        return closing(BedrockChat(name, _bedrock(CHAT)))
    if provider == "cohere" and name:
        from pulsedocs.adapters.cohere.chat import CohereChat

        return closing(CohereChat(name, _cohere(CHAT)))
    raise ConfigurationError(f"{variable} {model!r} names an unknown provider")


def _openai(limits: CallLimits) -> OpenAICalls:
    from pulsedocs.adapters.openai.calls import OpenAICalls

    return OpenAICalls(limits, api_key=api_key("openai"), base_url=text(settings().openai_base_url))


def _cohere(limits: CallLimits) -> CohereCalls:
    from pulsedocs.adapters.cohere.calls import CohereCalls

    return CohereCalls(limits, api_key=api_key("cohere"))


def _bedrock(limits: CallLimits, service: Service = "bedrock-runtime") -> BedrockCalls:
    from pulsedocs.adapters.bedrock.calls import BedrockCalls

    place = aws()
    place["region"] = settings().bedrock_region or place["region"]
    return BedrockCalls(limits, service=service, **place)


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
    for provider in ("openai", "cohere"):
        if provider in providers:
            given_key(provider)
    plugin = plugin_of(chosen.chunk_profile)
    if plugin is not None:
        try:
            plugin_chunker(plugin)
        except InvalidRequest as error:
            raise ConfigurationError(f"CHUNK_PROFILE: {error.message}") from error


def check_model(model: str) -> None:
    """Raise UnknownModel, with what is known, for a model that this stage cannot embed with."""
    others = (*settings().test_doubles, *_plugins().names(BaseEmbedder))
    refuse_unknown_model(parse_model_name(model), others=others)


def model_for(language: str) -> str:
    """Return the model of a collection of a language that names none."""
    return embedding.model_for(language, default=settings().embedding_model)


def plugin_chunker(name: str) -> BaseChunker:
    """Return a plug-in's chunker; raise InvalidRequest when this stage has none of the name."""
    return _plugins().find(BaseChunker, name)()


@once
def _plugins() -> Registry:
    from pulsedocs.adapters.plugins import Registry

    return Registry(settings().plugins, allows_experimental=settings().experimental_plugins)


@once
def token_counter() -> TokenCounter:
    from pulsedocs.adapters.local.tokens import TiktokenCounter

    return TiktokenCounter(_model_directory())


@once
def language_reader() -> LanguageReader | None:
    """Return what tells languages apart, or None where it is not installed: in Lambda.

    Collections then say which language they are in.
    """
    from importlib.util import find_spec

    if find_spec("py3langid") is None:
        return None
    from pulsedocs.adapters.local.languages import LettersReader

    return LettersReader()


@once
def vocabulary() -> Vocabulary | None:
    """Return the words of the local English embedder, None where it is not used or not there."""
    directory = settings().model_directory
    is_used = settings().embedding_model.startswith("local:bge-small-en-v1.5")
    if directory is None or not is_used:
        return None
    from pulsedocs.adapters.local.vocabulary import WholeWords

    return WholeWords(directory)


@once
def query_cache() -> QueryCache:
    from pulsedocs.adapters.local.query_cache import ExpiringCache

    return ExpiringCache()


def _model_directory() -> Path:
    directory = settings().model_directory
    if directory is None:
        message = "MODEL_DIRECTORY must name the folder of the local models"
        raise ConfigurationError(message)
    return directory
