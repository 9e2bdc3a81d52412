"""What becomes of a question before anything is searched.

Only a policy that asks for it has a language model touch the question, and whatever that model does
wrong costs quality only: the question itself is searched then, and `degraded` says so.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar
from uuid import UUID

from pulsedocs.answering.asked.follow_up import resolved
from pulsedocs.answering.asked.parts import without_story
from pulsedocs.answering.asked.terms import telling_words
from pulsedocs.answering.languages import language_of
from pulsedocs.answering.neutral import addresses_in, without_markup
from pulsedocs.answering.prompt import bounded
from pulsedocs.answering.wording import covered, stems
from pulsedocs.embedding import query_prefix
from pulsedocs.errors import ProviderMalformed, QueryGenerationError
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.queries import Inputs, QueryKey
from pulsedocs.model.retrieval import Leg, Prepared, Profile
from pulsedocs.model.tokens import tokens_at_most
from pulsedocs.ports.providers import ChatModel
from pulsedocs.questions.journal import Journal
from pulsedocs.questions.providers import Providers
from pulsedocs.retrieval import queries
from pulsedocs.retrieval.page_references import without_pages

# Of a request's 25 seconds: a model that hangs leaves time for the question as it was asked.
REWRITE_SECONDS = 3.0
GENERATE_SECONDS = 5.0
EMBED_SECONDS = 6.0

REWRITE_TOKENS = 256
GENERATE_TOKENS = 768
_FEWEST_SAID = 0.5
_PART = {"rewriting": REWRITE_SECONDS, "input_stage": GENERATE_SECONDS}
_Read = TypeVar("_Read")
_Embedded: TypeAlias = tuple[tuple[float, ...], int]
"""A vector, and the tokens that were bought for it: none where it was remembered."""


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

    def inputs(
        self,
        text: str,
        *,
        as_read: str,
        history: Sequence[ChatMessage],
        profile: Profile,
        is_on_pages: bool,
    ) -> Inputs:
        """Return what is searched; each step falls back to what it was given.

        `as_read` is the question without what is surely misspelt in it. Without a model for it, a
        follow-up is rewritten where its form tells how. Where it `is_on_pages` that
        it names, their names are no words to look for there.
        """
        asked = without_story(as_read) if profile.rewrite else as_read
        inputs = Inputs(text, rewritten=None if asked == text else asked)
        if profile.rewrite and history:
            if self.providers.rewriter() is None:
                said = (message.content for message in history if message.role == "user")
                alone = resolved(asked, map(without_story, said))
            else:
                alone = self._rewritten(text, as_read, history)
            inputs = replace(inputs, rewritten=alone or inputs.rewritten)
        if inputs.rewritten == asked != as_read:
            # A story says where to look: its names are searched for, and not asked about.
            inputs = replace(inputs, standard=as_read)
        if is_on_pages:
            inputs = replace(inputs, on_pages=without_pages(inputs.standalone))
        inputs = self._generated(inputs, profile)
        searched = queries.expanded(inputs.searched, self.providers.abbreviations)
        return inputs if searched == inputs.searched else replace(inputs, standard=searched)

    def _rewritten(self, text: str, as_read: str, history: Sequence[ChatMessage]) -> str | None:
        """Return a follow-up as a model reads it by itself."""
        call = _Call(
            "rewriting", queries.rewriting(as_read, history=bounded(history)), REWRITE_TOKENS
        )
        said = "\n".join([text, *(message.content for message in history)])

        def read(reply: Completion) -> str:
            rewritten = queries.rewritten(reply)
            if not _is_of(said, rewritten):
                message = "the reply says other words than the conversation"
                raise QueryGenerationError(message, model=reply.model)
            return rewritten

        rewritten = self._ask(self.providers.rewriter, call, read=read)
        if rewritten is None:
            return None
        # Shown beside the answer: no address in it that nobody in the conversation wrote.
        return without_markup(rewritten, is_known_address=addresses_in(said).__contains__)

    def _generated(self, inputs: Inputs, profile: Profile) -> Inputs:
        """Return the inputs with what a model writes beside them where the profile wants it."""
        wanted = queries.Wanted(optimised=profile.optimised_query, hyde=profile.hyde)
        if not wanted.fields:
            return inputs
        call = _Call(
            "input_stage",
            queries.generating(inputs.standalone, wanted=wanted),
            GENERATE_TOKENS,
            queries.reply_schema(wanted),
        )
        made = self._ask(
            self.providers.chat, call, read=lambda reply: queries.generated(reply, wanted=wanted)
        )
        return inputs if made is None else replace(inputs, standard=made.standard, hyde=made.hyde)

    def vectors(self, inputs: Inputs, prepared: Prepared) -> dict[Leg, tuple[float, ...]]:
        """Return a vector for each query that could be embedded; the two are embedded together."""
        model, passage = prepared.model, inputs.hyde
        with ThreadPoolExecutor(1, thread_name_prefix="hyde") as beside:
            coming = (
                None
                if passage is None
                else beside.submit(self._embed, passage, model, is_query=False)
            )
            by_meaning = self.journal.attempt(
                "embedding",
                lambda: self._book(model, self._embed(inputs.searched, model, is_query=True)),
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

    def _ask(
        self,
        build: Callable[[], ChatModel | None],
        call: _Call,
        *,
        read: Callable[[Completion], _Read],
    ) -> _Read | None:
        """Return what the model's reply says, or None where there is no model or no such reply.

        A stage that is configured without a model has lost nothing.
        """
        chat = build()
        if chat is None:
            return None
        self.models[call.part] = chat.model
        said = "\n".join(f"{message.role}: {message.content}" for message in call.messages)
        key = QueryKey(self.tenant_id, chat.model, call.part, said)

        def make() -> _Read:
            try:
                completion = chat.complete(
                    call.messages,
                    temperature=0.0,
                    max_tokens=call.max_tokens,
                    deadline=self.deadline.step(_PART[call.part]),
                    reply_schema=call.reply_schema,
                )
            except ProviderMalformed as error:
                raise QueryGenerationError(error.message, model=chat.model) from error
            self.journal.spent.add(completion)  # before it is read: it is paid for in any case
            return read(completion)

        return self.journal.attempt(call.part, lambda: self.providers.remembered(key, make))

    def _embed(self, text: str, model: str, *, is_query: bool) -> _Embedded:
        """Embed a question, or a text that stands for a page: without the prefix of queries."""
        limit = self.deadline.step(EMBED_SECONDS)
        key = QueryKey(self.tenant_id, model, "query" if is_query else "passage", text)
        embedder = self.providers.embedder(model)
        bought = 0

        def make() -> tuple[float, ...]:
            nonlocal bought
            if is_query:
                vector = embedder.embed_query(text, deadline=limit)
                bought = query_tokens(embedder.model, text)
                return vector
            batch = embedder.embed_passages([text], deadline=limit)
            if batch.refused or not batch.vectors[0]:
                message = "the provider would not embed the hypothetical passage"
                raise QueryGenerationError(message, model=model)
            bought = batch.input_tokens
            return batch.vectors[0]

        return self.providers.remembered(key, make), bought

    def _book(self, model: str, embedded: _Embedded) -> tuple[float, ...]:
        vector, bought = embedded
        if bought:
            self.journal.spent.add_embedding(model, bought)
        return vector


def _is_of(said: str, rewritten: str) -> bool:
    """Say whether half of a question's words were said: a refusal, or a translation, has others.

    Where words are not told apart from small ones, as in Chinese, it is believed.
    """
    if language_of(rewritten) is None:
        return True
    telling = stems(" ".join(telling_words(rewritten)))
    return not telling or covered(telling, said) >= _FEWEST_SAID


def query_tokens(model: str, text: str) -> int:
    """Return what embedding a question is counted as: its vector comes without a count."""
    return tokens_at_most(query_prefix(model) + text)
