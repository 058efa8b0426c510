"""How new-api's answers look on the wire.

gin writes maps with their keys sorted and structs in their order, so errors of the middleware
and of the relay differ in both.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from .messages import Headers, Request, Response, json_response
from .newapi_config import NewApiConfig, Variant
from .newapi_texts import Language, language_of
from .shapes import Json

GIN_JSON = "application/json; charset=utf-8"
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def request_id() -> str:
    """Time to the nanosecond and 8 random characters: 20251111163026817855493SePwkLG8."""
    moment = datetime.now(UTC)
    tail = "".join(secrets.choice(_ALPHABET) for _ in range(8))
    return f"{moment:%Y%m%d%H%M%S%f}000{tail}"


class Turn:
    """One request with its id and language: what every answer of the gateway needs."""

    def __init__(self, request: Request, path: str, config: NewApiConfig) -> None:
        self.request = request
        self.path = path
        self.config = config
        self.id = request_id()
        accept = request.header("accept-language")
        self.language = language_of(accept, config.language)
        if self.old:
            self.language = Language.ZH

    @property
    def old(self) -> bool:
        return self.config.variant is Variant.OLD

    @property
    def headers(self) -> Headers:
        """Both on every response, unless a reverse proxy strips them (facts: 1.2)."""
        if not self.config.headers:
            return ()
        version = ("X-New-Api-Version", self.config.version)
        return (("X-Oneapi-Request-Id", self.id), version)

    def reply(self, status: int, value: object) -> Response:
        return json_response(status, value, self.headers, content_type=GIN_JSON)

    def signed(self, message: str) -> str:
        return f"{message} (request id: {self.id})"

    def abort(self, status: int, message: str, code: str = "") -> Response:
        """Middleware: a map, OpenAI-shaped on every route; no code in 2025-04.

        Facts: new-api middleware/utils.go 3e92b6b; old ef8ae4d.
        """
        error: Json = {"message": self.signed(message), "type": "new_api_error"}
        if not self.old:
            error = {"code": code, **error}
        return self.reply(status, {"error": error})

    def fail(
        self,
        status: int,
        message: str,
        code: object,
        *,
        kind: str = "new_api_error",
        param: object = "",
    ) -> Response:
        """Relay: a struct, Anthropic-shaped on ``/v1/messages`` (new-api controller/relay.go)."""
        signed = self.signed(message)
        if self.path == "/v1/messages":
            return self.reply(status, {"error": {"type": kind, "message": signed}, "type": "error"})
        error = {"message": signed, "type": kind, "param": param, "code": code}
        return self.reply(status, {"error": error})

    def refuse(self, message: str, status: int = 401) -> Response:
        """The admin API: success false and a message (new-api middleware/auth.go 040b46a)."""
        return self.reply(status, {"message": message, "success": False})

    def not_found(self) -> Response:
        """RelayNotFound: no key needed, no request id in the text (new-api relay.go 009910b)."""
        error = {
            "message": f"Invalid URL ({self.request.method} {self.path})",
            "type": "invalid_request_error",
            "param": "",
            "code": "",
        }
        return self.reply(404, {"error": error})

    def not_implemented(self) -> Response:
        """501 of known but unserved routes (new-api relay-router.go 01f6839)."""
        error = {
            "message": "API not implemented",
            "type": "new_api_error",
            "param": "",
            "code": "api_not_implemented",
        }
        return self.reply(501, {"error": error})
