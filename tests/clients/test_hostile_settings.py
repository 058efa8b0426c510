"""Whatever a client's file holds: what it says is taken or passed over, and nothing breaks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from tests.clients.homes import found

# The names that the readers look for, so that odd values stand where they look.
_WORDS = """
    provider providers mine options baseURL apiKey models m limit output headers model settings
    lastUsedProvider baseUrl auth npm accessToken expiresAt updatedAt tokenSource type key expires
    agent build recent tokens access_token OPENAI_API_KEY auth_mode env id openAiBaseUrl
    actModeApiProvider customProviders apiHost defaultChatModel model_providers base_url env_key
    http_headers query_params wire_api roles apiBase requestOptions proxy openai-compatible openai
    name
"""
_NAMES = st.sampled_from(_WORDS.split())
_PLAIN = (
    "mine/m mine openai openai-compatible {env:A} {file:~/k} {file:} http://a api oauth chatgpt"
)
_TEXTS = st.sampled_from(
    ["", "${{ secrets.A }}", "\x00", "\ud800", "\u202e", "a.b.c", *_PLAIN.split()]
)
_VALUES = st.recursive(
    _TEXTS
    | st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_NAMES | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=30,
)
_PLACES = {
    "opencode": ("~/.config/opencode/opencode.json", "~/.local/share/opencode/auth.json"),
    "cline": ("~/.cline/data/settings/providers.json",),
    "cline legacy": ("~/.cline/data/globalState.json", "~/.cline/data/secrets.json"),
    "codex": ("~/.codex/auth.json",),
    "continue": ("~/.continue/config.json",),
    "continue yaml": ("~/.continue/config.yaml",),
    "chatbox": ("~/.config/xyz.chatboxapp.app/config.json",),
}


def written(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("client", [*_PLACES])
@limits(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_value_breaks_a_reader(
    client: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    files = {path: written(data.draw(_VALUES)) for path in _PLACES[client]}
    name = client.partition(" ")[0]
    seen = found(tmp_path_factory.mktemp("home"), files, {"A": "sk-made-up"}, name)
    assert [target.connection.client for target in seen.targets][:1] == [name]


def _toml(value: Any) -> str:
    """The TOML of a table; what TOML has no form for is left out."""
    pieces = []
    for name, inner in value.items():
        form = _inline(inner)
        if form is not None:
            pieces.append(f"{json.dumps(name)} = {form}\n")
    return "".join(pieces)


def _inline(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value) if abs(value) < 2**62 else None
    if isinstance(value, str):
        return json.dumps(value) if value.isprintable() else None
    if isinstance(value, list):
        return "[" + ", ".join(filter(None, map(_inline, value))) + "]"
    if isinstance(value, dict):
        pairs = ((json.dumps(n), _inline(v)) for n, v in value.items() if n.isprintable())
        return "{" + ", ".join(f"{n} = {v}" for n, v in pairs if v is not None) + "}"
    return None


@limits(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(_NAMES, _VALUES, max_size=5),
    st.dictionaries(_NAMES, _VALUES, max_size=4),
    _VALUES,
)
def test_no_table_breaks_codex(
    tmp_path_factory: pytest.TempPathFactory,
    top: dict[str, Any],
    provider: dict[str, Any],
    auth: Any,
) -> None:
    config = {**top, "model_provider": "mine", "model_providers": {"mine": provider}}
    files = {
        "~/.codex/config.toml": _toml(config).encode("utf-8", "surrogatepass"),
        "~/.codex/work.config.toml": _toml(top).encode("utf-8", "surrogatepass"),
        "~/.codex/auth.json": written(auth),
    }
    seen = found(tmp_path_factory.mktemp("home"), files, {"A": "sk-made-up"}, "codex")
    assert [target.connection.client for target in seen.targets] == ["codex"]
