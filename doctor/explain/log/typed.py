"""What the command says that was pasted with a log: a line that starts vLLM, or a call of LLM.

A log that was cut lacks the line with its engine's arguments; who asks about it shows the command.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from doctor.explain.log.arguments import namespace
from doctor.patterns import Pattern

if TYPE_CHECKING:
    from doctor.launch.arguments import Parsed

# What the reader of a log uses of an engine's arguments.
_FRACTIONS = ("gpu_memory_utilization", "cpu_offload_gb")
_NUMBERS = ("max_model_len", "max_num_seqs", "tensor_parallel_size", "pipeline_parallel_size")
_WORDS = ("model", "kv_cache_dtype", "dtype", "quantization")
_USED = (*_FRACTIONS, *_NUMBERS, *_WORDS)
_STARTS = Pattern(r"\bvllm serve\s|\bvllm\.entrypoints\.\S*api_server\b|/vllm-openai\b")
_CALL = Pattern(r"\b(?:LLM|(?:Async)?EngineArgs)\(")
# A line of a log, a frame, or the words of a program about itself.
_LOGGED = Pattern(r".{0,80}(?:\b(?:DEBUG|INFO|WARNING|ERROR)\b|\d\d:\d\d:\d\d)|\s*File \"|usage: ")
_PROGRAM = Pattern(
    r"(?:[A-Za-z_]\w*=\S* +)*(?:(?:sudo|nohup|exec|time|env|uv run) +)*(?:\S*/)?"
    r"(?:vllm +serve|python[\d.]*|(?:docker|podman|nerdctl) +(?:container +)?(?:run|create))\s"
)
_FAILS = Pattern(r": (?:command )?not found|[Nn]o such file|\berror:")
_PROMPT = Pattern(r"\s*(?:\([\w.-]{1,40}\) ?)?(?:[\w.@:~/\[\]-]{0,80} ?[$#>] +)?")
# Lines of one command, characters of one value.
_LONGEST, _LENGTH = 60, 200


def typed_arguments(lines: Sequence[str]) -> dict[str, Any]:
    """By the names that vLLM prints. Empty where nothing was typed, or several commands differ."""
    found: list[dict[str, Any]] = []
    for _first, _end, command in _commands(lines):
        told = _of_call(command) if _CALL.search(command) else _of_line(command)
        if told is not None and told not in found:
            found.append(told)
    return found[0] if len(found) == 1 else {}


def without_commands(lines: Sequence[str]) -> list[str]:
    """With nothing in the place of commands that start vLLM: a flag in them tells of no failure,
    as it would in an error that asks for it."""
    kept = list(lines)
    for first, end, text in _commands(lines):
        if _PROGRAM.match(text) and not _FAILS.search(text):
            kept[first:end] = [""] * (end - first)
    return kept


def _commands(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The first line, the one behind the last, and the text of what may be a command: lines
    that go on behind a backslash, and calls until their brackets close."""
    at = 0
    while at < len(lines):
        first, end = at, at + 1
        if _LOGGED.match(lines[first]):
            at = end
            continue
        text = _PROMPT.sub("", lines[first], count=1)
        while _goes_on(text) and end < len(lines) and end - first < _LONGEST:
            text += "\n" + lines[end]
            end += 1
        if _STARTS.search(text) or _CALL.search(text):
            yield first, end, text
        at = end


def _goes_on(text: str) -> bool:
    if text.rstrip(" \r").endswith("\\"):
        return True
    call = _CALL.search(text)
    return call is not None and text.count("(", call.start()) > text.count(")", call.start())


def _of_call(text: str) -> dict[str, Any] | None:
    """None where it names nothing, as in the code of a traceback."""
    return {name: value for name, value in namespace(text).items() if name in _USED} or None


def _of_line(text: str) -> dict[str, Any] | None:
    """None where the text is no command that starts vLLM after all."""
    from doctor.launch.arguments import parse
    from doctor.launch.model import Entry
    from doctor.launch.program import start_of
    from doctor.launch.reading.detect import read_text
    from doctor.launch.reading.found import NothingFound
    from doctor.launch.tables import table
    from doctor.launch.versions import assumed

    try:
        reading = read_text(text)
    except NothingFound:
        return None
    flags = table(assumed().table)
    for found in reading.found:
        start = start_of(found, reading.kind)
        if start is not None and start.entry is not Entry.OTHER:
            return _told(parse(found.words, start.first, flags, start.entry))
    return None


def _told(parsed: Parsed) -> dict[str, Any] | None:
    """None where a file may say more."""
    told: dict[str, Any] = {}
    if parsed.model is not None and parsed.model.known:
        told["model"] = parsed.model.values[0]
    for argument in parsed.arguments:
        if argument.flag == "--config":
            return None
        if argument.spelled == "--omni":
            told["omni"] = True
        name = (argument.flag or "").removeprefix("--").replace("-", "_")
        if name in _USED and argument.known and argument.values:
            value = _value(name, argument.values[-1])
            if value is not None:
                told[name] = value
    return told


def _value(name: str, text: str) -> Any:
    from doctor.launch.values import whole_number

    if name in _NUMBERS:
        return whole_number(text)
    if name in _WORDS:
        return text[:_LENGTH]
    try:
        return float(text)
    except ValueError:
        return None
