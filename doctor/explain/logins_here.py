"""Logins and keys of Claude Code, Codex and Gemini CLI on this machine that could be what a text
means.

Read only to say where a likely cause lies; whoever has both a login and a key has no fault by
that. Places and names: facts/gateway-clients.md §§3.1, 3.2, 3.12.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from doctor.explain.places import Beside, OfClient
from doctor.facts.machine import Environment
from doctor.settings.documents import PARSERS, Malformed
from doctor.settings.places import Places
from doctor.settings.providers import providers_for_key_shape
from doctor.settings.textfile import Unreadable, read

_MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    r"C:\Program Files\ClaudeCode\managed-settings.json",
)
_TOKEN, _KEY, _BASE = "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"  # variables
_OAUTH = "CLAUDE_CODE_OAUTH_TOKEN"
# Codex takes the first at ``codex login --with-api-key`` alone, the other at any time (§3.2).
_IGNORED, _READ = "OPENAI_API_KEY", "CODEX_API_KEY"
_GOOGLES = "GEMINI_API_KEY"
_OF_A_LOGIN = "sk-ant-oat"  # how such a token begins


def logins_here(environment: Environment) -> Iterator[tuple[str, str]]:
    """Code and the place that shows it, no text of a key among them."""
    yield from _of_claude(environment)
    yield from _of_codex(environment)
    yield from _of_gemini(environment)


def _of_claude(environment: Environment) -> Iterator[tuple[str, str]]:
    shown = Places.of(environment).shown
    home, moved = Path(environment.home), environment.variables.get("CLAUDE_CONFIG_DIR")
    folder = Path(moved) if moved else home / ".claude"
    project = Path(environment.cwd, ".claude")
    where = {name: name for name in (_TOKEN, _KEY, _BASE)}
    held = {name: environment.variables.get(name, "") for name in where}
    helpers = []
    for path in (folder / "settings.json", project / "settings.json",
                 project / "settings.local.json", *map(Path, _MANAGED)):  # fmt: skip
        settings, place = _data(path), shown(str(path))
        if settings.get("apiKeyHelper"):
            helpers.append(place)
        variables = settings.get("env")
        for name in held:
            text = variables.get(name) if isinstance(variables, dict) else None
            if isinstance(text, str):
                held[name], where[name] = text, place
    for name, text in held.items():
        exported = environment.variables.get(name, "")
        if exported and text != exported:
            yield "KVD404", where[name]
    if held[_TOKEN].strip() and held[_KEY].strip() and held[_TOKEN] != held[_KEY]:
        yield "KVD401", where[_KEY]
    if held[_KEY].strip() and environment.variables.get(_OAUTH, "").strip():
        yield "KVD402", where[_KEY]
    for name, text in held.items():
        if text.startswith(_OF_A_LOGIN):
            yield "KVD108", where[name]
    for path in (folder / ".credentials.json", (folder if moved else home) / ".claude.json"):
        data = _data(path)
        if data.get("claudeAiOauth"):
            yield "KVD402", shown(str(path))
        elif data.get("primaryApiKey"):
            # A Console login's key is billed as any other.
            yield "KVD402", Beside(shown(str(path)), "KVD401")
        elif data.get("oauthAccount") and held[_KEY].strip() and not held[_BASE].strip():
            # The login itself may lie in a keychain. At a gateway the key is the right one.
            yield "KVD402", where[_KEY]
    for place in helpers:
        yield "KVD405", place


def _of_codex(environment: Environment) -> Iterator[tuple[str, str]]:
    folder = Path(environment.variables.get("CODEX_HOME") or Path(environment.home, ".codex"))
    settings, shown = folder / "config.toml", Places.of(environment).shown
    data = _data(settings)
    chosen = data.get("model_provider")
    listed = data.get("model_providers")
    provider = listed.get(chosen) if isinstance(listed, dict) else None
    provider = provider if isinstance(provider, dict) else {}
    login = folder / "auth.json"
    stored = _data(login)
    if provider.get("requires_openai_auth") is True:
        # With a key alone there is no login that could be sent in its place.
        if stored.get("tokens") or not stored.get("OPENAI_API_KEY"):
            yield "KVD403", shown(str(settings))
    elif stored.get("tokens"):
        yield "KVD403", shown(str(login))
    key = stored.get("OPENAI_API_KEY")
    if (
        isinstance(key, str)
        and not chosen
        and any(owner.id != "openai" for owner in providers_for_key_shape(key))
    ):
        yield "KVD108", shown(str(login))
    if provider.get("wire_api") == "chat":
        yield "KVD408", shown(str(settings))
    elif not chosen or chosen == "openai":
        held = environment.variables
        held_there = stored.get("tokens") or key or "cli_auth_credentials_store" in data
        if held.get(_IGNORED, "").strip() and not (held_there or held.get(_READ, "").strip()):
            yield "KVD408", Beside(_IGNORED, "KVD403")


def _of_gemini(environment: Environment) -> Iterator[tuple[str, str]]:
    """The login with Google that was chosen once, where there is a key that it passes over."""
    shown = Places.of(environment).shown
    home, project = Path(environment.home, ".gemini"), Path(environment.cwd, ".gemini")
    held = environment.variables.get(_GOOGLES, "").strip()
    if not (held or _names_key(home / ".env") or _names_key(project / ".env")):
        return
    for path in (project / "settings.json", home / "settings.json"):
        security = _data(path).get("security")
        auth = security.get("auth") if isinstance(security, dict) else None
        chosen = auth.get("selectedType") if isinstance(auth, dict) else None
        if chosen is not None:
            if chosen == "oauth-personal":
                yield "KVD402", OfClient(shown(str(path)), "gemini-cli")
            return


def _names_key(path: Path) -> bool:
    try:
        text = read(path).text
    except Unreadable:
        return False
    return any(line.strip().removeprefix("export ").startswith(_GOOGLES + "=")
               for line in text.splitlines())  # fmt: skip


def _data(path: Path) -> dict[str, Any]:
    """What the file holds; nothing where it is not there or not what its name says."""
    try:
        data = PARSERS[path.suffix](read(path).text).data
    except (Unreadable, Malformed, KeyError):
        return {}
    return data if isinstance(data, dict) else {}
