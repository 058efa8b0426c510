from __future__ import annotations

from pathlib import Path

import pytest

from doctor.facts.settings import EnvReader
from doctor.settings.env_readers import on_host_network, readers_in


@pytest.mark.parametrize(
    ("name", "text", "file", "reader"),
    [
        ("run.sh", "docker run --env-file prod.env x", "prod.env", EnvReader.DOCKER),
        ("run.ps1", "docker run `\r\n --env-file .env x", ".env", EnvReader.DOCKER),
        ("run.cmd", "docker run ^\r\n --env-file .env x", ".env", EnvReader.DOCKER),
        ("run.sh", "cd x && . ./.env && go", ".env", EnvReader.SHELL),
        ("Makefile", "go:\n\tset -a; source .env; ./go\n", ".env", EnvReader.SHELL),
        ("app.py", "from dotenv import load_dotenv\nload_dotenv()\n", ".env", EnvReader.DOTENV),
        ("app.py", "SettingsConfigDict(env_file='.env')\n", ".env", EnvReader.DOTENV),
    ],
)
def test_commands_that_read_env_files(
    tmp_path: Path, name: str, text: str, file: str, reader: EnvReader
) -> None:
    (tmp_path / name).write_bytes(text.encode())
    assert readers_in(tmp_path) == {tmp_path / file: {reader}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", "docker run --env-file $FILE x\n"),
        ("run.sh", "source ~/.bashrc\n. venv/bin/activate\n"),
        ("run.sh", "echo docker; cat --env-file .env\n"),
        ("README.md", "docker run --env-file .env x\n"),
        ("app.py", "import os\n"),
    ],
)
def test_commands_that_do_not(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert readers_in(tmp_path) == {}


def test_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    assert readers_in(tmp_path / "none") == {}


@pytest.mark.parametrize(
    ("command", "on_host"),
    [
        ("docker run --network host --env-file .env app", True),
        ("docker run --net=host --rm --env-file .env app", True),
        ("docker run --env-file .env \\\n    --network='host' app", True),
        ("docker run --env-file .env app; docker run --network host other", False),
        ("docker run --env-file .env --network hosts app", False),
        ("docker run --env-file .env app", False),
    ],
)
def test_containers_on_the_network_of_the_host(tmp_path: Path, command: str, on_host: bool) -> None:
    (tmp_path / "run.sh").write_text(command)
    assert on_host_network(tmp_path) == ({tmp_path / ".env"} if on_host else set())
