"""Settings of a model under a prefix that a program chose: ``openaiCompatBaseUrl``,
``openaiCompatApiKey``, ``openaiCompatModel``, in one mapping of a file.

They are read as variables of the same words would be (``OPENAI_COMPAT_BASE_URL``). Programs keep
there what is switched off as well, so a family counts only with a key, and only where its prefix
or its address says that it is about a language model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from doctor.facts.settings import Role
from doctor.model_names import answers_chat
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.building import provider_of
from doctor.settings.names import speaks_of_models, understood

# Where a word begins inside of a name: openaiCompatBaseURL.
_HUMP = Pattern(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ROLES = (Role.BASE_URL, Role.KEY, Role.MODEL, Role.MAX_TOKENS)
_OTHER_WORK = frozenset(
    {"AUDIO", "EMBED", "EMBEDDER", "EMBEDDING", "EMBEDDINGS", "IMAGE", "OCR", "RERANK"}
    | {"RERANKER", "SEARCH", "SPEECH", "STT", "TRANSCRIPTION", "TTS", "VECTOR", "WHISPER"}
)


@dataclass(frozen=True, slots=True)
class Member:
    """A setting under the name that the file gives it."""

    name: str
    value: str


def families(texts: Mapping[str, str]) -> Iterator[dict[Role, Member]]:
    """The families among ``texts``, name → value, each with the first setting of every role."""
    found: dict[str, dict[Role, Member]] = {}
    for name, value in texts.items():
        meant = understood(as_variable(name))
        if meant is not None and meant.prefix and meant.role in _ROLES and value.strip():
            found.setdefault(meant.prefix, {}).setdefault(meant.role, Member(name, value))
    for prefix, members in found.items():
        if Role.BASE_URL in members and Role.KEY in members and _is_one(prefix, members):
            yield members


def as_variable(name: str) -> str:
    """``openAiBaseUrl`` as a variable of the same words is spelled."""
    return _HUMP.sub("_", name.replace("-", "_")).upper()


def is_other_work(prefix: str) -> bool:
    """Whether a word in it says that it is about a model that does not chat."""
    return not _OTHER_WORK.isdisjoint(prefix.split("_"))


def _is_one(prefix: str, members: Mapping[Role, Member]) -> bool:
    model = members.get(Role.MODEL)
    if is_other_work(prefix):
        return False
    if model is not None and not answers_chat(model.value):
        return False
    return speaks_of_models(prefix) or provider_of(members[Role.BASE_URL].value) is not None
