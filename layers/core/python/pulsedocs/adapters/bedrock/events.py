"""Frames of `application/vnd.amazon.eventstream`, in which ConverseStream answers."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from botocore.eventstream import EventStreamBuffer, EventStreamMessage, ParserError

from pulsedocs.adapters.bedrock.failures import failure_named
from pulsedocs.errors import ProviderMalformed


@dataclass(frozen=True, slots=True)
class StreamEvent:
    name: str
    payload: bytes = field(repr=False)


def events_of(parts: Iterator[bytes]) -> Iterator[StreamEvent]:
    """Decode events as they come; an exception among them ends the stream with its error."""
    buffer = EventStreamBuffer()
    for part in parts:
        buffer.add_data(part)
        try:
            messages = list(buffer)
        except (ParserError, struct.error, KeyError, ValueError):
            raise ProviderMalformed("Bedrock's answer is not a stream of events") from None
        yield from map(_event, messages)


def _event(message: EventStreamMessage) -> StreamEvent:
    headers = cast("Mapping[str, object]", message.headers)
    kind = headers.get(":message-type")
    if kind == "event":
        return StreamEvent(str(headers.get(":event-type", "")), message.payload)
    name = str(headers.get(":exception-type") or headers.get(":error-code") or "")
    raise failure_named(name, message=message.payload.decode("utf-8", "replace"), status=500)
