"""The one place that gathers what a request's question is answered with."""

from uuid import UUID

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, clients, keys, providers
from pulsedocs.model.deadline import Deadline
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import tenant_key
from pulsedocs.questions.refusal_texts import RefusalTexts


def query_engine(tenant_id: UUID, *, deadline: Deadline) -> QueryEngine:
    """Return the means of answering one tenant's request, in the time that it has."""
    newest, *former = (tenant_key(secret, tenant_id) for secret in keys.trace_secrets())
    return engine_with(newest, deadline=deadline, former=tuple(former))


def engine_with(key: bytes, *, deadline: Deadline, former: tuple[bytes, ...] = ()) -> QueryEngine:
    """Return the same for a function whose hashes are kept in no trace."""
    settings = bootstrap.settings()
    return QueryEngine(
        store=clients.retrieval_client(deadline),
        objects=buckets.trace_store(deadline),
        providers=Providers(
            embedder=providers.embedder,
            reranker=providers.reranker,
            chat=providers.chat_model,
            rewriter=providers.rewriter,
            cache=providers.query_cache(),
            languages=providers.language_reader,
            vocabulary=providers.vocabulary,
            answer_judge=providers.answer_judge,
            abbreviations=settings.abbreviations,
            temperature=settings.chat_temperature,
            max_tokens=settings.chat_max_tokens,
        ),
        texts=RefusalTexts(
            no_information=settings.no_information_text,
            not_indexed=settings.not_indexed_text,
            empty_query=settings.empty_query_text,
            no_answer=settings.no_answer_text,
            not_found=settings.not_found_text,
            language_unknown=settings.language_unknown_text,
            no_documents=settings.no_documents_text,
            chosen=frozenset(name.removesuffix("_text") for name in settings.model_fields_set),
        ),
        tenant_key=key,
        deadline=deadline,
        former_keys=former,
        stores=clients.retrieval_client,
        policies={settings.policy.name: settings.policy},
    )
