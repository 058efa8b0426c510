"""The lines of a log, in constant memory: a stream of bytes, packed or not."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from typing import BinaryIO, cast

# What is read at once, and what is kept of one line (bytes).
_CHUNK = 1 << 20
LONGEST = 1 << 16
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class NotReadable(ValueError):
    """The stream is packed and broken; the text says how."""


def raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Every line without its end; of one longer than ``LONGEST`` its beginning at least.

    Understands gzip, and UTF-16 as Windows' shell writes it. Raises ``NotReadable`` where the
    packed data end too early or are no gzip after all.
    """
    buffered = cast("io.BufferedReader", stream) if hasattr(stream, "peek") else _peekable(stream)
    head = buffered.peek(2)[:2]
    if head == _GZIP:
        try:
            yield from _lines(cast("BinaryIO", gzip.GzipFile(fileobj=buffered)))
        except (OSError, EOFError, zlib.error) as error:
            raise NotReadable(str(error)) from None
    elif head in _UTF16:
        for line in io.TextIOWrapper(buffered, "utf-16", errors="replace", newline="\n"):
            yield line.rstrip("\r\n").encode("utf-8", "replace")
    else:
        yield from _lines(buffered)


def _peekable(stream: BinaryIO) -> io.BufferedReader:
    return io.BufferedReader(cast("io.RawIOBase", stream))


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(_CHUNK):
        parts = (rest + chunk).split(b"\n")
        rest = parts.pop()[:LONGEST]
        yield from parts
    if rest:
        yield rest
