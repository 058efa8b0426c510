"""HTML as servers really send it where a client expects JSON."""

from __future__ import annotations

from html import escape
from http import HTTPStatus

from .messages import Headers, Response

_NGINX = "nginx/1.22.1"


def html(
    status: int, page: str, headers: Headers = (), *, charset: str = "; charset=utf-8"
) -> Response:
    return Response(status, page.encode(), (("content-type", "text/html" + charset), *headers))


def spa(title: str) -> str:
    """The shell of a single-page console: the same for every path, filled by script only."""
    return (
        '<!doctype html>\n<html lang="zh">\n  <head>\n    <meta charset="utf-8" />\n'
        '    <link rel="icon" href="/logo.png" />\n'
        '    <meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        f"    <title>{escape(title)}</title>\n  </head>\n  <body>\n"
        "    <noscript>You need to enable JavaScript to run this app.</noscript>\n"
        '    <div id="root"></div>\n  </body>\n</html>\n'
    )


def nginx(status: int, headers: Headers = ()) -> Response:
    """nginx's own page for a status, as nginx 1.22.1 sent it (observed)."""
    phrase = {503: "Service Temporarily Unavailable", 504: "Gateway Time-out"}.get(
        status, HTTPStatus(status).phrase
    )
    return _nginx(status, f"{status} {phrase}", f"{status} {phrase}", headers, phrase)


def plain_to_https() -> Response:
    """nginx's answer to http on its https port: 400 and a title that names it (observed)."""
    title = "The plain HTTP request was sent to HTTPS port"
    extra = f"\r\n<center>{title}</center>"
    return _nginx(400, f"400 {title}", "400 Bad Request", (("connection", "close"),), None, extra)


def _nginx(
    status: int, title: str, heading: str, headers: Headers, reason: str | None, extra: str = ""
) -> Response:
    page = (
        f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n"
        f"<center><h1>{heading}</h1></center>{extra}\r\n"
        f"<hr><center>{_NGINX}</center>\r\n</body>\r\n</html>\r\n"
    )
    kind: Headers = (("server", _NGINX), ("content-type", "text/html"))
    return Response(status, page.encode(), (*kind, *headers), reason)


def captive_portal() -> Response:
    """A network's sign-in page: 200 and HTML for whatever was asked."""
    page = (
        "<!DOCTYPE html>\n<html><head><title>Network sign-in</title></head>\n<body>"
        '<h1>Sign in to this network</h1>\n<form method="post" action="/login">'
        '<input name="user"><input name="password" type="password">'
        "<button>Connect</button></form></body></html>\n"
    )
    return html(200, page, (("cache-control", "no-store"),))


def waf_block() -> Response:
    """A firewall's refusal: 403 and HTML, whatever the key."""
    page = (
        "<!DOCTYPE html>\n<html><head><title>Access denied</title></head>\n<body>"
        "<h1>Access denied</h1><p>This request was blocked by the security rules of this site."
        "</p></body></html>\n"
    )
    return html(403, page)
