"""The parameters of Systems Manager that functions read: a person writes them before a deployment.

A variable holds a parameter's name: its value would be readable by all who may look at a function.
Free of CDK, like `infra.functions`: the command that looks for them in an account reads it too.
"""

from collections.abc import Mapping
from typing import Final

from infra.config import Options
from infra.functions import FUNCTIONS
from infra.models import keys_of

SECRETS: Final[Mapping[str, tuple[str, ...]]] = {
    "query": ("TRACE_SECRET",),
    "stream": ("TRACE_SECRET",),
}
"""Those of the models' providers come on top, see `infra.models`."""


def secrets_of(function: str, options: Options) -> tuple[str, ...]:
    """Return the variables of a function that name a parameter."""
    return (*keys_of(function, options), *SECRETS.get(function, ()))


def parameter_of(variable: str, *, stage: str) -> str:
    return f"/pulsedocs/{stage}/{variable.lower().replace('_', '-')}"


def parameters(stage: str, options: Options) -> tuple[str, ...]:
    """Return every parameter that a deployment reads, each once."""
    variables = {variable for name in FUNCTIONS for variable in secrets_of(name, options)}
    return tuple(parameter_of(variable, stage=stage) for variable in sorted(variables))
