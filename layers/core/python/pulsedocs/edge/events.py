"""What starts and ends an execution, as AWS tells it; of each event what is used."""

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

ObjectKey = Annotated[str, Field(min_length=1, max_length=1024)]


class S3Object(BaseModel):
    """Nothing of it is trusted: the key names ids, which the database knows or does not."""

    key: ObjectKey


class S3Detail(BaseModel):
    object: S3Object


class S3Event(BaseModel):
    """From the bucket, when an object is written."""

    detail: S3Detail

    @property
    def key(self) -> str:
        return self.detail.object.key


class CaughtError(BaseModel):
    """What Catch puts beside the state: the error's class name and the Lambda's error JSON."""

    model_config = ConfigDict(populate_by_name=True)

    name: str = Field(alias="Error")
    cause: str = Field(default="", alias="Cause")


class EndedExecution(BaseModel):
    """`input` is JSON text: the event that started it."""

    execution: str = Field(alias="executionArn")
    status: str
    input: str

    @property
    def key(self) -> str:
        started_by: dict[str, Any] = json.loads(self.input)
        return str(started_by["detail"]["object"]["key"])


class StatusChange(BaseModel):
    """From the rule on executions that end FAILED, TIMED_OUT or ABORTED."""

    detail: EndedExecution
