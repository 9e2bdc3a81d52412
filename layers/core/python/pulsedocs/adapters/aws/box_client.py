"""Boxes on a page, measured by invoking `boxes`: the file is not trusted, and stays away."""

from typing import Final

from pydantic import TypeAdapter, ValidationError

from pulsedocs.adapters.aws.invocations import LambdaFunction
from pulsedocs.errors import NoBoxes, ObjectStoreUnavailable
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.highlights import Highlight, PagePlace

SECONDS: Final = 22.0
_PLACE = TypeAdapter(PagePlace)
_HIGHLIGHT = TypeAdapter(Highlight)


def boxes_function(name: str, *, region: str, endpoint_url: str | None) -> LambdaFunction:
    return LambdaFunction(
        name,
        region=region,
        endpoint_url=endpoint_url,
        seconds=SECONDS,
        silent=ObjectStoreUnavailable,
        broken=NoBoxes,
    )


class LambdaBoxFinder:
    """Implements `questions.ports.BoxFinder` for one request, within its deadline."""

    def __init__(self, function: LambdaFunction, *, deadline: Deadline) -> None:
        self._function = function
        self._deadline = deadline

    def find(self, place: PagePlace) -> Highlight:
        body = self._function.invoke(_PLACE.dump_json(place), deadline=self._deadline)
        try:
            return _HIGHLIGHT.validate_json(body)
        except ValidationError as error:
            raise NoBoxes("the reader of files answered with something else") from error
