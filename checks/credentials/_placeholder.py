"""Texts that stand where a key is due: samples of documentation, references, words for "none"."""

from __future__ import annotations

import re

from doctor.patterns import Pattern

from ._key_text import body, looks_like_key

# What CC Switch writes into the settings of the tools whose traffic it takes over.
PROXY_MANAGED = "PROXY_MANAGED"

_REFERENCES = tuple(
    Pattern(pattern)
    for pattern in (
        r"\$\{\{\s*(?:secrets|env|vars)\.(?P<name>\w+)\s*\}\}",
        r"\$\{env:(?P<name>\w+)\}",
        r"\$\{(?P<name>[A-Za-z_]\w*)(?::?-[^}]*)?\}",
        r"\$env:(?P<name>\w+)",
        r"\$(?P<name>[A-Z_][A-Z0-9_]{2,})",
        r"%(?P<name>[A-Za-z_]\w*)%",
        r"\{env:(?P<name>\w+)\}",
        r"\{\{\s*\.?(?P<name>\w+)\s*\}\}",
        r"(?:os\.environ/|env:|process\.env\.)(?P<name>\w+)",
        r"os\.(?:environ\[|getenv\(|environ\.get\()[\"'](?P<name>\w+)[\"'][\])]",
    )
)

_CHINESE = Pattern(r"你的|您的|替换|在此|此处|填写|填入|请输入|自己的")
_IN_BRACKETS = Pattern(r"<[^<>]*>|\[[^\[\]]*\]|\{[^{}\"]*\}")
_FILLER = Pattern(r"(?:[a-z]{2,6}[-_](?:[a-z0-9]{2,6}[-_]){0,3})?[x*.•…-]{3,}", re.I)
_ABBREVIATED = Pattern(r"\*{3,}|\.{3,}|…|•{2,}")
_WORDS = Pattern(
    r"(?:^|[-_ ])(?:your|insert|enter|paste|replace|change|fill)(?:$|[-_ ]|me$|this|with)"
    r"|(?:^|[-_ ])your_?(?:api)?_?(?:key|token)"
    r"|(?:api[-_ ]?)?(?:key|token)[-_ ](?:goes[-_ ])?here$"
    r"|^(?:todo|tbd|fixme|undefined|null|\[object object\])$",
    re.I,
)
_RANDOM = Pattern(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16,}")
_NO_KEY = Pattern(
    r"(?:sk-)?(?:empty|none|no[-_]?key(?:[-_]required)?|not[-_]?(?:needed|required)|n/?a|unused"
    r"|ignored|local|localhost|dummy|fake|test|any|anything|placeholder|example|string|secret"
    r"|ollama|lm[-_]?studio|llama\.cpp|vllm|token-abc123|1234|123456|x|xx)(?:[-_]key)?"
    r"|(?:api[-_]?)?key|token|password",
    re.I,
)


def reference_in(text: str) -> str | None:
    """The variable that an unexpanded reference (``${NAME}``) names, None for other texts."""
    core = body(text)
    for pattern in _REFERENCES:
        match = pattern.fullmatch(core)
        if match:
            return match.group("name")
    return None


def is_abbreviated(text: str) -> bool:
    """A key as a console shows it again, with its middle left out."""
    core = body(text)
    return bool(_ABBREVIATED.search(core)) and not _FILLER.fullmatch(core)


def is_placeholder(text: str) -> bool:
    """Whether nobody's key can read like this: a sample, a reference, an abbreviation."""
    core = body(text)
    if not core:
        return False
    if any(looks_like_key(word) for word in core.split()[:1]) and not _reads_as_sample(core):
        return False
    return (
        core == PROXY_MANAGED
        or reference_in(core) is not None
        or _IN_BRACKETS.fullmatch(core) is not None
        or _CHINESE.search(core) is not None
        or _reads_as_sample(core)
    )


def _reads_as_sample(core: str) -> bool:
    if _FILLER.fullmatch(core) or _ABBREVIATED.search(core):
        return True
    # A name that people gave to a real key may hold such a word; its random part tells.
    return _WORDS.search(core) is not None and _RANDOM.search(core) is None


def stands_for_no_key(text: str) -> bool:
    """A word that is sent to servers which ask for no key, where any text will do."""
    return _NO_KEY.fullmatch(body(text)) is not None
