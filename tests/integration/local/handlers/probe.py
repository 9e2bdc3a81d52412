"""A handler that does what its event says, and one that cannot be imported."""

import os
import sys
import time
from typing import Any

from pulsedocs.errors import PDFEmptyError, StoreUnavailable
from pulsedocs.faults import fault_point


def handler(event: dict[str, Any], context: Any) -> Any:  # noqa: C901, PLR0911, PLR0912 -- a switch
    match event.get("do"):
        case "echo":
            return {"event": event, "pid": os.getpid()}
        case "environment":
            return dict(os.environ)  # noqa: TID251 -- what this process was given
        case "context":
            return {
                "request_id": context.aws_request_id,
                "function": context.function_name,
                "arn": context.invoked_function_arn,
                "memory": context.memory_limit_in_mb,
                "remaining": context.get_remaining_time_in_millis(),
            }
        case "raise":
            message = "the store is away"
            raise StoreUnavailable(message)
        case "refuse":
            message = "the file has no words"
            raise PDFEmptyError(message, pages=1)
        case "sleep":
            print("sleeping")  # noqa: T201 -- the test waits for this line
            time.sleep(event["seconds"])
            return "slept"
        case "exit":
            os._exit(3)
        case "print":
            print(event["text"])  # noqa: T201 -- shows that it reaches the log only
            os.write(1, b"raw write\n")
            return sys.stdin.read()
        case "say":
            print(event["text"])  # noqa: T201 -- as above
            return event["text"]
        case "large":
            return "x" * event["bytes"]
        case "unmarshalable":
            return object()
        case "fault":
            fault_point("probe.middle")
            return "unharmed"
        case other:
            return other


def slow_route(_event: dict[str, Any], _context: Any) -> Any:
    """Answer as a route does, after three seconds."""
    time.sleep(3)
    return {"statusCode": 200, "body": "fine"}
