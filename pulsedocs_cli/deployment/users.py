"""A pool's users, with the caller's own AWS credentials: add one, sign one in by its password."""

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any, Final, cast
from uuid import UUID

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from pulsedocs_cli.stages import Pool, UserRefused
from pulsedocs_cli.tokens import NotSignedIn, Tokens

_TENANT: Final = "custom:tenant_id"


def add_user(pool: Pool, email: str, *, tenant: UUID, groups: Iterable[str]) -> bool:
    """Let somebody sign in for a tenant; return whether they are new and were sent a password.

    Repeated, it adds what is missing. Nobody is moved to another tenant: raises UserRefused.
    """
    cognito = _client(pool)
    who = {"UserPoolId": pool.user_pool, "Username": email}
    attributes = {"email": email, "email_verified": "true", _TENANT: str(tenant)}
    is_new = True
    with _refusals():
        try:
            cognito.admin_create_user(
                **who,
                DesiredDeliveryMediums=["EMAIL"],
                UserAttributes=[{"Name": name, "Value": attributes[name]} for name in attributes],
            )
        except cognito.exceptions.UsernameExistsException:
            is_new = False
            found = cognito.admin_get_user(**who)["UserAttributes"]
            own = {attribute["Name"]: attribute["Value"] for attribute in found}.get(_TENANT)
            if own != str(tenant):
                raise UserRefused(
                    f"{email} belongs to the tenant {own}: give --tenant {own}, or another address"
                ) from None
        for group in groups:
            cognito.admin_add_user_to_group(**who, GroupName=group)
    return is_new


def sign_in(pool: Pool, email: str, *, ask: Callable[[str], str]) -> Tokens:
    """Sign in by a password; `ask` is asked for it, and for a new one the first time."""
    cognito = _client(pool)
    here = {"UserPoolId": pool.user_pool, "ClientId": pool.client_id}
    with _refusals():
        answer: dict[str, Any] = cognito.admin_initiate_auth(
            **here,
            AuthFlow="ADMIN_USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": email, "PASSWORD": ask("Password")},
        )
        if answer.get("ChallengeName") == "NEW_PASSWORD_REQUIRED":
            answer = cognito.admin_respond_to_auth_challenge(
                **here,
                ChallengeName="NEW_PASSWORD_REQUIRED",
                Session=answer["Session"],
                ChallengeResponses={"USERNAME": email, "NEW_PASSWORD": ask("A new password")},
            )
    if "AuthenticationResult" not in answer:
        raise NotSignedIn(f"{answer.get('ChallengeName')} is asked for: sign in without --password")
    result = answer["AuthenticationResult"]
    return _tokens(result, refresh_token=result["RefreshToken"])


def renew(pool: Pool, tokens: Tokens) -> Tokens:
    """Return new tokens for old ones; raise NotSignedIn where the sign-in has come to its end."""
    cognito = _client(pool)
    try:
        result = cognito.initiate_auth(
            ClientId=pool.client_id,
            AuthFlow="REFRESH_TOKEN_AUTH",
            AuthParameters={"REFRESH_TOKEN": tokens.refresh_token},
        )["AuthenticationResult"]
    except (ClientError, BotoCoreError) as error:
        raise NotSignedIn(f"the sign-in could not be renewed: {type(error).__name__}") from error
    return _tokens(result, refresh_token=result.get("RefreshToken", tokens.refresh_token))


def _tokens(result: dict[str, Any], *, refresh_token: str) -> Tokens:
    until = time.time() + int(result["ExpiresIn"])
    return Tokens(str(result["AccessToken"]), refresh_token, until, from_page=False)


def _client(pool: Pool) -> Any:  # noqa: ANN401 -- boto3's clients have no types
    return cast("Any", boto3).client("cognito-idp", region_name=pool.region)


@contextmanager
def _refusals() -> Generator[None]:
    try:
        yield
    except ClientError as error:
        said: Any = error.response.get("Error", {})
        raise UserRefused(f"{said.get('Code')}: {said.get('Message')}") from error
    except BotoCoreError as error:
        raise UserRefused(
            f"{error}: AWS credentials that may administer the pool are needed"
        ) from error
