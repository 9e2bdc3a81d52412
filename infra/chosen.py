"""Settings of the functions, as a deployment chooses them: `-c settings='{"MAX_PAGES": 900}'`.

Whatever `pulsedocs.settings` reads can be chosen, but what the stacks know better: addresses,
names, secrets. A value is judged as the functions will judge it, before anything is deployed.
"""

import json
from collections.abc import Collection
from typing import Any, Final, cast

from pydantic import ValidationError

from infra.functions import FUNCTIONS
from pulsedocs.errors import ConfigurationError, what_is_wrong
from pulsedocs.settings import Settings

_FIELDS: Final = {str(field.alias): field for field in Settings.model_fields.values()}
SET_BY_THE_STACKS: Final = frozenset(
    {
        "PULSEDOCS_STAGE",
        "BUCKET",
        "RETRIEVE_FUNCTION",
        "BOXES_FUNCTION",
        "DATABASE_URL",
        "DATABASE_AUTH",
        "MODEL_DIRECTORY",
        "SIGN_IN_PAGE",
        "SIGN_IN_CLIENT",
        "EMBEDDING_DIMENSION",  # the model's name says it
        *(name for name in _FIELDS if name.startswith("AWS_")),
        *(name for name, field in _FIELDS.items() if "SecretStr" in str(field.annotation)),
    }
)
"""A secret is a parameter in SSM: an environment is readable by all who may look at a function."""
ENDS_BEFORE: Final = {
    "request_seconds": "query",
    "stream_seconds": "stream",
    "embed_seconds": "embed",
    "extract_seconds": "extract",
}
"""A function's own time limit, and the function that it must end before."""


def settings_from(given: object, *, options: Collection[str]) -> dict[str, str]:
    """Return the variables of a JSON object, or of the object itself as `cdk.json` may hold it.

    Raises ConfigurationError for what cannot be chosen this way, such as what is an option.
    """
    try:
        found: object = json.loads(given) if isinstance(given, str) else given
    except ValueError as error:
        raise ConfigurationError(f"settings are no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ConfigurationError("settings are no JSON object of names and values")
    values = cast("dict[str, Any]", found)
    for name in values:
        if name not in _FIELDS:
            raise ConfigurationError(f"no function reads a setting {name!r}; see the reference")
        if name.lower() in options:
            raise ConfigurationError(f"{name} has an option of its own: `-c {name.lower()}=`")
        if name in SET_BY_THE_STACKS:
            raise ConfigurationError(f"{name} is set by the stacks and cannot be chosen")
    try:
        read = Settings.model_validate(values)
    except ValidationError as error:
        wrong = what_is_wrong(error.errors())
        raise ConfigurationError(f"settings cannot be read: {wrong}") from None
    _refuse_limits_that_do_not_nest(read)
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in values.items()
    }


def _refuse_limits_that_do_not_nest(read: Settings) -> None:
    for name, function in ENDS_BEFORE.items():
        seconds, limit = getattr(read, name), FUNCTIONS[function].timeout_seconds
        if seconds >= limit:
            raise ConfigurationError(
                f"{name.upper()} is {seconds} but {function} is ended after {limit} seconds"
            )
    if read.request_seconds <= FUNCTIONS["retrieve"].timeout_seconds:
        raise ConfigurationError(
            f"REQUEST_SECONDS is {read.request_seconds} but retrieve may take"
            f" {FUNCTIONS['retrieve'].timeout_seconds} of them"
        )
