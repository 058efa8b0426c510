"""The models that a line names, and what is known of them."""

from __future__ import annotations

import os
from dataclasses import field, replace
from pathlib import Path

from doctor.launch import modelconfig
from doctor.launch.model import Entry, Gpu, Launch, ModelConfig
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user says of the line: ``version`` as text, where the model's config.json lies,
    which GPUs there are. ``here``: the line is run on this machine, whose own ``variables`` tell
    where models are kept; ``given`` are set for the line in particular."""

    version: str | None = None
    config: str | None = None
    draft_config: str | None = None
    gpu: Gpu | None = None
    here: bool = False
    folder: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)


def with_configs(launch: Launch, wanted: Wanted) -> Launch:
    config = _config_of(launch, model_of(launch), wanted.config, wanted)
    draft = _config_of(launch, draft_name(launch), wanted.draft_config, wanted)
    return replace(launch, config=config, draft=draft)


def model_of(launch: Launch) -> str | None:
    """The model that the server will load, None where the line does not tell."""
    name = launch.value("--model")
    if launch.entry is Entry.API_SERVER:
        return name
    return launch.model.values[0] if launch.model is not None and launch.model.known else name


def draft_name(launch: Launch) -> str | None:
    """The draft model of speculative decoding."""
    from doctor.launch.speculation import speculation

    return speculation(launch).model


def _config_of(
    launch: Launch, name: str | None, given: str | None, wanted: Wanted
) -> ModelConfig | None:
    if given is not None:
        return modelconfig.of_folder(Path(given)).config
    if not name:
        return None
    for path in host_paths(launch, name):
        found = modelconfig.of_folder(path).config
        if found is not None:
            return found
    return modelconfig.by_id(name, wanted.variables)


def host_paths(launch: Launch, name: str) -> list[Path]:
    """Where on this machine a model's path may lie: as it stands, or behind a mount."""
    if not name.startswith(("/", ".", "~")) and name.count("/") == 1 and not launch.here:
        return []
    container = launch.container
    if container is None:
        return [Path(launch.folder, os.path.expanduser(name))]
    found = []
    for mount in container.mounts:
        parts = mount.split(":")
        if len(parts) >= 2 and (name == parts[1] or name.startswith(parts[1].rstrip("/") + "/")):
            rest = name[len(parts[1].rstrip("/")) :].lstrip("/")
            found.append(Path(launch.folder, os.path.expanduser(parts[0]), rest))
    return found
