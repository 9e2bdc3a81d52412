"""What a step leaves in its ledger entry, for whoever asks for the same step again."""

from typing import Any, TypeAlias

StepResult: TypeAlias = dict[str, Any]
