"""Calls and names whose value differs from one request to the next."""

from __future__ import annotations

import re

from doctor.prefix.kinds import CLOCK, STATE, UNIQUE_ID, Kind

# By the last names of a dotted call: ("datetime", "now") is datetime.now() and
# datetime.datetime.now().
_CALLS: dict[tuple[str, ...], Kind] = {
    ("datetime", "now"): CLOCK,
    ("datetime", "utcnow"): CLOCK,
    ("datetime", "today"): CLOCK,
    ("date", "today"): CLOCK,
    ("time", "time"): CLOCK,
    ("time", "time_ns"): CLOCK,
    ("time", "ctime"): CLOCK,
    ("time", "asctime"): CLOCK,
    ("time", "localtime"): CLOCK,
    ("time", "gmtime"): CLOCK,
    ("time", "strftime"): CLOCK,
    ("timezone", "now"): CLOCK,
    ("pendulum", "now"): CLOCK,
    ("arrow", "now"): CLOCK,
    ("arrow", "utcnow"): CLOCK,
    ("Timestamp", "now"): CLOCK,
    ("uuid", "uuid1"): UNIQUE_ID,
    ("uuid", "uuid4"): UNIQUE_ID,
    ("uuid4",): UNIQUE_ID,
    ("uuid1",): UNIQUE_ID,
    ("ULID",): UNIQUE_ID,
    ("secrets", "token_hex"): UNIQUE_ID,
    ("secrets", "token_urlsafe"): UNIQUE_ID,
    ("secrets", "token_bytes"): UNIQUE_ID,
    ("random", "random"): UNIQUE_ID,
    ("random", "randint"): UNIQUE_ID,
    ("random", "choice"): UNIQUE_ID,
    ("random", "sample"): UNIQUE_ID,
    ("random", "getrandbits"): UNIQUE_ID,
    ("os", "urandom"): UNIQUE_ID,
    ("os", "getcwd"): STATE,
    ("Path", "cwd"): STATE,
    ("getpass", "getuser"): STATE,
    ("os", "getlogin"): STATE,
    ("socket", "gethostname"): STATE,
    ("platform", "node"): STATE,
}

_CLOCK_NAME = re.compile(
    r"(?:^|_)(?:now|today|date(?:time)?|time(?:stamp)?|current_?(?:date|time|datetime)|utc_?now|"
    r"clock|strftime_now)(?:$|_)",
    re.IGNORECASE,
)
_ID_NAME = re.compile(
    r"(?:^|_)(?:uuid\d?|guid|nonce|(?:request|session|trace|run|conversation|message)_?id)(?:$|_)",
    re.IGNORECASE,
)
_STATE_NAME = re.compile(
    r"(?:^|_)(?:cwd|working_?dir(?:ectory)?|git_?(?:status|branch)|user_?name|host_?name|"
    r"(?:remaining|used)_?tokens|token_?(?:count|usage)|turn_?(?:count|number))(?:$|_)",
    re.IGNORECASE,
)


def kind_of_call(names: tuple[str, ...]) -> Kind | None:
    """Of a call by its dotted name."""
    return next((kind for key, kind in _CALLS.items() if names[-len(key) :] == key), None)


def kind_of_name(name: str) -> Kind | None:
    """Of a placeholder by its name alone, which is a guess."""
    for pattern, kind in ((_CLOCK_NAME, CLOCK), (_ID_NAME, UNIQUE_ID), (_STATE_NAME, STATE)):
        if pattern.search(name):
            return kind
    return None
