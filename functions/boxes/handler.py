"""Highlights: `query` invokes it for the boxes of words, without database or internet."""

from pydantic import RootModel

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, clients
from pulsedocs.edge.tasks import task
from pulsedocs.model.highlights import Highlight, PagePlace
from pulsedocs.questions.highlight import find_boxes


class BoxesRequest(RootModel[PagePlace]):
    """Characters of one page of one stored file."""


@task(BoxesRequest)
def handler(request: BoxesRequest) -> Highlight:
    return find_boxes(
        request.root,
        objects=buckets.object_store(),
        reader=clients.box_reader(),
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
