"""What a step leaves in its ledger entry: the state machine reads it, and who repeats the step.

The result of a step stands beside its verb in `pulsedocs.ingestion`.
"""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from pulsedocs.pipeline import Step


class StepResult(BaseModel):
    """How many there were of each kind, and the `outcome` of a version that ended.

    A result that was recorded comes back as it was: fields that are left out stay out, and fields
    that another release added stay in.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    step: ClassVar[Step]

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_unset=True)
