"""The app served to a browser by textual-serve, to this user and this machine only.

textual-serve starts the app for whoever connects. So every request must carry a secret that only
the printed address holds, must be meant for this address (a page elsewhere can let its own name
lead here) and must not come from another page. The page itself may load nothing from elsewhere.
"""

from __future__ import annotations

import re
import secrets
import socket
import sys
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

_COOKIE = "kvdoctor"
_OPEN = ("/static/",)
_ELSEWHERE = re.compile(r"<link\b[^>]*https://[^>]*>")


def run(command: str, listening: socket.socket) -> None:
    """Serve on ``listening`` until Ctrl-C."""
    host, port = listening.getsockname()[:2]
    token = secrets.token_urlsafe(24)
    origin = f"http://{host}:{port}"
    sys.stderr.write(
        f"kvdoctor: open {origin}/?token={token}\n"
        "kvdoctor: this machine only; no file is written from there. Ctrl-C ends it.\n"
    )
    sys.stderr.flush()
    web.run_app(application(command, origin, token), sock=listening, print=None, access_log=None)


class _Server(Server):
    """Without a greeting that names the whole command, and without a font from elsewhere."""

    async def on_startup(self, app: web.Application) -> None:
        """Nothing is printed."""

    async def handle_index(self, request: web.Request) -> Any:
        page = await super().handle_index(request)
        assert isinstance(page, web.Response)
        page.text = _ELSEWHERE.sub("", page.text or "")
        return page


async def application(command: str, origin: str, token: str) -> web.Application:
    """The application of textual-serve behind the guard."""
    host, _colon, port = origin.removeprefix("http://").rpartition(":")
    server = _Server(command, host=host, port=int(port), title="kvdoctor", public_url=origin)
    app = await server._make_app()
    app.middlewares.append(guard(origin, token))
    return app


def guard(origin: str, token: str) -> Middleware:
    """Lets through who opened the printed address, and nobody else."""
    host = origin.removeprefix("http://")
    websocket = f"ws://{host}"

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.host != host or request.headers.get("Origin", origin) != origin:
            raise web.HTTPForbidden(text="kvdoctor: not the address that was printed")
        given = request.query.get("token", "")
        if given and secrets.compare_digest(given.encode(), token.encode()):
            answer = web.HTTPSeeOther("/")
            answer.set_cookie(_COOKIE, token, httponly=True, samesite="Strict")
            raise answer
        known = request.cookies.get(_COOKIE, "")
        is_open = request.path.startswith(_OPEN)
        if not is_open and not secrets.compare_digest(known.encode(), token.encode()):
            raise web.HTTPForbidden(text="kvdoctor: open the address that was printed")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(_headers(websocket))
        return response

    return guarded


def _headers(websocket: str) -> dict[str, str]:
    policy = (
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data:; font-src 'self' data:; connect-src 'self' {websocket}; "
        "frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
