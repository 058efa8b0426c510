"""What shells say of an assignment that was none: the variable stays unset, and the program finds
no key or another address.

bash 5.2, dash 0.5.12, zsh 5.9 and fish 3.6 were asked. PowerShell and cmd print the name of what
they do not know, in the language of their Windows.
"""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import Text, _

# Names of settings for a model, and what keys and addresses begin with; a key may be masked.
_NAME = (
    r"\w*(?:api_?key|_token|base_url|api_base|api_url|endpoint"
    r"|(?:anthropic|openai)_model|https?_proxy)"
)
_VALUE = r"(?:(?:sk|cr|hf|ak|gsk|xai)[-_]|aiza|https?://)"
_POSIX = rf"(?:export|{_NAME} ?(?:=[^'\"”’]*)?)"
_ADDRESS = re.compile(r"_url|_base\b|endpoint|_proxy|https?://", re.IGNORECASE)

_IN_POSIX = _("write export NAME='value', without a blank on either side of =")
_IN_WINDOWS = _("in PowerShell write $env:NAME='value', in cmd set NAME=value")


def _unset(match: re.Match[str], remedy: Text) -> tuple[Cause, ...]:
    """Without its address a program asks another server; without its key it asks nobody."""
    if _ADDRESS.search(match.group()):
        return (Cause("KVD410", 0.85, remedy), Cause("KVD101", 0.2, remedy))
    return (Cause("KVD101", 0.85, remedy), Cause("KVD410", 0.2, remedy))


SYMPTOMS = (
    symptom(
        rf"\bexport: [`'\"](?:=|{_VALUE}[^'\n]*)['\"]: not a valid identifier"
        rf"|\bexport: (?:{_VALUE}\S*)?:? ?bad variable name"
        rf"|\bexport:\d+: not valid in this context: {_VALUE}"
        rf"|\bset: {_VALUE}\S*: invalid variable name"
        rf"|(?:^|[\s:]){_NAME}: (?:command )?not found\b"
        rf"|(?:command not found|unknown command): {_NAME}\s*$"
        rf"|(?:^|\s){_VALUE}\S*: (?:command )?not found\b"
        rf"|(?:command not found|unknown command): {_VALUE}\S*\s*$",
        _("a blank beside the = parts the assignment, so the variable is not set"),
        lambda match: _unset(match, _IN_POSIX),
    ),
    symptom(
        rf"(?:^|\s):{_NAME}=\S*: (?:command )?not found\b|command not found: :{_NAME}="
        r"|\bsetx: (?:command )?not found\b|(?:command not found|unknown command): setx\b",
        _("this is how Windows sets a variable, so this shell has not set it"),
        lambda match: _unset(match, _IN_POSIX),
    ),
    symptom(
        rf"the term '{_POSIX}' is not recogni[sz]ed|无法将[“\"]{_POSIX}[”\"]项识别为"
        rf"|'{_POSIX}' is not recogni[sz]ed as an internal|'{_POSIX}' ?不是内部或外部命令",
        _("PowerShell and cmd do not know this way to set a variable, so it is not set"),
        lambda match: _unset(match, _IN_WINDOWS),
    ),
)
