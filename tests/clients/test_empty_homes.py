"""A client that is named where nothing of it is: no crash, and nobody is contacted."""

from __future__ import annotations

import pytest

from tests.e2e.machine import Machine

CLIENTS = ["gemini-cli", "qwen-code", "aider", "litellm-proxy", "langchain", "llama-index"]
CLIENTS += ["claude-code-router", "cc-switch"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_named_client_of_which_nothing_is_there(client: str, machine: Machine) -> None:
    ran = machine.check(client)

    assert ran.code in (0, 1, 3), ran.err
    assert [target["client"] for target in ran.report["targets"]] == [client]
    assert [c for c in ran.report["checks"] if c["status"] in ("crashed", "timeout")] == []
    assert "answered" not in str(ran.report["targets"][0]["diagnosis"]["before"])
