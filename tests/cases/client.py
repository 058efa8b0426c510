"""Which client program a report is about, by its files, its command line and its variables."""

from __future__ import annotations

import re
from pathlib import PurePath

from doctor.clients import ids

from .case import Case

# In the order in which a report may name several.
_FILES = (
    (
        re.compile(r"(?:^|[/\\])\.claude(?:[/\\]|\.json$)|ClaudeCode|claude-code[/\\]"),
        "claude-code",
    ),
    (re.compile(r"(?:^|/)\.codex/|/etc/codex/"), "codex"),
    (re.compile(r"opencode\.jsonc?$|/opencode/"), "opencode"),
    (re.compile(r"(?:^|/)\.cline/"), "cline"),
    (re.compile(r"(?:^|/)\.continue/"), "continue"),
    (re.compile(r"(?:^|/)\.qwen/"), "qwen-code"),
    (re.compile(r"(?:^|/)\.gemini/"), "gemini-cli"),
    (re.compile(r"\.aider\."), "aider"),
    (re.compile(r"\.claude-code-router/"), "claude-code-router"),
    (re.compile(r"(?:^|/)webui\.db$|^/app/backend/data/"), "open-webui"),
)
_PROGRAMS = {
    "claude": "claude-code",
    "codex": "codex",
    "opencode": "opencode",
    "cline": "cline",
    "qwen": "qwen-code",
    "gemini": "gemini-cli",
    "aider": "aider",
    "litellm": "litellm-proxy",
}
_VARIABLES = {"CLAUDE_CODE_OAUTH_TOKEN": "claude-code"}


def client_by_files(case: Case) -> str | None:
    """The client whose own settings file the report shows."""
    for pattern, client in _FILES:
        if client in ids() and any(pattern.search(name) for name in case.files):
            return client
    return None


def client_of(case: Case) -> str | None:
    """The client that its author would name, None where the report tells of none."""
    by_files = client_by_files(case)
    if by_files is not None:
        return by_files
    program = PurePath(case.argv[0]).name if case.argv else ""
    named = _PROGRAMS.get(program) or next(
        (client for name, client in _VARIABLES.items() if name in case.env), None
    )
    return named if named in ids() else None
