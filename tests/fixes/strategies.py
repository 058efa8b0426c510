"""What the property tests of editors draw from: values as people have them, and hard ones."""

from __future__ import annotations

from hypothesis import strategies as st

from doctor.fixes.steps import EditFile, Format, Operation, Value
from doctor.secrets import Secret

KEY = "sk-made0up0made0up0made0up0made0up0made0up0made0up0"

# What a repair puts in: never blank-edged, never with control characters.
NEW_VALUES = st.sampled_from(
    [
        KEY,
        "https://gateway.example/v1",
        "http://127.0.0.1:8000/v1",
        "deepseek-v4-flash",
        "openai/gpt-4o-mini",
        "Qwen/Qwen3-8B",
        "qwen3:8b",
        "http://[::1]:8000/v1",
        "direct",
        "EMPTY",
        "4096",
    ]
)
HARD_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from("\"'\\$`#=;&|<>()[]{}!*?~%, \tab1:/-.“”’é你\u200b\u00a0\ufeff"),
        st.characters(min_codepoint=0x20, max_codepoint=0x2FFF, exclude_categories=("Cs", "Cc")),
    ),
    max_size=24,
)
OLD_VALUES = st.one_of(
    NEW_VALUES,
    HARD_TEXT,
    st.sampled_from([KEY + "\n", f'"{KEY}"', f"Bearer {KEY}", KEY + " ", "“" + KEY + "”", ""]),
)
NAMES = st.sampled_from(
    ["OPENAI_API_KEY", "OPENAI_BASE_URL", "A", "model", "max_tokens", "x-y", "名", "_b2"]
)
SHELL_NAMES = st.sampled_from(["OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "A", "_b2"])
COMMENTS = st.text(
    alphabet=st.characters(
        min_codepoint=0x20, max_codepoint=0x2FFF, exclude_categories=("Cs", "Cc")
    ),
    max_size=12,
)
LINE_ENDS = st.sampled_from(["\n", "\r\n"])


def set_step(
    at: tuple[str | int, ...],
    old: Value,
    new: Value | None,
    format_: Format,
    line: int | None = None,
    path: str = "/nowhere",
    secret: bool = False,
) -> EditFile:
    """SET, or REMOVE where ``new`` is None."""
    if secret:
        old = Secret(str(old))
        new = None if new is None else Secret(str(new))
    operation = Operation.REMOVE if new is None else Operation.SET
    return EditFile(path, "~/nowhere", format_, at, line, old, new, operation)
