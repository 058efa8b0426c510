"""Finds a model: a folder, a config.json, the Hub's cache on this machine, or the bundled table."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from doctor.memory.config import ModelConfig, model_config
from doctor.memory.errors import ModelError
from doctor.memory.files import Checkpoint, checkpoint, read_json
from doctor.records import dataclass
from doctor.suggest import nearest
from doctor.text import _
from doctor.untrusted import visible


@dataclass(frozen=True, slots=True)
class Model:
    """``name`` as it was asked for, ``source`` where the configuration comes from. ``checkpoint``
    is None for a row of the table or a lone config.json."""

    name: str
    source: str
    config: ModelConfig
    checkpoint: Checkpoint | None = None


def find_model(name: str, environment: Mapping[str, str] | None = None) -> Model:
    """Raises ``ModelError``, which says what was looked for and what is near."""
    path = Path(name).expanduser()
    try:
        if path.is_dir():
            return _in_folder(name, path)
        if path.is_file():
            return _in_file(name, path)
    except (OSError, ValueError) as error:
        raise ModelError(
            _("{path}: {reason}", path=visible(name), reason=visible(str(error)))
        ) from None
    if name.startswith((".", "/", "~")) or name.endswith(".json"):
        raise ModelError(_("{path}: there is no such folder or file", path=visible(name)))
    cached = _in_cache(name, os.environ if environment is None else environment)
    return cached or _in_table(name)


def known_model(name: str) -> Model | None:
    """A bundled one by its id; nothing is looked for on this machine."""
    return _in_table(name) if name.lower() in known_models() else None


def _in_folder(name: str, folder: Path) -> Model:
    file = folder / "config.json"
    if not file.is_file():
        raise ModelError(
            _("{folder} holds no config.json", folder=visible(str(folder)))
            if not any(folder.glob("*.gguf"))
            else _(
                "{folder} holds GGUF files only; give the config.json of the model that they "
                "were made of",
                folder=visible(str(folder)),
            )
        )
    place = visible(str(file))
    return Model(name, place, model_config(read_json(file), place), checkpoint(folder))


def _in_file(name: str, file: Path) -> Model:
    if file.suffix.lower() == ".gguf":
        raise ModelError(
            _(
                "{file} is a GGUF file; give the config.json of the model that it was made of",
                file=visible(str(file)),
            )
        )
    place = visible(str(file))
    beside = checkpoint(file.parent) if file.name == "config.json" else None
    return Model(name, place, model_config(read_json(file), place), beside)


def _in_cache(name: str, environment: Mapping[str, str]) -> Model | None:
    """The newest snapshot that huggingface_hub has downloaded, if any."""
    if name.count("/") != 1:
        return None
    home = Path(environment.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    hub = Path(environment.get("HF_HUB_CACHE") or home / "hub")
    snapshots = hub / f"models--{name.replace('/', '--')}" / "snapshots"
    try:
        found = [path for path in snapshots.iterdir() if (path / "config.json").is_file()]
        newest = max(found, key=lambda path: path.stat().st_mtime, default=None)
    except (OSError, ValueError):
        return None
    return None if newest is None else _in_folder(name, newest)


def _in_table(name: str) -> Model:
    row = known_models().get(name.lower())
    if row is None:
        near = nearest(name, known_models(), cutoff=0.7)
        hint = _("; the nearest known id is {name}", name=_spelled(near)) if near else ""
        raise ModelError(
            _(
                "{name} is neither a folder nor a config.json, nor in the Hub's cache here, nor "
                "among the {count} models that are bundled{hint}",
                name=visible(name, 120),
                count=len(table()),
                hint=hint,
            )
        )
    place = str(row["id"])
    return Model(name, str(row["source"]), model_config(row["config"], f"config.json of {place}"))


def _spelled(key: str) -> str:
    return str(known_models()[key]["id"])


@functools.cache
def table() -> list[dict[str, Any]]:
    """The bundled models: ``id``, ``aliases``, ``source``, ``config``."""
    file = resources.files("doctor.memory").joinpath("data/models.json")
    rows: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return rows


@functools.cache
def known_models() -> dict[str, dict[str, Any]]:
    """Rows by id and alias, in lower case, and by the id without its owner."""
    found: dict[str, dict[str, Any]] = {}
    for row in table():
        for name in (row["id"], *row["aliases"], row["id"].partition("/")[2]):
            if name:
                found.setdefault(name.lower(), row)
    return found
