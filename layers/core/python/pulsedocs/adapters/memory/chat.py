"""A chat model that says what it was told to say, and remembers what it was asked."""

import re
from collections.abc import Callable, Generator, Iterable, Sequence

from pulsedocs.errors import ProviderUnavailable, PulseDocsError
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.tokens import tokens_about

_PIECE = re.compile(r"\s*\S+|\s+")

Reply = str | PulseDocsError | Callable[[Sequence[ChatMessage]], str]


def _at_once(_piece: int) -> None:
    """Wait for nothing."""


class ScriptedChat:
    """Implements `ports.providers.ChatModel`.

    Replies are used up in order: a text is returned, an error raised, a function asked with the
    messages. Once none is left the provider is unavailable, as a real one would be.

    A streamed reply comes word by word. `before_piece` is called with the number of each before it
    leaves, so that a script can wait, or raise. `broken_off` counts the replies that nobody read
    to their end.
    """

    def __init__(
        self,
        replies: Iterable[Reply] = (),
        *,
        before_piece: Callable[[int], None] = _at_once,
    ) -> None:
        self._replies = iter(replies)
        self._before_piece = before_piece
        self.asked: list[tuple[ChatMessage, ...]] = []
        self.broken_off = 0

    @property
    def model(self) -> str:
        return "memory:scripted"

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
        reply_schema: ReplySchema | None = None,
    ) -> Completion:
        del temperature, reply_schema  # what it says is scripted
        deadline.timeout(1)
        self.asked.append(tuple(messages))
        text = self._next_text(messages)
        kept = " ".join(text.split(" ")[:max_tokens])  # one word counts as one token
        return Completion(
            text=kept,
            input_tokens=sum(tokens_about(message.content) for message in messages),
            output_tokens=tokens_about(kept),
            finish_reason="stop" if kept == text else "length",
            model=self.model,
        )

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
    ) -> Generator[str, None, Completion]:
        whole = self.complete(
            messages, temperature=temperature, max_tokens=max_tokens, deadline=deadline
        )
        for number, piece in enumerate(_PIECE.findall(whole.text)):
            self._before_piece(number)
            try:
                yield piece
            except GeneratorExit:
                self.broken_off += 1
                raise
        return whole

    def _next_text(self, messages: Sequence[ChatMessage]) -> str:
        reply = next(self._replies, None)
        match reply:
            case None:
                raise ProviderUnavailable("the script has no reply left")
            case str():
                return reply
            case PulseDocsError():
                raise reply
            case _:
                return reply(messages)
