"""What a reader of Chinese is shown holds no English sentence but those of others."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest

from doctor.cli import COMMANDS, main
from doctor.clinic.sandbox import VARIABLE
from doctor.demo.scenarios import scenarios

Capture = pytest.CaptureFixture[str]

# Three words of English and more in a row: of small letters, but for the first.
_WORD = r"(?<![\w./=~-])[A-Za-z]?[a-z'’]+(?![\w/=~-])"
_ENGLISH = re.compile(rf"{_WORD}(?:[,;:.)]* \(?{_WORD}){{2,}}")
# What is shown as it was written elsewhere: quoted, code, addresses, lines of files.
_QUOTED = re.compile(r"“[^”]*”|`[^`]*`|https?://[^\s，。；：、]*|(?<![a-z])'[^']*'")
_LINE_OF_A_FILE = re.compile(r"\s+[-+] ")
# What the servers, the client libraries, the system and the files of the demo say, as it is.
_OF_OTHERS = re.compile(
    "|".join(
        (
            r"Invalid token",
            r"\(request id: ?\w*\)",
            r"upstream error: do request failed",
            r"No available channel for model \S+ under group default",
            r"max_tokens=\d+ cannot be greater than max_model_len=\d+\. Please request fewer "
            r"output tokens",
            r"max_tokens must be at least 1, got 0",
            r"Invalid max_tokens value, the valid range of max_tokens is",
            r"This model's maximum context length is 8192 tokens\. However, you requested 8192 "
            r"output tokens and your prompt contains \d+ input tokens, for a total of \d+ tokens\. "
            r"Please reduce the length of the input prompt or the number of requested output "
            r"tokens",
            r"Illegal header value b'",
            r"EngineCore encountered an issue\. See stack trace \(above\) for the root cause",
            r"LiteLLM: model group '\S+' failed with the error above\. No fallback was attempted",
            r"'ascii' codec can't encode characters? (?:'\S+' )?in position [\d-]+: ordinal not in "
            r"range\(128\)",
            r"Request URL is missing an '\S+' or '\S+' protocol",
            r"Unknown scheme for proxy URL",
            r"wrong version number",
            r"for event in stream",
            r"# the key for the demo",
        )
    )
)


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "clinic"))
    monkeypatch.chdir(tmp_path)


def english_of(text: str) -> list[str]:
    """Runs of English in it that nobody else has written."""
    # Lines are broken anywhere, so that a sentence of another goes over several.
    flat = " ".join(line.strip() for line in text.split("\n") if not _LINE_OF_A_FILE.match(line))
    flat = _QUOTED.sub("“”", _OF_OTHERS.sub("“”", flat))
    return _ENGLISH.findall(flat)


def shown(capsys: Capture, *typed: str) -> str:
    """Both streams."""
    with contextlib.suppress(SystemExit):
        main(typed)
    told = capsys.readouterr()
    return f"{told.out}\n{told.err}"


def test_the_measure_sees_a_sentence() -> None:
    assert english_of("密钥：the key ends here。") == ["the key ends here"]
    assert english_of("应答是 401：Invalid token (request id: 2026)") == []


@pytest.mark.parametrize("name", [scenario.name for scenario in scenarios()])
def test_a_diagnosis(name: str, capsys: Capture) -> None:
    patience = ("--timeout", "1") if name == "hanging-server" else ()
    told = shown(capsys, "demo", name, "--plain", "--window", "0.1", *patience)

    assert "项检查通过" in told
    assert english_of(told) == []


@pytest.mark.parametrize(
    "typed",
    [
        ("demo", "--list"),
        ("demo", "--clinic"),
        ("demo", "--clinic", "1.1"),
        ("demo", "--clinic", "1.1", "--check"),
        ("demo", "--clinic", "1.1", "--hint"),
        ("demo", "--clinic", "5.1", "--hint"),
        ("checklist", "--list"),
        ("undo",),
        ("launch", "--", "vllm", "serve", "Qwen/Qwen3-8B", "--swap-space", "4", "-tp", "3"),
        ("launch", "--", "vllm", "serve", "m", "--max-model-len", "x", "--no-such-flag"),
        ("memory", "Qwen/Qwen3-8B", "--gpu", "H100"),
        ("memory", "deepseek-ai/DeepSeek-V3", "--gpu", "T4"),
        ("explain", "Error code: 401 - {'error': {'code': 'invalid_api_key'}}"),
        ("explain", "“torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB”"),
        ("explain", "the weather is nice"),
        ("prefix", "log.jsonl", "--rate", "0.3"),
        ("prefix", "app"),
    ],
    ids=" ".join,
)
def test_what_a_command_says(typed: tuple[str, ...], capsys: Capture, tmp_path: Path) -> None:
    text = "It is {:02}:15 now. " + "Be of help. " * 80
    rows = [{"messages": [{"role": "system", "content": text.format(hour)}]} for hour in range(24)]
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    Path("app").mkdir()
    Path("app/prompt.py").write_text(
        'import datetime\nSYSTEM = f"It is {datetime.datetime.now()}"\n'
        'messages = [{"role": "system", "content": SYSTEM}]\n'
    )
    told = shown(capsys, *typed).replace(" ".join(typed[1:]), "“”")
    for word in typed[1:]:
        # Who pastes a text is shown it again.
        told = told.replace(word, "“”")

    assert english_of(told) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_of_help(command: str, capsys: Capture) -> None:
    told = shown(capsys, command, "--help")

    # Ahead of the first empty line stands what can be typed.
    assert english_of(told.partition("\n\n")[2]) == []
