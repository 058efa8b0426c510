"""The text of a key taken apart: what was meant, and what came along with it."""

from __future__ import annotations

import re

from doctor.patterns import Pattern

# What ``str.strip`` takes for a blank within ASCII, and the control characters, which no header
# can carry either.
BLANKS = " " + "".join(map(chr, range(0x20))) + "\x7f"

STRAIGHT_QUOTES = "\"'`"
TYPOGRAPHIC_QUOTES = "“”„‟‘’‚‛«»‹›「」『』《》〝〞＂＇｀′″´"
_QUOTE = f"[{re.escape(STRAIGHT_QUOTES + TYPOGRAPHIC_QUOTES)}]"
# A comma or a semicolon behind the closing quote is copied along from JSON or code.
_QUOTES_AHEAD = Pattern(rf"(?:\\?{_QUOTE})+")
_QUOTES_BEHIND = Pattern(rf"(?:\\?{_QUOTE})+[,;]?\Z")

_HEADER_NAME = r"(?:(?:-H|--header)\s+)?[\"']?(?:authorization|x-api-key|api-key)[\"']?\s*[:=]\s*"
_SCHEME = r"(?:bearer(?:[\s:]+|%20|(?=sk-))|token[ \t]+)"
_HEADER = Pattern(rf"(?:{_HEADER_NAME})?{_SCHEME}*", re.I)
_ONLY_HEADER = Pattern(rf"(?:{_HEADER_NAME})?(?:bearer)?[\s:]*\Z", re.I)

_COMMENT = Pattern(r"(?:\A[ \t]*|[ \t]+)#")
_URL = Pattern(r"https?://", re.I)

_KNOWN_PREFIX = Pattern(
    r"(?:sk|pk|rk|cr|ak|fk|hf|gsk|xai|nvapi|pplx|tgp|r8|csk)[-_][\x21-\x7e]{6,}"
    r"|AIza[\w-]{20,}|AQ\.[\w-]{30,}"
)
_LONG_TOKEN = Pattern(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_.+/=-]{20,}")


def split_ends(text: str) -> tuple[str, str, str]:
    """ASCII blanks and control characters ahead, the rest, and those behind."""
    start = text.lstrip(BLANKS)
    core = start.rstrip(BLANKS)
    return text[: len(text) - len(start)], core, start[len(core) :]


def quotes_around(text: str) -> tuple[str, str]:
    """The quotes ahead of and behind the text, blanks at its ends aside; "" where there are none.

    Quotes with nothing in them do not count: that is an empty value.
    """
    core = text.strip(BLANKS)
    ahead = _QUOTES_AHEAD.match(core)
    head = ahead.group(0) if ahead else ""
    if len(head) == len(core):
        return "", ""
    behind = _QUOTES_BEHIND.search(core, len(head))
    return head, behind.group(0) if behind else ""


def without_quotes(text: str) -> str:
    """The text less the quotes around it; blanks outside of them stay."""
    ahead, core, behind = split_ends(text)
    head, tail = quotes_around(core)
    return ahead + core[len(head) : len(core) - len(tail)] + behind


def header_ahead(text: str) -> str:
    """What belongs to the header and stands ahead of the key ("Bearer "); "" if nothing does."""
    core = without_quotes(text).strip(BLANKS)
    match = _HEADER.match(core)
    head = match.group(0) if match else ""
    return head if len(head) < len(core) else ""


def without_header(text: str) -> str:
    """The text less what belongs to the header; quotes and blanks at its ends stay."""
    return text.replace(header_ahead(text), "", 1)


def body(text: str) -> str:
    """The key that was meant: less blanks and quotes at its ends and a header's words."""
    while True:
        less = without_header(without_quotes(text.strip(BLANKS))).strip(BLANKS)
        if less == text:
            return "" if is_empty(less) else less
        text = less


def is_empty(text: str) -> bool:
    """Nothing but blanks, quotes or the word Bearer."""
    core = text.strip(BLANKS + STRAIGHT_QUOTES + TYPOGRAPHIC_QUOTES)
    return not core or _ONLY_HEADER.match(core) is not None


def before_comment(text: str) -> str | None:
    """What stands ahead of an inline comment ("" if all is comment), None without a comment."""
    match = _COMMENT.search(text)
    return None if match is None else text[: match.start()].strip(BLANKS)


def is_url(text: str) -> bool:
    return _URL.match(body(text)) is not None


def begins_like_key(token: str) -> bool:
    """Whether one word begins with a prefix that only keys have."""
    return _KNOWN_PREFIX.fullmatch(token) is not None


def looks_like_key(token: str) -> bool:
    """Whether one word has the shape of a key: a known prefix, or long with letters and digits."""
    return begins_like_key(token) or _LONG_TOKEN.fullmatch(token) is not None
