"""What is known of one launch: plain frozen data that the checks read.

A *word* is an argument of the command with its place in the source's text; an *argument* is what
vLLM's parser makes of one or more words.
"""

from __future__ import annotations

import enum
from dataclasses import field

from doctor.records import dataclass


class Entry(enum.StrEnum):
    """What the line starts."""

    SERVE = "vllm serve"
    API_SERVER = "api_server"
    IMAGE = "image"  # arguments of a container image whose entry point is one of the two
    DECLARED = "declared"  # settings of a file that no program reads as it stands
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Word:
    """``start`` and ``end`` are offsets in the source's text. ``group`` numbers the runs of words
    that stand side by side there (-1: the word stands nowhere). ``known`` False: part of it is
    only filled in when the command runs."""

    text: str
    start: int = -1
    end: int = -1
    group: int = -1
    known: bool = True


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of the source to be put in the place of others."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Slip:
    """Something in the writing that a shell does not read as it was meant. ``kind`` is a word of
    ``checks/launch/launch_syntax.py``; ``spans`` mend it."""

    kind: str
    line: int
    shown: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """``flag`` is the name in the table of the version, None if it has none of that name.
    ``spelled`` is what was written, without a value; ``path`` the keys of a dotted flag.
    ``first`` and ``last`` are the words, both included. ``negated`` is ``--no-…``; ``joined`` says
    that the value stands behind ``=``. ``spilled`` are words behind it that no flag takes."""

    spelled: str
    flag: str | None
    values: tuple[str, ...]
    first: int
    last: int
    path: str = ""
    negated: bool = False
    joined: bool = False
    known: bool = True
    spilled: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """What vLLM's argument parser stops at. ``kind`` is ``unknown``, ``ambiguous``, ``value``,
    ``choice``, ``key``, ``missing``, ``explicit`` or ``stray``; ``names`` are what it could have
    been, or the value at fault."""

    kind: str
    argument: Argument
    said: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """``text`` as it was told; ``table`` the version whose flags are used. ``assumed``: nobody
    told one. ``newer``: than all that are known."""

    text: str
    table: str
    origin: str
    assumed: bool = False
    newer: bool = False
    between: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that the line sets for the server. ``cut`` takes it out of the source."""

    name: str
    value: str
    cut: Span | None = None
    known: bool = True


@dataclass(frozen=True, slots=True)
class Published:
    """A port of the container on the host: ``host`` is the address it is bound to."""

    host: str
    outer: int | None
    inner: int


@dataclass(frozen=True, slots=True)
class Container:
    """``shm`` is the size of /dev/shm in bytes, None where it is the runtime's default; ``ipc``
    the mode. ``gpus`` is how many it sees, None if that is not told. ``more_shm`` mends it."""

    runtime: str
    image: str = ""
    shm: int | None = None
    ipc: str = ""
    network: str = ""
    published: tuple[Published, ...] = ()
    gpus: int | None = None
    more_shm: Span | None = None
    mounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The plain fields of a config.json; None where the file does not tell."""

    place: str
    architectures: tuple[str, ...] = ()
    heads: int | None = None
    kv_heads: int | None = None
    vocabulary: int | None = None
    window: int | None = None
    window_from: str = ""
    dtype: str | None = None
    quantization: str | None = None
    layers: int | None = None
    model_type: str | None = None


@dataclass(frozen=True, slots=True)
class Gpu:
    """``capability`` as NVIDIA writes it, times ten: 7.5 → 75."""

    name: str = ""
    count: int | None = None
    memory: int | None = None
    capability: int | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """One line that starts a server, read and parsed for a version.

    ``first`` is the index of the server's first argument in ``words``. ``open_ended``: words are
    added when it runs, so that what is not here may be there. ``notes`` tell what is worth knowing
    and no fault. ``keys`` are values that must not be shown.
    """

    id: str
    place: str
    text: str
    entry: Entry
    words: tuple[Word, ...]
    first: int
    version: Version
    arguments: tuple[Argument, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    model: Argument | None = None
    variables: tuple[Variable, ...] = ()
    container: Container | None = None
    config: ModelConfig | None = None
    draft: ModelConfig | None = None
    gpu: Gpu | None = None
    slips: tuple[Slip, ...] = ()
    open_ended: bool = False
    other: str = ""
    notes: tuple[str, ...] = ()
    here: bool = False
    folder: str = ""
    neighbours: tuple[tuple[str, int], ...] = field(default=())

    def last(self, *flags: str) -> Argument | None:
        """The occurrence of one of ``flags`` that counts: the last one."""
        found = [a for a in self.arguments if a.flag in flags and not a.path]
        return found[-1] if found else None

    def value(self, flag: str) -> str | None:
        """The value in effect, None where there is none or it is not known."""
        found = self.last(flag)
        if found is None or not found.known or not found.values:
            return None
        return found.values[-1]

    def number(self, flag: str) -> int | None:
        """The same as an integer, suffixes read as vLLM does; None for what is no number."""
        from doctor.launch.values import whole_number

        text = self.value(flag)
        return None if text is None else whole_number(text)

    def fraction(self, flag: str) -> float | None:
        text = self.value(flag)
        try:
            return None if text is None else float(text)
        except ValueError:
            return None

    def on(self, flag: str) -> bool | None:
        """Of a switch: whether it is on, None where it is not given."""
        found = self.last(flag)
        if found is None:
            return None
        told = [self.words[index].text for index in found.spilled] or list(found.values)
        off = bool(told) and told[-1].lower() in ("false", "0", "no", "off")
        return off == found.negated

    def variable(self, name: str) -> str | None:
        found = [v for v in self.variables if v.name == name and v.known]
        return found[-1].value if found else None

    def has(self, *flags: str) -> bool:
        return self.last(*flags) is not None

    def line_of(self, word: int) -> int:
        """The line of a word in the source, counted from 1."""
        start = self.words[word].start if 0 <= word < len(self.words) else -1
        return self.text.count("\n", 0, start) + 1 if start >= 0 else 0

    def where(self, word: int) -> str:
        """``compose.yaml:12``, or the place alone."""
        line = self.line_of(word)
        several = "\n" in self.text
        return f"{self.place}:{line}" if line and several else self.place

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)

    @property
    def ranks(self) -> int | None:
        """GPUs that one engine needs (tensor × pipeline), None where a number is unknown."""
        product = 1
        for flag in ("--tensor-parallel-size", "--pipeline-parallel-size"):
            if self.has(flag):
                number = self.number(flag)
                if number is None or number < 1:
                    return None
                product *= number
        return product
