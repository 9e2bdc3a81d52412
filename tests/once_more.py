"""Run pytest, and give the few tests that failed beside others one more try, alone.

    python -m tests.once_more -n 2 -m "not long"

What passes only alone hangs on time or on its neighbours. It is printed and added to
`build/flaky.txt`, to be mended; the change under test is not refused for it. More than `MOST`
failures have a reason, and are not tried again.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

MOST: Final = 10
_FAILED: Final = Path(".pytest_cache/v/cache/lastfailed")
_FLAKY: Final = Path("build/flaky.txt")


def main(arguments: Sequence[str]) -> int:
    """Return the exit status of the first run, or of the second where there was one."""
    status = _pytest("--cache-clear", *arguments)  # or failures of earlier runs would be left
    failed = _failed()
    if status != pytest.ExitCode.TESTS_FAILED or not 0 < len(failed) <= MOST:
        return status
    print(f"\nOnce more, alone: {len(failed)} tests", flush=True)  # noqa: T201 -- a command
    status = _pytest("-n", "0", "-p", "no:tests.plugins.durations", *failed)  # those of all stay
    flaky = [test for test in failed if test not in _failed()]
    if flaky:
        _FLAKY.parent.mkdir(exist_ok=True)
        with _FLAKY.open("a", encoding="utf-8") as listed:
            listed.writelines(f"{test}\n" for test in flaky)
        print(f"\nPassed only alone, listed in {_FLAKY}:", *flaky, sep="\n  ")  # noqa: T201 -- as above
    return status


def _pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


def _failed() -> list[str]:
    return sorted(json.loads(_FAILED.read_text("utf-8"))) if _FAILED.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
