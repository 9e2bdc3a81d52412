"""The router that all routes of the documents API are added to."""

from pulsedocs import bootstrap
from pulsedocs.edge.api import create_api

api = create_api(remembers=bootstrap.document_catalogue)
