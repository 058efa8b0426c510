"""What a text is, by its content, and the commands in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from doctor.launch.model import Word
from doctor.launch.reading.found import Found, Groups, NothingFound
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.documents import Malformed
from doctor.text import _
from doctor.untrusted import visible

_COMPOSE = Pattern(r"(?m)^services:[ \t\r]*(?:#.*)?$")
_MANIFEST = Pattern(r"(?m)^[ \t]*(?:\"?apiVersion\"?|\"?kind\"?)[ \t]*:")
_TABLE = Pattern(r"(?m)^\[(?:server|memory|model|parallel|batching|speculative)\][ \t\r]*$")
_SETTING = Pattern(
    r"(?:\s*#[^\n]*\n|\s*\n|---[ \t\r]*\n)*[ \t]*([A-Za-z][A-Za-z0-9_-]*)[ \t]*:(?:\s|$)"
)
_SERVERS = ("vllm", "sglang", "launch_server", "text-generation", "lmdeploy", "llama", "ollama")
_SHELL_NAMES = frozenset({"sh", "bash", "dash", "zsh", "ash"})
_FLAG = Pattern(r"--[A-Za-z]")
_LIMIT = 1_000_000
# Kinds whose line is made from something else.
MADE = frozenset({"command", "guide", "inspect"})


@dataclass(frozen=True, slots=True)
class Reading:
    """``kind`` is ``command``, ``script``, ``dockerfile``, ``compose``, ``kubernetes``,
    ``config`` (vLLM's own), ``guide`` or ``inspect``."""

    kind: str
    text: str
    found: tuple[Found, ...]
    kinds: tuple[str, ...]


def read_text(text: str) -> Reading:
    """Every command of ``text``. Raises ``NothingFound``."""
    if len(text) > _LIMIT:
        raise NothingFound(_("it is larger than {limit:,} characters", limit=_LIMIT))
    groups = Groups()
    kind, found = _read(text, groups)
    if kind in MADE:
        text, groups, found = _as_lines(found)
    inner: list[Found] = []
    for one in found:
        inner += _inside(text, one, groups)
    return Reading(kind, text, tuple(inner), tuple(groups.kinds))


def _as_lines(found: list[Found]) -> tuple[str, Groups, list[Found]]:
    """Commands that stand nowhere as such: the text is the lines that they make."""
    groups = Groups()
    lines: list[str] = []
    length = 0
    for one in found:
        text, words = _as_line([word.text for word in one.words], length, groups.new("shell"))
        one.words = words
        one.line = len(lines) + 1
        lines.append(text)
        length += len(text) + 1
    return "\n".join(lines), groups, found


def _as_line(argv: list[str], start: int, group: int) -> tuple[str, list[Word]]:
    from doctor.launch.layout import quoted

    words, parts = [], []
    for word in argv:
        part = quoted("shell", word) if word else "''"
        words.append(Word(word, start, start + len(part), group))
        parts.append(part)
        start += len(part) + 1
    return " ".join(parts), words


def read_argv(argv: list[str]) -> Reading:
    """A command given as words; the text is how a shell would have them written."""
    text, groups, found = _as_lines([Found([Word(word) for word in argv])])
    inner = _inside(text, found[0], groups)
    return Reading("command", text, tuple(inner), tuple(groups.kinds))


def _read(text: str, groups: Groups) -> tuple[str, list[Found]]:
    from doctor.launch.reading import dockerfile

    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped[:1] in ("{", "["):
        made = _json(text, stripped, groups)
        if made is not None:
            return made
    fenced = _fenced(text, groups)
    if fenced:
        return "script", fenced
    if dockerfile.is_dockerfile(text):
        return "dockerfile", dockerfile.read(text, groups)
    if _TABLE.search(text):
        made = _toml(text)
        if made is not None:
            return made
    if _COMPOSE.search(text) or _MANIFEST.search(text):
        return _yaml(text, groups)
    match = _SETTING.match(text)
    if match and not any(server in text.partition(":")[0] for server in _SERVERS):
        made = _config(text, match.group(1), groups)
        if made is not None:
            return made
    if match and not any(server in match.group(1) for server in _SERVERS):
        found = _strings(text, groups)
        if found is not None:
            return "script", found
    return "script", _script(text, groups)


def _fenced(text: str, groups: Groups) -> list[Found]:
    """The commands in the fences of a text in Markdown; none where there are no fences, or no
    server is started in them."""
    from doctor.launch.reading.fences import fences, others_of, shell_of

    blocks = fences(text)
    if not blocks:
        return []
    found = _script(shell_of(text, blocks), groups)
    for alone in others_of(text, blocks):
        if not any(server in alone for server in _SERVERS):
            continue
        try:
            found += _read(alone, groups)[1]
        except NothingFound:
            continue
    return found if any(_starts(one) for one in found) else []


def _starts(found: Found) -> bool:
    from doctor.launch.program import start_of

    return start_of(found, "script") is not None


def _strings(text: str, groups: Groups) -> list[Found] | None:
    """The commands in the strings of a YAML file of some program's own, None where it is no such
    file. A workflow, a task, the values of a chart are such files."""
    from doctor.launch.reading import anyyaml, yamltext

    if "vllm" not in text:
        return None
    try:
        roots = yamltext.documents(text)
    except Malformed:
        return None
    if not all(yamltext.is_mapping(root) for root in roots):
        return None
    return anyyaml.read(text, roots, groups)


def _json(text: str, stripped: str, groups: Groups) -> tuple[str, list[Found]] | None:
    from doctor.launch.reading import declared, kubernetes, process, yamltext
    from doctor.settings.documents import parse_json

    try:
        data: Any = parse_json(stripped).data
    except Malformed:
        return None
    if process.is_inspect(data):
        return "inspect", process.of_inspect(data)
    if declared.is_guide(data):
        return "guide", [declared.guide(data)]
    if isinstance(data, list) and data and all(isinstance(item, str) for item in data):
        return "command", [Found([Word(item) for item in data])]
    if isinstance(data, dict) and "kind" in data:
        try:
            return "kubernetes", kubernetes.read(text, yamltext.documents(text), groups)
        except Malformed:
            return None
    return None


def _toml(text: str) -> tuple[str, list[Found]] | None:
    from doctor.launch.reading import declared
    from doctor.settings.documents import parse_toml

    try:
        data = parse_toml(text).data
    except Malformed as error:
        raise NothingFound(_in_line("TOML", error)) from None
    return ("guide", [declared.guide(data)]) if declared.is_guide(data) else None


def _yaml(text: str, groups: Groups) -> tuple[str, list[Found]]:
    from doctor.launch.reading import compose, kubernetes, yamltext

    try:
        roots = yamltext.documents(text)
    except Malformed as error:
        raise NothingFound(_in_line("YAML", error)) from None
    if any(yamltext.get(root, "services") is not None for root in roots):
        return "compose", compose.read(text, roots, groups)
    return "kubernetes", kubernetes.read(text, roots, groups)


def _config(text: str, first: str, groups: Groups) -> tuple[str, list[Found]] | None:
    """vLLM's own file: a mapping most of whose keys are flags of some version."""
    from doctor.launch.reading import declared, yamltext
    from doctor.launch.tables import ever

    try:
        roots = yamltext.documents(text)
    except Malformed:
        return None
    if len(roots) != 1 or not yamltext.is_mapping(roots[0]):
        return None
    names = [f"--{key.replace('_', '-')}" for key, _ in yamltext.pairs(roots[0])]
    known = set(ever()) | {"--model-tag"}
    hits = sum(name in known for name in names)
    if not hits or hits * 2 < len(names):
        return None
    return "config", [declared.vllm_config(text, roots[0], groups)]


def _script(text: str, groups: Groups) -> list[Found]:
    from doctor.launch.model import Variable
    from doctor.launch.reading.shell import commands

    def wanted(told: str) -> bool:
        return any(server in told for server in _SERVERS) or told.startswith("-")

    found = []
    for command in commands(text, groups, wanted=wanted):
        line = text.count("\n", 0, command.start) + 1
        exports = [Variable(name, value, cut) for name, (value, cut) in command.exports.items()]
        found.append(Found(command.words, "", line, command.slips, exports))
    # To be added to a line that is not shown; beside other commands they are anything.
    alone = all(_FLAG.match(one.words[0].text) for one in found if one.words)
    for one in found:
        one.flags_alone = alone
    return found


def _inside(text: str, found: Found, groups: Groups) -> list[Found]:
    """What a shell inside the command runs: ``bash -c "vllm serve …"``."""
    from doctor.launch.model import Variable
    from doctor.launch.reading.shell import commands

    index = _script_at(found.words)
    if index is None:
        return [found]
    script = found.words[index]
    place = _place(text, script)
    whole = text if place else script.text
    start, end = place or (0, len(script.text))
    made = commands(
        whole,
        groups,
        start=start,
        end=end,
        blank=place is not None and text[script.start] == ">",
        variables={v.name: v.value for v in found.variables if v.known},
        wanted=lambda told: "vllm" in told,
    )
    inner = []
    for command in made:
        words, slips = command.words, command.slips
        if not place:
            words = [replace(w, start=-1, end=-1, group=-1) for w in words]
            slips = []
        composed = found.container is not None and found.container.runtime == "compose"
        if composed or not script.known:
            # An outer shell, or compose, fills in what single quotes would keep.
            words = [replace(w, known=w.known and "$" not in w.text) for w in words]
        own = [Variable(n, v, c if place else None) for n, (v, c) in command.exports.items()]
        inner.append(
            Found(
                [*found.words[: index - 1], *words],
                found.name,
                found.line,
                [*found.slips, *slips],
                [*found.variables, *own],
                found.container,
                found.declared,
                found.neighbours,
                own_program=found.own_program,
                added_to=found.added_to,
            )
        )
    return inner


def _script_at(words: list[Word]) -> int | None:
    """The index of what stands behind the ``-c`` of a shell."""
    shells = [w.text.rpartition("/")[2].rpartition("=")[2] in _SHELL_NAMES for w in words]
    for index in range(1, len(words) - 1):
        option = words[index].text
        if option.startswith("-") and not option.startswith("--") and option.endswith("c"):
            entry = any(
                (shells[at] and words[at - 1].text == "--entrypoint")
                or (words[at].text.startswith("--entrypoint=") and shells[at])
                for at in range(1, index)
            )
            if shells[index - 1] or entry:
                return index + 1
    return None


def _place(text: str, word: Word) -> tuple[int, int] | None:
    """Where the characters of a word stand as they are."""
    if word.start < 0:
        return None
    raw = text[word.start : word.end]
    if raw[:1] in ("|", ">"):
        first = raw.find("\n")
        return (word.start + first + 1, word.end) if first >= 0 else None
    if raw == word.text:
        return word.start, word.end
    if raw[1:-1] == word.text:
        return word.start + 1, word.end - 1
    return None


def _in_line(kind: str, error: Malformed) -> str:
    return _(
        "it is no valid {kind}: {message} (line {line})",
        kind=kind,
        message=visible(error.message),
        line=error.line or "?",
    )


__all__ = ["Reading", "read_argv", "read_text"]
