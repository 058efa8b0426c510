"""KVD308: CC Switch and its kin."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import TransportFault
from doctor.models import Hop
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    in_container,
    listener,
    one,
    reply,
    roots,
    said,
    variables,
)
from tests.kit import connection

F = TransportFault
CC = connection("http://127.0.0.1:15721/v1")


def failed(message: str, status: int = 502, kind: OutcomeKind = OutcomeKind.SERVER_ERROR) -> Given:
    return {facts.COMPLETION: reply(kind, message, status=status, error_type="proxy_error")}


def test_a_closed_app_is_named() -> None:
    refused = broken(F.REFUSED, "[Errno 111] Connection refused")
    findings = examine(variables(), {facts.COMPLETION: refused}, CC)
    assert roots(findings) == ["KVD308"]
    found = one(findings, "KVD308")
    assert found.title == "CC Switch is not running"
    assert "KVD311" not in {finding.code for finding in findings}
    assert found.hop is Hop.TCP


def test_in_a_container_the_docker_hosts_app_is_named() -> None:
    given: Given = {facts.COMPLETION: broken(F.REFUSED, "[Errno 111] Connection refused")}
    found = one(examine(in_container(variables()), given, CC), "KVD308")
    assert "http://host.docker.internal:15721" in found.explanation
    assert "KVD208" in found.explains


def test_another_port_of_the_same_app_is_named() -> None:
    given: Given = {
        facts.COMPLETION: broken(F.REFUSED, "refused"),
        facts.LISTENERS: (listener(15722, "cc-switch"),),
    }
    assert (
        "CC Switch listens on port 15722"
        in one(examine(variables(), given, CC), "KVD308").explanation
    )


def test_a_gateway_elsewhere_on_that_port_is_not_cc_switch() -> None:
    refused = broken(F.REFUSED, "refused")
    remote = connection("http://203.0.113.7:15721/v1")
    assert roots(examine(variables(), {facts.COMPLETION: refused}, remote)) == ["KVD311"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "CC Switch local proxy failed while handling Codex endpoint /responses. "
            "Provider: DeepSeek; model: deepseek-v4-pro; upstream_status: HTTP 502",
            "DeepSeek answered 502",
        ),
        (
            "CC Switch local proxy failed while handling Codex endpoint /responses.\nProvider: "
            "TaoToken; model: m; upstream_status: HTTP 404; cause: page not found",
            "wrong path",
        ),
        (
            "CC Switch local proxy failed while handling Codex endpoint /responses. Provider: P; "
            "model: m; upstream_status: HTTP 401; cause: invalid token",
            "The key that CC Switch holds for P is refused",
        ),
        (
            "请求转发失败: Proxy TCP connect failed: Connection refused (os error 61)",
            "goes out through a proxy that is not running",
        ),
        ("所有供应商已熔断，无可用渠道", "shut every provider off"),
        ("配置错误: Provider x 缺少 base_url 配置", "no base URL"),
    ],
)
def test_the_cause_behind_the_local_proxy_is_named(message: str, words: str) -> None:
    findings = examine(variables(), failed(message), CC)
    assert roots(findings) == ["KVD308"]
    assert words in said(one(findings, "KVD308"))


def test_words_of_a_remote_gateway_are_not_cc_switchs() -> None:
    findings = examine(variables(), failed("超时: upstream"), connection())
    assert "KVD308" not in {finding.code for finding in findings}
