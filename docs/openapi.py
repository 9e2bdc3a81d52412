"""Write the OpenAPI document that the product serves: `python -m docs.openapi`."""

import json
from importlib import import_module
from pathlib import Path

from infra.functions import FUNCTIONS
from infra.routes import ROUTES
from pulsedocs.edge import openapi

TARGET = Path(openapi.__file__).with_suffix(".json")


def text() -> str:
    """Return the document as it should lie there, ending in a newline."""
    routed = {route.function for route in ROUTES}
    functions = [name for name in FUNCTIONS if name in routed]
    apis = [import_module(f"functions.{name}.handler").api for name in functions]
    return json.dumps(openapi.merged(apis), indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
