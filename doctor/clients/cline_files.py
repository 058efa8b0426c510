"""The settings files of Cline: ``providers.json`` since its rewrite, the two legacy files before.

A new Cline that finds no ``providers.json`` makes one of the legacy files and copies their base as
it stands (facts/gateway-clients.md §3.5, observed with Cline CLI 3.0.65).
"""

from __future__ import annotations

import os
from pathlib import Path

from doctor.clients.expiry import seconds
from doctor.clients.files import File, Files
from doctor.clients.machine import Machine
from doctor.connection import Origin, Shadowed
from doctor.facts.settings import SourceProblem
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.text import _

_IGNORED = _("Cline starts as if no provider were set.")
_TEXTS = ("provider", "apiKey", "model", "baseUrl")
# What the legacy files call each provider's values; {mode} is plan or act.
_MODEL = "{mode}ModeApiModelId"
_LEGACY = {
    "openai-compatible": ("openAiBaseUrl", "openAiApiKey", "{mode}ModeOpenAiModelId"),
    "anthropic": ("anthropicBaseUrl", "apiKey", _MODEL),
    "openai-native": ("", "openAiNativeApiKey", _MODEL),
    "openrouter": ("", "openRouterApiKey", "{mode}ModeOpenRouterModelId"),
    "deepseek": ("", "deepSeekApiKey", _MODEL),
    "gemini": ("geminiBaseUrl", "geminiApiKey", _MODEL),
    "litellm": ("liteLlmBaseUrl", "liteLlmApiKey", "{mode}ModeLiteLlmModelId"),
    "lmstudio": ("lmStudioBaseUrl", "", "{mode}ModeLmStudioModelId"),
    "moonshot": ("", "moonshotApiKey", _MODEL),
    "qwen": ("", "qwenApiKey", _MODEL),
    "xai": ("", "xaiApiKey", _MODEL),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The provider that Cline uses, as its files say it. ``login`` is where a token lies that
    Cline got at a login; ``expires_at`` is in seconds since 1970."""

    provider: str
    file: File
    base: Shadowed[str] | None = None
    key: Shadowed[Secret] | None = None
    model: Shadowed[str] | None = None
    login: Origin | None = None
    expires_at: float | None = None
    renewable: bool = True
    headers: tuple[str, ...] = ()


def chosen_provider(files: Files) -> Chosen | None:
    """None where no file says which."""
    machine = files.machine
    data = data_folder(machine)
    path = machine.folder("CLINE_PROVIDER_SETTINGS_PATH", data / "settings" / "providers.json")
    if not os.path.exists(path):
        return _legacy(files)
    file = files.json(path, strict=True, consequence=_IGNORED)
    used = None if file is None else file.text("lastUsedProvider")
    if file is None or used is None or not _fits(file, files):
        return None
    return _of_entry(file, used.value)


def data_folder(machine: Machine) -> Path:
    home = machine.folder("CLINE_DIR", machine.home / ".cline")
    return machine.folder("CLINE_DATA_DIR", home / "data")


def _fits(file: File, files: Files) -> bool:
    """One entry that is not as Cline wants it makes Cline pass over the whole file."""
    for name in file.table("providers"):
        where = ("providers", name)
        for key in _TEXTS:
            value = file.at(*where, "settings", key)
            if value is not None and not isinstance(value, str):
                message = _("{name} must be a text in quotes", name=key)
                return _misfit(file, files, (*where, "settings", key), message)
        for key in ("updatedAt", "tokenSource"):
            if not isinstance(file.at(*where, key), str):
                return _misfit(file, files, where, _("{name} is missing", name=key))
    return True


def _misfit(file: File, files: Files, keys: tuple[str, ...], message: str) -> bool:
    line = file.document.line(keys)
    files.found.problems.append(SourceProblem(file.shown, line, message, files.client, _IGNORED))
    return False


def _of_entry(file: File, provider: str) -> Chosen | None:
    where = ("providers", provider, "settings")
    if not file.table(*where):
        return None
    key = _filled(file.secret(*where, "apiKey")) or _filled(file.secret(*where, "auth", "apiKey"))
    token = file.at(*where, "auth", "accessToken")
    return Chosen(
        provider,
        file,
        base=file.text(*where, "baseUrl"),
        key=key,
        model=file.text(*where, "model"),
        login=file.origin(*where, "auth", "accessToken") if token else None,
        expires_at=seconds(file.at(*where, "auth", "expiresAt")),
        renewable=bool(file.at(*where, "auth", "refreshToken")),
        headers=(*where, "headers"),
    )


def _filled(key: Shadowed[Secret] | None) -> Shadowed[Secret] | None:
    return key if key is not None and key.value.reveal().strip() else None


def _legacy(files: Files) -> Chosen | None:
    data = data_folder(files.machine)
    state = files.json(data / "globalState.json", strict=True)
    if state is None:
        return None
    mode = "plan" if state.at("mode") == "plan" else "act"
    named = state.text(f"{mode}ModeApiProvider")
    if named is None:
        return None
    provider = "openai-compatible" if named.value == "openai" else named.value
    base, key, model = _LEGACY.get(provider, ("", "", _MODEL))
    secrets = files.json(data / "secrets.json", strict=True)
    return Chosen(
        provider,
        state,
        base=state.text(base) if base else None,
        key=_filled(secrets.secret(key)) if secrets is not None and key else None,
        model=state.text(model.format(mode=mode)),
        headers=("openAiHeaders",) if provider == "openai-compatible" else (),
    )
