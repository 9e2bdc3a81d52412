"""A chat model's answer, proven sentence by sentence while it is written."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass
from typing import Any

from pulsedocs.answering.arriving import ArrivingAnswer
from pulsedocs.answering.claims import Claim
from pulsedocs.answering.neutral import addresses_in
from pulsedocs.answering.passages import Block
from pulsedocs.answering.prompt import estimated_tokens
from pulsedocs.answering.references import Numbering
from pulsedocs.answering.verification import Verifier
from pulsedocs.errors import GenerationError, ProviderMalformed
from pulsedocs.model.answers import ChatMessage, Citation, Completion, Nearest
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import ChatModel
from pulsedocs.questions.journal import Spending


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """An answer before it is recorded; `checks` are counts and scores for the trace."""

    text: str
    citations: tuple[Citation, ...]
    detail: str
    model: str
    checks: Mapping[str, Any]
    nearest: Nearest | None = None


class Proof:
    """What of a model's answer the pages bear out, sentence by sentence as it arrives."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        pages = {page for block in blocks for page in block.pages}
        known = frozenset[str]().union(*(addresses_in(page.text) for page in pages))
        self._arriving = ArrivingAnswer(is_known_address=known.__contains__)
        self._verifier = Verifier(blocks)
        self._numbering = Numbering()
        self._line = 0
        self._counts: Counter[str] = Counter()
        self._citations: list[Citation] = []
        self.received = ""
        self.text = ""

    @property
    def is_full(self) -> bool:
        return self._arriving.is_full

    def add(self, piece: str) -> str:
        """Return what this piece lets be shown; it continues what was shown before."""
        self.received += piece
        return self._show(self._arriving.add(piece))

    def end(self) -> str:
        return self._show(self._arriving.end())

    def _show(self, claims: Sequence[Claim]) -> str:
        before = len(self.text)
        for claim in claims:
            verified = self._verifier.verify([claim])
            self._counts.update({status.value: n for status, n in verified.counts.items()})
            if not verified.text:
                continue
            text, citations = self._numbering.applied(verified.text, verified.citations)
            self._citations += citations
            # Between two sentences stands a new line where the model's answer had one.
            gap = " " if claim.line == self._line else "\n"
            self.text += f"{gap}{text}" if self.text else text
            self._line = claim.line
        return self.text[before:]

    def draft(self, model: str, *, ended: str) -> AnswerDraft:
        return AnswerDraft(
            text=self.text,
            citations=tuple(dict.fromkeys(self._citations)),
            detail=f"none of {self._counts.total()} sentences could be shown on the cited pages",
            model=model,
            checks={"claims": dict(self._counts), "finish_reason": ended},
        )


@dataclass
class Generation:
    """One call of a chat model. `streams` is whether its words are read as they are written."""

    chat: ChatModel
    asked: Sequence[ChatMessage]
    blocks: Sequence[Block]
    _: KW_ONLY
    temperature: float
    max_tokens: int
    deadline: Deadline
    streams: bool
    spent: Spending

    def __post_init__(self) -> None:
        self.proof = Proof(self.blocks)
        self._is_counted = False

    def parts(self) -> Generator[str, None, AnswerDraft]:
        """Yield what can be shown, "" where nothing can yet; closing it ends the model's work.

        Raises GenerationError where the provider withheld the answer, and the provider's errors.
        """
        try:
            with closing(self._pieces()) as pieces:
                completion = None
                while completion is None and not self.proof.is_full:
                    try:
                        piece = next(pieces)
                    except StopIteration as end:
                        completion = end.value
                    else:
                        yield self.proof.add(piece)
                completion = completion or self._cut_off()
            yield self.proof.end()
        finally:
            if self.proof.received and not self._is_counted:  # the provider counts it too
                self.spent.add(self._cut_off())
        return self.proof.draft(completion.model, ended=completion.finish_reason)

    def broken_off(self, reason: str) -> AnswerDraft:
        """Return what had been shown when the answer ended before its end."""
        return self.proof.draft(self.chat.model, ended=reason)

    def _pieces(self) -> Generator[str, None, Completion]:
        """Call the model and yield what it writes: as it comes, or all of it once accepted."""
        if self.streams:
            completion = yield from self.chat.stream(
                self.asked,
                temperature=self.temperature,
                max_tokens=self.max_tokens,
                deadline=self.deadline,
            )
        else:
            completion = self.chat.complete(
                self.asked,
                temperature=self.temperature,
                max_tokens=self.max_tokens,
                deadline=self.deadline,
            )
        self.spent.add(completion)  # before it is judged: the provider counts it in any case
        self._is_counted = True
        if completion.finish_reason == "content_filter":
            raise GenerationError("the provider withheld the answer")
        if not completion.text.strip():
            raise ProviderMalformed("the provider's answer is empty")
        if not self.streams:
            yield completion.text
        return completion

    def _cut_off(self) -> Completion:
        """Return what came of an answer that was not read to its end, its tokens estimated."""
        return Completion(
            text=self.proof.received,
            input_tokens=sum(estimated_tokens(message.content) for message in self.asked),
            output_tokens=estimated_tokens(self.proof.received),
            finish_reason="length",
            model=self.chat.model,
        )
