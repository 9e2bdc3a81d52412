"""What becomes of a question before anything is searched.

Only a policy that asks for it has a language model touch the question, and whatever that model does
wrong costs quality only: the question itself is searched then, and `degraded` says so.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar
from uuid import UUID

from pulsedocs.answering.neutral import addresses_in, without_markup
from pulsedocs.answering.prompt import bounded
from pulsedocs.embedding import query_prefix, tokens_at_most
from pulsedocs.errors import ProviderMalformed, QueryGenerationError
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.queries import Inputs, QueryKey
from pulsedocs.model.retrieval import Leg, Prepared, Profile
from pulsedocs.ports.providers import ChatModel, Embedder
from pulsedocs.questions.journal import Journal
from pulsedocs.questions.providers import Providers
from pulsedocs.retrieval import queries

# Of a request's 25 seconds: a model that hangs leaves time for the question as it was asked.
REWRITE_SECONDS = 3.0
GENERATE_SECONDS = 5.0
EMBED_SECONDS = 6.0

REWRITE_TOKENS = 256
GENERATE_TOKENS = 768
_PART = {"rewriting": REWRITE_SECONDS, "input_stage": GENERATE_SECONDS}
_Read = TypeVar("_Read")
_Embedded: TypeAlias = tuple[tuple[float, ...], int]
"""A vector, and the tokens that were bought for it: none where it was remembered."""
_Embed: TypeAlias = Callable[[Embedder, str, Deadline], _Embedded]


@dataclass(frozen=True, slots=True)
class _Call:
    """One question to a chat model; `part` is how the journal names it."""

    part: str
    messages: Sequence[ChatMessage]
    max_tokens: int
    reply_schema: ReplySchema | None = None


@dataclass(frozen=True, slots=True)
class InputStage:
    """Rewrites, expands and embeds one tenant's question."""

    tenant_id: UUID
    providers: Providers
    journal: Journal
    deadline: Deadline
    models: dict[str, str | None]
    """Where the models that were asked are named, for the trace."""

    def inputs(self, text: str, *, history: Sequence[ChatMessage], profile: Profile) -> Inputs:
        """Return what is searched; each step falls back to what it was given."""
        inputs = Inputs(text)
        if profile.rewrite and history and self.providers.rewriter() is not None:
            inputs = replace(inputs, rewritten=self._rewrite(text, history))
        wanted = queries.Wanted(optimised=profile.optimised_query, hyde=profile.hyde)
        if wanted.fields:
            made = self._generate(inputs.standalone, wanted) or queries.Generated()
            inputs = replace(inputs, standard=made.standard, hyde=made.hyde)
        searched = queries.expanded(inputs.searched, self.providers.abbreviations)
        return inputs if searched == inputs.searched else replace(inputs, standard=searched)

    def vectors(self, inputs: Inputs, prepared: Prepared) -> dict[Leg, tuple[float, ...]]:
        """Return a vector for each query that could be embedded; the two are embedded together."""
        model, passage = prepared.model, inputs.hyde
        with ThreadPoolExecutor(1, thread_name_prefix="hyde") as beside:
            coming = (
                None
                if passage is None
                else beside.submit(self._embed, passage, model, embed=_as_passage)
            )
            by_meaning = self.journal.attempt(
                "embedding",
                lambda: self._book(model, self._embed(inputs.searched, model, embed=_as_query)),
            )
        if by_meaning is None:
            if coming is not None and coming.exception() is None:
                self._book(model, coming.result())  # paid for, though nothing is searched by it
            return {}
        if coming is None:
            return {Leg.VECTOR: by_meaning}
        by_passage = self.journal.attempt("hyde", lambda: self._book(model, coming.result()))
        passages = {} if by_passage is None else {Leg.HYDE: by_passage}
        return {Leg.VECTOR: by_meaning, **passages}

    def _rewrite(self, text: str, history: Sequence[ChatMessage]) -> str | None:
        messages = queries.rewriting(text, history=bounded(history))
        call = _Call("rewriting", messages, REWRITE_TOKENS)
        rewritten = self._asked(self.providers.rewriter, call, read=queries.rewritten)
        if rewritten is None:
            return None
        # It is shown beside the answer: no address in it that nobody in the conversation wrote.
        said = addresses_in("\n".join([text, *(message.content for message in history)]))
        return without_markup(rewritten, is_known_address=said.__contains__)

    def _generate(self, text: str, wanted: queries.Wanted) -> queries.Generated | None:
        call = _Call(
            "input_stage",
            queries.generating(text, wanted=wanted),
            GENERATE_TOKENS,
            queries.reply_schema(wanted),
        )
        return self._asked(
            self.providers.chat, call, read=lambda reply: queries.generated(reply, wanted=wanted)
        )

    def _asked(
        self,
        build: Callable[[], ChatModel | None],
        call: _Call,
        *,
        read: Callable[[Completion], _Read],
    ) -> _Read | None:
        """Return what the model's reply says, or None where there is no model or no such reply."""
        chat = build()
        if chat is None:
            self.journal.failures[call.part] = None
            return None
        self.models[call.part] = chat.model
        said = "\n".join(f"{message.role}: {message.content}" for message in call.messages)
        key = QueryKey(self.tenant_id, chat.model, call.part, said)
        return self.journal.attempt(
            call.part,
            lambda: self.providers.remembered(key, lambda: read(self._complete(chat, call))),
        )

    def _complete(self, chat: ChatModel, call: _Call) -> Completion:
        try:
            completion = chat.complete(
                call.messages,
                temperature=0.0,
                max_tokens=call.max_tokens,
                deadline=self.deadline.step(_PART[call.part]),
                reply_schema=call.reply_schema,
            )
        except ProviderMalformed as error:
            raise QueryGenerationError(error.message) from error
        self.journal.spent.add(completion)
        return completion

    def _embed(self, text: str, model: str, *, embed: _Embed) -> _Embedded:
        limit = self.deadline.step(EMBED_SECONDS)
        key = QueryKey(self.tenant_id, model, embed.__name__, text)
        embedder = self.providers.embedder(model)
        bought = 0

        def made() -> tuple[float, ...]:
            nonlocal bought
            vector, bought = embed(embedder, text, limit)
            return vector

        return self.providers.remembered(key, made), bought

    def _book(self, model: str, embedded: _Embedded) -> tuple[float, ...]:
        vector, bought = embedded
        if bought:
            self.journal.spent.add_embedding(model, bought)
        return vector


def query_tokens(model: str, text: str) -> int:
    """Return what embedding a question is counted as: its vector comes without a count."""
    return tokens_at_most(query_prefix(model) + text)


def _as_query(embedder: Embedder, text: str, deadline: Deadline) -> _Embedded:
    vector = embedder.embed_query(text, deadline=deadline)
    return vector, query_tokens(embedder.model, text)


def _as_passage(embedder: Embedder, text: str, deadline: Deadline) -> _Embedded:
    """Embed without the prefix of queries: the text stands for a page, not for a question."""
    batch = embedder.embed_passages([text], deadline=deadline)
    if batch.refused or not batch.vectors[0]:
        raise QueryGenerationError("the provider would not embed the hypothetical passage")
    return batch.vectors[0], batch.input_tokens
