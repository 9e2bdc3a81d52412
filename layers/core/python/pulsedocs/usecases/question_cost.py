"""What a question can cost at most: what is held of the tenant's day before any model is asked."""

from collections.abc import Callable, Iterable

from pulsedocs.answering.prompt import bounded, estimated_tokens, reserved_tokens
from pulsedocs.model.answers import ChatMessage
from pulsedocs.model.budgets import Amounts, bought
from pulsedocs.model.retrieval import Profile
from pulsedocs.ports.providers import ChatModel
from pulsedocs.retrieval import queries
from pulsedocs.usecases.input_stage import GENERATE_TOKENS, REWRITE_TOKENS
from pulsedocs.usecases.providers import Providers


def cost_at_most(
    text: str,
    history: tuple[ChatMessage, ...],
    *,
    profile: Profile,
    providers: Providers,
    is_answered: bool,
) -> Amounts:
    """Return the most that the calls of language models can take which the policy asks for.

    Embedding a question is left out, as it is of what is settled: some twenty tokens.
    """
    cost = Amounts()
    rewrites = bool(profile.rewrite_with_history and history)
    if rewrites:
        said = queries.rewriting(text, history=bounded(history))
        cost += _call(providers.rewriter, _tokens(said), output_tokens=REWRITE_TOKENS)
    wanted = queries.Wanted(optimised=profile.optimised_query, hyde=profile.hyde)
    if wanted.fields:
        said = queries.generating(text, wanted=wanted)
        longest = _tokens(said) + (REWRITE_TOKENS if rewrites else 0)
        cost += _call(providers.chat, longest, output_tokens=GENERATE_TOKENS)
    if is_answered:
        prompt = profile.context_tokens + reserved_tokens(text, history)
        cost += _call(providers.chat, prompt, output_tokens=providers.max_tokens)
    return cost


def _call(build: Callable[[], ChatModel | None], tokens: int, *, output_tokens: int) -> Amounts:
    chat = build()
    if chat is None:
        return Amounts()
    return bought(chat.model, input_tokens=tokens, output_tokens=output_tokens)


def _tokens(messages: Iterable[ChatMessage]) -> int:
    return sum(estimated_tokens(message.content) for message in messages)
