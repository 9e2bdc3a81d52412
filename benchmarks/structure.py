"""What the code looks like in figures: `make stats`, and `make stats TRACE=1`.

Lines, files, functions and comments of the product, how many private functions have one caller in
their file, how long the state machines are as written, and how long the tests took. With TRACE also
how much of the product one upload, one question and one deletion enter. The figures are for
comparing one commit with another; none of them is a goal by itself.
"""

import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PRODUCT: Final = ("layers/core/python/pulsedocs", "functions")
MACHINES: Final = ROOT / "infra/machines"
_SLOWEST: Final = ROOT / "build/durations.txt"  # what the last `make test` wrote
_SECONDS: Final = re.compile(r"^=+ .* in ([\d.]+)s", re.MULTILINE)


def run() -> dict[str, Any]:
    """Measure the checkout as it lies there."""
    files = [file for folder in PRODUCT for file in sorted((ROOT / folder).rglob("*.py"))]
    texts = [file.read_text("utf-8") for file in files]
    sizes = [size for text in texts for size in _function_lines(text)]
    lines = sum(text.count("\n") for text in texts)
    classes = Counter(
        node.name
        for text in texts
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    comments = sum(
        token.type == tokenize.COMMENT
        for text in texts
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
    )
    return {
        "files": len(files),
        "lines": lines,
        "functions": len(sizes),
        "lines_of_a_function": {"median": median(sizes), "longest": max(sizes)},
        "private_with_one_caller": round(sum(map(_lonely, texts)) / len(sizes), 3),
        "comment_lines": round(comments / lines, 4),
        "sql_files": len(list((ROOT / PRODUCT[0]).rglob("*.sql"))),
        # One name for two things.
        "class_names_twice": sorted(name for name, count in classes.items() if count > 1),
        "state_machine_lines": {
            file.name: file.read_text("utf-8").count("\n")
            for file in sorted(MACHINES.glob("*.json"))
        },
        "test_seconds": _test_seconds(),
    }


def _function_lines(text: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _lonely(text: str) -> int:
    """Count private functions that their file names once beside their definition."""
    named = Counter(re.findall(r"\w+", text))
    return sum(
        named[node.name] == 2  # noqa: PLR2004 -- the definition and one call
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("_")
        and not node.name.startswith("__")
    )


def _test_seconds() -> float | None:
    if not _SLOWEST.exists():
        return None
    found = _SECONDS.findall(_SLOWEST.read_text("utf-8"))
    return float(found[-1]) if found else None


if __name__ == "__main__":
    figures = run()
    if sys.argv[1:] == ["trace"]:
        from benchmarks import entered

        figures["entered"] = entered.run()
    print(json.dumps(figures, indent=2))
