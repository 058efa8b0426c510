"""What stands in the settings of Claude Code and has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from doctor.clients.claude_settings import CLIENT, Layers
from doctor.connection import Setting
from doctor.facts.settings import Unsupported
from doctor.patterns import Pattern
from doctor.text import _

_BASE, _KEY, _TOKEN = "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"
# Its state file keeps the last characters of the keys that it asked its user about.
_ANSWERS, _ASKED_ABOUT = "customApiKeyResponses", 20
# Variables that send every request to a cloud's own API.
_CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
_TRUE = frozenset({"1", "true", "yes", "on"})
# Names at the top of settings.json that belong below "env", and those that nothing reads.
_OF_ENV = Pattern(r"(ANTHROPIC|CLAUDE_CODE)_[A-Z_]+|(HTTPS?|ALL|NO)_PROXY|API_TIMEOUT_MS")
_OF_NOBODY = frozenset(
    {"llm", "apiKey", "api_key", "baseUrl", "baseURL", "base_url", "apiBaseUrl", "authToken"}
)


def ignored(layers: Layers) -> Iterator[Unsupported]:
    """Keys at the top of a settings file that Claude Code passes over without a word."""
    for file in layers.files:
        for name in file.table():
            if _OF_ENV.fullmatch(name):
                instead = _("the same name below env")
            elif name in _OF_NOBODY:
                instead = _("ANTHROPIC_BASE_URL and ANTHROPIC_AUTH_TOKEN below env")
            else:
                continue
            reason = _("Claude Code does not read a key of this name and says nothing")
            yield Unsupported(CLIENT, name, file.origin(name), reason, instead)


def refused(layers: Layers) -> Iterator[Unsupported]:
    """An API key that the user said no to when Claude Code asked: a session leaves it out."""
    key, state = layers.filled(_KEY), layers.state
    if key is None or state is None or layers.filled(_TOKEN) is not None:
        return
    known = state.at(_ANSWERS, "rejected")
    end = key.value.strip()[-_ASKED_ABOUT:]
    if isinstance(known, list) and end in known:
        reason = _(
            "it was refused when Claude Code asked ({place}), so a session does not use it;"
            " claude -p does",
            place=str(state.origin(_ANSWERS, "rejected")),
        )
        instead = _("the same key as {name}, which it takes without asking", name=_TOKEN)
        yield Unsupported(CLIENT, _KEY, key.origin, reason, instead)


def cloud(layers: Layers) -> tuple[Setting[str], str] | None:
    """The switch that sends every request to a cloud, and that cloud's name."""
    for name, label in _CLOUDS.items():
        switch = layers.filled(name)
        if switch is not None and switch.value.strip().lower() in _TRUE:
            return switch, label
    return None


def elsewhere(layers: Layers) -> Iterator[Unsupported]:
    """An address that has no effect, since Claude Code speaks to a cloud."""
    base, spoken_to = layers.filled(_BASE), cloud(layers)
    if base is None or spoken_to is None:
        return
    switch, label = spoken_to
    reason = _(
        "{switch} is set, so Claude Code speaks to {cloud} and passes this over",
        switch=str(switch.origin),
        cloud=label,
    )
    instead = _("nothing: take {switch} out", switch=switch.origin.name.rpartition(".")[2])
    yield Unsupported(CLIENT, _BASE, base.origin, reason, instead)
