"""The message script, and the catalogues as they are installed."""

from __future__ import annotations

import gettext
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from doctor.text import LOCALE_DIR

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("messages", ROOT / "scripts/messages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def sources(script: ModuleType) -> dict[str, list[str]]:
    """Every message id of the sources, with its files."""
    found: dict[str, list[str]] = script.messages()
    return found


@pytest.fixture(scope="session")
def chinese() -> dict[str, str]:
    """The catalogue that the program reads: message ids with their translations."""
    read = gettext.translation("kvdoctor", LOCALE_DIR, languages=["zh_CN"])
    return {key: text for key, text in vars(read)["_catalog"].items() if key}
