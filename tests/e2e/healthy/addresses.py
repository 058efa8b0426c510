"""Base URLs that are right though they look unusual."""

from __future__ import annotations

import pytest

from doctor.demo.keys import GOOD
from doctor.demo.messages import Answer, Request, Response
from tests.e2e.api import Api
from tests.e2e.backstage import has_ipv6

from .scene import GATEWAY_MODEL, KEY, MODEL, Scene, healthy


@healthy()
def slash_at_the_end(s: Scene) -> None:
    s.at_gateway(s.gateway())
    s.machine.variables["OPENAI_BASE_URL"] += "/"


@healthy()
def two_names_for_the_same_base(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.shell(base, OPENAI_API_BASE=base)


@healthy()
def two_names_that_differ_by_a_slash(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.shell(base, OPENAI_API_BASE=f"{base}/")


@healthy()
def localhost(s: Scene) -> None:
    s.shell(f"http://localhost:{s.engine().port}/v1", "EMPTY")


@healthy()
def capitals(s: Scene) -> None:
    s.shell(f"HTTP://LOCALHOST:{s.engine().port}/v1", "EMPTY")


@healthy()
def another_address_of_loopback(s: Scene) -> None:
    server = s.stage.open(Api(key=KEY), "127.0.0.2")
    s.shell(f"{server.origin}/v1")


@healthy()
def ipv6_only(s: Scene) -> None:
    if not has_ipv6():
        pytest.skip("this machine has no IPv6")
    server = s.stage.open(Api(key=KEY), "::1")
    s.shell(f"{server.origin}/v1")


@healthy()
def port_of_the_scheme(s: Scene) -> tuple[str, ...]:
    server = s.api(key=KEY)
    s.shell("http://127.0.0.1/v1")
    return ("--connect-to", f"127.0.0.1:80={server.netloc}")


@healthy()
def port_of_the_scheme_spelled_out(s: Scene) -> tuple[str, ...]:
    server = s.api(key=KEY)
    s.shell("http://127.0.0.1:80/v1")
    return ("--connect-to", f"127.0.0.1:80={server.netloc}")


@healthy()
def one_word_in_the_own_network(s: Scene) -> tuple[str, ...]:
    server = s.api(key=KEY)
    s.shell("http://gpu-box:8000/v1")
    return ("--connect-to", f"gpu-box:8000={server.netloc}")


@healthy()
def private_address(s: Scene) -> tuple[str, ...]:
    server = s.api(key=KEY)
    s.shell("http://192.168.1.20:8000/v1")
    return ("--connect-to", f"192.168.1.20:8000={server.netloc}")


@healthy()
def long_prefix(s: Scene) -> None:
    server = s.api(key=KEY, prefix="/gateway/team-a/openai/v1")
    s.shell(f"{server.origin}/gateway/team-a/openai/v1")


@healthy()
def no_version_at_all(s: Scene) -> None:
    server = s.api(key=KEY, prefix="")
    s.shell(server.origin)


@healthy()
def another_version(s: Scene) -> None:
    server = s.api(key=KEY, prefix="/api/paas/v4")
    s.shell(f"{server.origin}/api/paas/v4")


@healthy()
def a_provider_by_https(s: Scene) -> tuple[str, ...]:
    s.shell("https://api.deepseek.com", "sk-00000000000000000000000000000001", "deepseek-v4-flash")
    key = s.machine.variables["OPENAI_API_KEY"]
    return s.public("api.deepseek.com", Api(ids=("deepseek-v4-flash",), key=key, prefix=""))


@healthy()
def a_provider_by_its_own_variable(s: Scene) -> tuple[str, ...]:
    key = "sk-00000000000000000000000000000001"
    s.machine.variables |= {"DEEPSEEK_API_KEY": key, "DEEPSEEK_MODEL": "deepseek-v4-flash"}

    async def both(request: Request) -> Answer:
        prefix = "/v1" if request.path.startswith("/v1/") else ""
        return await Api(ids=("deepseek-v4-flash",), key=key, prefix=prefix)(request)

    return s.public("api.deepseek.com", both)


@healthy()
def typed_on_the_command_line(s: Scene) -> tuple[str, ...]:
    server = s.gateway()
    s.at_gateway(server)
    return (f"{server.origin}/api/v1", "--model", GATEWAY_MODEL)


@healthy()
def another_server_of_ones_own_beside(s: Scene) -> tuple[str, ...]:
    """The shell points elsewhere; the address that was typed has a key of its own."""
    s.shell("https://elsewhere.example/v1")
    base = f"{s.api(key=GOOD).origin}/v1"
    s.machine.stdin = f"{GOOD}\n".encode()
    return (base, "--key-stdin", "--model", MODEL)


@healthy()
def slash_that_the_server_wants(s: Scene) -> None:
    """Redirected with 307, which clients follow with method and body."""
    api = Api(key=KEY)

    async def slashed(request: Request) -> Answer:
        if not request.path.endswith("/"):
            return Response(307, b"", (("location", f"{request.path}/"),))
        bare = Request(request.method, request.path.rstrip("/"), request.headers, request.body)
        return await api(bare)

    s.shell(f"{s.stage.open(slashed).origin}/v1")


@healthy()
def moved_for_good_on_the_same_host(s: Scene) -> None:
    api = Api(key=KEY, prefix="/v2")

    async def moved(request: Request) -> Answer:
        if request.path.startswith("/v1/"):
            there = f"http://{request.host}/v2/{request.path.removeprefix('/v1/')}"
            return Response(308, b"", (("location", there),))
        return await api(request)

    s.shell(f"{s.stage.open(moved).origin}/v1")


@healthy(completes=False)
def ollama_by_its_own_variable(s: Scene) -> None:
    server = s.api(ids=("llama3.1:8b", "qwen3:8b"))
    s.machine.variables["OLLAMA_HOST"] = server.netloc


@healthy()
def ollama_bound_to_all(s: Scene) -> None:
    server = s.api(ids=("llama3.1:8b",))
    s.machine.variables["OLLAMA_HOST"] = f"0.0.0.0:{server.port}"
