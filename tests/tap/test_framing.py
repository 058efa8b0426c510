"""However the bytes of a connection are cut, the messages in them are the same and none is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from doctor.tap.framing import Framer, Framing, request_framing, response_framing
from doctor.tap.heads import Head, readdressed


class Heard:
    """What a framer told, and every byte that it passed on."""

    def __init__(self, method: str | None = None) -> None:
        self._method = method
        self.raw = bytearray()
        self.told: list[tuple[str, bytes]] = []

    def head(self, raw: bytes) -> Framing:
        self.raw += raw
        self.told.append(("head", raw))
        head = Head.of(raw)
        if self._method is None:
            return request_framing(head)
        return response_framing(head, self._method)

    def body(self, raw: bytes, data: bytes) -> None:
        self.raw += raw
        if self.told and self.told[-1][0] == "body":
            data = self.told.pop()[1] + data
        self.told.append(("body", data))

    def end(self) -> None:
        self.told.append(("end", b""))

    def opaque(self, raw: bytes) -> None:
        self.raw += raw
        if self.told and self.told[-1][0] == "opaque":
            raw = self.told.pop()[1] + raw
        self.told.append(("opaque", raw))


def heard(data: bytes, cuts: list[int], method: str | None = None) -> Heard:
    parts = Heard(method)
    framer = Framer(parts)
    start = 0
    for cut in sorted({min(cut, len(data)) for cut in cuts} | {len(data)}):
        framer.feed(data[start:cut])
        start = cut
    framer.close()
    return parts


def chunked(body: bytes, size: int) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    framed = b"".join(b"%X;x=y\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return framed + b"0\r\nTrailer: 1\r\n\r\n"


bodies = st.binary(max_size=300)
sizes = st.integers(1, 40)
cuts = st.lists(st.integers(0, 3000), max_size=30)


@st.composite
def requests(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A request and what its body holds."""
    body = draw(bodies)
    end = draw(st.sampled_from([b"\r\n", b"\n"]))
    if draw(st.booleans()):
        head = end.join([b"POST /a HTTP/1.1", b"TRANSFER-encoding: Chunked", b"", b""])
        return head + chunked(body, draw(sizes)), body
    head = end.join([b"POST /a HTTP/1.1", b"content-length:%d" % len(body), b"", b""])
    return head + body, body


@given(st.lists(requests(), min_size=1, max_size=4), cuts)
def test_requests_behind_one_another_are_told_apart(
    sent: list[tuple[bytes, bytes]], places: list[int]
) -> None:
    data = b"".join(raw for raw, _body in sent)
    parts = heard(data, places)

    assert bytes(parts.raw) == data
    messages = b"".join(b"|" if kind == "end" else d for kind, d in parts.told if kind != "head")
    assert messages == b"".join(body + b"|" for _raw, body in sent)
    assert sum(kind == "head" for kind, _data in parts.told) == len(sent)


@given(st.binary(max_size=400), cuts)
def test_whatever_comes_goes_on(data: bytes, places: list[int]) -> None:
    for method in (None, "GET", "HEAD", "CONNECT"):
        assert bytes(heard(data, places, method).raw) == data


@given(
    st.sampled_from([b"Content-Length: 5", b"Transfer-Encoding: chunked", b"X: 1"]),
    st.binary(max_size=200),
    cuts,
)
def test_a_broken_answer_goes_on_as_it_is(field: bytes, rest: bytes, places: list[int]) -> None:
    data = b"HTTP/1.1 200 OK\r\n" + field + b"\r\n\r\n" + rest

    assert bytes(heard(data, places, "POST").raw) == data


@given(bodies, cuts)
def test_an_answer_without_a_length_ends_with_its_connection(
    body: bytes, places: list[int]
) -> None:
    parts = heard(b"HTTP/1.0 200 OK\r\n\r\n" + body, places, "POST")

    assert parts.told[-1] == ("end", b"")
    assert b"".join(data for kind, data in parts.told if kind == "body") == body


def test_what_has_no_body_ends_with_its_head() -> None:
    for method, status in (("HEAD", 200), ("GET", 204), ("GET", 304), ("POST", 100)):
        answer = b"HTTP/1.1 %d X\r\nContent-Length: 9\r\n\r\n" % status
        assert [kind for kind, _ in heard(answer, [], method).told] == ["head", "end"]


fields = st.lists(
    st.tuples(
        st.from_regex(rb"(?!(?i:host)\Z)[A-Za-z-]{1,12}", fullmatch=True),
        st.from_regex(rb"[\x21-\x7e ]{0,20}", fullmatch=True),
    ),
    max_size=6,
)


@given(fields, st.sampled_from([b"Host", b"host", b"HOST"]), st.integers(0, 6))
def test_nothing_but_the_host_changes_in_a_head(
    others: list[tuple[bytes, bytes]], name: bytes, place: int
) -> None:
    lines = [b"%b:%b" % pair for pair in others]
    lines.insert(place, name + b": 127.0.0.1:1")
    raw = b"\r\n".join([b"POST /x HTTP/1.1", *lines, b"", b""])

    changed = readdressed(raw, b"gateway.example")

    assert changed.replace(b"gateway.example", b"127.0.0.1:1") == raw
    assert Head.of(changed).all(b"host")[-1:] == [b"gateway.example"]
