"""Homes of Continue, Chatbox and Open WebUI with which nothing is wrong: not one finding."""

from __future__ import annotations

import json
import sqlite3

from doctor.demo.keys import GOOD
from tests.clients.healthy import MODEL, assert_silent, gateway_on, write_json
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine


def test_continue(machine: Machine, stage: Backstage) -> None:
    base = f"{gateway_on(stage).origin}/api/v1"
    machine.write("~/.continue/.env", f"GATEWAY_KEY={GOOD}\n", 0o600)
    key = "${{ secrets.GATEWAY_KEY }}"
    machine.write(
        "~/.continue/config.yaml",
        "name: mine\nversion: 1.0.0\nschema: v1\nmodels:\n"
        f"  - name: Big\n    provider: openai\n    model: {MODEL}\n    apiBase: {base}/\n"
        f"    apiKey: {key}\n    roles: [chat, edit, apply]\n"
        f"  - name: Claude\n    provider: anthropic\n    model: {MODEL}\n    apiBase: {base}\n"
        f"    apiKey: {key}\n    roles: [embed]\n",
    )
    assert_silent(machine, "continue")


def test_chatbox(machine: Machine, stage: Backstage) -> None:
    providers = {"openai": {"apiKey": GOOD, "apiHost": f"{gateway_on(stage).origin}/api"}}
    chosen = {"provider": "openai", "model": MODEL}
    content = {"settings": {"providers": providers, "defaultChatModel": chosen, "language": "en"}}
    write_json(machine, "~/.config/xyz.chatboxapp.app/config.json", content)
    assert_silent(machine, "chatbox")


def test_open_webui(machine: Machine, stage: Backstage) -> None:
    base = f"{gateway_on(stage).origin}/api/v1"
    path = machine.write("data/webui.db", b"", 0o600)
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE config (key TEXT PRIMARY KEY, value JSON)")
        for name, value in (("openai.api_base_urls", [base]), ("openai.api_keys", [GOOD])):
            made.execute("INSERT INTO config VALUES (?, ?)", (name, json.dumps(value)))
    made.close()
    machine.variables["OPENAI_API_BASE_URL"] = "https://unused.example/v1"

    ran = machine.check("open-webui")

    # No setting names a model, so no completion can be asked for.
    assert [(f["code"], f["title"]) for f in ran.report["findings"]] == []
    assert ran.code == 0
    assert [target["client"] for target in ran.report["targets"]] == ["open-webui"]
