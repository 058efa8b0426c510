"""Which clients there are, and by which files one shows that it is used here.

A client's own module is imported only where one of its files lies, or where its user asks for it.
"""

from __future__ import annotations

from doctor.connection import Protocol
from doctor.records import dataclass

_CHAT, _RESPONSES = Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES
_MESSAGES, _GENERATE = Protocol.ANTHROPIC_MESSAGES, Protocol.GEMINI_GENERATE


@dataclass(frozen=True, slots=True)
class Entry:
    """``module`` below ``doctor.clients``; ``protocols`` the usual one first.

    ``signs`` are paths below the home folder, the working folder ("./…") or any folder from the
    working folder up to the root of the project (".../…"), or names of variables that move such
    a folder, or that no other program reads ("$CODEX_HOME"). Absolute paths are the system's;
    "{appdata}", "{config}", "{data}" stand for the platform's folders, as in
    ``doctor.clients.machine``.
    """

    id: str
    module: str
    protocols: tuple[Protocol, ...]
    signs: tuple[str, ...] = ()


_ENTRIES = (
    Entry("openai-sdk", "openai_sdk", (_CHAT, _RESPONSES)),
    Entry("anthropic-sdk", "anthropic_sdk", (_MESSAGES,)),
    Entry("openai-sdk-node", "openai_node", (_CHAT, _RESPONSES)),
    Entry("anthropic-sdk-node", "anthropic_node", (_MESSAGES,)),
    Entry(
        "claude-code",
        "claude_code",
        (_MESSAGES,),
        (
            *("~/.claude/settings.json", "~/.claude/.credentials.json", "~/.claude.json"),
            *(".../.claude/settings.json", ".../.claude/settings.local.json"),
            *("$CLAUDE_CONFIG_DIR", "$CLAUDE_CODE_OAUTH_TOKEN", "/etc/claude-code"),
            "/Library/Application Support/ClaudeCode",
            "C:\\Program Files\\ClaudeCode",
        ),
    ),
    Entry(
        "cline",
        "cline",
        (_CHAT, _RESPONSES, _MESSAGES, _GENERATE),
        (
            "~/.cline/data",
            *("$CLINE_DIR", "$CLINE_DATA_DIR", "$CLINE_PROVIDER_SETTINGS_PATH"),
        ),
    ),
    Entry(
        "opencode",
        "opencode",
        (_CHAT, _RESPONSES, _MESSAGES),
        (
            "{config}/opencode",
            "{data}/opencode/auth.json",
            "~/.opencode",
            ".../opencode.json",
            ".../opencode.jsonc",
            ".../.opencode",
            "$OPENCODE_CONFIG",
            "$OPENCODE_CONFIG_CONTENT",
            "$OPENCODE_CONFIG_DIR",
            "/etc/opencode",
            "/Library/Application Support/opencode",
        ),
    ),
    Entry(
        "continue",
        "continue_dev",
        (_CHAT, _MESSAGES),
        ("~/.continue/config.yaml", "~/.continue/config.json", "$CONTINUE_GLOBAL_DIR"),
    ),
    Entry(
        "chatbox",
        "chatbox",
        (_CHAT,),
        ("{appdata}/xyz.chatboxapp.app/config.json", "{data}/xyz.chatboxapp.app/config.json"),
    ),
    Entry(
        "open-webui",
        "open_webui",
        (_CHAT,),
        ("./webui.db", "./data/webui.db", "./backend/data/webui.db"),
    ),
    Entry("roo-code", "roo_code", (_CHAT,)),
    Entry("cherry-studio", "cherry_studio", (_CHAT,)),
    Entry("dify", "dify", (_CHAT,)),
    Entry("next-chat", "next_chat", (_CHAT,)),
    Entry("codex", "codex", (_RESPONSES,), ("~/.codex", "$CODEX_HOME", "/etc/codex/config.toml")),
    Entry(
        "gemini-cli",
        "gemini_cli",
        (_GENERATE,),
        (
            *("~/.gemini/settings.json", "~/.gemini/.env", "~/.gemini/oauth_creds.json"),
            *("./.gemini/settings.json", ".../.gemini/.env", "/etc/gemini-cli/settings.json"),
            "$GEMINI_CLI_HOME",
        ),
    ),
    Entry(
        "qwen-code",
        "qwen_code",
        (_CHAT, _MESSAGES, _GENERATE, _RESPONSES),
        (
            *("~/.qwen/settings.json", "~/.qwen/.env", "~/.qwen/oauth_creds.json", "$QWEN_HOME"),
            *("./.qwen/settings.json", ".../.qwen/.env", "/etc/qwen-code/settings.json"),
        ),
    ),
    Entry(
        "aider",
        "aider",
        (_CHAT, _MESSAGES),
        (
            *("~/.aider.conf.yml", ".../.aider.conf.yml", "$AIDER_MODEL", "$AIDER_OPENAI_API_BASE"),
            *("~/.aider.model.settings.yml", ".../.aider.model.settings.yml"),
        ),
    ),
    Entry("litellm-proxy", "litellm_proxy", (_CHAT, _MESSAGES), ("$CONFIG_FILE_PATH",)),
    Entry("langchain", "langchain", (_CHAT,), ("$OPENAI_API_BASE",)),
    Entry("llama-index", "llama_index", (_CHAT,), ("$OPENAI_API_BASE",)),
    Entry(
        "claude-code-router",
        "claude_code_router",
        (_CHAT, _GENERATE),
        ("~/.claude-code-router",),
    ),
    Entry("cc-switch", "cc_switch", (_MESSAGES, _RESPONSES), ("~/.cc-switch/cc-switch.db",)),
)
CLIENTS: dict[str, Entry] = {entry.id: entry for entry in _ENTRIES}


def ids() -> tuple[str, ...]:
    """The ids of all clients, SDKs first."""
    return tuple(CLIENTS)


def speaking(protocol: Protocol) -> str:
    """The client whose rules apply where only the protocol is told."""
    if protocol is _GENERATE:
        return "gemini-cli"  # there is no module for Google's SDK by itself
    return next(entry.id for entry in _ENTRIES if protocol in entry.protocols)
