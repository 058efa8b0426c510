"""Errors of Node as ``console.error`` prints them: one field per line.

``code: 'ECONNREFUSED'``, ``address: '::1'``, ``port: 11434``, in any order. Put together they are
the line that Node's own message is, and that the dictionary reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from doctor.patterns import Pattern

_FIELD = Pattern(
    r"(?<![\w.])['\"]?(?P<name>code|address|port|hostname)['\"]?: ?"
    r"(?:(?P<quote>['\"])(?P<text>[^'\"\n]{1,120})(?P=quote)|(?P<number>\d{1,5})\b)"
)
_CODE = Pattern(r"^E[A-Z_]{3,30}$")
# An object has no more lines than this on either side of its code.
_NEAR = 8


def connections_in(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line with the code, and ``connect ECONNREFUSED ::1:11434``; each once."""
    fields = [_fields(line) for line in lines]
    told: set[str] = set()
    for at, own in enumerate(fields):
        code = own.get("code", "")
        if _CODE.match(code) is None:
            continue
        held: dict[str, str] = {}
        for distance in range(_NEAR + 1):
            for index in {at - distance, at + distance}:
                if 0 <= index < len(fields):
                    held = {**fields[index], **held}
        address, port = held.get("address") or held.get("hostname"), held.get("port")
        if address is None or port is None:
            continue
        text = f"connect {code} {f'[{address}]' if ':' in address else address}:{port}"
        if text not in told:
            told.add(text)
            yield at + 1, text


def _fields(line: str) -> dict[str, str]:
    """What a line says of the error, the first of each name."""
    found: dict[str, str] = {}
    for match in _FIELD.finditer(line):
        found.setdefault(match["name"], match["text"] or match["number"])
    return found
