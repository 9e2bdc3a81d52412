"""The router that all routes of the documents API are added to."""

from pulsedocs.bootstrap import databases
from pulsedocs.edge.api import create_api

api = create_api(remembers=databases.document_catalogue)
