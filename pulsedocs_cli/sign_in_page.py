"""Sign in by a browser: authorisation code with PKCE (RFC 7636) to a loopback port (RFC 8252)."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from pulsedocs_cli.stages import Pool
from pulsedocs_cli.tokens import NotSignedIn, Tokens

_ASK_SECONDS: Final = 30
_PATIENCE_SECONDS: Final = 300  # for a first password and a second factor


def sign_in(
    pool: Pool,
    *,
    callback_urls: tuple[str, ...],
    show: Callable[[str], None],
    seconds: float = _PATIENCE_SECONDS,
) -> Tokens:
    """Let `show` bring a person to the page, and return the tokens; raise NotSignedIn."""
    verifier, state, nonce = (secrets.token_urlsafe(48) for _ in range(3))
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    with _Listener(callback_urls, state) as listener:
        asked = {
            "response_type": "code",
            "client_id": pool.client_id,
            "redirect_uri": listener.url,
            "scope": "openid",
            "state": state,
            "nonce": nonce,
            "code_challenge_method": "S256",
            "code_challenge": challenge.rstrip(b"=").decode(),  # without padding: RFC 7636, 4.2
        }
        show(f"{pool.sign_in_page}/oauth2/authorize?{urlencode(asked)}")
        code = listener.wait(seconds)
    answer = _ask(
        pool,
        grant_type="authorization_code",
        code=code,
        redirect_uri=listener.url,
        code_verifier=verifier,
    )
    # Its signature is not looked at: it came over TLS from the issuer itself (OpenID Connect Core,
    # 3.1.3.7). The nonce ties it to the page that was shown.
    claims = _claims(str(answer.get("id_token", "")))
    if claims.get("aud") != pool.client_id or not _is_same(str(claims.get("nonce", "")), nonce):
        raise NotSignedIn("the answer belongs to another sign-in: try again")
    return _tokens(answer, refresh_token=str(answer["refresh_token"]))


def renew(pool: Pool, tokens: Tokens) -> Tokens:
    """Return new tokens for old ones; raise NotSignedIn where the sign-in has come to its end."""
    answer = _ask(pool, grant_type="refresh_token", refresh_token=tokens.refresh_token)
    return _tokens(answer, refresh_token=str(answer.get("refresh_token", tokens.refresh_token)))


def _ask(pool: Pool, **form: str) -> dict[str, Any]:
    """Ask the token endpoint. What it is told and answers is secret: errors name its code only."""
    try:
        answer = httpx.post(
            f"{pool.sign_in_page}/oauth2/token",
            data={"client_id": pool.client_id, **form},
            timeout=_ASK_SECONDS,
        )
        said: Any = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        raise NotSignedIn(
            f"{pool.sign_in_page} does not answer as Cognito does ({type(error).__name__})"
        ) from error
    if not answer.is_success or "access_token" not in said:
        raise NotSignedIn(f"Cognito refused: {said.get('error', answer.status_code)}")
    return said


def _tokens(answer: dict[str, Any], *, refresh_token: str) -> Tokens:
    until = time.time() + int(answer["expires_in"])
    return Tokens(str(answer["access_token"]), refresh_token, until, from_page=True)


class _Listener(HTTPServer):
    """Waits for the one redirect that carries our state; whatever else comes is refused."""

    def __init__(self, urls: tuple[str, ...], state: str) -> None:
        self.state = state
        self.code: str | None = None
        self.refusal: str | None = None
        for self.url in urls:
            try:
                super().__init__(("127.0.0.1", urlsplit(self.url).port or 80), _Redirect)
            except OSError:
                continue
            return
        raise NotSignedIn(f"all of {', '.join(urls)} are in use: end what listens there")

    def wait(self, seconds: float) -> str:
        deadline = time.monotonic() + seconds
        while self.code is None and self.refusal is None:
            self.timeout = deadline - time.monotonic()
            if self.timeout <= 0:
                raise NotSignedIn(f"nobody signed in within {seconds:.0f} s: try again")
            self.handle_request()
        if self.code is None:
            raise NotSignedIn(f"Cognito refused: {self.refusal}")
        return self.code


class _Redirect(BaseHTTPRequestHandler):
    server: _Listener  # pyright: ignore[reportIncompatibleVariableOverride] -- made by it
    timeout = 10  # a connection that says nothing must not keep the redirect waiting

    def do_GET(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        if not _is_same(asked.get("state", ""), self.server.state):
            self._reply(400, "This is not the sign-in that was asked for.")
            return
        self.server.code = asked.get("code")
        self.server.refusal = asked.get("error", "no code")
        said = "Signed in." if self.server.code else "Not signed in."
        self._reply(200, f"{said} You may close this page.")

    def _reply(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Referrer-Policy", "no-referrer")  # the address carries the code
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Write nothing: the address carries the code."""


def _claims(token: str) -> dict[str, Any]:
    try:
        payload = token.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (IndexError, ValueError) as error:
        raise NotSignedIn("the answer holds no token of the sign-in") from error


def _is_same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
