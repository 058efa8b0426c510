"""Which keys h11 refuses to put into a header, for programs of Python on httpx and httpx2.

Facts: facts/gateway-clients.md §2.4. Its own text shows the key, so only the beginning is given.
"""

from __future__ import annotations

from doctor.patterns import Pattern

# h11: visible characters with blanks between them, never at an end.
_VALUE = Pattern(r"[^\x00\t-\r ]+(?:[ \t]+[^\x00\t-\r ]+)*")
_BEARER = "Bearer "


def bearer_refusal(key: str) -> str | None:
    """Why OpenAI's SDK does not send ``Authorization: Bearer KEY``; None where it does."""
    value = _BEARER + key
    odd = next((at for at, char in enumerate(value) if ord(char) > 0x7F), None)
    if odd is not None:
        return f"'ascii' codec can't encode character {value[odd]!r} in position {odd}"
    return value_refusal(key)


def value_refusal(key: str) -> str | None:
    """The same for Anthropic's SDK, which encodes what is not ASCII as UTF-8."""
    encoded = (_BEARER + key).encode("utf-8", "surrogatepass").decode("latin-1")
    return None if _VALUE.fullmatch(encoded) else "Illegal header value"
