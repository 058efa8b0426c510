"""What clients put into a prompt that differs from request to request, and what stops it.

A block like that near the beginning keeps an engine from sharing the prefix of the prompt.
"""

from __future__ import annotations

from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Nonce:
    """``what`` changes and ``where`` it stands in the request, for people. ``beginning`` is how
    its text begins. ``setting`` set to ``value`` stops it; ``place`` is where it belongs.

    ``removed_since`` are engines that take it out by themselves, with their first version that
    does; there it costs nothing.
    """

    what: str
    where: str
    beginning: str
    setting: str
    value: str
    place: str
    removed_since: dict[str, str]


# Seen with Claude Code 2.1.332: "x-anthropic-billing-header: cc_version=2.1.332.18b;
# cc_entrypoint=sdk-cli;" is the first block of `system`, and the three letters behind the version
# follow from the first question of the conversation. Two runs with the same question differ only in
# `metadata.user_id` and a header, which are no part of the prompt. Versions from 2.1.3x to 2.1.17x
# added "cch=…", another for every request. With the variable set to 0 the block is not sent.
NONCES: dict[str, Nonce] = {
    "claude-code": Nonce(
        what="an attribution line with a hash",
        where="first block of the system prompt",
        beginning="x-anthropic-billing-header:",
        setting="CLAUDE_CODE_ATTRIBUTION_HEADER",
        value="0",
        place="env of ~/.claude/settings.json",
        removed_since={"vllm": "0.18.0"},
    ),
}
