"""What programs of JavaScript share: which blanks they trim, their queries, what a header bears.

Observed with openai 7.59 and @anthropic-ai/sdk 1.14 on Node 20, and with Claude Code 2.1.332.
"""

from __future__ import annotations

import urllib.parse

from doctor.clients.base import ClientRefusal
from doctor.clients.whatwg import href

# What String.prototype.trim takes off; unlike Python's it includes the byte order mark.
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_LARGEST_BYTE = 0xFF


def trimmed(text: str) -> str:
    """``text`` as ``trim()`` leaves it."""
    return text.strip(BLANKS)


def asked_again(url: str) -> str:
    """``url`` with its query taken apart and put together again, as the SDKs do.

    Of a name that stands twice the last value stays.
    """
    before, question, query = url.partition("?")
    if not question:
        return url
    pairs = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
    return with_query(before, tuple(pairs.items()))


def with_query(url: str, pairs: tuple[tuple[str, str], ...]) -> str:
    """``url`` with ``pairs`` behind it."""
    if not pairs:
        return url
    quoted = [
        f"{urllib.parse.quote(name, safe='')}={urllib.parse.quote(value, safe='')}"
        for name, value in pairs
    ]
    return url + ("&" if "?" in url else "?") + "&".join(quoted)


def join(base: str, path: str) -> str:
    """Base and path as one text, then read as a URL: a query or a "#" swallows the path.

    This is the rule of Anthropic's SDK. Raises ``ClientRefusal``.
    """
    return asked_again(href(_appended(base, path)))


def join_before_query(base: str, path: str) -> str:
    """As ``join``, but the path goes before the query: the rule of OpenAI's SDK."""
    before, question, query = base.partition("?")
    if not question:
        return join(base, path)
    url = href(_appended(href(before.partition("#")[0]), path))
    quoted = href(f"{url}?{query.partition('#')[0]}").partition("?")[2]
    pairs = urllib.parse.parse_qsl(quoted, keep_blank_values=True)
    names = [name for name, _value in pairs]
    repeated = [pair for pair in pairs if names.count(pair[0]) > 1]
    if not repeated:
        return with_query(url, tuple(pairs))
    # Names that stand twice keep all their values, behind the others, in the quoting of a form.
    form = [*(pair for pair in pairs if pair not in repeated), *repeated]
    return f"{url}?" + urllib.parse.urlencode(form, safe="*").replace("~", "%7E")


def _appended(base: str, path: str) -> str:
    return base + (path[1:] if base.endswith("/") else path)


def header_refusal(value: str) -> str | None:
    """Node's own text where a header cannot hold ``value``, None where it can.

    ``value`` is the whole of the header, so that the position is what the user sees.
    """
    for position, char in enumerate(value):
        if ord(char) > _LARGEST_BYTE:
            return (
                f"Cannot convert argument to a ByteString because the character at index {position}"
                f" has a value of {ord(char)} which is greater than {_LARGEST_BYTE}."
            )
    if any(char in "\r\n\0" for char in value):
        return "Headers.append: the key is an invalid header value."
    if any((ord(char) < 0x20 and char != "\t") or ord(char) == 0x7F for char in value):
        return "invalid authorization header"
    return None


def refuse_credentials(url: str) -> str:
    """``url``, unless it holds a user's name: fetch refuses such a URL."""
    authority = url.partition("://")[2].partition("/")[0]
    if "@" in authority:
        raise ClientRefusal("Request cannot be constructed from a URL that includes credentials")
    return url


def custom_headers(text: str) -> list[tuple[str, str]]:
    """The pairs of a variable that holds lines "Name: value"; other lines are passed over."""
    lines = (line.partition(":") for line in text.split("\n"))
    return [(trimmed(name), trimmed(value)) for name, colon, value in lines if colon]
