"""The sample event of each function, which is beside its handler.

Those that are told their run alone have one in common, `functions/run.json`.
"""

import json
from pathlib import Path
from typing import Any, Final

FUNCTIONS: Final = Path(__file__).parents[1] / "functions"
NAMES: Final = sorted(handler.parent.name for handler in FUNCTIONS.glob("*/handler.py"))


def sample(function: str) -> dict[str, Any]:
    own = FUNCTIONS / function / "event.json"
    return json.loads((own if own.exists() else FUNCTIONS / "run.json").read_text("utf-8"))
