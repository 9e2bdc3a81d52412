"""What a program waits for, said to the person before it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from pulsedocs.client.refusals import RequestRefused


@contextmanager
def waits_told(tell: Callable[[str], None]) -> Generator[None]:
    """Tell once why a request is repeated, in place of a line of the log for each time."""

    def told(details: RetryDetails) -> None:
        if details.retry_num == 1:
            error = details.caused_by
            reason = error.message if isinstance(error, RequestRefused) else error
            tell(f"waiting for the stage: {reason}")

    before = get_on_retry_hooks()
    set_on_retry_hooks([told])
    try:
        yield
    finally:
        set_on_retry_hooks(before)
