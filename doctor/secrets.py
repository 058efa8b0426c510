"""Secrets by type, and the second net that every output passes through.

First net: a ``Secret`` never shows itself; only ``reveal()`` gives the value, and only the code
that builds a request calls it. Second net: a ``Redactor`` knows every secret of the run and
replaces it in any text that leaves the program, whoever wrote that text (a library's exception
holds the key: facts/gateway-clients.md §2.4).
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
import urllib.parse
from collections.abc import Iterable
from typing import NoReturn

from doctor.patterns import Pattern
from doctor.text import _
from doctor.untrusted import visible

MASK = "…"
_SHOWN_TAIL = 4
# A tail is only shown where what stays hidden is still far too long to guess.
_SHOWN_TAIL_FROM = 20

# What kind of credential it is, a key or a login's token, is no secret either.
_PREFIX = Pattern(
    r"(?:Bearer\s+)?((?:sk|cr|pk|hf|gsk|xai|fk|ak)[-_](?:ant-[a-z]{3}\d\d-|[a-z0-9]{2,6}-)?)", re.I
)

# $OPENAI_API_KEY, $env:OPENAI_API_KEY, %OPENAI_API_KEY%: filled in by nobody, and no secret.
_REFERENCE = r"(?:\$(?:env:)?|%)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+%?(?![\w\-.%~+/=])"

# Shapes that are keys wherever they stand. Long enough that no ordinary word matches.
_KEY_SHAPES = (
    Pattern(r"\b(?:sk|cr|pk|gsk|xai|hf|fk|ak)[-_][A-Za-z0-9_\-]{12,}"),
    # Of a key taken for a variable's name, in capitals; such names have no hyphen.
    Pattern(r"\b(?:SK|GSK|XAI)-(?=[A-Z0-9_\-]*[0-9])[A-Z0-9_\-]{12,}"),
    Pattern(r"\bAIza[A-Za-z0-9_\-]{30,}"),
    Pattern(r"\bAQ\.[A-Za-z0-9_\-]{30,}"),  # Google's since 2026
    # Not from within a word: a body of nothing but "-ey" would be read again from each of them.
    Pattern(r"(?<![A-Za-z0-9_\-])ey[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{6,}"),
    # Of a backslash only what spells a character: half of a JSON string's \\" would break it.
    Pattern(
        rf"(?<=Bearer )(?!\s|{_REFERENCE})"
        r"(?:[^\s\"',}{<>…\\]|\\u[0-9A-Fa-f]{4}|\\x[0-9a-f]{2}){12,}"
    ),
)
# What surrounds a key is no secret, and in a document it may be the document's own.
_EDGES = " \t\r\n\"'`“”‘’\\"
_URL = Pattern(r"\s*https?://", re.I)
_PIECE = Pattern(r"(?<![A-Za-z0-9_\-.%~/])[A-Za-z0-9_\-.%~]{12,}")
_NAME_AHEAD = Pattern(r"\A\W*(?:export\s+)?[A-Z][A-Z0-9_]*\s*=")
# Words that a manual puts in a key's place, which the reader must see to know them again.
_SAMPLE = Pattern(
    r"(?=(?:.*[\W_])?(?:your|insert|replace|paste|change.?me|placeholder|example|proxy_managed)"
    r"(?:[\W_]|$))"
    r"[<\[{(]?(?:sk-)?[a-z]+(?:[-_. ][a-z]+)*[>\]})]?"
    r"|(?:[a-z]{2,4}-)?([x*.])\1{3,}",
    re.I,
)
# A password may hold an @ itself: the last one ends the login.
_URL_USERINFO = Pattern(r"(?<=://)[^\s/?#\"<>]{1,400}(?=@)")


class Secret:
    """A credential. Its text is masked in every form that Python can print."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself. Only for building a request or inspecting its characters."""
        return self._value

    @property
    def masked(self) -> str:
        """``sk-…WXYZ``: the known prefix and at most the last four characters."""
        return mask(self._value)

    @property
    def described(self) -> str:
        """``sk-…WXYZ (51 characters)``."""
        return _("{masked} ({n} characters)", masked=self.masked, n=len(self._value))

    def __len__(self) -> int:
        return len(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(("Secret", self._value))

    def __repr__(self) -> str:
        return f"Secret({self.masked})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.masked, spec)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not pickled")


def mask(value: str) -> str:
    """Mask ``value``; blanks and look-alike characters at its ends stay countable, not visible."""
    core = value.strip()
    if not core:
        return _("(empty)") if not value else _("(blank)")
    prefix_match = _PREFIX.match(core)
    prefix = prefix_match.group(1) if prefix_match else ""
    hidden = len(core) - len(prefix)
    if hidden < _SHOWN_TAIL_FROM:
        return f"{prefix}{MASK}"
    tail = core[-_SHOWN_TAIL:]
    return f"{prefix}{MASK}{tail}" if tail.isascii() and tail.isalnum() else f"{prefix}{MASK}"


def _spellings(value: str) -> Iterable[str]:
    """The forms in which one secret turns up in texts written by others."""
    core = value.strip(_EDGES)
    # Full-width letters are typed by mistake, and what they stand for is the key.
    for text in dict.fromkeys((core, unicodedata.normalize("NFKC", core))):
        yield text
        yield visible(text)
        yield json.dumps(text)[1:-1]
        yield json.dumps(text, ensure_ascii=False)[1:-1]
        yield json.dumps(text)[1:-1].replace("/", "\\/")
        yield repr(text)[1:-1]
        yield repr(_encoded(text))[2:-1]
        yield urllib.parse.quote(_encoded(text), safe="")
        yield urllib.parse.quote(_encoded(text))
    for whole in {value, value.strip(), core}:
        yield base64.b64encode(_encoded(whole)).decode()


def _pieces(value: str) -> Iterable[str]:
    """Runs of a key that a stray character parts, or that stands amid other words: each would
    help a thief, and others tell it without the rest."""
    for piece in _PIECE.findall(_NAME_AHEAD.sub("", value)):
        if any(map(str.isdigit, piece)) and any(map(str.isalpha, piece)):
            yield piece


def _without_words(text: str) -> str:
    """Less the letters of scripts without capitals, which no key has: "sk-你的Key" is a sample."""
    return "".join(char for char in text if unicodedata.category(char) != "Lo")


def _encoded(text: str) -> bytes:
    """A variable may hold bytes that are no UTF-8, which Python keeps as lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


class Redactor:
    """Replaces every known secret, and everything shaped like one, in outgoing text."""

    # Below this length replacing a value would shred ordinary words ("x", "test", "EMPTY").
    MINIMUM = 8

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._pattern: tuple[dict[str, str], re.Pattern[str] | None] = (self._known, None)
        self.count = 0

    def learn(self, secret: Secret | str) -> None:
        """Remember a secret; shorter ones than ``MINIMUM`` are placeholders, not secrets."""
        value = secret.reveal() if isinstance(secret, Secret) else secret
        core = value.strip(_EDGES)
        if len(_without_words(core)) < self.MINIMUM or _SAMPLE.fullmatch(core):
            return
        if _URL.match(value):
            # A URL in the key's place is a fault to be shown, and masking it would mask it
            # wherever the address itself is told.
            return
        masked = mask(core)
        # Another thread may be looking through those that are known.
        known = dict(self._known)
        for spelling in _spellings(value):
            if len(spelling) >= self.MINIMUM:
                known.setdefault(spelling, masked)
        for piece in _pieces(value):
            known.setdefault(piece, mask(piece))
        self._known = known

    @property
    def longest(self) -> int:
        """How long the longest spelling is: of a text that was cut, so much may hold a part."""
        return max(map(len, self._known), default=0)

    def known(self, text: str) -> str:
        """``text`` without the secrets that are known; what only looks like one stays."""
        # Looking for each of them is far quicker than for all at once.
        known = self._known
        if not any(spelling in text for spelling in known):
            return text
        of, pattern = self._pattern
        if of is not known or pattern is None:
            longest_first = sorted(known, key=len, reverse=True)
            pattern = re.compile("|".join(map(re.escape, longest_first)))
            self._pattern = (known, pattern)
        return pattern.sub(self._known_mask, text)

    def __call__(self, text: str) -> str:
        text = self.known(text)
        for shape in _KEY_SHAPES:
            text = shape.sub(self._shape_mask, text)
        return _URL_USERINFO.sub(self._userinfo_mask, text)

    def _known_mask(self, match: re.Match[str]) -> str:
        self.count += 1
        masked = self._known[match.group(0)]
        return "\\" + masked if _begins_in_an_escape(match) else masked

    def _shape_mask(self, match: re.Match[str]) -> str:
        if MASK in match.group(0) or _SAMPLE.fullmatch(match.group(0)):
            return match.group(0)
        self.count += 1
        return mask(match.group(0))

    def _userinfo_mask(self, match: re.Match[str]) -> str:
        if match.group(0) != MASK:
            self.count += 1
        return MASK


def _begins_in_an_escape(match: re.Match[str]) -> bool:
    """Whether the match's first backslash is the second of a pair, which a document needs whole."""
    if not match.group(0).startswith("\\"):
        return False
    first = match.start()
    while first and match.string[first - 1] == "\\":
        first -= 1
    return (match.start() - first) % 2 == 1


# The process's own: whatever a command learns is also kept out of a crash report.
REDACTOR = Redactor()
