"""Which program a command starts, and where its own arguments begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from doctor.launch.model import Entry, Word
from doctor.launch.reading.containers import read_run, run_at
from doctor.launch.reading.found import Found
from doctor.patterns import Pattern
from doctor.records import dataclass

ASSIGNMENT = Pattern(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", flags=16)  # re.DOTALL
_IMAGE = Pattern(r"(?:^|/)vllm-openai(?:-[a-z]+)?(?=$|[:@])")
_OF_CONTAINERS = ("script", "command", "compose", "kubernetes", "dockerfile")
_OPENAI = "vllm.entrypoints.openai.api_server"
_OTHER_MODULES = {
    "sglang.launch_server": "SGLang",
    "vllm.entrypoints.api_server": "vllm.entrypoints.api_server",
    "lmdeploy": "LMDeploy",
    "tensorrt_llm": "TensorRT-LLM",
}
_OTHER_PROGRAMS = {
    "sglang": "SGLang",
    "text-generation-launcher": "Text Generation Inference",
    "llama-server": "llama.cpp",
    "ollama": "Ollama",
    "lmdeploy": "LMDeploy",
    "trtllm-serve": "TensorRT-LLM",
}


@dataclass(frozen=True, slots=True)
class Start:
    entry: Entry
    first: int
    program: int
    other: str = ""
    slip: str = ""


def start_of(found: Found, kind: str) -> Start | None:
    words = found.words
    run = run_at(words)
    begin, image = 0, found.container.image if found.container else ""
    if run is not None:
        options = read_run(words, run)
        image = options.container.image
        begin = len(words) if options.image is None else options.image + 1
        if options.entrypoint is not None:
            return _with_entrypoint(words, begin, options.entrypoint)
    elif kind == "dockerfile" and not words:
        return None
    if kind == "config":
        return Start(Entry.SERVE, 2, 0)
    if found.declared:
        return Start(Entry.DECLARED, 2, 0)
    located = _locate(words, begin)
    own = _IMAGE.search(image) is not None
    if own and not found.own_program and kind in _OF_CONTAINERS:
        if located is None or located.entry is Entry.OTHER:
            if begin < len(words) and words[begin].text == "serve" and words[begin].known:
                return Start(Entry.SERVE, begin + 1, begin, slip="entry-point-doubled")
            return Start(Entry.IMAGE, begin, begin)
        if run is not None or (kind == "compose" and located.program == 0):
            return replace(located, slip="entry-point-doubled")
    if located is None and words and found.flags_alone:
        return Start(Entry.SERVE, 0, -1)  # flags alone, to be added to a line
    return located


def _with_entrypoint(words: Sequence[Word], begin: int, entrypoint: str) -> Start | None:
    located = _locate([*words[:begin], Word(entrypoint), *words[begin:]], begin)
    if located is None:
        return _locate(words, begin)
    return replace(located, first=max(located.first - 1, begin), program=begin)


def _locate(words: Sequence[Word], begin: int) -> Start | None:
    for index in range(begin, len(words)):
        text = words[index].text
        base = text.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
        following = words[index + 1].text if index + 1 < len(words) else ""
        before = words[index - 1].text if index > begin else ""
        if base == "vllm" and (before == "--" or not before.startswith("-")):
            if following == "serve":
                return Start(Entry.SERVE, index + 2, index)
            if before in ("install", "add", "uninstall", "show", "import", "upgrade"):
                return None
            if following in ("server", "start", "run", "api_server"):
                return Start(Entry.SERVE, index + 2, index, slip="wrong-subcommand")
            if _lacks_serve(words, index):
                return Start(Entry.SERVE, index + 1, index, slip="no-subcommand")
        if text == "vllm.entrypoints.cli.main" and following == "serve":
            return Start(Entry.SERVE, index + 2, index)
        if text == _OPENAI or text.endswith("vllm/entrypoints/openai/api_server.py"):
            slip = "" if before == "-m" or text.endswith(".py") else "module-without-m"
            return Start(Entry.API_SERVER, index + 1, index, slip=slip)
        if text in _OTHER_MODULES and before == "-m":
            return Start(Entry.OTHER, index + 1, index, _OTHER_MODULES[text])
        if base in _OTHER_PROGRAMS and not before.startswith("-") and index == _program(words):
            return Start(Entry.OTHER, index + 1, index, _OTHER_PROGRAMS[base])
    return None


def _lacks_serve(words: Sequence[Word], index: int) -> bool:
    """``vllm MODEL --port 8000`` or ``vllm --model MODEL``."""
    following = words[index + 1].text if index + 1 < len(words) else ""
    if following.startswith("--"):
        return following not in ("--version", "--help")
    flags = any(word.text.startswith("--") for word in words[index + 2 :])
    return "/" in following and flags and index == _program(words)


def _program(words: Sequence[Word]) -> int:
    """The index of the command's own name, behind assignments and prompts."""
    for index, word in enumerate(words):
        if not ASSIGNMENT.fullmatch(word.text) and word.text not in ("$", "sudo", "env", "nohup"):
            return index
    return 0
