"""One request after another reads or changes a bucket; moto's answer in threads, without a lock.

Of two copies to one key, both were told the version of the later one; of two writes under a
condition, both were taken; and an object could be read before it had its metadata.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any, Final
from unittest.mock import patch

from moto.s3.responses import S3Response

_ANSWERS: Final = ("_bucket_response", "_key_response")
"""Called when the whole body of a request is here: a slow client holds nobody up."""


@contextmanager
def one_at_a_time() -> Generator[None]:
    """Let moto answer requests to S3 in turn: it keeps all in memory, so that a turn is short."""
    turn = threading.RLock()

    def in_turn(answer: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(answer)
        def answered(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 -- moto's
            with turn:
                return answer(*arguments, **options)

        return answered

    with ExitStack() as patches:
        for name in _ANSWERS:
            answer = in_turn(getattr(S3Response, name))
            patches.enter_context(patch.object(S3Response, name, answer))
        yield
