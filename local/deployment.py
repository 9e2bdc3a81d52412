"""What each function of the local stage is given: the settings it uses and none beside them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infra.functions import FUNCTIONS, FunctionSpec
from local.environment import LocalFunction
from local.rest_events import ACCOUNT, REGION
from local.sigv4 import Credentials
from pulsedocs.settings import Settings

_WITHOUT_BUCKET: Final = frozenset({"authorize", "migrate", "retrieve"})
_WITH_MODELS: Final = frozenset({"clean", "chunk", "embed", "query", "stream", "evaluate"})
_SECRETS: Final = frozenset({"OPENAI_API_KEY", "OPENAI_BASE_URL"})
_CHOSEN_BY_STAGE: Final = frozenset(
    {
        "PULSEDOCS_STAGE",
        "BUCKET",
        "AWS_ENDPOINT_URL",
        "AWS_REGION",
        "RETRIEVE_FUNCTION",
        "BOXES_FUNCTION",
        "DATABASE_URL",
        "DATABASE_AUTH",
        "TOKEN_ISSUER",
        "TOKEN_AUDIENCE",
        "TOKEN_JWKS_URL",
        "TOKEN_ALGORITHMS",
        "TOKEN_TENANT_CLAIM",
        "TOKEN_SCOPE_CLAIM",
        "TRACE_SECRET",
        "SIGN_IN_PAGE",
        "SIGN_IN_CLIENT",
        "MODEL_DIRECTORY",
        "AWS_LWA_PORT",
    }
)


@dataclass(frozen=True, slots=True)
class Deployment:
    """The addresses of one stage, known before anything listens on them."""

    aws_url: str
    bucket: str
    credentials: Credentials
    database_urls: Mapping[str, str]
    """By role."""
    token_variables: Mapping[str, str]
    trace_secret: str
    model_directory: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Settings that the caller chooses, e.g. `CHUNK_PROFILE`."""
    handlers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Other handlers in place of the product's, by function: for tests of the stage itself."""

    def functions(self) -> dict[str, LocalFunction]:
        return {
            name: LocalFunction(
                name=name,
                handler=self.handlers.get(name, spec.handler),
                arn=function_arn(name),
                timeout_seconds=spec.timeout_seconds,
                memory_mb=spec.memory_mb,
                variables=self._variables(spec),
            )
            for name, spec in FUNCTIONS.items()
        }

    def _variables(self, spec: FunctionSpec) -> dict[str, str]:
        variables = {"PULSEDOCS_STAGE": "local"}
        if spec.name == "authorize":
            return {**variables, **self.token_variables}
        variables |= {name: text for name, text in self.settings.items() if name not in _SECRETS}
        if spec.name not in _WITHOUT_BUCKET:
            own = self.credentials.of(spec.name)
            variables |= {
                "BUCKET": self.bucket,
                "AWS_ENDPOINT_URL": self.aws_url,
                "AWS_REGION": REGION,
                "AWS_DEFAULT_REGION": REGION,
                "AWS_ACCESS_KEY_ID": own.access_key,
                "AWS_SECRET_ACCESS_KEY": own.secret_key,
                "AWS_EC2_METADATA_DISABLED": "true",
            }
        if spec.database_role is not None:
            variables["DATABASE_URL"] = self.database_urls[spec.database_role]
        if spec.name in _WITH_MODELS and self.model_directory is not None:
            variables["MODEL_DIRECTORY"] = str(self.model_directory)
        if spec.internet and spec.name not in {"ingest", "collect"}:  # which call no provider
            variables |= {name: self.settings[name] for name in _SECRETS & set(self.settings)}
        if spec.name == "evaluate":
            variables["RETRIEVE_FUNCTION"] = function_arn("retrieve")
        if spec.name in {"query", "stream"}:
            variables["RETRIEVE_FUNCTION"] = function_arn("retrieve")
            variables["BOXES_FUNCTION"] = function_arn("boxes")
            variables.setdefault("TRACE_SECRET", self.trace_secret)
        return variables


def function_arn(name: str) -> str:
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"


def settings_of_the_shell() -> dict[str, str]:
    """Return the settings that the person who starts the stage has exported."""
    names = {str(field.alias) for field in Settings.model_fields.values()} - _CHOSEN_BY_STAGE
    return {name: os.environ[name] for name in sorted(names) if name in os.environ}
