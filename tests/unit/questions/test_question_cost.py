"""What a question may cost is held before a model is asked, and given back however it ends."""

from typing import Any

import pytest

from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import BudgetExceeded, StoreUnavailable
from pulsedocs.model.answers import ChatMessage
from pulsedocs.prices import cost_of_reranking
from pulsedocs.questions.journal import Spending
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.question_cost import cost_at_most
from pulsedocs.retrieval.profiles import profile_named
from tests.unit.questions.shelf import Shelf, lease_shelf
from tests.unit.questions.test_question_ask import GOOD, RENT, ask


def limited() -> Shelf:
    shelf = lease_shelf()
    shelf.is_limited = True
    return shelf


def test_more_is_held_than_is_spent() -> None:
    shelf = limited()

    answer = ask(RENT, shelf, chat=ScriptedChat([GOOD]))

    [held], [spent] = shelf.reserved, shelf.settled
    assert answer.abstained is None
    assert held.tokens >= spent.input_tokens + spent.output_tokens > 0


def test_nothing_is_held_where_nothing_is_limited_or_nothing_costs() -> None:
    free, extracts = lease_shelf(), limited()

    ask(RENT, free, chat=ScriptedChat([GOOD]))
    ask(RENT, extracts, chat=None)

    assert free.reserved == extracts.reserved == []


def test_a_question_beyond_the_budget_asks_no_model() -> None:
    shelf, chat = limited(), ScriptedChat([GOOD])
    shelf.failing = {"reserve": BudgetExceeded("the day is spent")}

    with pytest.raises(BudgetExceeded):
        ask(RENT, shelf, chat=chat)

    assert chat.asked == []
    assert shelf.queries == []


def test_what_is_held_goes_back_where_a_question_finds_no_way() -> None:
    shelf = limited()
    shelf.failing = {"search": StoreUnavailable("gone")}

    with pytest.raises(StoreUnavailable):
        ask(RENT, shelf, chat=ScriptedChat([GOOD]))

    assert [(usage.input_tokens, usage.output_tokens) for usage in shelf.settled] == [(0, 0)]


def test_every_call_that_a_policy_asks_for_is_counted() -> None:
    said = (ChatMessage("user", "Who pays the rent?"), ChatMessage("assistant", "Anna."))
    model = ScriptedChat([])
    providers = Providers(
        embedder=lambda _model: pytest.fail("nothing is embedded"),
        reranker=lambda: None,
        chat=lambda: model,
        rewriter=lambda: model,
        max_tokens=500,
    )

    def tokens(profile: str, *, is_answered: bool, history: Any = ()) -> int:
        policy = profile_named(profile)
        cost = cost_at_most(
            RENT,
            history,
            profile=policy,
            providers=providers,
            embedding="memory:hashing@384",
            reranker="memory:overlap",
            is_answered=is_answered,
        )
        return cost.tokens

    found = tokens("default", is_answered=False)
    answered = tokens("default", is_answered=True)
    generating = tokens("full_hybrid", is_answered=False)
    assert found == 0
    assert answered >= profile_named("default").context_tokens + 500
    assert generating > 768
    assert tokens("full_hybrid", is_answered=True, history=said) > answered + generating


class PaidReranker(OverlapReranker):
    @property
    def model(self) -> str:
        return "cohere:rerank-v3.5"


def test_searches_of_a_reranker_are_held_and_booked() -> None:
    """Failed when reranking was outside the budget, as it was."""
    shelf = limited()

    ask(RENT, shelf, chat=None, reranker=PaidReranker)

    [held], [spent] = shelf.reserved, shelf.settled
    assert (spent.cost_usd, spent.input_tokens) == (0.002, 0)
    assert held.microdollars >= 2000


def test_what_is_known_of_a_price_counts_beside_what_is_not() -> None:
    """A day was not charged at all where one of two models had no price."""
    spent = Spending()

    spent.add_cost(0.002)
    spent.add_embedding("acme:vectors@8", 20)

    assert (spent.cost_usd, spent.priced_usd, spent.input_tokens) == (None, 0.002, 20)


def test_a_search_counts_texts_of_500_tokens_with_the_query() -> None:
    def dollars(*passages: int, query: int = 20) -> float | None:
        return cost_of_reranking("cohere:rerank-v3.5", query_tokens=query, passages=passages)

    assert dollars(*[480] * 100) == 0.002
    assert dollars(*[481] * 51) == 0.004
    assert dollars(*[100_000] * 11) == 0.002
    assert cost_of_reranking("acme:scores", query_tokens=1, passages=[1]) is None
