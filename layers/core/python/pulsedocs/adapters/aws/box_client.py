"""Boxes on a page, measured by invoking `boxes`: the file is a stranger's, and stays away."""

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import TypeAdapter, ValidationError

from pulsedocs.adapters.aws.invocations import raise_from
from pulsedocs.errors import NoBoxes, ObjectStoreUnavailable
from pulsedocs.model.highlights import Highlight, PagePlace

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

_CLIENT_CONFIG = Config(
    connect_timeout=3, read_timeout=22, retries={"mode": "standard", "max_attempts": 1}
)
_PLACE = TypeAdapter(PagePlace)
_HIGHLIGHT = TypeAdapter(Highlight)


class LambdaBoxFinder:
    """Implements `pulsedocs.ports.BoxFinder`."""

    def __init__(self, *, function: str, region: str, endpoint_url: str | None) -> None:
        self._function = function
        self._client: LambdaClient = boto3.client(
            "lambda", region_name=region, endpoint_url=endpoint_url, config=_CLIENT_CONFIG
        )

    def find(self, place: PagePlace) -> Highlight:
        try:
            response = self._client.invoke(
                FunctionName=self._function, Payload=_PLACE.dump_json(place)
            )
            body = response["Payload"].read()
        except (BotoCoreError, ClientError) as error:
            message = f"the reader of files did not answer: {type(error).__name__}"
            raise ObjectStoreUnavailable(message) from error
        if response.get("FunctionError"):
            raise_from(body, otherwise=NoBoxes)
        try:
            return _HIGHLIGHT.validate_json(body)
        except ValidationError as error:
            raise NoBoxes("the reader of files answered with something else") from error
