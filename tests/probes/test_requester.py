"""The requester against servers that behave, misbehave and lie."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Callable

import pytest

from doctor.context import Meter, Options
from doctor.demo import sse
from doctor.demo.http import (
    Answer,
    Drop,
    End,
    Hang,
    LoopbackServer,
    Raw,
    Request,
    Response,
    StreamResponse,
    json_response,
)
from doctor.facts.network import TransportFault
from doctor.probes.http import ProbeRequest, Requester
from doctor.secrets import Redactor
from tests.kit import KEY
from tests.probes.answers import chunk, delta
from tests.probes.world import IMPATIENT, TIMEOUT

F = TransportFault
BEARER = (("authorization", f"Bearer {KEY}"),)


class Sender:
    """A requester with its meter."""

    def __init__(self, options: Options) -> None:
        self.meter = Meter()
        redactor = Redactor()
        redactor.learn(KEY)
        self.requester = Requester(options, self.meter, redactor)

    async def get(self, url: str, **more: object):  # type: ignore[no-untyped-def]
        values: dict[str, object] = {"purpose": "test", "method": "GET", "url": url, **more}
        return await self.requester.send(ProbeRequest(**values))  # type: ignore[arg-type]


@pytest.fixture
async def sender() -> AsyncIterator[Callable[..., Sender]]:
    made: list[Sender] = []

    def make(**options: object) -> Sender:
        one = Sender(Options(**({"timeout": TIMEOUT} | options)))  # type: ignore[arg-type]
        made.append(one)
        return one

    yield make
    for one in made:
        await one.requester.aclose()


def serving(*answers: Answer) -> LoopbackServer:
    """Each answer once, the last for ever."""
    waiting = list(answers)

    async def handler(request: Request) -> Answer:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return LoopbackServer(handler)


def stream(*events: object, ends: End = End.CLEAN, pace: sse.Pace = sse.INSTANT) -> StreamResponse:
    data = [sse.DONE if each == "[DONE]" else sse.data(each) for each in events]
    kind = (("content-type", "text/event-stream"),)
    return StreamResponse(sse.paced(data, pace), 200, kind, ends=ends)


async def test_an_answer_is_told(sender: Callable[..., Sender]) -> None:
    async with serving(json_response(200, {"a": 1}, (("X-Thing", "yes"),))) as server:
        got = await sender().get(server.origin, headers=BEARER)
        assert (got.status, got.body, got.headers["x-thing"]) == (200, '{"a":1}', "yes")
        assert (got.complete, got.fault, got.via) == (True, None, None)
        assert server.requests[0].header("authorization") == f"Bearer {KEY}"


async def test_equal_requests_are_sent_once(sender: Callable[..., Sender]) -> None:
    one = sender()
    async with serving(json_response(200, {})) as server:
        first, second = await asyncio.gather(one.get(server.origin), one.get(server.origin))
        third = await one.get(server.origin, purpose="someone else")
        other = await one.get(server.origin, headers=BEARER)
    assert first is second is third
    assert other is not first
    assert len(server.requests) == 2
    assert (one.meter.spent.free, one.meter.spent.billable) == (2, 0)


async def test_who_gives_up_does_not_stop_the_request(sender: Callable[..., Sender]) -> None:
    one = sender()
    go, come = asyncio.Event(), asyncio.Event()

    async def handler(request: Request) -> Answer:
        come.set()
        await go.wait()
        return json_response(200, {})

    async with LoopbackServer(handler) as server:
        impatient = asyncio.create_task(one.get(server.origin))
        patient = asyncio.create_task(one.get(server.origin))
        await come.wait()
        impatient.cancel()
        go.set()
        assert (await patient).status == 200
        assert len(server.requests) == 1


async def test_a_billable_request_is_counted_with_its_tokens(sender: Callable[..., Sender]) -> None:
    one = sender()
    async with serving(json_response(200, {})) as server:
        await one.get(server.origin, method="POST", body="{}", billable=True, max_tokens=16)
    spent = one.meter.spent
    assert (spent.free, spent.billable, spent.tokens) == (0, 1, 16)


async def test_the_environments_proxy_is_not_used(
    sender: Callable[..., Sender], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with serving(json_response(200, {})) as server:
        assert (await sender().get(server.origin)).status == 200


async def test_a_huge_body_is_not_read_to_its_end(sender: Callable[..., Sender]) -> None:
    async with serving(Response(200, b"x" * 10_000_000)) as server:
        got = await sender().get(server.origin)
    assert (got.body_bytes, got.complete) == (65_536, False)
    # The last characters could be the beginning of a key that was cut, so they go.
    assert 64_000 < len(got.body) <= 65_536


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
async def test_a_packed_body_is_unpacked_within_bounds(
    sender: Callable[..., Sender], pack: Callable[[bytes], bytes]
) -> None:
    encoding = "gzip" if pack is gzip.compress else "deflate"
    bomb = Response(200, pack(b"y" * 50_000_000), (("content-encoding", encoding),))
    small = Response(200, pack(b"small"), (("content-encoding", encoding),))
    async with serving(bomb, small) as server:
        one = sender()
        assert (await one.get(server.origin)).body_bytes == 65_536
        assert (await one.get(server.origin + "/2")).body == "small"


async def test_a_damaged_package_is_no_fault(sender: Callable[..., Sender]) -> None:
    broken = Response(200, b"no gzip at all", (("content-encoding", "gzip"),))
    async with serving(broken) as server:
        got = await sender().get(server.origin)
    assert (got.status, got.body, got.complete) == (200, "", False)


async def test_what_comes_back_is_harmless_and_without_the_key(
    sender: Callable[..., Sender],
) -> None:
    echo = json.dumps({"error": f"bad key {KEY}\n\x1b[31m"})
    answer = Response(401, echo.encode(), (("X-Echo", KEY), ("Set-Cookie", "session=secret")))
    async with serving(answer) as server:
        got = await sender().get(f"{server.origin}/?key={KEY}", headers=BEARER)
    assert KEY not in repr(got)
    assert "secret" not in repr(got)
    assert "\x1b" not in got.body
    assert "sk-…" in got.body


async def test_tabs_of_json_do_not_break_it(sender: Callable[..., Sender]) -> None:
    body = b'\xef\xbb\xbf{\r\n\t"choices":\t[]\r}'
    async with serving(Response(200, body)) as server:
        assert json.loads((await sender().get(server.origin)).body) == {"choices": []}


async def test_a_body_in_another_charset(sender: Callable[..., Sender]) -> None:
    page = Response(200, "余额不足".encode("gbk"), (("content-type", "text/html; charset=gbk"),))
    async with serving(page) as server:
        assert (await sender().get(server.origin)).body == "余额不足"


async def test_a_body_that_breaks_off_keeps_its_status(sender: Callable[..., Sender]) -> None:
    async with serving(Response(200, b'{"choices": [', cut_at=5)) as server:
        got = await sender().get(server.origin)
    assert (got.status, got.body, got.complete) == (200, '{"cho', False)
    assert got.fault_text


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Drop(), F.RESET),
        (Drop(reset=True), F.RESET),
        (Raw(b"HTTP/9.9 what\r\n\r\n"), F.PROTOCOL),
        (Raw(b"\x15\x03\x01\x00\x02\x02\x28"), F.PLAIN_TO_TLS),
        (Hang(), F.READ_TIMEOUT),
        (Hang(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"), F.READ_TIMEOUT),
    ],
)
async def test_an_answer_that_is_none(
    sender: Callable[..., Sender], answer: Answer, fault: TransportFault
) -> None:
    async with serving(answer) as server:
        got = await sender(timeout=IMPATIENT).get(server.origin)
    assert (got.status, got.fault) == (None, fault)
    assert got.fault_text


async def test_a_hanging_server_ends_within_one_timeout(sender: Callable[..., Sender]) -> None:
    async with serving(Hang()) as server:
        got = await sender(timeout=IMPATIENT).get(server.origin)
    assert got.fault_text == "no answer within 1 s"


@pytest.mark.parametrize(
    ("key", "fault", "text"),
    [
        ("sk-madeup0000000000000\n", F.ILLEGAL_HEADER, "Illegal header value"),
        ("sk-madeup0000000000000 ", F.ILLEGAL_HEADER, "Illegal header value"),
        ("sk-madeup000\u200b0000000000", F.ENCODING, "character '\\u200b' in position 19"),
        ("“sk-madeup”", F.ENCODING, "position 7"),
    ],
)
async def test_a_key_that_cannot_be_sent(
    sender: Callable[..., Sender], key: str, fault: TransportFault, text: str
) -> None:
    one = sender()
    async with serving(json_response(200, {})) as server:
        got = await one.get(server.origin, headers=(("authorization", f"Bearer {key}"),))
        assert not server.requests
    assert got.fault is fault
    assert text in got.fault_text
    assert "madeup0000000000000" not in got.fault_text
    assert one.meter.spent.free == 0


@pytest.mark.parametrize(
    "url",
    ["http://exa mple\t.test/", "http://[::1/", "ftp://gateway.example/", "gateway.example/v1"],
)
async def test_an_address_that_is_none(sender: Callable[..., Sender], url: str) -> None:
    assert (await sender().get(url)).fault is F.INVALID_URL


async def test_nothing_listens(sender: Callable[..., Sender]) -> None:
    async with serving(Drop()) as server:
        origin = server.origin
    got = await sender().get(origin)
    assert got.fault is F.REFUSED
    assert "refused" in got.fault_text.lower()


async def test_a_name_that_does_not_exist(sender: Callable[..., Sender]) -> None:
    assert (await sender().get("http://gateway.invalid/v1")).fault is F.DNS


async def test_https_to_a_plain_port(sender: Callable[..., Sender]) -> None:
    async with serving(json_response(200, {})) as server:
        got = await sender().get(server.origin.replace("http", "https"))
    assert got.fault is F.TLS_TO_PLAIN
    assert "WRONG_VERSION_NUMBER" in got.fault_text


async def test_a_bundle_that_is_missing_stops_even_plain_requests(
    sender: Callable[..., Sender],
) -> None:
    from doctor.probes.trust import Trust

    trust = Trust(bundle="/nowhere/ca.pem", variable="SSL_CERT_FILE")
    async with serving(json_response(200, {})) as server:
        got = await sender().get(server.origin, trust=trust)
    assert got.fault is F.TLS_SETTING
    assert got.fault_text == "SSL_CERT_FILE=/nowhere/ca.pem: [Errno 2] No such file or directory"


# ------------------------------------------------------------------ redirects


@pytest.mark.parametrize(
    ("status", "method"), [(307, "POST"), (308, "POST"), (301, "GET"), (302, "GET")]
)
async def test_a_redirect_on_the_same_origin_is_followed_once(
    sender: Callable[..., Sender], status: int, method: str
) -> None:
    one = sender()
    moved = Response(status, b"", (("location", "/v1/there"),))
    async with serving(moved, json_response(200, {})) as server:
        got = await one.get(
            f"{server.origin}/v1/here", method=method, headers=BEARER, billable=True, max_tokens=1
        )
        assert [r.path for r in server.requests] == ["/v1/here", "/v1/there"]
        assert server.requests[1].method == method
        assert server.requests[1].header("authorization") == f"Bearer {KEY}"
    assert got.status == 200
    assert got.redirect is not None
    assert (got.redirect.status, got.redirect.same_origin) == (status, True)
    assert (one.meter.spent.free, one.meter.spent.billable) == (1, 1)


async def test_a_redirect_is_not_followed_twice(sender: Callable[..., Sender]) -> None:
    moved = Response(307, b"", (("location", "/again"),))
    async with serving(moved) as server:
        got = await sender().get(server.origin)
        assert len(server.requests) == 2
    assert got.status == 307


async def test_where_a_redirect_leads_to_nothing_there_is_no_answer(
    sender: Callable[..., Sender],
) -> None:
    moved = Response(307, b"", (("location", "/there"),))
    async with serving(moved, Drop()) as server:
        got = await sender().get(server.origin)
    assert (got.status, got.fault) == (None, F.RESET)
    assert got.redirect is not None


@pytest.mark.parametrize(
    ("status", "method", "follow", "location"),
    [
        (301, "POST", True, "/v1/there"),
        (303, "POST", True, "/v1/there"),
        (307, "POST", False, "/v1/there"),
        (307, "POST", True, "http://other.example/v1"),
        (307, "POST", True, "https://127.0.0.1/v1"),
        (307, "POST", True, "http://[bad"),
    ],
)
async def test_other_redirects_are_told_and_not_followed(
    sender: Callable[..., Sender], status: int, method: str, follow: bool, location: str
) -> None:
    async with serving(Response(status, b"", (("location", location),))) as server:
        got = await sender().get(server.origin, method=method, headers=BEARER, follow=follow)
        assert len(server.requests) == 1
    assert got.status == status
    assert got.redirect is not None
    assert got.redirect.location.endswith(location.removeprefix("http://[bad"))


async def test_no_other_origin_sees_the_key(sender: Callable[..., Sender]) -> None:
    async with serving(json_response(200, {})) as other:
        moved = Response(308, b"", (("location", f"{other.origin}/v1"),))
        async with serving(moved) as server:
            got = await sender().get(server.origin, headers=BEARER)
        assert other.connections == 0
    assert got.redirect is not None
    assert not got.redirect.same_origin


# ------------------------------------------------------------------ streams


async def test_a_stream_is_read_to_its_end_mark(sender: Callable[..., Sender]) -> None:
    told = stream(chunk(delta("ok")), chunk(delta(finish="stop")), "[DONE]", ends=End.STALL)
    async with serving(told) as server:
        got = await sender().get(server.origin, method="POST", body="{}", stream=True)
    assert (len(got.events), got.events[-1], got.complete) == (3, "[DONE]", True)
    assert (got.streamed, got.cancelled, got.body) == (True, False, "")
    assert got.ms_first_event is not None


async def test_a_stream_is_cancelled_at_its_first_content(sender: Callable[..., Sender]) -> None:
    first = chunk(delta("", role="assistant"))
    told = stream(first, *[chunk(delta(str(n))) for n in range(1_000)], ends=End.STALL)
    async with serving(told) as server:
        got = await sender().get(server.origin, stream=True, cancel_at_first=True)
        assert len(got.events) == 2
        assert got.cancelled


async def test_an_endless_stream_is_bounded(sender: Callable[..., Sender]) -> None:
    async with serving(stream(*[chunk(delta(""))] * 500)) as server:
        got = await sender().get(server.origin, stream=True)
    assert (len(got.events), got.cancelled) == (200, True)


async def test_a_stream_that_stalls_is_not_cancelled_but_broken(
    sender: Callable[..., Sender],
) -> None:
    async with serving(stream(chunk(delta("")), ends=End.STALL)) as server:
        got = await sender(timeout=IMPATIENT).get(server.origin, stream=True)
    assert (got.status, len(got.events), got.cancelled, got.complete) == (200, 1, False, False)
    assert "stood still" in got.fault_text


async def test_a_slow_stream_is_cancelled_by_the_doctor(sender: Callable[..., Sender]) -> None:
    slow = stream(*[chunk(delta("x"))] * 500, pace=sse.Pace(each=0.01))
    async with serving(slow) as server:
        got = await sender(timeout=IMPATIENT).get(server.origin, stream=True)
    assert got.cancelled
    assert got.events
    assert got.fault_text == "cancelled after 1 s"


async def test_a_stream_that_never_starts(sender: Callable[..., Sender]) -> None:
    async with serving(stream(ends=End.STALL)) as server:
        got = await sender(timeout=IMPATIENT).get(server.origin, stream=True)
    assert (got.status, got.events, got.complete, got.cancelled) == (200, (), False, False)


async def test_a_page_in_place_of_a_stream_is_kept_as_a_body(sender: Callable[..., Sender]) -> None:
    page = Response(200, b"<!doctype html><title>T</title>" + b" " * 100_000)
    async with serving(page) as server:
        got = await sender().get(server.origin, stream=True)
    assert (got.events, got.body_bytes) == ((), 65_536)
    assert got.body.startswith("<!doctype html>")


async def test_an_error_in_place_of_a_stream(sender: Callable[..., Sender]) -> None:
    async with serving(json_response(400, {"error": {"message": "no"}})) as server:
        got = await sender().get(server.origin, stream=True)
    assert (got.status, got.events) == (400, ())
    assert "no" in got.body


# ------------------------------------------------------------------ where it is dialled


async def test_connect_to_dials_elsewhere_and_keeps_the_name(sender: Callable[..., Sender]) -> None:
    async with serving(json_response(200, {})) as server:
        one = sender(connect_to={("gateway.example", 8000): ("127.0.0.1", server.port)})
        got = await one.get("http://gateway.example:8000/v1?a=1")
        assert server.requests[0].host == "gateway.example:8000"
        assert server.requests[0].target == "/v1?a=1"
    assert (got.status, got.url) == (200, "http://gateway.example:8000/v1?a=1")


async def test_nginx_says_that_it_wants_tls(sender: Callable[..., Sender]) -> None:
    from doctor.demo import pages

    async with serving(pages.plain_to_https()) as server:
        got = await sender().get(server.origin)
    assert (got.status, got.fault) == (None, F.PLAIN_TO_TLS)
    assert "HTTPS port" in got.fault_text


async def test_a_request_does_not_show_its_key() -> None:
    request = ProbeRequest("p", "GET", f"http://x/{KEY}", headers=BEARER, body=KEY)
    assert KEY not in repr(request)
