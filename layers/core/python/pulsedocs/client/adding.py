"""Documents on their way to a stage: several are sent at once, and each is waited for."""

import time
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial
from uuid import UUID

from pulsedocs.client.calls import Calls, Progress
from pulsedocs.client.documents import DocumentInput
from pulsedocs.client.options import DocumentOptions
from pulsedocs.client.refusals import Json, RequestRefused, StageUnreachable
from pulsedocs.client.results import DocumentResult, refused, result_of, unheard, unknown
from pulsedocs.errors import StillRunning


class Arrivals:
    """Nothing more is sent to a stage that has stopped answering, and nothing awaited of it."""

    def __init__(
        self, stage: Calls, options: DocumentOptions, *, seconds: float, on_progress: Progress
    ) -> None:
        self._stage = stage
        self._options = options
        self._seconds = seconds
        self._on_progress = on_progress
        self._lost: StageUnreachable | None = None

    async def of(self, batch: Sequence[DocumentInput]) -> list[DocumentResult]:
        """Send a batch, and wait for the first while others are being sent.

        Once one has run out of time, each of the others has it from its sending on.
        """
        results: list[DocumentResult] = []
        is_in_time = True
        sending = [partial(self._send, document) for document in batch]
        async with aclosing(self._stage.wire.together(sending)) as outcomes:
            for document in batch:
                outcome, sent_at = await anext(outcomes)
                if isinstance(outcome, Exception):
                    results.append(refused(document.name, outcome))
                    continue
                left = self._seconds if is_in_time else sent_at + self._seconds - time.monotonic()
                result = await self._wait(outcome, document, seconds=max(left, 0.0))
                results.append(result)
                is_in_time = is_in_time and not isinstance(result.error, StillRunning)
        return results

    async def _send(self, document: DocumentInput) -> tuple[UUID | Exception, float]:
        """Return a document's id, or why it was refused, and when that was."""
        outcome: UUID | Exception
        try:
            if self._lost:
                raise self._lost.again()
            outcome = await self._stage.add(document, **self._options)
        except StageUnreachable as error:
            outcome = self._lost = error
        except (RequestRefused, OSError) as error:
            outcome = error
        return outcome, time.monotonic()

    async def _wait(
        self, document_id: UUID, document: DocumentInput, *, seconds: float
    ) -> DocumentResult:
        """Return what became of a document once it is over, or the last that was heard of it."""
        last = unknown(document_id, source=document.name)

        def hear(status: Json) -> None:
            nonlocal last
            last = status
            self._on_progress(status)

        if self._lost:
            return unheard(document.name, last, self._lost.again())
        try:
            status = await self._stage.wait(document_id, seconds=seconds, on_progress=hear)
        except StillRunning:
            status = last
        except StageUnreachable as error:
            self._lost = error
            return unheard(document.name, last, error)
        except RequestRefused as error:
            return unheard(document.name, last, error)
        return result_of(document.name, status)
