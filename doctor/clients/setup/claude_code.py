"""Claude Code: ``env`` of its settings.json, with a base that has no version.

The key stays in the shell: settings.json takes no reference to a variable, and a key that is
written down there gets copied. Facts: facts/gateway-clients.md §3.1.
"""

from __future__ import annotations

from doctor.clients.claude_settings import config_folder
from doctor.clients.machine import Machine
from doctor.clients.setup.model import ANY_KEY, Block, Gateway, export, shown
from doctor.connection import Connection, OriginKind, SettingName
from doctor.models import FileEntry
from doctor.text import _

_VARIABLES = {
    SettingName.BASE_URL: "ANTHROPIC_BASE_URL",
    SettingName.MODEL: "ANTHROPIC_MODEL",
    SettingName.MAX_TOKENS: "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
}
# What it asks in the background would go to models of Anthropic's own.
_OTHER_MODELS = (
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
)


def block(gateway: Gateway, machine: Machine) -> Block:
    path = _settings(machine)

    def entry(name: str, value: str) -> FileEntry:
        return FileEntry(path, ("env", name), value)

    entries = [entry("ANTHROPIC_BASE_URL", gateway.base_url)]
    notes: list[str] = []
    lines: list[str] = []
    if gateway.key_variable is None:
        entries.append(entry("ANTHROPIC_AUTH_TOKEN", ANY_KEY))
    else:
        lines.append(export(machine, "ANTHROPIC_AUTH_TOKEN", gateway.key_variable))
    if gateway.model is not None:
        entries += [entry(n, gateway.model) for n in ("ANTHROPIC_MODEL", *_OTHER_MODELS)]
    else:
        notes.append(_("With --model ID the model is written as well (ANTHROPIC_MODEL)."))
    if gateway.max_tokens is not None:
        entries.append(entry("CLAUDE_CODE_MAX_OUTPUT_TOKENS", str(gateway.max_tokens)))
    return Block(tuple(entries), tuple(lines), tuple(notes))


def where(name: SettingName, connection: Connection, machine: Machine) -> FileEntry | None:
    """``env`` of the settings file that holds the base URL, else of the user's own."""
    variable = _VARIABLES.get(name)
    if variable is None:
        return None
    base = connection.base_url.origin
    holds = base.kind is OriginKind.FILE and base.name.startswith("env.") and base.path is not None
    path = base.path if holds and base.path is not None else _settings(machine)
    return FileEntry(path, ("env", variable), "")


def _settings(machine: Machine) -> str:
    return shown(config_folder(machine) / "settings.json", machine)
