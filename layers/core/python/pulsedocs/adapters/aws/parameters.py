"""Secrets by name: SecureString parameters of AWS Systems Manager, read when first needed."""

from typing import TYPE_CHECKING, Final, NoReturn

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from pulsedocs.errors import ConfigurationError, SecretMissing, SecretsUnavailable

if TYPE_CHECKING:
    from types_boto3_ssm import SSMClient

_CLIENT_CONFIG: Final = Config(
    connect_timeout=2, read_timeout=3, retries={"mode": "standard", "max_attempts": 3}
)
_REFUSED: Final = frozenset({"AccessDenied", "AccessDeniedException", "InvalidKeyId"})


class ParameterStore:
    """Reads parameters, decrypted. A value is in no log and in no error."""

    def __init__(self, *, region: str, endpoint_url: str | None) -> None:
        self._client: SSMClient = boto3.client(
            "ssm", region_name=region, endpoint_url=endpoint_url, config=_CLIENT_CONFIG
        )

    def read(self, name: str) -> str:
        """Return a value. Raises SecretMissing, ConfigurationError or SecretsUnavailable."""
        try:
            found = self._client.get_parameter(Name=name, WithDecryption=True)
        except ClientError as error:
            _refuse(name, error)
        except BotoCoreError as error:
            message = f"the parameter {name!r} could not be read: {type(error).__name__}"
            raise SecretsUnavailable(message) from error
        return found["Parameter"].get("Value", "")


def _refuse(name: str, error: ClientError) -> NoReturn:
    code = error.response.get("Error", {}).get("Code", "")
    if code == "ParameterNotFound":
        message = (
            f"there is no parameter {name!r}; write it with `aws ssm put-parameter"
            f" --type SecureString --name {name} --value …`"
        )
        raise SecretMissing(message) from error
    if code in _REFUSED:
        message = f"this function's role may not read the parameter {name!r} ({code})"
        raise ConfigurationError(message) from error
    message = f"the parameter {name!r} could not be read: {code}"
    raise SecretsUnavailable(message) from error
