"""A provider's model: its name, and the calls that it is asked through.

An adapter family has one class of calls, and each of its models is made of a name and of calls with
the limits of what the model does.
"""

from collections.abc import Callable, Generator, Iterator
from typing import ClassVar, Generic, TypeVar

from pulsedocs.calls.answers import Begin, Whole, arriving, whole_answer
from pulsedocs.calls.limits import CallLimits
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import ModelName

Item = TypeVar("Item")


class ProviderCalls:
    """Calls one provider. Thread-safe; an answer or one of the Provider* errors comes back."""

    provider: ClassVar[str]

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits

    def close(self) -> None:
        raise NotImplementedError

    def _whole(self, begin: Begin, deadline: Deadline) -> Whole:
        return whole_answer(
            begin,
            timeout_seconds=self._limits.seconds,
            max_bytes=self._limits.max_bytes,
            deadline=deadline,
        )

    def _arriving(
        self,
        begin: Begin,
        decode: Callable[[Iterator[bytes]], Iterator[Item]],
        deadline: Deadline,
    ) -> Generator[Item | None, None, None]:
        return arriving(begin, decode, silence_seconds=self._limits.seconds, deadline=deadline)


Calls = TypeVar("Calls", bound=ProviderCalls)


class ProviderModel(Generic[Calls]):
    """A chat model or a reranker, by the name that its provider has for it."""

    def __init__(self, name: str, calls: Calls) -> None:
        self._name = name
        self._calls = calls

    @property
    def model(self) -> str:
        return f"{self._calls.provider}:{self._name}"

    def close(self) -> None:
        """Give the connections back; a closed model cannot be used again."""
        self._calls.close()


class ProviderEmbedder(Generic[Calls]):
    """An embedder, by the name that collections have for it."""

    def __init__(self, model: ModelName, calls: Calls) -> None:
        self._model = model
        self._calls = calls

    @property
    def model(self) -> str:
        return str(self._model)

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    def close(self) -> None:
        """Give the connections back; a closed embedder cannot be used again."""
        self._calls.close()
