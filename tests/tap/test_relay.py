"""Both ends see through a tap what they would see without it."""

from __future__ import annotations

import asyncio
import os

import pytest

from doctor.tap.seen import End
from tests.live.servers import refusing_port
from tests.tap.wires import HOST, KEY, answer, head_of, reset, serving, tapping

pytestmark = pytest.mark.timeout(60)

REQUEST = (
    b"POST /api/v1//chat/completions?utm=a%20b HTTP/1.1\r\n"
    b"HOST:  127.0.0.1:1 \r\nauthorization: Bearer " + KEY.encode() + b"\r\n"
    b"X-Odd:\tvalue \r\nx-odd: again\r\nContent-Length: 4\r\n\r\n{ }\n"
)


async def test_every_byte_but_the_host_arrives_and_every_byte_comes_back() -> None:
    reply = (
        b"HTTP/1.1 200 Fine\r\nX-UPPER: 1\r\nx-lower:2\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n"
    )

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        await reader.readexactly(4)
        writer.write(reply)

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(REQUEST)
        got = await reader.readexactly(len(reply))
        (seen,) = await tap.until(1)

    sent = b"HOST:  127.0.0.1:%d \r\n" % server.port
    assert bytes(server.received[0]) == REQUEST.replace(b"HOST:  127.0.0.1:1 \r\n", sent)
    assert got == reply
    assert seen.end is End.COMPLETE
    assert bytes(seen.body) == b"{ }\n"
    assert b"".join(piece for _at, piece in seen.pieces) == b"hello"


async def test_requests_that_do_not_wait_are_answered_in_their_order() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(3):
            await head_of(reader)
            writer.write(answer(b"%d" % number))

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % n for n in range(3)))
        for number in range(3):
            await head_of(reader)
            assert await reader.readexactly(1) == b"%d" % number
        seen = await tap.until(3)

    assert len(server.received) == 1
    assert [one.arrived.target for one in seen] == ["/0", "/1", "/2"]
    assert [b"".join(p for _, p in one.pieces) for one in seen] == [b"0", b"1", b"2"]


async def test_a_body_waits_for_100_continue() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await reader.readexactly(2)
        writer.write(answer(b"ok"))

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert await head_of(reader) == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"{}")
        assert await head_of(reader) == b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"
        (seen,) = await tap.until(1)

    assert seen.informed == 1
    assert seen.end is End.COMPLETE


async def test_a_stream_comes_piece_by_piece() -> None:
    go_on = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: 1\n\n")
        await go_on.wait()
        writer.write(b"data: 2\n\n")
        writer.close()

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await head_of(reader)
        assert await reader.readexactly(9) == b"data: 1\n\n"
        go_on.set()
        assert await reader.read() == b"data: 2\n\n"
        (seen,) = await tap.until(1)

    assert seen.end is End.COMPLETE


async def test_who_leaves_within_a_stream_is_gone_for_the_server() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n")
        await reader.read()
        writer.close()

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await head_of(reader)
        writer.close()
        await server.until(lambda seen: bool(seen.ended))
        (seen,) = await tap.until(1)

    assert seen.end is End.CLIENT_LEFT


async def test_a_reset_of_the_server_is_one_for_the_program() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        reset(writer)

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            await reader.read()
        (seen,) = await tap.until(1)

    assert seen.end is End.RESET


async def test_a_reset_of_the_program_is_one_for_the_server() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n")

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await head_of(reader)
        reset(writer)
        await server.until(lambda seen: bool(seen.ended))
        (seen,) = await tap.until(1)

    assert server.ended == ["reset"]
    assert seen.end is End.CLIENT_LEFT


async def test_a_server_that_is_not_there_is_told_and_the_program_sees_no_answer() -> None:
    with refusing_port() as port:
        async with tapping(port) as tap:
            reader, writer = await asyncio.open_connection(HOST, tap.port)
            writer.write(REQUEST)
            with pytest.raises(ConnectionResetError):
                await reader.read()
            (seen,) = await tap.until(1)

    assert seen.end is End.UNREACHED
    assert isinstance(seen.error, ConnectionRefusedError)
    assert bytes(seen.body) == b"{ }\n"


async def test_a_slow_reader_slows_the_server_down() -> None:
    size = 64 * 2**20
    written = 0

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % size)
        while written < size:
            writer.write(bytes(2**16))
            written += 2**16
            await writer.drain()

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port, limit=2**16)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        head = await head_of(reader)
        before = -1
        while before != written:  # until the server's writing has come to a stand
            before = written
            for _turn in range(200):
                await asyncio.sleep(0)
        assert written < size / 2
        rest = 0
        while rest < size:
            rest += len(await reader.read(2**20))
        await tap.until(1)

    assert head.endswith(b"\r\n\r\n")
    assert written == rest == size


async def test_a_large_body_goes_up_unchanged() -> None:
    body = os.urandom(20 * 2**20)

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        await reader.readexactly(len(body))
        writer.write(answer(b"ok"))

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"POST / HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await head_of(reader)
        (seen,) = await tap.until(1)

    assert server.received[0].endswith(body)
    assert seen.body_bytes == len(body)
    assert len(seen.body) < len(body)


async def test_a_server_that_reads_slowly_slows_the_program_down() -> None:
    size, sent = 64 * 2**20, 0
    go_on = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await go_on.wait()

    async with serving(script) as server, tapping(server.port) as tap:
        _reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"POST / HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % size)

        async def upload() -> None:
            nonlocal sent
            while sent < size:
                writer.write(bytes(2**18))
                sent += 2**18
                await writer.drain()

        task = asyncio.create_task(upload())
        before = -1
        while before != sent:
            before = sent
            for _turn in range(200):
                await asyncio.sleep(0)
        task.cancel()
        assert sent < size / 2
        reset(writer)
        go_on.set()


async def test_what_is_no_http_any_more_goes_both_ways() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n\x81\x02hi")
        writer.write(await reader.readexactly(5))

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n")
        await head_of(reader)
        assert await reader.readexactly(4) == b"\x81\x02hi"
        writer.write(b"\r\n\r\nx")
        assert await reader.readexactly(5) == b"\r\n\r\nx"
        (seen,) = await tap.until(1)

    assert seen.end is End.OPAQUE


async def test_two_hundred_streams_at_the_same_time() -> None:
    everybody = asyncio.Event()
    there = 0

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal there
        head = await head_of(reader)
        there += 1
        if there == 200:
            everybody.set()
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        await everybody.wait()
        number = head.split(b" ")[1]
        for _piece in range(20):
            writer.write(b"%x\r\n%b\r\n" % (len(number), number))
            await writer.drain()
        writer.write(b"0\r\n\r\n")

    async def ask(port: int, number: int) -> bytes:
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number)
        await head_of(reader)
        got = await reader.readuntil(b"0\r\n\r\n")
        writer.close()
        return got

    async with serving(script) as server, tapping(server.port) as tap:
        answers = await asyncio.gather(*(ask(tap.port, 1000 + n) for n in range(200)))
        seen = await tap.until(200)

    assert all(got.count(b"/%d" % (1000 + n)) == 20 for n, got in enumerate(answers))
    assert {one.end for one in seen} == {End.COMPLETE}


async def test_an_answer_that_breaks_off_breaks_off_for_the_program() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")
        writer.close()

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await head_of(reader)
        assert await reader.read() == b"half"
        (seen,) = await tap.until(1)

    assert seen.end is End.CUT


async def test_a_connection_that_the_server_ends_between_requests_is_no_fault() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(answer(b"ok"))
        writer.close()

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.read()).endswith(b"ok")
        writer.close()
        (seen,) = await tap.until(1)

    assert seen.end is End.COMPLETE


async def test_who_says_nothing_is_connected_to_nobody() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(script) as server, tapping(server.port) as tap:
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write_eof()
        assert await reader.read() == b""

    assert server.received == []
    assert tap.seen == []


async def test_a_request_that_is_given_up_is_told_as_that() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with serving(script) as server, tapping(server.port) as tap:
        _reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await server.until(lambda seen: bool(seen.received and seen.received[0]))
        writer.close()
        (seen,) = await tap.until(1)

    assert seen.end is End.CLIENT_LEFT
    assert seen.answer is None
