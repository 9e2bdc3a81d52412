"""What ends the reading of a streamed answer ends it for whoever waits for the next piece."""

from collections.abc import Iterator, Mapping

import pytest

from pulsedocs.calls.answers import arriving
from pulsedocs.model.deadline import Deadline


class Said:
    """Implements `pulsedocs.calls.answers.ProviderAnswer`; one part, then its end."""

    is_closed = False

    @property
    def headers(self) -> Mapping[str, str]:
        return {}

    def parts(self) -> Iterator[bytes]:
        yield b"word"

    def cut(self) -> None:
        """Nobody waits in it."""

    def close(self) -> None:
        self.is_closed = True


def test_a_mistake_of_our_own_is_told_at_once() -> None:
    """Not after the silence of a provider that has answered, and as what it is."""
    answer = Said()

    def decode(parts: Iterator[bytes]) -> Iterator[str]:
        for part in parts:
            yield part.decode()
        raise LookupError("a mistake")

    deadline = Deadline.after(60)
    said = arriving(lambda _: answer, decode, silence_seconds=60, deadline=deadline)
    items = filter(None, said)  # without the moments in which nothing came

    assert next(items) == "word"
    with pytest.raises(LookupError, match="a mistake"):
        next(items)
    assert answer.is_closed
    assert deadline.remaining() > 30
