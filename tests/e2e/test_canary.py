"""Planted secrets appear in no output, whatever carries them there."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from doctor.demo.messages import Answer, Request, Response
from doctor.demo.proxy import ForwardProxy, ProxyMode

from .api import JSON, Api, answer_of, events, stream_of
from .backstage import Backstage
from .machine import Machine
from .outputs import SHEETS, explained, leaked, outputs_of

MODEL = "qwen3-8b"
HEX = "7c1e94d2a8f0b36559ee01c4d7fa2b83"
WORDY = "Zq7Xw9Kp3Rt5Vn2Mb8Lc4Jh6Gf1DsA0y"

FIRST, SECOND = WORDY[:16], WORDY[16:]
FULL_WIDTH = "".join(chr(ord(char) + 0xFEE0) for char in f"sk-{WORDY}")
CYRILLIC = "ключканарейкасекретпарольптица"

# What stands in the key's place, and what of it is the secret.
KEYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "of openai": (f"sk-proj-{WORDY}", (WORDY,)),
    "of nobody": (HEX, (HEX,)),
    "with a line break at its end": (f"sk-{WORDY}\n", (WORDY,)),
    "with a line break in it": (f"sk-{FIRST}\n{SECOND}", (FIRST, SECOND)),
    "with blanks in it": (f"{FIRST} {SECOND}", (FIRST, SECOND)),
    "of short words": ("zq7xw 9kp3r t5vn2 mb8lc 4jh6g", ("zq7xw9kp3rt5vn2mb8lc4jh6g",)),
    "with a tab": (f"sk-{FIRST}\t{SECOND}", (FIRST, SECOND)),
    "in quotes": (f'"{WORDY}"', (WORDY,)),
    "in typographic quotes": (f"“sk-{WORDY}”", (WORDY,)),
    "with a quote in it": (f'{FIRST}"{SECOND}', (FIRST, SECOND)),
    "with a backslash in it": (f"{FIRST}\\{SECOND}", (FIRST, SECOND)),
    "behind Bearer": (f"Bearer {HEX}", (HEX,)),
    "behind Bearer twice": (f"Bearer Bearer sk-{WORDY}", (WORDY,)),
    "with a mark of byte order": (f"\ufeff{HEX}", (HEX,)),
    "with an invisible blank": (f"sk-{FIRST}\u200b{SECOND}", (FIRST, SECOND)),
    "with a letter beyond ASCII": (f"sk-{FIRST}é{SECOND}", (FIRST, SECOND)),
    "with a look-alike": (f"sk-{FIRST}а{SECOND}", (FIRST, SECOND)),
    "in full width": (FULL_WIDTH, (FULL_WIDTH, WORDY)),
    "of letters beyond ASCII": (CYRILLIC, (CYRILLIC,)),
    "with an emoji": (f"sk-{FIRST}🐤{SECOND}", (FIRST, SECOND)),
    "with a percent": (f"{FIRST}%2F{SECOND}", (FIRST, SECOND)),
    "with markup": (f"[bold]{WORDY}[/]", (WORDY,)),
    "with braces": (f"{{{WORDY}}}", (WORDY,)),
    "with a dollar": (f"{FIRST}$HOME{SECOND}", (FIRST, SECOND)),
    "a jwt": (f"eyJhbGciOiJub25lIn0.{WORDY}.{HEX}", (WORDY, HEX)),
    "a comment behind it": (f"sk-{WORDY} # of the shop", (WORDY,)),
    "a name ahead of it": (f"OPENAI_API_KEY=sk-{WORDY}", (WORDY,)),
    "a curl header": (f"Authorization: Bearer {HEX}", (HEX,)),
}


def echoing(request: Request) -> str:
    """All that a server got, as careless ones print it."""
    return "; ".join(f"{name}: {value}" for name, value in request.headers)


async def echo(request: Request) -> Answer:
    told = echoing(request)
    return Response(
        401,
        json.dumps({"error": {"message": f"bad key. got {told}", "code": told}}).encode(),
        (*JSON, ("x-echo", told.encode("ascii", "replace").decode()[:4_000])),
    )


def shell(machine: Machine, base: str, key: str, **more: str) -> None:
    machine.variables |= {
        "OPENAI_BASE_URL": base,
        "OPENAI_API_KEY": key,
        "OPENAI_MODEL": MODEL,
    } | more


# ------------------------------------------------------------------ the key itself


@pytest.mark.parametrize("kind", [*KEYS])
def test_a_key_of_any_shape_stays_hidden(kind: str, machine: Machine, stage: Backstage) -> None:
    key, secrets = KEYS[kind]
    server = stage.open(echo)
    shell(machine, f"{server.origin}/v1", key)
    found = outputs_of(machine, "--sdk")
    found |= explained(
        machine,
        f"openai.AuthenticationError: Error code: 401 - Incorrect API key provided: {key}",
        f"httpx2.LocalProtocolError: Illegal header value b'Bearer {key}'",
        f"UnicodeEncodeError: 'ascii' codec can't encode character {key!r}",
    )

    assert leaked(found, secrets) == []


# Those that a format of files could get wrong.
IN_FILES = (
    "of nobody",
    "with a line break in it",
    "in quotes",
    "with a backslash in it",
    "behind Bearer twice",
    "with a mark of byte order",
    "in full width",
    "with a dollar",
    "a comment behind it",
    "a name ahead of it",
)


@pytest.mark.parametrize("kind", IN_FILES)
@pytest.mark.parametrize("place", ["env file", "kvdoctor.toml", "settings.json", "compose.yaml"])
def test_nor_does_a_key_in_a_file(
    kind: str, place: str, machine: Machine, stage: Backstage
) -> None:
    key, secrets = KEYS[kind]
    base = f"{stage.open(echo).origin}/v1"
    if place == "env file":
        text = f"OPENAI_BASE_URL={base}\nOPENAI_MODEL={MODEL}\nOPENAI_API_KEY={key}\n"
        machine.write(".env", text, 0o600)
    elif place == "kvdoctor.toml":
        quoted = json.dumps(key)
        text = f'[targets.x]\nbase_url = "{base}"\nmodel = "{MODEL}"\nkey = {quoted}\n'
        machine.write("kvdoctor.toml", text)
    elif place == "settings.json":
        block = {"base_url": base, "api_key": key, "model": MODEL}
        machine.write("settings.json", json.dumps({"llm": block}, ensure_ascii=False))
    else:
        quoted = json.dumps(key.replace("$", "$$"))
        machine.write(
            "compose.yaml",
            "services:\n  app:\n    image: x\n    network_mode: host\n    environment:\n"
            f"      OPENAI_BASE_URL: {base}\n      OPENAI_API_KEY: {quoted}\n",
        )
    found = outputs_of(machine)

    assert leaked(found, secrets) == []


@pytest.mark.parametrize("kind", IN_FILES)
def test_nor_does_a_checklist_or_a_baseline_tell_it(
    kind: str, machine: Machine, stage: Backstage
) -> None:
    key, secrets = KEYS[kind]
    shell(machine, f"{stage.open(echo).origin}/v1", key)
    outs = [f"--out={name}={machine.root / name}" for name in ("json", *SHEETS)]
    ran = machine.run("checklist", "prelaunch", *outs)
    known = str(machine.root / "known")
    wrote = machine.run("check", "--baseline", known, "--write-baseline")
    found = {"stdout": ran.out, "stderr": ran.err + wrote.err}
    found |= {name: (machine.root / name).read_text("utf-8") for name in ("json", "known", *SHEETS)}

    assert ran.code == 1
    assert leaked(found, secrets) == []


# With a slash in it nobody can tell it from an address.
@pytest.mark.parametrize("kind", [kind for kind in KEYS if kind != "with markup"])
def test_nor_does_a_key_in_the_place_of_the_url(kind: str, machine: Machine) -> None:
    key, secrets = KEYS[kind]
    machine.variables |= {
        "OPENAI_BASE_URL": key,
        "OPENAI_API_KEY": "http://127.0.0.1:9/v1",
        "OPENAI_MODEL": MODEL,
    }
    found = outputs_of(machine)

    assert leaked(found, secrets) == []


# ------------------------------------------------------------------ beside the key

PASSWORDS = {
    "plain": WORDY,
    "with an at sign": f"{FIRST}@{SECOND}",
    "with an encoded at sign": f"{FIRST}%40{SECOND}",
    "with a colon": f"{FIRST}:{SECOND}",
    "with a slash": f"{FIRST}%2F{SECOND}",
    "with a quote": f"{FIRST}'{SECOND}",
    "with letters beyond ASCII": f"{FIRST}é{SECOND}",
}


@pytest.mark.parametrize(
    ("kind", "form"),
    [*((kind, "me:{}") for kind in PASSWORDS), *(("plain", f) for f in ("{}:x", "{}", ":{}"))],
)
def test_a_login_in_the_base_url_stays_hidden(
    kind: str, form: str, machine: Machine, stage: Backstage
) -> None:
    password = PASSWORDS[kind]
    server = stage.open(echo)
    base = f"http://{form.format(password)}@{server.netloc}/v1"
    shell(machine, base, "EMPTY")
    found = outputs_of(machine)

    assert leaked(found, (FIRST, SECOND)) == []


STATES = ("dead", "refuses")


@pytest.mark.parametrize(
    ("kind", "scheme", "state"),
    [
        *((kind, "http://", "dead") for kind in PASSWORDS),
        *((kind, "", "refuses") for kind in PASSWORDS),
        *(("plain", scheme, state) for scheme in ("socks5://", "https://") for state in STATES),
        ("with a quote", "http://", "refuses"),
    ],
)
def test_a_login_in_a_proxy_variable_stays_hidden(
    kind: str, scheme: str, state: str, machine: Machine, stage: Backstage
) -> None:
    async def refuses(request: Request) -> Answer:
        return Response(407, f"denied: {echoing(request)}".encode(), close=True)

    proxy = f"127.0.0.1:{stage.silent_port()}"
    if state == "refuses":
        proxy = stage.open(refuses).netloc
    value = f"{scheme}me:{PASSWORDS[kind]}@{proxy}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    shell(machine, "http://llm.example/v1", "EMPTY", **dict.fromkeys(names, value))
    found = outputs_of(machine, "--connect-to", "llm.example:80=127.0.0.1:9")

    assert leaked(found, (FIRST, SECOND)) == []


@pytest.mark.parametrize("kind", [*PASSWORDS])
def test_a_login_in_a_proxy_setting_stays_hidden(
    kind: str, machine: Machine, stage: Backstage
) -> None:
    proxy = stage.open(ForwardProxy(ProxyMode.AUTH_REQUIRED))
    url = f"http://me:{PASSWORDS[kind]}@{proxy.netloc}"
    machine.write(
        "kvdoctor.toml",
        f'[targets.x]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "{MODEL}"\nkey = "EMPTY"\n'
        f"proxy = {json.dumps(url)}\n",
    )
    found = outputs_of(machine)
    found |= {f"flag {k}": v for k, v in outputs_of(machine, "--proxy", url).items()}

    assert leaked(found, (FIRST, SECOND)) == []


@pytest.mark.parametrize("name", ["key", "access_token", "x"])
def test_a_key_in_the_query_of_a_base_url_stays_hidden(
    name: str, machine: Machine, stage: Backstage
) -> None:
    server = stage.open(echo)
    shell(machine, f"{server.origin}/v1?{name}={HEX}&x=1", "EMPTY")
    found = outputs_of(machine)

    assert leaked(found, (HEX,)) == []


HEADERS = {
    "a bearer": f"Authorization: Bearer {HEX}",
    "a key": f"x-api-key: {HEX}",
    "a cookie": f"Cookie: session={HEX}; theme=dark",
    "several": f"X-Team: shop\nX-Gateway-Token: {HEX}\nX-Other: {WORDY}",
    "basic": f"Authorization: Basic {base64.b64encode(f'me:{HEX}'.encode()).decode()}",
    "as json": json.dumps({"X-Gateway-Token": HEX}),
    "as a list": f"X-Team=shop,X-Gateway-Token={HEX}",
}
HEADER_VARIABLES = ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS", "OPENAI_DEFAULT_HEADERS")


@pytest.mark.parametrize(
    ("kind", "variable", "in_file"),
    [
        *((kind, "OPENAI_CUSTOM_HEADERS", False) for kind in HEADERS),
        *(("several", variable, True) for variable in HEADER_VARIABLES),
    ],
)
def test_a_header_of_ones_own_stays_hidden(
    kind: str, variable: str, in_file: bool, machine: Machine, stage: Backstage
) -> None:
    """The client sends it, so a server may tell it."""
    value = HEADERS[kind]

    async def tell(request: Request) -> Answer:
        return answer_of(400, {"error": {"message": f"headers were: {value}"}})

    shell(machine, f"{stage.open(tell).origin}/v1", "EMPTY")
    if in_file:
        machine.write(".env", f"{variable}='{value}'\n", 0o600)
    else:
        machine.variables[variable] = value
    found = outputs_of(machine)

    assert leaked(found, (HEX, WORDY)) == []


def test_what_else_an_env_file_holds_stays_at_home(machine: Machine, stage: Backstage) -> None:
    """Nobody asked for it, and a saved run is made to be given away."""
    shell(machine, f"{stage.open(echo).origin}/v1", "EMPTY")
    machine.write(
        ".env",
        f"DATABASE_URL=postgres://me:{HEX}@db.example/app\n"
        f"SENTRY_DSN=https://{HEX}@sentry.example/1\n"
        f"WEBHOOK=https://hooks.example/services/T000/B000/{HEX}\n"
        f"PIN={HEX}\n"
        f"NOTE='the safe opens with {WORDY}'\n"
        f"AWS_SECRET_ACCESS_KEY={WORDY}\n"
        f'PRIVATE="-----BEGIN\n{WORDY}\n-----END"\n',
        0o600,
    )
    machine.variables |= {"SLACK_WEBHOOK": f"https://hooks.example/{HEX}", "DEPLOY": WORDY}
    found = outputs_of(machine)

    assert leaked(found, (HEX, WORDY)) == []


# ------------------------------------------------------------------ carried by a server


def _padded(told: str, size: int) -> str:
    """``told`` so placed that a text cut at ``size`` ends within the key."""
    place = told.find(HEX)
    return "x" * max(0, size - place - len(HEX) // 2) + told


LIMITS = (60, 80, 100, 120, 200, 300, 500, 1_000, 2_000, 3_000, 8_000, 32 * 1024, 64 * 1024)
Carrier = Callable[[str], Answer]
CARRIERS: dict[str, Carrier] = {
    "an error": lambda told: answer_of(400, {"error": {"message": told, "type": told}}),
    "a refusal": lambda told: answer_of(401, {"error": {"message": told, "code": told}}),
    "an error of the model": lambda told: answer_of(
        404, {"error": {"message": f"model {told} does not exist", "param": told}}
    ),
    "a detail": lambda told: answer_of(422, {"detail": [{"loc": ["body", told], "msg": told}]}),
    "a text": lambda told: Response(500, told.encode(), (("content-type", "text/plain"),)),
    "a page": lambda told: Response(
        200,
        f"<html><title>{told}</title><h1>{told}</h1>".encode(),
        (("content-type", "text/html"),),
    ),
    "a page of an error": lambda told: Response(
        502, f"<html><title>{told}</title>{told}".encode(), (("content-type", "text/html"),)
    ),
    "headers": lambda told: Response(
        400, b"{}", (*JSON, ("x-told", told[:30_000]), ("retry-after", told[:30_000]))
    ),
    "a redirect": lambda told: Response(
        302, b"", (("location", f"https://elsewhere.example/{quote(told[:30_000])}"),)
    ),
    "a redirect with a query": lambda told: Response(
        307, b"", (("location", f"http://elsewhere.example/login?next={told[:30_000]}"),)
    ),
    "an error in success": lambda told: answer_of(200, {"error": {"message": told}}),
    "an event": lambda told: stream_of(events([json.dumps({"error": {"message": told}})])),
    "an error event": lambda told: stream_of(
        events([f"data: {json.dumps({'error': {'message': told, 'code': told}})}"])
    ),
    "an answer": lambda told: answer_of(
        200, {"id": told, "model": told, "choices": [{"message": {"content": told}}]}
    ),
    "a null answer": lambda told: answer_of(200, {"id": told, "model": told, "choices": None}),
    "no JSON": lambda told: Response(200, f"not json: {told}".encode(), JSON),
}


@pytest.mark.parametrize("kind", [*CARRIERS])
def test_a_key_that_a_server_tells_stays_hidden(
    kind: str, machine: Machine, stage: Backstage
) -> None:
    """Wherever a text is cut: half a key is most of a key."""
    turn = {"limit": 0}

    async def tell(request: Request) -> Answer:
        told = f"{request.header('authorization')} was sent with {HEX}"
        return CARRIERS[kind](_padded(told, LIMITS[turn["limit"]]))

    server = stage.open(tell)
    shell(machine, f"{server.origin}/v1", HEX)
    for number in range(len(LIMITS)):
        turn["limit"] = number
        ran = machine.run("check", "--format", "json", "--save-bundle", str(machine.root / "b"))
        found = {
            f"json {LIMITS[number]}": ran.out,
            f"stderr {LIMITS[number]}": ran.err,
            f"bundle {LIMITS[number]}": (machine.root / "b").read_text("utf-8"),
            f"plain {LIMITS[number]}": machine.run("check", "--sdk", "--plain").out,
        }
        assert leaked(found, (HEX,)) == []


def test_a_model_list_of_keys_tells_none(machine: Machine, stage: Backstage) -> None:
    ids = tuple(f"{'m' * pad}{HEX}" for pad in range(0, 320, 8))
    server = stage.open(Api(ids=ids))
    shell(machine, f"{server.origin}/v1", HEX, OPENAI_MODEL="m" * 40)
    found = outputs_of(machine)

    assert leaked(found, (HEX,)) == []


# ------------------------------------------------------------------ typed by the user


@pytest.mark.parametrize(
    "typed",
    [
        ("--key-env", HEX),
        ("--key-file", HEX),
        ("--api-key", HEX),
        ("--key", f"sk-{WORDY}"),
        (f"--key={HEX}",),
        ("--key-stdin", HEX),
        ("--client", HEX),
        (HEX,),
        (f"https://{HEX}@llm.invalid/v1",),
        ("--base-url", HEX),
        ("--base-url", f"https://me:{HEX}@llm.invalid/v1"),
        ("--model", HEX, "--key-env", HEX),
        ("--connect-to", HEX),
        ("--api-key\n::error::x", f"sk-{WORDY}"),
        ("--select", HEX),
    ],
    ids=" ".join,
)
def test_a_key_in_the_wrong_place_of_the_command_line_is_not_repeated(
    typed: tuple[str, ...], machine: Machine
) -> None:
    ran = machine.run("check", *typed, "--offline")

    assert leaked({"stdout": ran.out, "stderr": ran.err}, (HEX, WORDY)) == []


@pytest.mark.parametrize("name", ["key_env", "key_file", "client", "auth", "ca_bundle"])
def test_nor_in_the_wrong_place_of_a_setting(name: str, machine: Machine) -> None:
    machine.write(
        "kvdoctor.toml",
        f'[targets.x]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n{name} = "{HEX}"\n',
    )
    ran = machine.run("check", "--offline")

    assert leaked({"stdout": ran.out, "stderr": ran.err}, (HEX,)) == []


# ------------------------------------------------------------------ a crash


def test_a_crash_tells_no_key(
    machine: Machine, stage: Backstage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of the shell nor of a file, also before anything was read."""
    shell(machine, f"{stage.open(echo).origin}/v1", HEX)
    machine.write(".env", f"OTHER_API_KEY={WORDY}\n", 0o600)

    def fail(*_given: object, **_named: object) -> None:
        raise RuntimeError(f"cannot send {HEX!r} with Bearer {HEX}\n\x1b[31mand {WORDY}")

    for place in ("doctor.commands.check.discover", "doctor.commands.check.run"):
        monkeypatch.setattr(place, fail)
        ran = machine.run("check")
        monkeypatch.undo()
        files = {
            str(path): path.read_text("utf-8", "replace")
            for path in machine.home.rglob("crash-*.md")
        }
        assert ran.code == 4
        assert files
        assert leaked({"stdout": ran.out, "stderr": ran.err, **files}, (HEX,)) == []
        if place.endswith("run"):
            assert leaked({"stderr": ran.err, **files}, (WORDY,)) == []
        assert not any("\x1b" in text for text in (ran.err, *files.values()))
        for path in files:
            Path(path).unlink()
