"""Which client a command starts, and where its own arguments begin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from doctor.patterns import Pattern
from doctor.records import dataclass

_CLIENTS = {
    "claude": "claude-code",
    "@anthropic-ai/claude-code": "claude-code",
    "codex": "codex",
    "@openai/codex": "codex",
    "opencode": "opencode",
    "opencode-ai": "opencode",
    "qwen": "qwen-code",
    "@qwen-code/qwen-code": "qwen-code",
    "gemini": "gemini-cli",
    "@google/gemini-cli": "gemini-cli",
    "aider": "aider",
    "aider-chat": "aider",
    "cline": "cline",
}
# Programs that start the one behind them, with the words that say so.
_STARTERS = frozenset(
    {"env", "nice", "nohup", "time", "sudo", "npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun"}
    | {"uv", "uvx", "pipx", "node", "nodejs", "python", "python3"}
)
_SUBCOMMANDS = frozenset({"exec", "dlx", "run", "x", "tool"})
_ENDINGS = (".exe", ".cmd", ".js", ".mjs", ".cjs")
_ASSIGNMENT = Pattern(r"[A-Za-z_]\w*=.*", 16)  # re.DOTALL
_VERSION = Pattern(r"(?<=.)@[^@/]*$")


@dataclass(frozen=True, slots=True)
class Started:
    """``client`` is its id, "" for a program that is none of them; ``own`` is the index of its
    first argument."""

    client: str
    own: int


def started_by(command: Sequence[str]) -> Started:
    """Look at the first words of a command. A shell line in an argument is not looked into."""
    for number, word in enumerate(command):
        if number and (word.startswith("-") or word in _SUBCOMMANDS or _ASSIGNMENT.fullmatch(word)):
            continue
        client = _client(word)
        if client:
            return Started(client, number + 1)
        if _bare(word) not in _STARTERS:
            break
    return Started("", min(1, len(command)))


def _client(word: str) -> str:
    package = _VERSION.sub("", word)
    return _CLIENTS.get(package) or _CLIENTS.get(_bare(word), "")


def _bare(word: str) -> str:
    name = PurePath(word.replace("\\", "/")).name
    ending = next((end for end in _ENDINGS if name.lower().endswith(end)), "")
    return name[: len(name) - len(ending)]
