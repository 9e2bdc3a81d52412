"""Read an account with the person's own credentials: what AWS calls get, list or describe, only."""

from typing import Any, Final, cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from botocore.parsers import ResponseParserError

_READS: Final = ("get_", "list_", "describe_")
_PATIENCE: Final = Config(
    connect_timeout=5, read_timeout=15, retries={"mode": "standard", "total_max_attempts": 3}
)
_FORBIDDEN: Final = frozenset(
    {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError"}
)


class Unreadable(Exception):
    """AWS did not say. `code` is its own word, or the name of what went wrong on the way."""

    def __init__(self, *, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code

    @property
    def is_forbidden(self) -> bool:
        return self.code in _FORBIDDEN


class Account:
    """One account in one region."""

    def __init__(self, session: boto3.Session, *, region: str) -> None:
        self._session = session
        self._clients: dict[tuple[str, str], Any] = {}
        self.region = region
        self.partition = session.get_partition_for_region(region)

    def offers(self, service: str, region: str) -> bool:
        """Say whether the SDK knows the service in a region; a newer region it may not know."""
        return region in self._session.get_available_regions(
            service, partition_name=self._session.get_partition_for_region(region)
        )

    def read(
        self,
        service: str,
        operation: str,
        *,
        region: str | None = None,
        **arguments: Any,  # noqa: ANN401 -- boto3's own
    ) -> dict[str, Any]:
        """Return AWS's answer; raise Unreadable where there is none."""
        if not operation.startswith(_READS):
            raise ValueError(f"{operation} may change the account")
        try:
            key = service, region or self.region
            if key not in self._clients:
                make = cast("Any", self._session.client)
                self._clients[key] = make(service, region_name=key[1], config=_PATIENCE)
            client = self._clients[key]
            return cast("dict[str, Any]", getattr(client, operation)(**arguments))
        except ClientError as error:
            said: Any = error.response.get("Error", {})
            raise Unreadable(
                code=str(said.get("Code", "Unknown")), message=str(said.get("Message", ""))
            ) from error
        except NoCredentialsError as error:
            raise Unreadable(code="NoCredentials", message="none were found") from error
        except (BotoCoreError, ResponseParserError) as error:
            raise Unreadable(code=type(error).__name__, message=str(error)) from error
