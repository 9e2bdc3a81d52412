"""A chat model's answer, proven sentence by sentence while it is written."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Final

from pulsedocs.answering.arriving import ArrivingAnswer
from pulsedocs.answering.claims import MAX_ANSWER, Claim, Piece, is_refusal
from pulsedocs.answering.neutral import addresses_in
from pulsedocs.answering.passages import Block
from pulsedocs.answering.prompt import REPAIR
from pulsedocs.answering.references import Numbering, citations_of
from pulsedocs.answering.structured import CITED_ANSWER, structured_claims
from pulsedocs.answering.verification import Verifier
from pulsedocs.errors import (
    GenerationError,
    ParkedError,
    ProcessingFailed,
    ProviderMalformed,
    ProviderRefused,
    RetryableError,
)
from pulsedocs.model.answers import (
    ChatMessage,
    Citation,
    CitationStatus,
    Completion,
    Nearest,
    Note,
    Reading,
)
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.thoughts import ArrivingThoughts, without_thoughts
from pulsedocs.model.tokens import tokens_at_most
from pulsedocs.ports.providers import ChatModel
from pulsedocs.questions.journal import Spending

_REPAIR_SECONDS: Final = 5.0  # less is too short for a second answer
_CUT: Final = Note(
    Reading.CUT,
    "The model's answer ended at its limit of length; what it had yet to say is not here.",
)


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """An answer before it is recorded; `checks` are counts and scores for the trace."""

    text: str
    citations: tuple[Citation, ...]
    detail: str
    model: str
    checks: Mapping[str, Any]
    nearest: Nearest | None = None
    note: Note | None = None


class Proof:
    """What of a model's answer the pages bear out, sentence by sentence as it arrives."""

    def __init__(self, blocks: Sequence[Block], *, asked: Sequence[ChatMessage] = ()) -> None:
        pages = {page for block in blocks for page in block.pages}
        known = frozenset[str]().union(*(addresses_in(page.text) for page in pages))
        self._is_known_address = known.__contains__
        self._thoughts = ArrivingThoughts()
        self._arriving = ArrivingAnswer(is_known_address=known.__contains__)
        said = "\n".join(message.content for message in asked if message.role != "system")
        self._verifier = Verifier(blocks, asked=said)
        self._numbering = Numbering()
        self._line = 0
        self._counts: Counter[str] = Counter()
        self._said: set[tuple[Piece, ...]] = set()
        self._refuses = False
        self._parts: list[tuple[str, tuple[Citation, ...]]] = []
        self.received = ""
        self.text = ""
        self.repair = ""

    @property
    def is_full(self) -> bool:
        return self._arriving.is_full

    def add(self, piece: str) -> str:
        """Return what this piece lets be shown; it continues what was shown before."""
        self.received += piece
        return self._show(self._arriving.add(self._thoughts.take(piece)))

    def end(self) -> str:
        last = self._arriving.add(self._thoughts.end())
        return self._show([*last, *self._arriving.end()])

    def read_whole(self, reply: str) -> str:
        """Return what can be shown of a reply: JSON with citations, or prose with markers."""
        self.received += reply
        said = without_thoughts(reply)
        claims = structured_claims(said, is_known_address=self._is_known_address)
        if claims is None:
            claims = [*self._arriving.add(said), *self._arriving.end()]
        return self._show(claims)

    @property
    def is_unproven(self) -> bool:
        """Say whether sentences were written and none can be shown, or one computes wrongly."""
        is_wrong = bool(self._counts[CitationStatus.MISCALCULATED.value])
        return is_wrong or (not self.text and self._counts.total() > 0 and not self._refuses)

    def _show(self, claims: Sequence[Claim]) -> str:
        before = len(self.text)
        for claim in claims:
            if claim.pieces in self._said:  # a weak model may repeat itself to its limit
                continue
            begins = self._refuses if self._said else is_refusal(claim)
            self._refuses = begins and not claim.markers
            self._said.add(claim.pieces)
            verified = self._verifier.verify([claim])
            self._counts.update({status.value: n for status, n in verified.counts.items()})
            if not verified.text:
                continue
            text, citations = self._numbering.applied(verified.text, verified.citations)
            self._parts.append((text, citations))
            # Between two sentences stands a new line where the model's answer had one.
            gap = " " if claim.line == self._line else "\n"
            self.text += f"{gap}{text}" if self.text else text
            self._line = claim.line
        return self.text[before:]

    def draft(self, model: str, *, ended: str) -> AnswerDraft:
        return AnswerDraft(
            text=self.text,
            citations=citations_of(self._parts),
            detail=(
                f"none of {total} sentences could be shown on the cited pages"
                if (total := self._counts.total()) and not self._refuses
                else "the model says that the passages do not answer"
            ),
            model=model,
            checks={
                "claims": dict(self._counts),
                "finish_reason": ended,
                **({"repair": self.repair} if self.repair else {}),
            },
            note=_CUT if self.text and ended == "length" else None,
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
        self.proof = Proof(self.blocks, asked=self.asked)
        self._is_shown = False

    def parts(self) -> Generator[str, None, AnswerDraft]:
        """Yield what can be shown, "" where nothing can yet; closing it ends the model's work.

        Where nothing that the model says can be shown, it is told so once and answers again. Raises
        GenerationError where the provider withheld the answer, and the provider's errors.
        """
        if self.streams:
            completion = yield from self._stream()
        else:
            completion = self._ask(self.asked)
            self.proof.read_whole(completion.text)
        if self.proof.is_unproven and self._may_ask_again():
            completion = self._ask_again(completion)
        if not (self.streams and self._is_shown):
            yield self.proof.text
        return self.proof.draft(completion.model, ended=completion.finish_reason)

    def _stream(self) -> Generator[str, None, Completion]:
        pieces = self.chat.stream(
            self.asked,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            deadline=self.deadline,
        )
        completion = None
        try:
            with closing(pieces):
                while completion is None and not self.proof.is_full:
                    try:
                        piece = next(pieces)
                    except StopIteration as end:
                        completion = end.value
                    else:
                        yield self._seen(self.proof.add(piece))
            if completion is not None:
                self._accept(completion)
            yield self._seen(self.proof.end())
        finally:
            if self.proof.received and completion is None:  # the provider counts it too
                self.spent.add(self._cut_off())
        return completion or self._cut_off()

    def _seen(self, text: str) -> str:
        self._is_shown = self._is_shown or bool(text)
        return text

    def _may_ask_again(self) -> bool:
        """Say whether nothing was shown that another answer could contradict, and time is left."""
        return not self._is_shown and self.deadline.remaining() > _REPAIR_SECONDS

    def _ask_again(self, first: Completion) -> Completion:
        """Keep the second answer where all of it that counts can be shown, else the first."""
        kept, second = self.proof, Proof(self.blocks, asked=self.asked)
        said = ChatMessage("assistant", without_thoughts(first.text)[:MAX_ANSWER])
        try:
            completion = self._ask([*self.asked, said, ChatMessage("user", REPAIR)])
        except (RetryableError, ParkedError, ProcessingFailed) as error:
            kept.repair = error.code
            return first
        second.read_whole(completion.text)
        if not second.text or (kept.text and second.is_unproven):
            kept.repair = "in vain"
            return first
        second.repair, self.proof = "done", second
        return completion

    def _ask(self, messages: Sequence[ChatMessage]) -> Completion:
        """Return a whole reply; a provider that refuses the schema is asked without it."""
        ask = partial(
            self.chat.complete,
            messages,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            deadline=self.deadline,
        )
        try:
            completion = ask(reply_schema=None if self.streams else CITED_ANSWER)
        except ProviderRefused:
            if self.streams:
                raise
            completion = ask()
        self._accept(completion)
        return completion

    def broken_off(self, reason: str) -> AnswerDraft:
        """Return what had been shown when the answer ended before its end."""
        return self.proof.draft(self.chat.model, ended=reason)

    def _accept(self, completion: Completion) -> None:
        self.spent.add(completion)  # before it is judged: the provider counts it in any case
        if completion.finish_reason == "content_filter":
            raise GenerationError("the provider withheld the answer", model=completion.model)
        if not without_thoughts(completion.text).strip():
            raise ProviderMalformed("the provider's answer is empty")

    def _cut_off(self) -> Completion:
        """Return what came of an answer that was not read to its end, its tokens estimated."""
        return Completion(
            text=self.proof.received,
            input_tokens=sum(tokens_at_most(message.content) for message in self.asked),
            output_tokens=tokens_at_most(self.proof.received),
            finish_reason="length",
            model=self.chat.model,
        )
