"""What kvdoctor makes of the configuration of a LiteLLM proxy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doctor.connection import AuthHeader, OriginKind, Protocol
from doctor.facts.settings import Role
from doctor.settings.discover import Discovery
from tests.clients.homes import found, ids, only
from tests.clients.lone import KEY


def config(*routes: dict[str, Any], **more: Any) -> dict[str, Any]:
    listed = [{"model_name": f"r{n}", "litellm_params": r} for n, r in enumerate(routes)]
    return {"config.yaml": {"model_list": listed, **more}}  # JSON is YAML


def key_of(discovery: Discovery) -> str | None:
    key = only(discovery).key
    return None if key is None else key.value.reveal()


PLAIN = {"model": "openai/m", "api_base": "http://h:8000/v1", "api_key": KEY}


def test_a_route_is_a_connection_to_an_engine(tmp_path: Path) -> None:
    discovery = found(tmp_path, config({**PLAIN, "max_tokens": 9}))
    [target] = discovery.targets

    assert (target.id, target.kind) == ("litellm-proxy", "engine")
    assert target.connection.client == "litellm-proxy"
    assert target.connection.model is not None
    assert target.connection.model.value == "m"
    assert target.connection.max_tokens is not None
    assert target.connection.max_tokens.value == 9
    base = target.connection.base_url.origin
    assert base.name == "model_list.0.litellm_params.api_base"
    assert base.project


def test_a_vendor_that_speaks_openais_protocol(tmp_path: Path) -> None:
    base = "https://api.z.ai/api/coding/paas/v4"
    connection = only(found(tmp_path, config({**PLAIN, "model": "zai/glm-5", "api_base": base})))

    assert connection.protocol is Protocol.OPENAI_CHAT
    assert connection.base_url.value == base
    assert connection.model is not None
    assert connection.model.value == "glm-5"


def test_several_routes_are_told_apart_and_named_together(tmp_path: Path) -> None:
    files = config(PLAIN, {**PLAIN, "api_base": "http://other:8000/v1"})

    assert ids(found(tmp_path, files)) == ["litellm-proxy-r0", "litellm-proxy-r1"]
    assert len(found(tmp_path / "b", files, {}, "litellm-proxy").targets) == 2


def test_a_key_of_a_variable(tmp_path: Path) -> None:
    files = config({**PLAIN, "api_key": "os.environ/ENGINE_KEY"})
    discovery = found(tmp_path, files, {"ENGINE_KEY": KEY})

    key = only(discovery).key
    assert key is not None
    assert key.value.reveal() == KEY
    assert (key.origin.kind, key.origin.name) == (OriginKind.ENVIRONMENT, "ENGINE_KEY")


def test_a_variable_that_is_unset(tmp_path: Path) -> None:
    discovery = found(tmp_path, config({**PLAIN, "api_key": "os.environ/ENGINE_KEY"}))

    assert key_of(discovery) is None
    named = [s for s in discovery.settings.sightings if s.role is Role.KEY_VARIABLE]
    assert [s.value for s in named] == ["ENGINE_KEY"]
    assert named[0].in_effect_for == ("litellm-proxy",)


def test_an_address_of_a_variable(tmp_path: Path) -> None:
    files = config({**PLAIN, "api_base": "os.environ/ENGINE_BASE"})
    discovery = found(tmp_path, files, {"ENGINE_BASE": "http://engine/v1"})

    assert only(discovery).base_url.value == "http://engine/v1"


def test_a_route_without_a_key_takes_the_usual_variable(tmp_path: Path) -> None:
    files = config({"model": "hosted_vllm/m", "api_base": "http://h/v1"})
    discovery = found(tmp_path, files, {"HOSTED_VLLM_API_KEY": KEY})

    assert key_of(discovery) == KEY


def test_anthropics_protocol(tmp_path: Path) -> None:
    files = config({"model": "anthropic/claude-x", "api_base": "http://h", "api_key": KEY})
    connection = only(found(tmp_path, files))

    assert connection.protocol is Protocol.ANTHROPIC_MESSAGES
    assert connection.auth.value is AuthHeader.X_API_KEY


@pytest.mark.parametrize(
    "route",
    [
        {"model": "azure/x", "api_base": "http://h", "api_key": KEY},
        {"model": "gemini/x", "api_base": "http://h", "api_key": KEY},
        {"model": "openai/gpt-4o", "api_key": KEY},
        {"model": "unknown-name", "api_base": "http://h/v1", "api_key": KEY},
        {"api_base": "http://h/v1", "api_key": KEY},
        {},
    ],
)
def test_what_is_not_asked(route: dict[str, Any], tmp_path: Path) -> None:
    assert [t for t in found(tmp_path, config(route)).targets if t.id.startswith("litellm")] == []


def test_keys_in_the_file_are_noted(tmp_path: Path) -> None:
    files = config(PLAIN, general_settings={"master_key": "sk-master-made-up-0000"})
    names = {file.name for file in found(tmp_path, files).settings.secret_files}

    assert names == {"model_list.0.litellm_params.api_key", "general_settings.master_key"}


def test_the_file_that_a_variable_names(tmp_path: Path) -> None:
    files = {"~/proxy.yaml": config(PLAIN)["config.yaml"]}
    variables = {"CONFIG_FILE_PATH": str(tmp_path / "home" / "proxy.yaml")}

    assert ids(found(tmp_path, files, variables)) == ["litellm-proxy"]


def test_that_variable_of_another_program_is_left_alone(tmp_path: Path) -> None:
    files = {"~/other.yaml": {"base_url": "http://h/v1", "api_key": KEY}}
    variables = {"CONFIG_FILE_PATH": str(tmp_path / "home" / "other.yaml")}

    assert ids(found(tmp_path, files, variables)) == []


def test_an_address_of_an_unset_variable_is_told(tmp_path: Path) -> None:
    files = config({**PLAIN, "api_base": "os.environ/ENGINE_BASE/v1"})
    discovery = found(tmp_path, files, {"ENGINE_BASE": "http://engine"})

    assert only(discovery).base_url.value == ""
    seen = [s for s in discovery.settings.sightings if s.role is Role.BASE_VARIABLE]
    assert [s.value for s in seen] == ["ENGINE_BASE/v1"]
    assert seen[0].in_effect_for == ("litellm-proxy",)
