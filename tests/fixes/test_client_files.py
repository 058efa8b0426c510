"""A value that is wrong in a client's own file is changed there, and the client then reads it.

The file of each client in the form that its users have: nested names, names with dots, comments.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.checkapi import SettingName
from doctor.connection import Connection
from doctor.fixes.apply import apply
from doctor.fixes.journal import Journal
from doctor.fixes.prepare import prepare
from doctor.fixes.undo import undo
from doctor.settings.discover import TargetRequest
from tests.fixes.strategies import KEY
from tests.fixes.world import World, change

OLD, NEW = "http://127.0.0.1:9/wrong", "http://127.0.0.1:9/v1"

FILES = {
    "claude-code": {
        "~/.claude/settings.json": f"""{{
  "permissions": {{"allow": ["Bash(ls)"]}},
  "env": {{
    "ANTHROPIC_BASE_URL": "{OLD}",
    "ANTHROPIC_AUTH_TOKEN": "{KEY} ",
    "ANTHROPIC_MODEL": "old-model"
  }}
}}
"""
    },
    "codex": {
        "~/.codex/config.toml": f"""# mine
model = "old-model"
model_provider = "my.relay"

[model_providers."my.relay"]
name = "Relay"  # the company's
base_url = "{OLD}"
wire_api = "responses"
experimental_bearer_token = "{KEY} "

[projects."/home/me/x.y"]
trust_level = "trusted"
"""
    },
    "opencode": {
        "~/.config/opencode/opencode.jsonc": f"""{{
  // the company's
  "provider": {{
    "my.relay": {{
      "npm": "@ai-sdk/openai-compatible",
      "options": {{ "baseURL": "{OLD}", "apiKey": "{KEY} " }},
      "models": {{ "old-model": {{}}, }},
    }},
  }},
  "model": "my.relay/old-model",
}}
"""
    },
    "qwen-code": {
        "~/.qwen/settings.json": f"""{{
  "security": {{"auth": {{"selectedType": "openai"}}}},
  "env": {{"OPENAI_BASE_URL": "{OLD}", "OPENAI_API_KEY": "{KEY} ", "OPENAI_MODEL": "old-model"}}
}}
"""
    },
    "aider": {
        "~/.aider.conf.yml": f"""# mine
openai-api-base: {OLD}  # the company's
openai-api-key: "{KEY} "
model: openai/old-model
"""
    },
    "litellm-proxy": {
        "config.yaml": f"""model_list:
  - model_name: old-model
    litellm_params:
      model: openai/old-model
      api_base: {OLD}
      api_key: "{KEY} "
"""
    },
    "continue": {
        "~/.continue/config.yaml": f"""name: Local
version: 1.0.0
schema: v1
models:
  - name: mine
    provider: openai
    model: old-model
    apiBase: {OLD}
    apiKey: "{KEY} "
    roles: [chat]
"""
    },
    "cline": {
        "~/.cline/data/settings/providers.json": f"""{{
  "version": 1,
  "lastUsedProvider": "openai-compatible",
  "providers": {{
    "openai-compatible": {{
      "settings": {{
        "provider": "openai-compatible",
        "apiKey": "{KEY} ",
        "model": "old-model",
        "baseUrl": "{OLD}"
      }},
      "updatedAt": "2026-01-01T00:00:00.000Z",
      "tokenSource": "manual"
    }}
  }}
}}
"""
    },
}


def _world(client: str, home: Path) -> World:
    world = World(home, request=TargetRequest(names=(client,)))
    world.write(FILES[client])
    return world


def _connection(world: World, client: str) -> Connection:
    found = world.discovered()
    return next(t.connection for t in found.targets if t.connection.client == client)


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("setting", [SettingName.BASE_URL, SettingName.MODEL, SettingName.KEY])
def test_the_value_is_changed_in_the_clients_own_file_and_taken_back(
    client: str, setting: SettingName, tmp_path: Path
) -> None:
    world = _world(client, tmp_path / "home")
    before = {name: world.read(name) for name in FILES[client]}
    connection = _connection(world, client)
    new = {
        SettingName.BASE_URL: NEW,
        SettingName.MODEL: "new-model",
        SettingName.KEY: KEY,
    }[setting]

    fix = world.fix(change("KVD999", setting, new))
    prepared = prepare(fix.steps)
    journal = Journal(tmp_path / "journal")
    entry = apply(prepared, ["a change"], journal)

    changed = getattr(_connection(world, client), setting.value)
    text = changed.value.reveal() if setting is SettingName.KEY else changed.value
    assert text == new
    assert changed.origin == getattr(connection, setting.value).origin
    assert KEY not in fix.preview
    undo(journal, entry)
    assert {name: world.read(name) for name in FILES[client]} == before


def test_a_budget_that_nothing_sets_is_added_where_the_client_looks_for_it(
    tmp_path: Path,
) -> None:
    for client in ("claude-code", "opencode"):
        world = _world(client, tmp_path / client)

        fix = world.fix(change("KVD604", SettingName.MAX_TOKENS, 4096))
        apply(prepare(fix.steps), ["a change"], Journal(tmp_path / f"{client}-journal"))

        budget = _connection(world, client).max_tokens
        assert budget is not None
        assert budget.value == 4096
        assert budget.origin.path is not None
