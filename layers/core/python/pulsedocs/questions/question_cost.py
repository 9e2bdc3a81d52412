"""What a question can cost at most: reserved of the tenant's day before any model is asked."""

from collections.abc import Callable, Iterable

from pulsedocs.answering.prompt import REPAIR, bounded, reserved_tokens
from pulsedocs.model.answers import ChatMessage
from pulsedocs.model.budgets import Amounts, bought, microdollars
from pulsedocs.model.retrieval import Profile
from pulsedocs.model.tokens import tokens_at_most
from pulsedocs.ports.providers import ChatModel
from pulsedocs.prices import PASSAGE_TOKENS, cost_of_reranking, is_free
from pulsedocs.questions.input_stage import GENERATE_TOKENS, REWRITE_TOKENS, query_tokens
from pulsedocs.questions.providers import Providers
from pulsedocs.retrieval import queries


def cost_at_most(
    text: str,
    history: tuple[ChatMessage, ...],
    *,
    profile: Profile,
    providers: Providers,
    embedding: str,
    reranker: str | None,
    is_answered: bool,
) -> Amounts:
    """Return the most that the calls of models can take which the policy asks for.

    Models of this machine cost nothing: neither `embedding` nor `reranker` is then counted.
    """
    cost = Amounts()
    rewrites = bool(profile.rewrite and history)
    if rewrites:
        said = queries.rewriting(text, history=bounded(history))
        cost += _call(providers.rewriter, _tokens(said), output_tokens=REWRITE_TOKENS)
    wanted = queries.Wanted(optimised=profile.optimised_query, hyde=profile.hyde)
    if wanted.fields:
        said = queries.generating(text, wanted=wanted)
        longest = _tokens(said) + (REWRITE_TOKENS if rewrites else 0)
        cost += _call(providers.chat, longest, output_tokens=GENERATE_TOKENS)
    said = "\n".join([text, *(message.content for message in bounded(history) if rewrites)])
    query = query_tokens(embedding, queries.expanded(said, providers.abbreviations))
    query += REWRITE_TOKENS if rewrites else 0
    if not is_free(embedding):
        made = GENERATE_TOKENS if wanted.fields else 0
        cost += bought(embedding, input_tokens=query + made)
    if reranker is not None:
        passages = [PASSAGE_TOKENS] * profile.rerank_candidates
        dollars = cost_of_reranking(reranker, query_tokens=query, passages=passages)
        cost += Amounts(microdollars=microdollars(dollars))
    if is_answered:
        prompt = profile.context_tokens + reserved_tokens(text, history)
        again = prompt + providers.max_tokens + tokens_at_most(REPAIR)
        for tokens in (prompt, again):
            cost += _call(providers.chat, tokens, output_tokens=providers.max_tokens)
    return cost


def _call(build: Callable[[], ChatModel | None], tokens: int, *, output_tokens: int) -> Amounts:
    chat = build()
    if chat is None:
        return Amounts()
    return bought(chat.model, input_tokens=tokens, output_tokens=output_tokens)


def _tokens(messages: Iterable[ChatMessage]) -> int:
    return sum(tokens_at_most(message.content) for message in messages)
