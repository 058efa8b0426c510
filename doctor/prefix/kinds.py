"""What kind of text it is that differs between two prompts: a clock, an id, a counter, …"""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)\b\.?"
_TIME = (
    r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?\s*(?:[ap]\.?m\.?\b)?\s*(?:z\b|utc|gmt|[a-z]{3,4}\b)?"
    r"\s*(?:\(?[+-]\d{2}:?\d{2}\)?)?|\b\d{1,2}\s?h\s?\d{2}\b"
)
# As names of files and runs have it.
_COMPACT = r"(?<!\d)20\d{2}[01]\d[0-3]\d[T_-]?[0-2]\d[0-5]\d(?:[0-5]\d)?(?!\d)Z?"
_DATE = (
    r"\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}日?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    rf"|\d{{1,2}}\s+{_MONTH}\,?\s+\d{{4}}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\,?\s+\d{{4}}"
)
_CLOCK = re.compile(
    rf"(?:(?:{_DAY})\,?\s+)?(?:{_DATE})(?:[T\s,]*(?:at\s+)?(?:{_TIME}))?(?:\s*\((?:{_DAY})\))?|{_TIME}|{_COMPACT}",
    re.IGNORECASE,
)
_STAMP = re.compile(rf"\s*[\[(<【]?\s*(?:{_CLOCK.pattern})\s*[\])>】]?[\s:：,-]*", re.IGNORECASE)
_EPOCH = re.compile(r"(?<![\d.])1[6-9]\d{8}(?:\d{3}|\d{6}|\.\d+)?(?![\d])")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-+/=]{4,}")
_NUMBER = re.compile(r"[-+]?\d[\d,_]*(?:\.\d+)?\s*(?:%|k\b|tokens?\b)?")
_BILLING = re.compile(r"x-anthropic-billing-header", re.IGNORECASE)
_WORDS = re.compile(r"\w+")
_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")

_CLOCK_WORDS = re.compile(
    r"\b(?:time|date|now|today|clock|timestamp|datetime)\b|时间|日期|今天|现在|当前时刻",
    re.IGNORECASE,
)
_ID_WORDS = re.compile(
    r"(?:\b|_)(?:id|uuid|guid|nonce|hash|sha|digest|random|seed|trace|span|request|session|token|salt|"
    r"cch|run|conversation)\b|编号|标识|会话",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}[/\\]?")
_TEXT_WORDS = re.compile(
    r"\b(?:(?:talking|speaking|chatting) (?:to|with)|name is|customer|client|locale|language|"
    r"time ?zone|location|city|country|region|currency|weather|mood|"
    r"(?:answer|reply|respond|write|speak) in|available \w+)\b|姓名|语言|地区|天气",
    re.IGNORECASE,
)
_STATE_WORDS = re.compile(
    r"\b(?:cwd|working directory|directory|workspace|workdir|git|branch|commit|user(?:name)?|"
    r"host(?:name)?|path|"
    r"status|state|memory|platform|usage|used|remaining|count|turns?|steps?|cost|budget|quota|"
    r"balance|battery|context|progress|tokens? left)\b|total_tokens|用户|目录|分支|剩余|次数|余额",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """``code`` is the fault's; ``name`` a stable word for it."""

    code: str
    name: str
    sure: bool = True


CLOCK = Kind("KVD701", "clock")
UNIQUE_ID = Kind("KVD702", "unique id")
COUNTER = Kind("KVD703", "counter")
STATE = Kind("KVD703", "state", sure=False)
# Text that may as well be that of another prompt: only many values of it tell.
TEXT = Kind("KVD703", "text", sure=False)
# Claude Code's own snapshot of the repository.
CLIENT_GIT = Kind("KVD703", "git of Claude Code")
NONCE = Kind("KVD709", "client nonce")


@dataclass(frozen=True, slots=True)
class Seen:
    """A kind, and the part of each line that is of it (start, end)."""

    kind: Kind
    one: tuple[int, int]
    other: tuple[int, int]


def kind_of(
    one: str, span: tuple[int, int], other: str, other_span: tuple[int, int]
) -> Seen | None:
    """What differs between two lines at ``span`` and ``other_span`` (characters).

    The spans of the answer are wider where only a part of a clock or an id differs: the minutes of
    two times, a few digits of two ids. None: nothing that is known to change by itself.
    """
    if _BILLING.search(one) and _BILLING.search(other):
        return Seen(NONCE, _word(one, span), _word(other, other_span))
    for pattern, kind in ((_CLOCK, CLOCK), (_EPOCH, CLOCK), (_UUID, UNIQUE_ID)):
        mine, theirs = _over(pattern, one, span), _over(pattern, other, other_span)
        if mine and theirs:
            return Seen(kind, mine, theirs)
    mine, theirs = _over(_PATH, one, span), _over(_PATH, other, other_span)
    if mine and theirs:
        kind = UNIQUE_ID if _in_path(one[slice(*mine)], other[slice(*theirs)]) else STATE
        return Seen(kind, mine, theirs)
    mine, theirs = _over(_TOKEN, one, span), _over(_TOKEN, other, other_span)
    label = one[max(0, span[0] - 48) : span[0]]
    if mine and theirs and _is_id(one[slice(*mine)], other[slice(*theirs)], label):
        return Seen(UNIQUE_ID, mine, theirs)
    mine, theirs = _over(_NUMBER, one, span), _over(_NUMBER, other, other_span)
    if mine and theirs:
        kind = CLOCK if _CLOCK_WORDS.search(label) else COUNTER
        return Seen(kind, mine, theirs)
    return _of_whole(one, span, other, other_span, label)


def _of_whole(
    one: str, span: tuple[int, int], other: str, other_span: tuple[int, int], label: str
) -> Seen | None:
    """What is there in only one of the two, or says by its label that it changes."""
    values = (one[slice(*span)], other[slice(*other_span)])
    longer = max(values, key=len)
    if _CLOCK.search(longer) and not min(values, key=len).strip():
        return Seen(CLOCK, span, other_span)
    if len(longer) > 400:
        return None
    about = label + longer
    if _STATE_WORDS.search(about):
        return Seen(COUNTER if re.search(r"\d", longer) else STATE, span, other_span)
    if _TEXT_WORDS.search(label) and len(longer) <= 80:
        return Seen(TEXT, span, other_span)
    return None


def stamped(text: str) -> tuple[str, str] | None:
    """The clock that ``text`` begins with, and the rest; None where it begins with none."""
    match = _STAMP.match(text)
    return None if match is None else (match.group(), text[match.end() :])


def keeps_changing(distinct: int, seen: int) -> bool:
    """Whether so many values in so many requests are those of one prompt that changes: what parts
    several prompts comes again and again."""
    return distinct > 2 and 2 * distinct > seen


def _in_path(one: str, other: str) -> bool:
    """Whether two paths differ in a name that is an id: that of a folder for one run."""
    names, other_names = re.split(r"[/\\]", one), re.split(r"[/\\]", other)
    pairs = [(a, b) for a, b in zip(names, other_names, strict=False) if a != b]
    return len(names) == len(other_names) and all(
        any(_is_id(*words, "") for words in zip(a.split("-"), b.split("-"), strict=False))
        for a, b in pairs
    )


def _is_id(one: str, other: str, label: str) -> bool:
    if one == other:
        return False
    if all(_random(value) for value in (one, other)):
        return True
    named = bool(_ID_WORDS.search(label[-24:]))
    return named and all(re.search(r"\d", value) for value in (one, other))


def _random(value: str) -> bool:
    """Digits and letters mixed, as no word has them."""
    switches = sum(a.isdigit() != b.isdigit() for a, b in itertools.pairwise(value))
    return len(value) >= 6 and switches >= 3


def _over(pattern: re.Pattern[str], line: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """The match of ``pattern`` that touches ``span`` and covers all of it that is no blank."""
    start, end = span
    while start < end and line[start].isspace():
        start += 1
    while end > start and line[end - 1].isspace():
        end -= 1
    for match in pattern.finditer(line):
        if match.start() <= start and match.end() >= end and match.end() > match.start():
            if start == end and not match.start() < start < match.end():
                continue
            return match.span()
        if match.start() > end:
            break
    return None


def _word(line: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    while start > 0 and not line[start - 1].isspace() and line[start - 1] not in "=;:":
        start -= 1
    while end < len(line) and not line[end].isspace() and line[end] not in ";":
        end += 1
    return start, end


def only_blanks_differ(one: str, other: str) -> bool:
    """Whether two texts are the same but for blanks, line ends, Unicode form and the escapes of
    JSON."""
    return one != other and _folded(one) == _folded(other)


def reordered(one: str, other: str) -> bool:
    """Whether two texts are of the same words in another order; mere figures make no order."""
    if one == other or abs(len(one) - len(other)) > len(one) // 8 + 8:
        return False
    words, other_words = _WORDS.findall(one), _WORDS.findall(other)
    moved = {a for a, b in zip(words, other_words, strict=False) if a != b and a.isalpha()}
    return len(moved) > 1 and sorted(words) == sorted(other_words)


def _folded(text: str) -> str:
    if "\\" in text:
        text = _unescaped(text)
    return "".join(unicodedata.normalize("NFKC", text).split())


def _unescaped(text: str) -> str:
    """Without the escapes of JSON, however often it was put into JSON again."""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    # Characters beyond the first plane are written as two escapes.
    joined = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.replace("\\", "")
