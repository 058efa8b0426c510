"""Files of clients that hold anything at all: nothing is raised, and no key is shown."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doctor.clients.prediction import predict
from tests.clients.lone import KEY, LoneHome, all_texts

# Where each client looks, with the shape that its file has.
FILES: dict[str, dict[str, Any]] = {
    "qwen-code": {
        "~/.qwen/settings.json": {
            "security": {"auth": {"selectedType": "openai", "apiKey": KEY, "baseUrl": "http://h"}},
            "env": {"OPENAI_API_KEY": KEY},
            "model": {"name": "m", "generationConfig": {"samplingParams": {"max_tokens": 1}}},
            "modelProviders": {"openai": [{"id": "m", "envKey": "K", "baseUrl": "http://h"}]},
            "proxy": "http://p",
        },
        "~/.qwen/oauth_creds.json": {"access_token": KEY},
        "~/.qwen/trustedFolders.json": {"/": "DO_NOT_TRUST"},
    },
    "gemini-cli": {
        "~/.gemini/settings.json": {
            "security": {"auth": {"selectedType": "gemini-api-key", "useExternal": True}},
            "model": {"name": "m"},
        },
        "~/.gemini/oauth_creds.json": {"access_token": KEY},
        "~/.gemini/trustedFolders.json": {"/": "TRUST_PARENT"},
    },
    "aider": {
        "~/.aider.conf.yml": {
            "model": "openai/m",
            "openai-api-key": KEY,
            "openai-api-base": "http://h",
            "api-key": ["openai=x"],
            "set-env": ["A=b"],
            "alias": ["a:b"],
            "env-file": ".env",
        },
        ".aider.model.settings.yml": [{"name": "openai/m", "extra_params": {"max_tokens": 1}}],
    },
    "claude-code-router": {
        "~/.claude-code-router/config.json": {
            "Providers": [{"name": "a", "api_base_url": "http://h", "api_key": KEY}],
            "Router": {"default": "a,m"},
            "PROXY_URL": "http://p",
        }
    },
}
PLACES = [(client, path) for client, files in FILES.items() for path in files]
ENV_FILES = {"qwen-code": "~/.qwen/.env", "gemini-cli": "~/.gemini/.env", "aider": ".env"}
scalars = st.none() | st.booleans() | st.integers(-9, 10**20) | st.text(max_size=9) | st.floats()
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
)
modest = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fresh(root: Path, client: str) -> LoneHome:
    return LoneHome(root / uuid.uuid4().hex, client)


def examine(home: LoneHome) -> None:
    found = home.found()
    for candidate in found.candidates:
        predict(candidate.connection, home.environment)
    assert KEY not in all_texts(found)


def replaced(data: st.DataObject, value: Any) -> Any:
    """``value`` with one part of it replaced by anything."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: replaced(data, value[key])}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        return [replaced(data, value[0]), *value[1:]]
    return data.draw(anything)


@pytest.mark.parametrize(("client", "path"), PLACES)
@modest
@given(data=st.data())
def test_any_value_in_any_place(
    client: str, path: str, data: st.DataObject, tmp_path: Path
) -> None:
    home = fresh(tmp_path, client)
    for name, content in FILES[client].items():
        home.write(name, json.dumps(content))
    home.write(path, json.dumps(replaced(data, FILES[client][path])))
    examine(home)


@pytest.mark.parametrize(("client", "path"), PLACES)
@modest
@given(content=st.text(max_size=60) | st.binary(max_size=60))
def test_any_text(client: str, path: str, content: str | bytes, tmp_path: Path) -> None:
    home = fresh(tmp_path, client)
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    home.write(path, raw)
    examine(home)


@pytest.mark.parametrize(("client", "path"), ENV_FILES.items())
@modest
@given(content=st.text(max_size=60))
def test_any_env_file(client: str, path: str, content: str, tmp_path: Path) -> None:
    home = fresh(tmp_path, client)
    for name, own in FILES[client].items():
        home.write(name, json.dumps(own))
    home.write(path, content.encode("utf-8", "surrogatepass"))
    examine(home)
