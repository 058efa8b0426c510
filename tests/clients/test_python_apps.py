"""LangChain and LlamaIndex: which of two addresses they take."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.facts.machine import Environment
from doctor.settings.discover import Discovery, TargetRequest, discover
from tests.clients.homes import found, ids, only
from tests.clients.lone import KEY

OWN, SDK = "http://own.example/v1", "http://sdk.example/v1"
BOTH = {"OPENAI_API_BASE": OWN, "OPENAI_BASE_URL": SDK, "OPENAI_API_KEY": KEY}
CLIENTS = ["langchain", "llama-index"]
PACKAGES = {"langchain": "langchain_openai-1.7.4", "llama-index": "llama_index_llms_openai-0.8.3"}


def installed(folder: Path, client: str) -> None:
    """A virtual environment of the working folder with the client's package."""
    site = folder / "home" / "app" / ".venv" / "lib" / "python3.11" / "site-packages"
    (site / f"{PACKAGES[client]}.dist-info").mkdir(parents=True)


def found_in(folder: Path, variables: dict[str, str]) -> Discovery:
    """As ``found``, in a home that is there already."""
    home = str(folder / "home")
    return discover(TargetRequest(), Environment(variables, "linux", home, f"{home}/app"))


def base_of(discovery: Discovery, client: str) -> str:
    [target] = [t for t in discovery.targets if t.connection.client == client]
    return target.connection.base_url.value


@pytest.mark.parametrize("client", CLIENTS)
def test_its_own_name_comes_first(client: str, tmp_path: Path) -> None:
    assert only(found(tmp_path, {}, BOTH, client)).base_url.value == OWN


@pytest.mark.parametrize("client", CLIENTS)
def test_the_sdks_name_is_the_second(client: str, tmp_path: Path) -> None:
    variables = {"OPENAI_BASE_URL": SDK, "OPENAI_API_KEY": KEY}

    assert only(found(tmp_path, {}, variables, client)).base_url.value == SDK


@pytest.mark.parametrize("client", CLIENTS)
def test_it_is_examined_where_it_is_installed_and_goes_elsewhere(
    client: str, tmp_path: Path
) -> None:
    installed(tmp_path, client)
    discovery = found_in(tmp_path, BOTH)

    assert base_of(discovery, client) == OWN
    assert base_of(discovery, "openai-sdk") == SDK


@pytest.mark.parametrize(
    "variables",
    [
        {"OPENAI_API_BASE": OWN, "OPENAI_API_KEY": KEY},
        {"OPENAI_API_BASE": SDK + "/", "OPENAI_BASE_URL": SDK, "OPENAI_API_KEY": KEY},
    ],
)
def test_one_address_makes_one_target(variables: dict[str, str], tmp_path: Path) -> None:
    installed(tmp_path, "langchain")

    assert ids(found_in(tmp_path, variables)) == ["openai-sdk"]


def test_where_it_is_not_installed_it_is_not_meant(tmp_path: Path) -> None:
    assert ids(found(tmp_path, {}, BOTH)) == ["openai-sdk"]


def test_an_env_file_is_read_below_the_shell(tmp_path: Path) -> None:
    files = {".env": f"OPENAI_API_BASE={OWN}\nOPENAI_API_KEY={KEY}\n"}
    discovery = found(tmp_path, files, {"OPENAI_API_BASE": SDK}, "langchain")
    connection = only(discovery)

    # Read for the SDK as well, and told once.
    assert [file.path for file in discovery.settings.env_files] == [".env"]
    assert connection.base_url.value == SDK
    assert [shadow.value for shadow in connection.base_url.shadows] == [OWN]
