"""A provider's key where its host is typed with another scheme or port than its API has."""

from __future__ import annotations

from pathlib import Path

from doctor.demo.http import LoopbackServer
from tests.e2e.api import Api

from .backstage import Backstage
from .conftest import Certified
from .machine import Machine

HOST = "api.deepseek.com"
MODEL = "deepseek-v4-flash"
VENDOR_KEY = "sk-00000000000000000000000000000001"


def heard(server: LoopbackServer) -> str:
    return repr([(request.path, request.headers) for request in server.requests])


def test_it_is_not_sent_by_http_and_https_is_proved(
    machine: Machine, stage: Backstage, certified: Certified, bundle: Path
) -> None:
    machine.variables |= {"DEEPSEEK_API_KEY": VENDOR_KEY, "DEEPSEEK_MODEL": MODEL}
    api = Api(ids=(MODEL,), key=VENDOR_KEY, prefix="")
    plain, secure = stage.open(api), stage.open(api, ssl_context=certified(HOST))
    ways = (f"{HOST}:80=127.0.0.1:{plain.port}", f"{HOST}:443=127.0.0.1:{secure.port}")

    ran = machine.check(
        f"http://{HOST}",
        *(word for way in ways for word in ("--connect-to", way)),
        *("--ca-bundle", str(bundle)),
    )

    assert ran.code == 1
    diagnosis = ran.report["diagnosis"]
    assert (diagnosis["root_causes"], diagnosis["proved"]) == (["KVD207"], True)
    assert VENDOR_KEY not in heard(plain)
    assert VENDOR_KEY in heard(secure)


def test_it_is_not_sent_to_another_port(
    machine: Machine, stage: Backstage, certified: Certified, bundle: Path
) -> None:
    machine.variables |= {"DEEPSEEK_API_KEY": VENDOR_KEY, "DEEPSEEK_MODEL": MODEL}
    api = Api(ids=(MODEL,), key=VENDOR_KEY, prefix="")
    secure = stage.open(api, ssl_context=certified(HOST))

    ran = machine.check(
        f"https://{HOST}:8443",
        *("--connect-to", f"{HOST}:8443=127.0.0.1:{secure.port}"),
        *("--ca-bundle", str(bundle)),
    )

    assert VENDOR_KEY not in heard(secure)
    assert "--key-env DEEPSEEK_API_KEY" in str(ran.report["notes"])
