"""Write the OpenAPI document that the product serves: `python -m docs.openapi`."""

import json
from pathlib import Path

from functions.documents import handler as documents
from functions.query import handler as query
from pulsedocs.edge import openapi

TARGET = Path(openapi.__file__).with_suffix(".json")


def text() -> str:
    """Return the document as it should lie there, ending in a newline."""
    return json.dumps(openapi.merged([documents.api, query.api]), indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
