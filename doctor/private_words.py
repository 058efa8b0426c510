"""How a service says that it does not connect to private addresses.

Cursor and Bifrost, Dify, new-api, OpenClaw and others guard their own network in this way
(github.com/askalf/dario#190, maximhq/bifrost#4138, openclaw/openclaw#80732,
nextlevelbuilder/goclaw#673, nexu-io/open-design#3225, majiayu000/litellm-rs#1123).
"""

from __future__ import annotations

import re

from doctor.patterns import Pattern

_PRIVATE = r"(?:private|internal|reserved|loopback)"
_REFUSED = r"(?:(?:is |are |was )?(?:not (?:allowed|permitted)|blocked|forbidden|denied))"
PRIVATE_WORDS = (
    r"\bssrf[_ ]blocked\b|blocked by ssrf protection"
    rf"|\b(?:connection|access|request)s? to (?:an? |the )?{_PRIVATE}(?:/\w+)?"
    rf" (?:resolved )?(?:ip|network|address|host)\w*(?: address(?:es)?)?(?: \S{{1,60}})? {_REFUSED}"
    rf"|\b{_PRIVATE} (?:ip|network)s?(?: address(?:es)?)? {_REFUSED}"
    r"|blocked hostname or private/internal/special-use ip"
    r"|\burl (?:cannot|must not|can't|may not) (?:point|resolve) to (?:an? )?"
    rf"(?:localhost|{_PRIVATE})"
    rf"|\burl (?:targets|resolves to) (?:an? )?{_PRIVATE}/(?:private|internal|reserved) "
    r"|(?:私有|内网|本地) ?(?:ip|地址)\S{0,6}(?:不允许|被禁止|禁止|被拒绝|被拦截)"
)
_WORDS = Pattern(PRIVATE_WORDS, re.IGNORECASE)


def refuses_private(text: str) -> bool:
    """Whether ``text`` says that a private address is not connected to."""
    return _WORDS.search(text[:8_000]) is not None
