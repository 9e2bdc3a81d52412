"""Cognito's sign-in page and token endpoint on loopback, in the shapes that its manual shows."""

import base64
import hashlib
import json
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.contract.loopback import serving

CODE = "a-code-of-one-sign-in"
REFRESH = "the-refresh-token"


class CognitoServer(ThreadingHTTPServer):
    """Redirects whoever comes, as after a password; gives tokens for the code and its verifier."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.asked: dict[str, str] = {}
        """What the page was opened with."""
        self.nonce: str | None = None
        """Another one than was asked for."""
        self.error: str | None = None
        self.renewed = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def redirect(self, asked: dict[str, str]) -> str:
        self.asked = asked
        answer = {"error": self.error} if self.error else {"code": CODE}
        return f"{asked['redirect_uri']}?{urlencode({**answer, 'state': asked['state']})}"

    def tokens(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if form["client_id"] != self.asked.get("client_id", form["client_id"]):
            return 400, {"error": "invalid_client"}
        if form["grant_type"] == "refresh_token":
            self.renewed += 1
            if form["refresh_token"] != REFRESH:
                return 400, {"error": "invalid_grant"}
            return 200, {
                "access_token": f"renewed-{self.renewed}",
                "id_token": "x",
                "token_type": "Bearer",
                "expires_in": 3600,
            }
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        is_ours = (
            form.get("code") == CODE
            and _base64url(digest) == self.asked["code_challenge"]
            and form["redirect_uri"] == self.asked["redirect_uri"]
        )
        if not is_ours:
            return 400, {"error": "invalid_grant"}
        claims = {"aud": form["client_id"], "nonce": self.nonce or self.asked["nonce"]}
        return 200, {
            "access_token": "the-access-token",
            "id_token": f"h.{_base64url(json.dumps(claims).encode())}.s",
            "refresh_token": REFRESH,
            "token_type": "Bearer",
            "expires_in": 3600,
        }


class _Request(BaseHTTPRequestHandler):
    server: CognitoServer  # pyright: ignore[reportIncompatibleVariableOverride] -- made by it

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", self.server.redirect(_pairs(urlsplit(self.path).query)))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        status, said = self.server.tokens(_pairs(form))
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json;charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Keep quiet."""


def _pairs(text: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(text).items()}


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def cognito_server() -> AbstractContextManager[CognitoServer]:
    return serving(CognitoServer())
