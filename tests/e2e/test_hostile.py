"""Text of others steers nothing: no terminal, no build server, no reader of a machine format."""

from __future__ import annotations

import asyncio
import functools
import io
import json
import re
import ssl
import sys
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import trustme

from doctor.demo.fault_texts import HOSTILE
from doctor.demo.messages import (
    Answer,
    Hang,
    Raw,
    Request,
    Response,
    StreamResponse,
)

from .api import JSON, Api, answer_of, events, listed, said, stream_of, whole
from .backstage import Backstage
from .contacts import Contacts
from .machine import KEY, Machine, Ran
from .outputs import explained, outputs_of

MODEL = "qwen3-8b"
TIMEOUT = 0.6

ORDERS = (
    "::error file=app.py,line=1::made up",
    "::stop-commands::made0up",
    "::add-mask::the",
    "::set-output name=x::made up",
    "##[error]made up",
    "##[add-mask]the",
    "##vso[task.setvariable variable=PATH]/made/up",
    "##teamcity[buildStatus status='FAILURE']",
)
# Words of such a length that an order begins a line wherever the text is wrapped.
WRAPPED = " ".join(f"{'w' * n} {order}" for n in (3, 40, 60, 75, 90) for order in ORDERS)
BIDI = "\u202e\u2066\u2067\u2068\u202a\u202b\u200e\u200f\u061c\u2069\u202c\u200b\u2060\ufeff"
TEXTS = {
    "of the demo": HOSTILE,
    "orders": "\n" + "\n".join(ORDERS) + "\n" + "\r\n  ".join(ORDERS),
    "orders in a long line": WRAPPED,
    "bidi": f"user{BIDI}nimda {BIDI}",
    "8-bit controls": "".join(map(chr, range(0x80, 0xA0))) + " x \x7f",
    "7-bit controls": "".join(map(chr, range(0x20))) + " x",
    "escapes": "\x1b[2J\x1b[H\x1b]0;t\x07\x1b]52;c;eA==\x07\x1b]8;;http://x.example\x1b\\x\x1bP+q\x1b\\"
    "\x1b(0\x1b#8\x1b[?1049h\x1b[6n\x1b[21t\x1b]11;?\x07",
    "markup of rich": "[bold red]x[/] [link=http://x.example]y[/link] [/] [open :smile: [@click=q]",
    "markup of others": "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
    " ![x](http://x.example/x.png) `code` | table | <!-- -->\n```\n# head\n",
    "formats": "{0} {key} {secret.reveal} %s %(x)s ${HOME} $(id) `id` {{x}}",
    "combining": "a" + "\u0301" * 400 + " z" + "\u0489" * 400,
    "surrogates": "\ud800 x \udfff",
    "line separators": "a\u2028::error::x\u2029##[error]y\u0085::warning::z\x0b\x0c\x1c\x1d\x1e",
}
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_ORDERS = re.compile(r"(?m)^\s*::[a-z-]+[^\n]*::|##[A-Za-z]*\[")
# What kvdoctor itself orders in the format that is made for it; one line each, and all are counted
# in tests/render/test_github.py.
_OWN_ORDERS = re.compile(
    r"(?m)^::(?:error|warning|notice)(?: (?:file=[^\n:,]*,line=\d+,)?title=[^\n:,]*)?::(?=.)"
)


def steered(outputs: dict[str, str]) -> list[str]:
    """Where an output holds what a terminal or a build server would obey."""
    found = []
    for name, text in outputs.items():
        plain = _COLOURS.sub("", text) if name == "coloured" else text
        if "github" in name:
            plain = _OWN_ORDERS.sub("", plain)
        for pattern in (_STEERING, _ORDERS):
            match = pattern.search(plain)
            if match is not None:
                around = plain[max(0, match.start() - 60) : match.end() + 60]
                found.append(f"{name}: {around!r}")
    return found


def shell(machine: Machine, base: str, key: str = KEY, model: str = MODEL, **more: str) -> None:
    machine.variables |= {
        "OPENAI_BASE_URL": base,
        "OPENAI_API_KEY": key,
        "OPENAI_MODEL": model,
    } | more


def latin(text: str) -> str:
    """As a header can carry it."""
    return re.sub(r"[\r\n\x00]", " ", text).encode("latin-1", "replace").decode("latin-1")[:2_000]


def loose(value: object) -> bytes:
    """JSON with every character as it is, as far as JSON allows."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


Carrier = Callable[[str], Answer]
CARRIERS: dict[str, Carrier] = {
    "an error": lambda t: Response(
        400, loose({"error": {"message": t, "type": t, "code": t, "param": t}}), JSON
    ),
    "a refusal": lambda t: Response(401, loose({"error": {"message": t}}), JSON),
    "a text": lambda t: Response(
        500, t.encode("utf-8", "surrogatepass"), (("content-type", "x/y"),)
    ),
    "a page": lambda t: Response(
        200, f"<title>{t}</title>{t}".encode("utf-8", "replace"), (("content-type", "text/html"),)
    ),
    "headers": lambda t: Response(
        429, b"", (("retry-after", latin(t)), ("x-litellm-version", latin(t)), ("server", latin(t)))
    ),
    "a redirect": lambda t: Response(302, b"", (("location", f"http://x.example/{latin(t)}"),)),
    "an answer": lambda t: Response(200, loose(whole(t, t, t)), JSON),
    "events": lambda t: stream_of(events([json.dumps(c) for c in said(t, t, finish=t)])),
    "an error event": lambda t: stream_of(
        events([f"data: {json.dumps({'error': {'message': t}})}"])
    ),
    "no JSON": lambda t: Response(200, b"{" + t.encode("utf-8", "surrogatepass"), JSON),
    "a reason": lambda t: Response(400, b"", reason=latin(t)),
}


TELLING = ("of the demo", "orders", "orders in a long line", "line separators")


@pytest.mark.parametrize(
    ("carrier", "text"),
    [
        *((carrier, text) for carrier in CARRIERS for text in TELLING),
        *(("an error", text) for text in TEXTS if text not in TELLING),
        *(("an answer", text) for text in TEXTS if text not in TELLING),
    ],
)
def test_what_a_server_says_steers_nothing(
    carrier: str, text: str, machine: Machine, stage: Backstage
) -> None:
    hostile = TEXTS[text]

    async def tell(request: Request) -> Answer:
        if request.method == "GET":
            return Response(200, loose(listed(f"{hostile}{MODEL}", owned_by=hostile)), JSON)
        return CARRIERS[carrier](hostile)

    shell(machine, f"{stage.open(tell).origin}/v1")
    found = outputs_of(machine)

    assert steered(found) == []
    json.loads(found["json"])
    for line in found["jsonl"].splitlines():
        json.loads(line)


@pytest.mark.parametrize("text", [*TEXTS])
def test_what_a_log_says_steers_nothing(text: str, machine: Machine) -> None:
    hostile = TEXTS[text]
    found = explained(
        machine,
        f"openai.AuthenticationError: Error code: 401 - {hostile}",
        f"{hostile}\nConnection error. {hostile}",
        json.dumps({"error": {"message": hostile, "code": "invalid_api_key"}}),
        hostile,
    )

    assert steered(found) == []


@pytest.mark.parametrize("text", [*TEXTS])
def test_what_a_project_says_steers_nothing(text: str, machine: Machine, stage: Backstage) -> None:
    hostile = TEXTS[text].replace("\x00", "")
    base = f"{stage.open(Api(ids=('other',))).origin}/v1"
    machine.write(
        "settings.json",
        loose({hostile: {"base_url": base, "api_key": f"k{hostile}", "model": hostile}}),
    )
    machine.write(
        "kvdoctor.toml",
        f"[targets.x]\nbase_url = {json.dumps(base + '/' + hostile)}\n"
        f"model = {json.dumps(hostile)}\n"
        f"key_env = {json.dumps(hostile)}\nproxy = 'direct'\n".encode("utf-8", "replace"),
    )
    machine.write(
        ".env",
        f"LLM_BASE_URL='{base}'\nLLM_MODEL='{hostile}'\nLLM_API_KEY='{hostile}'\n"
        f"X{hostile}=1\nexport {hostile}\n".encode("utf-8", "surrogatepass"),
    )
    machine.write("run.sh", f"docker run --env-file .env {hostile}\n".encode("utf-8", "replace"))
    machine.write(
        "compose.yaml",
        f"services:\n  {json.dumps(hostile)}:\n    image: x\n    environment:\n"
        f"      OPENAI_BASE_URL: {json.dumps(base)}\n      OPENAI_API_KEY: {json.dumps(hostile)}\n"
        f"      OPENAI_MODEL: {json.dumps(hostile)}\n".encode("utf-8", "replace"),
    )
    name = re.sub(r"[/\x00\ud800-\udfff]", "", hostile)[:60]
    machine.write(f"{name}.json", loose({"base_url": base, "api_key": "x", "model": "m"}))
    found = outputs_of(machine)

    assert steered(found) == []


@pytest.mark.parametrize("text", [*TEXTS])
def test_what_the_environment_says_steers_nothing(
    text: str, machine: Machine, stage: Backstage
) -> None:
    hostile = TEXTS[text].replace("\x00", "").encode("utf-8", "replace").decode()
    server = stage.open(Api(key="another"))
    shell(machine, f"{server.origin}/v1", f"sk-{hostile}", hostile)
    machine.variables |= {
        "HTTPS_PROXY": f"http://x.example:3128/{hostile}",
        "NO_PROXY": f"127.0.0.1,{hostile}",
        "SSL_CERT_FILE": f"/nowhere/{hostile}",
        "OPENAI_API_BASE": f"http://127.0.0.1:9/{hostile}",
    }
    found = outputs_of(machine)

    assert steered(found) == []


@pytest.mark.parametrize("text", ["of the demo", "orders in a long line", "bidi"])
def test_what_a_certificate_says_steers_nothing(
    text: str, machine: Machine, stage: Backstage
) -> None:
    authority = trustme.CA(organization_name=TEXTS[text][:60], organization_unit_name="x")
    cert = authority.issue_cert("localhost", organization_name=TEXTS[text][:60])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    cert.configure_cert(context)
    server = stage.open(Api(), ssl_context=context)
    shell(machine, f"https://localhost:{server.port}/v1")
    found = outputs_of(machine)

    assert steered(found) == []


@pytest.mark.parametrize("text", ["of the demo", "orders", "bidi", "markup of others"])
def test_what_a_proxy_says_steers_nothing(text: str, machine: Machine, stage: Backstage) -> None:
    hostile = TEXTS[text]

    async def deny(request: Request) -> Answer:
        return Response(
            407,
            hostile.encode(),
            (("proxy-authenticate", f"Basic realm={latin(hostile)}"), ("via", latin(hostile))),
            reason=latin(hostile),
        )

    shell(machine, "http://llm.example/v1", HTTP_PROXY=stage.open(deny).origin)
    found = outputs_of(machine, "--connect-to", "llm.example:80=127.0.0.1:9")

    assert steered(found) == []


def test_markup_is_shown_as_it_stands(machine: Machine, stage: Backstage) -> None:
    text = "[bold red]x[/] <b>y</b> :smile: {z}"

    async def tell(request: Request) -> Answer:
        return answer_of(400, {"error": {"message": text}})

    shell(machine, f"{stage.open(tell).origin}/v1")
    found = outputs_of(machine)

    for name in ("stdout", "rich", "coloured"):
        assert text.replace(" ", "") in re.sub(r"\s|\x1b\[[0-9;]*m", "", found[name])


# ------------------------------------------------------------------ bytes


async def endless(part: bytes, pause: float = 0.0) -> AsyncIterator[bytes]:
    while True:
        yield part
        await asyncio.sleep(pause)


def forever(part: bytes, kind: str = "text/event-stream", pause: float = 0.01) -> StreamResponse:
    return StreamResponse(endless(part, pause), headers=(("content-type", kind),))


def deep(opening: str, count: int = 60_000) -> bytes:
    return opening.encode() * count


@functools.cache
@functools.cache
def bomb() -> bytes:
    """Unpacks to a thousand times its size: 200 megabytes."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    block = b" " * 1_048_576
    return b"".join([packer.compress(block) for _ in range(200)]) + packer.flush()


BODIES: dict[str, Callable[[], Answer]] = {
    "ten megabytes of JSON": lambda: Response(200, loose({"x": "y" * 10_485_760}), JSON),
    "ten megabytes of nothing": lambda: Response(200, b" " * 10_485_760, JSON),
    "ten megabytes of a page": lambda: Response(
        200, b"<html><title>" + b"x" * 10_485_760, (("content-type", "text/html"),)
    ),
    "ten megabytes of an error": lambda: Response(
        400, loose({"error": {"message": "x" * 10_485_760}}), JSON
    ),
    "ten megabytes of one event": lambda: stream_of([b"data: " + b"x" * 10_485_760 + b"\n\n"]),
    "ten megabytes of events": lambda: stream_of([b"data: {}\n\n" * 1_048_576]),
    "bytes that are no text": lambda: Response(200, bytes(range(256)) * 64, JSON),
    "events that are no text": lambda: stream_of([b"data: " + bytes(range(128, 256)) + b"\n\n"]),
    "nothing but NULs": lambda: Response(200, b"\x00" * 65_536, JSON),
    "an unknown charset": lambda: Response(
        200, b"\xff\xfe{\x00}\x00", (("content-type", "application/json; charset=made-up"),)
    ),
    "another charset": lambda: Response(
        400, "{'error': '错'}".encode("utf-16"), (("content-type", "x/y; charset=utf-16"),)
    ),
    "deep lists": lambda: Response(200, deep("["), JSON),
    "deep objects": lambda: Response(400, deep('{"error":'), JSON),
    "deep events": lambda: stream_of([b"data: " + deep("[", 30_000) + b"\n\n"]),
    "a huge number": lambda: Response(
        200, b'{"usage":{"total_tokens":' + b"9" * 60_000 + b"}}", JSON
    ),
    "words that look like tokens": lambda: Response(400, b"-ey" * 21_000, JSON),
    "dots and colons": lambda: Response(
        500, b"a.b:c@//" * 8_000, (("content-type", "text/plain"),)
    ),
    "blanks and tags": lambda: Response(
        502, b"< " * 30_000 + b"<a " * 5_000, (("content-type", "text/html"),)
    ),
    "quotes": lambda: Response(400, b"'" * 60_000, (("content-type", "text/plain"),)),
    "a long word of digits": lambda: Response(
        400, loose({"error": {"message": "maximum context length is " + "1" * 50_000}}), JSON
    ),
    "many tokens": lambda: Response(
        400, loose({"error": {"message": "max_tokens " * 5_000 + "1, " * 5_000}}), JSON
    ),
    "damaged gzip": lambda: Response(
        200, b"\x1f\x8b" + b"x" * 99, (*JSON, ("content-encoding", "gzip"))
    ),
    "a bomb": lambda: Response(200, bomb(), (*JSON, ("content-encoding", "gzip"))),
    "headers of 90 kB": lambda: Response(200, b"{}", (*JSON, ("x", "y" * 90_000))),
    "headers of 300 kB": lambda: Response(200, b"{}", (*JSON, ("x", "y" * 300_000))),
    "thousands of headers": lambda: Response(
        200, b"{}", (*JSON, *((f"x-{n}", "y") for n in range(4_000)))
    ),
    "headers of bytes": lambda: Raw(
        b"HTTP/1.1 200 OK\r\nx: \xff\xfe\x80\r\ncontent-length: 0\r\n\r\n"
    ),
    "no HTTP": lambda: Raw(b"\x16\x03\x01\x02\x00 made up \x00\xff" * 40),
    "a status that is none": lambda: Raw(b"HTTP/1.1 999 \x1b[31m\r\ncontent-length: 0\r\n\r\n"),
    "a status line without end": lambda: Raw(b"HTTP/1.1 200 " + b"x" * 300_000),
    "two lengths": lambda: Raw(
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\n{}   "
    ),
    "a length that is none": lambda: Raw(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}"),
    "chunks that are none": lambda: Raw(
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
    ),
    "a stream of blanks": lambda: forever(b" "),
    "a stream of comments": lambda: forever(b": ping\n\n"),
    "a stream of thoughts": lambda: forever(
        b'data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}\n\n', pause=0.05
    ),
    "a stream of empty events": lambda: forever(b"data: \n\n"),
    "a fast stream": lambda: forever(b"data: {}\n\n" * 1_000, pause=0),
    "a JSON without end": lambda: forever(b'{"x": "', "application/json"),
    "a page without end": lambda: forever(b"<p>x", "text/html"),
    "silence": Hang,
    "silence behind the head": lambda: Hang(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n"),
    "a head byte by byte": lambda: Hang(b"HTTP/1.1 200 OK\r\nx: "),
    "interim answers": lambda: Raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000),
    "a switch of protocol": lambda: Raw(b"HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n\x00"),
    "no content": lambda: Response(204),
    "not modified": lambda: Response(304),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", [*BODIES])
def test_no_body_is_too_much(kind: str, machine: Machine, stage: Backstage) -> None:
    """The run ends, says what it saw, and has waited no longer than for one request."""

    async def tell(request: Request) -> Answer:
        return BODIES[kind]()

    server = stage.open(tell)
    shell(machine, f"{server.origin}/v1")
    written = machine.root / "bundle"
    ran = machine.check("--timeout", f"{TIMEOUT:g}", "--save-bundle", str(written))
    assert_sound(ran)
    plain = machine.run("check", "--timeout", f"{TIMEOUT:g}", "--plain")

    assert ran.report["diagnosis"]["before"]["ms"] < 30_000
    assert len(ran.out) < 300_000
    assert len(plain.out) < 60_000
    assert written.stat().st_size < 4_000_000
    assert (
        steered({"json": ran.out, "plain": plain.out, "bundle": written.read_text("utf-8")}) == []
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "kind", ["silence", "a stream of comments", "a JSON without end", "a head byte by byte"]
)
def test_who_does_not_answer_is_asked_once(kind: str, machine: Machine, stage: Backstage) -> None:
    async def tell(request: Request) -> Answer:
        return BODIES[kind]()

    server = stage.open(tell)
    shell(machine, f"{server.origin}/v1")
    machine.check("--timeout", "0.5")

    assert [request.method for request in server.requests].count("POST") == 1


def assert_sound(ran: Ran) -> None:
    assert ran.code in (0, 1), ran.err
    bad = [c for c in ran.report["checks"] if c["status"] in ("crashed", "timeout")]
    assert bad == []


LISTS = (
    "ten megabytes of JSON",
    "bytes that are no text",
    "deep lists",
    "a huge number",
    "words that look like tokens",
    "a bomb",
    "headers of 300 kB",
    "two lengths",
    "chunks that are none",
    "a JSON without end",
    "silence",
    "interim answers",
)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", LISTS)
def test_no_models_list_is_too_much(kind: str, machine: Machine, stage: Backstage) -> None:
    """A completion that is answered stays answered."""
    api = Api()
    bomb()  # while it is packed the server answers nobody

    async def tell(request: Request) -> Answer:
        return BODIES[kind]() if request.method == "GET" else await api(request)

    shell(machine, f"{stage.open(tell).origin}/v1")
    ran = machine.check("--timeout", f"{TIMEOUT:g}")

    assert_sound(ran)
    assert ran.report["diagnosis"]["before"]["answered"]


# ------------------------------------------------------------------ files and texts


@pytest.mark.timeout(60)
def test_no_file_is_too_much(machine: Machine, stage: Backstage) -> None:
    base = f"{stage.open(Api()).origin}/v1"
    shell(machine, base)
    machine.write(".env", b"OPENAI_MODEL=x\n" * 100_000)
    machine.write("deep.json", b'{"base_url":' * 50_000)
    machine.write("deep.toml", b"a = " + b"[" * 50_000)
    machine.write("deep.yaml", b"a: " + b"[" * 5_000 + b"base_url")
    laughs = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12))
    machine.write("laughs.yaml", f"base_url: {base}\nl0: &l0 [x, x]\n{laughs}")
    machine.write("binary.json", bytes(range(256)) * 200)
    machine.write("Makefile", b"docker run --env-file " * 5_000)
    machine.write(
        "compose.yaml", f"services: &s\n  a: &a\n    environment: *s\n    base_url: {base}\n"
    )
    (machine.cwd / "loop").symlink_to(machine.cwd / "loop")
    (machine.cwd / "zero.json").symlink_to("/dev/zero")
    (machine.cwd / "docker-compose.yml").mkdir()
    ran = machine.check()

    assert_sound(ran)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe\x00 401 Unauthorized \x80",
        b"Connection error. " * 100_000,
        b"-ey" * 100_000 + b" 401",
        b"x" * 3_000_000 + b" Incorrect API key provided",
        b"\n" * 300_000 + b"401 Unauthorized",
        b"[" * 100_000,
        b"a.b:c@//" * 40_000,
    ],
    ids=["bytes", "repeated", "tokens", "long line", "empty lines", "brackets", "addresses"],
)
def test_no_log_is_too_much(text: bytes, machine: Machine) -> None:
    machine.stdin = text
    ran = machine.run("explain", "-")

    assert ran.code in (0, 1), ran.err
    assert steered({"explain": ran.out}) == []


def test_a_terminal_without_unicode_gets_ascii(
    machine: Machine, stage: Backstage, tmp_path: Path
) -> None:
    """Characters that the terminal lacks are spelled out; nothing ends with a traceback."""

    async def tell(request: Request) -> Answer:
        return answer_of(401, {"error": {"message": "错误 é 👋"}})

    shell(machine, f"{stage.open(tell).origin}/v1")
    for form in ("plain", "rich", "json", "jsonl"):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, "ascii")
        before, sys.stdout = sys.stdout, stream
        try:
            ran = machine.run("check", "--format", form)
            stream.flush()
        finally:
            sys.stdout = before
        assert ran.code == 1, ran.err
        assert b"kvdoctor" in raw.getvalue() or form in ("plain", "rich")
        assert raw.getvalue().isascii()
        assert len(raw.getvalue()) > 200


# ------------------------------------------------------------------ bundles of others


def spoilt(value: object, text: str) -> object:
    """The same document with ``text`` for every text that is no name."""
    if isinstance(value, dict):
        return {key: spoilt(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [spoilt(item, text) for item in value]
    known = isinstance(value, str) and re.fullmatch(r"[a-z0-9./:-]*", value)
    return text if isinstance(value, str) and not known else value


@pytest.fixture
def saved(machine: Machine, stage: Backstage) -> Path:
    async def tell(request: Request) -> Answer:
        return answer_of(401, {"error": {"message": "Bad Key", "type": "Error Type"}})

    shell(machine, f"{stage.open(tell).origin}/v1")
    path = machine.root / "bundle"
    machine.run("check", "--save-bundle", str(path))
    return path


@pytest.mark.parametrize("text", [*TEXTS])
def test_a_bundle_of_others_steers_nothing(text: str, saved: Path, machine: Machine) -> None:
    document = spoilt(json.loads(saved.read_text("utf-8")), TEXTS[text])
    saved.write_text(json.dumps(document), "utf-8")
    found: dict[str, str] = {}
    for form in ("plain", "rich", "json", "jsonl"):
        ran = machine.run("replay", str(saved), "--format", form)
        assert ran.code in (0, 1, 2), ran.err
        found |= {form: ran.out, f"{form} errors": ran.err}

    assert steered(found) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda d: {**d, "targets": None},
        lambda d: {**d, "targets": [1]},
        lambda d: {**d, "targets": [{}]},
        lambda d: {k: v for k, v in d.items() if k != "targets"},
        lambda d: {**d, "facts": []},
        lambda d: {**d, "facts": {"run": 7}},
        lambda d: {
            **d,
            "facts": {scope: {k: {"value": 7} for k in f} for scope, f in d["facts"].items()},
        },
        lambda d: {**d, "facts": {scope: dict.fromkeys(f, 7) for scope, f in d["facts"].items()}},
        lambda d: {**d, "facts": {}},
        lambda d: [],
        lambda d: None,
    ],
)
def test_a_damaged_bundle_is_no_crash(
    change: Callable[[dict[str, Any]], object], saved: Path, machine: Machine, contacts: Contacts
) -> None:
    document = change(json.loads(saved.read_text("utf-8")))
    saved.write_text(json.dumps(document), "utf-8")
    contacts.clear()
    ran = machine.run("replay", str(saved))

    assert ran.code in (0, 1, 2), ran.err
    assert contacts.hosts == set()
