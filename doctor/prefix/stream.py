"""The lines of request logs of any size: plain or compressed files, folders of them, stdin."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from doctor.text import _

_OPENERS: dict[bytes, Callable[..., object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_ZSTD = b"\x28\xb5\x2f\xfd"
LONGEST = 64 * 1024 * 1024  # bytes of a line; what is longer is no request


class Line:
    """``number`` counts from 1; ``data`` is None for a line that is too long."""

    __slots__ = ("data", "number", "source")

    def __init__(self, source: str, number: int, data: bytes | None) -> None:
        self.source = source
        self.number = number
        self.data = data


def lines(sources: Iterable[str]) -> Iterator[Line]:
    """Every line that is not blank. "-" is stdin. Raises ``OSError`` with the file's name."""
    for source in sources:
        with _opened(source) as stream:
            number = 0
            while data := stream.readline(LONGEST + 1):
                number += 1
                if len(data) > LONGEST:
                    while data and not data.endswith(b"\n"):
                        data = stream.readline(LONGEST)
                    yield Line(source, number, None)
                elif not data.isspace():
                    yield Line(source, number, data)


def packed(source: str) -> bool:
    """Whether a file is compressed, so that it can be read from its beginning only. Raises
    ``OSError``."""
    with Path(source).open("rb") as file:
        head = file.read(6)
    return head.startswith((*_OPENERS, _ZSTD))


def _opened(source: str) -> BinaryIO:
    if source == "-":
        return _unpacked(sys.stdin.buffer, "stdin")
    return _unpacked(Path(source).open("rb"), source)


def _unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """The stream without its compression, which its first bytes tell."""
    buffered = io.BufferedReader(cast(io.RawIOBase, stream), 1024 * 1024)
    head = buffered.peek(6)[:6]
    if head.startswith(_ZSTD):
        raise OSError(
            errno.ENOTSUP, _("is compressed with zstd: zstd -dc FILE | kvdoctor prefix -"), name
        )
    for magic, opener in _OPENERS.items():
        if head.startswith(magic):
            return cast(BinaryIO, opener(buffered, "rb"))
    return cast(BinaryIO, buffered)
