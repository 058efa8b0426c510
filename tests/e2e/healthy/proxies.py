"""Proxy variables that are right for the target, or do not bear on it."""

from __future__ import annotations

from doctor.demo.proxy import ForwardProxy
from tests.e2e.api import Api

from .scene import KEY, Scene, healthy

_OUTSIDE = "http://proxy.example:3128"


def _excluded(name: str, no_proxy: str, both: bool = False) -> None:
    def build(s: Scene) -> None:
        s.shell(f"{s.api(key=KEY).origin}/v1")
        known = {"HTTP_PROXY": _OUTSIDE, "HTTPS_PROXY": _OUTSIDE, "NO_PROXY": no_proxy}
        s.machine.variables |= known
        if both:
            s.machine.variables |= {name.lower(): value for name, value in known.items()}

    build.__name__ = f"excluded_{name}"
    healthy()(build)


_excluded("by_address", "127.0.0.1")
_excluded("by_usual_list", "localhost,127.0.0.1,::1")
_excluded("with_blanks", "localhost, 127.0.0.1, ::1")
_excluded("by_star", "*")
_excluded("among_domains", ".corp.example,.svc,10.0.0.1,localhost,127.0.0.1")
_excluded("by_network", "127.0.0.0/8")
_excluded("in_both_cases", "localhost,127.0.0.1,::1", both=True)


@healthy()
def excluded_localhost(s: Scene) -> None:
    s.shell(f"http://localhost:{s.engine().port}/v1", "EMPTY")
    s.machine.variables |= {"HTTP_PROXY": _OUTSIDE, "NO_PROXY": "localhost,127.0.0.1,::1"}


@healthy()
def lower_case_only(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1")
    s.machine.variables |= {
        "http_proxy": _OUTSIDE,
        "https_proxy": _OUTSIDE,
        "no_proxy": "localhost,127.0.0.1",
    }


@healthy()
def all_proxy_for_other_hosts(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1")
    s.machine.variables |= {"ALL_PROXY": _OUTSIDE, "NO_PROXY": "127.0.0.1,localhost"}


@healthy()
def https_proxy_for_a_target_in_clear(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1", HTTPS_PROXY=_OUTSIDE)


@healthy()
def dead_proxy_that_is_not_asked(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1", NO_PROXY="127.0.0.1")
    dead = f"http://127.0.0.1:{s.stage.silent_port()}"
    s.machine.variables |= {"HTTP_PROXY": dead, "HTTPS_PROXY": dead}


@healthy()
def empty_variables(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1", HTTP_PROXY="", HTTPS_PROXY="", NO_PROXY="")


@healthy()
def direct_by_ones_own_setting(s: Scene) -> None:
    s.machine.write(
        "kvdoctor.toml",
        f'[targets.lab]\nbase_url = "{s.engine().origin}/v1"\nkind = "engine"\n'
        'proxy = "direct"\nmodel = "qwen3-8b"\n',
    )
    s.machine.variables["HTTP_PROXY"] = f"http://127.0.0.1:{s.stage.silent_port()}"


def _through(name: str, scheme: str = "http", user: str = "", **more: str) -> None:
    """A public host that is reached by a tunnel through the proxy."""

    def build(s: Scene) -> tuple[str, ...]:
        server = s.stage.open(Api(key=KEY), ssl_context=s.tls("llm.example"))
        known = ForwardProxy(
            user=user, password="made0up0word" if user else "", hosts={"llm.example": server.netloc}
        )
        proxy = s.stage.open(known)
        credential = f"{user}:made0up0word@" if user else ""
        s.shell("https://llm.example/v1")
        variable = more.get("variable", "HTTPS_PROXY")
        s.machine.variables[variable] = f"{scheme}://{credential}{proxy.netloc}"
        return ("--ca-bundle", str(s.bundle))

    build.__name__ = f"through_{name}"
    healthy()(build)


_through("https_proxy")
_through("https_proxy_in_lower_case", variable="https_proxy")
_through("all_proxy", variable="ALL_PROXY")
_through("a_proxy_with_a_login", user="me")


@healthy()
def through_both_cases_that_agree(s: Scene) -> tuple[str, ...]:
    server = s.stage.open(Api(key=KEY), ssl_context=s.tls("llm.example"))
    proxy = s.stage.open(ForwardProxy(hosts={"llm.example": server.netloc}))
    s.shell("https://llm.example/v1")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        s.machine.variables[name] = f"{proxy.origin}/" if name.islower() else proxy.origin
    s.machine.variables |= {"NO_PROXY": "localhost,127.0.0.1", "no_proxy": "localhost,127.0.0.1"}
    return ("--ca-bundle", str(s.bundle))


@healthy()
def through_a_proxy_of_ones_own_setting(s: Scene) -> tuple[str, ...]:
    server = s.stage.open(Api(key=KEY), ssl_context=s.tls("llm.example"))
    proxy = s.stage.open(ForwardProxy(hosts={"llm.example": server.netloc}))
    s.machine.write(
        "kvdoctor.toml",
        f'[targets.lab]\nbase_url = "https://llm.example/v1"\nkey_env = "LAB_KEY"\n'
        f'proxy = "{proxy.origin}"\nca_bundle = "{s.bundle}"\nmodel = "qwen3-8b"\n',
    )
    s.machine.variables["LAB_KEY"] = KEY
    return ("lab",)


@healthy()
def loopback_through_a_proxy_that_looks_on(s: Scene) -> None:
    """mitmproxy and the like, on the same machine."""
    proxy = s.stage.open(ForwardProxy())
    s.shell(f"{s.api(key=KEY).origin}/v1", HTTP_PROXY=proxy.origin, http_proxy=proxy.origin)


@healthy()
def the_own_network_through_a_proxy(s: Scene) -> None:
    server = s.api(key=KEY)
    proxy = s.stage.open(ForwardProxy(hosts={"10.1.2.3": server.netloc}))
    s.shell("http://10.1.2.3:8000/v1", HTTP_PROXY=proxy.origin, http_proxy=proxy.origin)


@healthy()
def lists_in_another_order(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1", HTTP_PROXY=_OUTSIDE, http_proxy=_OUTSIDE)
    s.machine.variables |= {"NO_PROXY": "localhost,127.0.0.1", "no_proxy": "127.0.0.1, localhost"}


@healthy()
def variable_of_langchain(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1", OPENAI_PROXY=_OUTSIDE)
