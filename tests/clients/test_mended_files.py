"""A fault in a client's own file is proved, mended in that file, and taken back byte for byte."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from tests.clients.gemini_api import KEY, GeminiApi
from tests.clients.gemini_api import MODEL as GEMINI_MODEL
from tests.clients.healthy import MODEL, gateway_on
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine


@dataclass(frozen=True)
class Fault:
    """``file`` holds ``text``, in which ``wrong`` stands where ``right`` belongs; BASE in both is
    the server. ``others`` are files with which nothing is wrong."""

    client: str
    file: str
    text: str
    wrong: str
    right: str
    code: str
    others: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.client}-{self.code}"


QWEN = '{{\n  "security": {{"auth": {{"selectedType": "openai"}}}},\n  {}\n}}\n'
FAULTS = [
    Fault(
        "gemini-cli",
        "~/.gemini/.env",
        f"# mine\nGEMINI_API_KEY={KEY}\nGOOGLE_GEMINI_BASE_URL=VALUE\n"
        f"GEMINI_MODEL={GEMINI_MODEL}\n",
        "BASE/v1beta",
        "BASE",
        "KVD203",
        (
            (
                "~/.gemini/settings.json",
                '{"security": {"auth": {"selectedType": "gemini-api-key"}}}',
            ),
        ),
    ),
    Fault(
        "qwen-code",
        "~/.qwen/settings.json",
        QWEN.format(
            f'"env": {{"OPENAI_API_KEY": "{GOOD}", "OPENAI_BASE_URL": "VALUE"}},\n'
            f'  "model": {{"name": "{MODEL}"}} // the usual one'
        ),
        "BASE/api",
        "BASE/api/v1",
        "KVD201",
    ),
    Fault(
        "qwen-code",
        "~/.qwen/settings.json",
        QWEN.format(
            f'"env": {{"GATEWAY_KEY": "{GOOD}"}},\n  "modelProviders": {{"openai": [\n'
            f'    {{"id": "{MODEL}", "envKey": "GATEWAY_KEY", "baseUrl": "VALUE"}}\n  ]}},\n'
            f'  "model": {{"name": "{MODEL}"}}'
        ),
        "BASE/api/v1/chat/completions",
        "BASE/api/v1",
        "KVD204",
    ),
    Fault(
        "aider",
        "~/.aider.conf.yml",
        f"model: openai/{MODEL}  # mine\nopenai-api-base: VALUE\nopenai-api-key: {GOOD}\n",
        "BASE/api",
        "BASE/api/v1",
        "KVD201",
    ),
    Fault(
        "litellm-proxy",
        "~/proxy.yaml",
        f"model_list:\n  - model_name: chat\n    litellm_params:\n      model: openai/{MODEL}\n"
        f"      api_base: VALUE # the gateway\n      api_key: {GOOD}\n",
        "BASE/api",
        "BASE/api/v1",
        "KVD201",
    ),
    Fault(
        "claude-code-router",
        "~/.claude-code-router/config.json",
        '{\n  "Providers": [\n    {"name": "a", "api_base_url": "VALUE", "models": ["x"],\n'
        f'     "api_key": "{GOOD}"}}\n  ],\n  "Router": {{"default": "a,{MODEL}"}}\n}}\n',
        "BASE/api/v1",
        "BASE/api/v1/chat/completions",
        "KVD209",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_it_is_mended_where_it_stands(fault: Fault, machine: Machine, stage: Backstage) -> None:
    server = stage.open(GeminiApi()) if fault.client == "gemini-cli" else gateway_on(stage)
    path = written(fault, machine, server)
    before = path.read_bytes()

    checked = machine.check()
    assert checked.report["diagnosis"]["root_causes"] == [fault.code]
    assert checked.report["diagnosis"]["proved"]

    mended = machine.run("fix", "--yes")
    assert mended.code == 0, mended.out + mended.err
    right = fault.right.replace("BASE", server.origin)
    assert path.read_text() == fault.text.replace("VALUE", right)
    assert machine.check().code == 0

    assert machine.run("undo").code == 0
    assert path.read_bytes() == before


def written(fault: Fault, machine: Machine, server: LoopbackServer) -> Path:
    machine.variables["CONFIG_FILE_PATH"] = str(machine.home / "proxy.yaml")
    for name, text in fault.others:
        machine.write(name, text, 0o600)
    wrong = fault.wrong.replace("BASE", server.origin)
    return machine.write(fault.file, fault.text.replace("VALUE", wrong), 0o600)
