"""What a printed request shows of its credentials: that there are two, a bearer and an
``x-api-key``, or that the bearer is a login's token which its server does not know.

Curl, ``curl -v`` and dumps of headers are read, and of a key what its mask leaves: what it begins
with and its last characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from doctor.patterns import Pattern
from doctor.urls import is_local

_VALUE = r"['\"]?[:=] ?\\?['\"]?(?:bearer )?(?P<value>[^\s'\",}]+)"
_BEARER = Pattern(rf"(?i:\bauthorization{_VALUE})")
_KEY = Pattern(rf"(?i:\bx-api-key{_VALUE})")
_LOGIN = Pattern(r"sk-ant-oat")
_VENDOR = Pattern(r"(?i:api\.anthropic\.com)")
_REFUSED = Pattern(
    r"(?i:\b401\b|unauthori[sz]ed|authentication[_ ]error|(?:invalid|incorrect) api[- ]?key)"
)
# Of the server that was asked. Anthropic's own path has nothing before its version.
_HOST = Pattern(r"(?i:https?://(?:[^\s/@'\"]*@)?|^\W*host: ?)(?P<host>\[[\da-f:]+\]|[\w.-]+)")
_OTHER_PATH = Pattern(r"(?i:\bPOST ['\"]?/(?!v1/)[\w./-]*/v1/messages\b)")
# A relay that passed the token on to Anthropic has its answer.
_ANTHROPICS = Pattern(r"(?i:\breq_\w|\boauth (?:token|authentication)\b|invalid bearer token)")
# Headers of one request, printed over several lines, and the answer behind them.
_NEAR = 6
_BEHIND = 12


def two_credentials(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line, and ``a login's token beside a key: …`` where the bearer is an Anthropic
    login's and the server is not Anthropic; else ``two different keys: 401`` where both differ and
    the request is refused. Only the first of either is told."""
    for index, line in enumerate(lines):
        bearer = _BEARER.search(line)
        if bearer is None:
            continue
        around = lines[max(0, index - _NEAR) : index + _NEAR]
        key = next((found for near in around if (found := _KEY.search(near))), None)
        if key is None or any(map(_VENDOR.search, around)):
            continue
        if _LOGIN.match(bearer["value"]):
            yield index + 1, "a login's token beside a key, to a server that is not Anthropic"
            return
        behind = lines[index : index + _BEHIND]
        if _differ(bearer["value"], key["value"]) and any(map(_REFUSED.search, behind)):
            yield index + 1, "two different keys in one request: 401"
            return


def strange_logins(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line, and ``a login's token alone, …: 401`` where a request carries it to a
    server that is not Anthropic, and is refused. Silent for a server on this machine or network,
    which may relay it to Anthropic. Only the first is told."""
    for index, line in enumerate(lines):
        bearer = _BEARER.search(line)
        if bearer is None or _LOGIN.match(bearer["value"]) is None:
            continue
        around = lines[max(0, index - _NEAR) : index + _NEAR]
        if any(map(_KEY.search, around)):
            continue
        behind = lines[index : index + _BEHIND]
        if any(map(_REFUSED.search, behind)) and _is_strange(around, behind):
            yield index + 1, "a login's token alone, to a server that is not Anthropic: 401"
            return


def _is_strange(around: Sequence[str], behind: Sequence[str]) -> bool:
    if any(map(_ANTHROPICS.search, behind)):
        return False
    hosts = [match["host"].strip("[]").lower() for match in map(_HOST.search, around) if match]
    if any(host.endswith("anthropic.com") or is_local(host) for host in hosts):
        return False
    return bool(hosts) or any(map(_OTHER_PATH.search, around))


def _differ(one: str, other: str) -> bool:
    """Of two masked values only what is left of both can tell that they differ."""
    ends = [re.split(r"…|\.{3}|\*+", value) for value in (one, other)]
    heads, tails = zip(*((end[0], end[-1]) for end in ends), strict=True)
    if min(map(len, ends)) == 1:
        # One is told as a whole, or both are.
        return max(map(len, ends)) == 1 and one != other
    return (all(tails) and tails[0] != tails[1]) or (all(heads) and heads[0] != heads[1])
