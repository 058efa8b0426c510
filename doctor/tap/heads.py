"""The head of an HTTP/1 message: taken apart for reading, changed in place for sending on.

Nothing is judged here. A head that a strict parser would refuse is often the fault that is looked
for, so it has to arrive as the program sent it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from doctor.records import dataclass

Field = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Head:
    """``start`` is the first line, ``fields`` names and values in their order, as they came."""

    start: bytes
    fields: tuple[Field, ...] = field(repr=False)

    @classmethod
    def of(cls, raw: bytes) -> Head:
        """Take a head apart. Never fails: a line without a colon is a name without a value."""
        first, *lines = raw.split(b"\n")
        found: list[Field] = []
        for line in lines:
            line = line.removesuffix(b"\r")
            if not line:
                continue
            if line[:1] in (b" ", b"\t") and found:  # the older way to fold a long value
                name, value = found.pop()
                found.append((name, value + b" " + line.strip()))
                continue
            name, _colon, value = line.partition(b":")
            found.append((name, value.strip(b" \t")))
        return cls(first.removesuffix(b"\r"), tuple(found))

    def all(self, name: bytes) -> list[bytes]:
        """The values of every field called ``name`` (lower case)."""
        return [value for own, value in self.fields if own.strip().lower() == name]

    def first(self, name: bytes) -> bytes | None:
        return next(iter(self.all(name)), None)

    @property
    def words(self) -> list[bytes]:
        """The parts of the first line: method, target, version; or version, status, reason."""
        return self.start.split(b" ")

    @property
    def method(self) -> str:
        return self.words[0].decode("latin-1")

    @property
    def target(self) -> str:
        words = self.words
        return words[1].decode("latin-1") if len(words) > 1 else ""

    @property
    def status(self) -> int | None:
        """The status of an answer, None where the line tells none."""
        words = self.words
        code = words[1] if len(words) > 1 and words[0].startswith(b"HTTP/") else b""
        return int(code) if code.isdigit() and len(code) == 3 else None

    def mentions(self, name: bytes, token: bytes) -> bool:
        """Whether ``token`` (lower case) is one of the comma-separated words of a field."""
        words = b",".join(self.all(name)).lower().split(b",")
        return token in {word.strip() for word in words}


def readdressed(
    raw: bytes,
    host: bytes,
    target: Callable[[bytes], bytes] | None = None,
    added: tuple[Field, ...] = (),
) -> bytes:
    """``raw`` with ``host`` as the value of its ``Host``, and every other byte as it was.

    ``target`` gives another target for the first line and ``added`` further fields, which a plain
    HTTP proxy wants. A head without ``Host`` gets none.
    """
    first, *lines = raw.split(b"\n")
    if target is not None:
        words = first.split(b" ")
        if len(words) > 1:
            words[1] = target(words[1])
            first = b" ".join(words)
    changed = [_with_host(line, host) for line in lines]
    end = b"\r" if first.endswith(b"\r") else b""
    more = [name + b": " + value + end for name, value in added]
    return b"\n".join((first, *more, *changed))


def _with_host(line: bytes, host: bytes) -> bytes:
    name, colon, rest = line.partition(b":")
    if not colon or name.strip().lower() != b"host":
        return line
    value = rest.strip()
    if not value:
        return line
    before, _old, after = rest.partition(value)
    return name + colon + before + host + after
