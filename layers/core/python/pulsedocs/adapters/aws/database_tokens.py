"""Passwords for the database that live for 15 minutes: IAM tokens, signed here without a call.

Signed with botocore alone. boto3's own `generate_db_auth_token` first reads the description of
every RDS operation, and `retrieve` needs no other client.
"""

from typing import Final
from urllib.parse import urlencode

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.session import Session

from pulsedocs.errors import ConfigurationError

LIFETIME_SECONDS: Final = 900  # RDS takes no longer one; a connection may outlive it
_SERVICE: Final = "rds-db"
_SCHEME: Final = "https://"


class DatabaseTokens:
    """Makes a fresh token at each call, with the credentials that are valid then."""

    def __init__(self, *, host: str, port: int, role: str, region: str) -> None:
        query = urlencode({"Action": "connect", "DBUser": role})
        self._address = f"{_SCHEME}{host}:{port}/?{query}"
        self._region = region
        self._session = Session()

    def __call__(self) -> str:
        credentials = self._session.get_credentials()
        if credentials is None:
            raise ConfigurationError("there are no AWS credentials to sign a database token with")
        request = AWSRequest("GET", self._address)
        signer = SigV4QueryAuth(
            credentials.get_frozen_credentials(), _SERVICE, self._region, expires=LIFETIME_SECONDS
        )
        signer.add_auth(request)
        return str(request.url).removeprefix(_SCHEME)
