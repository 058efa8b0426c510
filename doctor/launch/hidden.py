"""A launch line as it may be shown: keys in it are masked."""

from __future__ import annotations

from doctor.launch.model import Argument, Launch
from doctor.secrets import Redactor, mask
from doctor.settings.names import is_secret_name

_SECRET_FLAGS = frozenset({"--api-key", "--hf-token", "--hf_token", "--api_key"})
# What is shorter than this would be found in the middle of words.
_SHORTEST = 4
_HARMLESS = frozenset({"EMPTY", "None", "none", "null", ""})


def secrets_of(launch: Launch) -> tuple[str, ...]:
    """The values of keys on the line and among its variables."""
    found = []
    for argument in launch.arguments:
        if argument.flag in _SECRET_FLAGS or argument.spelled in _SECRET_FLAGS:
            found += [value for value in argument.values if value not in _HARMLESS]
    for variable in launch.variables:
        if is_secret_name(variable.name) and variable.value not in _HARMLESS and variable.known:
            found.append(variable.value)
    return tuple(dict.fromkeys(value for value in found if not value.startswith("$")))


def learn(launch: Launch, redactor: Redactor) -> None:
    for value in secrets_of(launch):
        redactor.learn(value)


def masked(launch: Launch, text: str) -> str:
    """``text`` without the keys of the line, short ones included."""
    for value in sorted(secrets_of(launch), key=len, reverse=True):
        if len(value) >= _SHORTEST:
            text = text.replace(value, mask(value))
    return text


def shown_argument(launch: Launch, argument: Argument) -> str:
    """``--max-model-len 8192`` as written, values of keys masked."""
    words = launch.words[argument.first : argument.last + 1]
    return masked(launch, " ".join(word.text for word in words))
