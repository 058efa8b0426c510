"""Bytes of an answer: unpacked within bounds, as text that does no harm."""

from __future__ import annotations

import zlib

from doctor.probes.reading.jsontext import NotJson, parse
from doctor.untrusted import harmless


class Inflater:
    """Unpacks gzip and deflate piece by piece; never gives more than it is asked for.

    What is packed in another way passes as it is. Damaged data ends the text, without an error:
    what was read until then is what there is.
    """

    def __init__(self, encoding: str) -> None:
        self._packed = encoding.strip().lower() in ("gzip", "x-gzip", "deflate")
        self._first = True
        self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self.damaged = False

    def feed(self, data: bytes, room: int) -> bytes:
        """At most ``room`` bytes of what ``data`` holds."""
        if not self._packed:
            return data[:room]
        if self.damaged or room <= 0:
            return b""
        try:
            return self._unpack.decompress(data, room)
        except zlib.error:
            if not self._first:
                self.damaged = True
                return b""
            # Some servers send deflate without its header.
            self._unpack = zlib.decompressobj(-zlib.MAX_WBITS)
            self._first = False
            return self.feed(data, room)
        finally:
            self._first = False


def decoded(data: bytes, content_type: str) -> str:
    """The text, by the charset that the header names, else UTF-8. Never raises."""
    charset = "utf-8"
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'") or charset
    try:
        return data.decode(charset, "replace").removeprefix("\ufeff")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace").removeprefix("\ufeff")


def kept(text: str, limit: int) -> str:
    """``text`` as an exchange keeps it: harmless, and at most ``limit`` characters."""
    if text.isascii() and text.isprintable():
        return text[:limit]
    if ("\t" in text or "\r" in text) and parse(text) is not NotJson:
        # Between the parts of valid JSON these are mere blanks; spelled out they would break it.
        text = text.replace("\t", " ").replace("\r", " ")
    return harmless(text[:limit], limit)[:limit]
