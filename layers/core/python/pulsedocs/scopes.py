"""The scopes of access tokens: what a caller may ask of a stage."""

from typing import Final

READ: Final = "pulsedocs/read"
WRITE: Final = "pulsedocs/write"
ADMIN: Final = "pulsedocs/admin"
"""Of the stage's operators: what a tenant may spend is not the tenant's to say."""
