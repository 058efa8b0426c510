"""Model ids that were never meant as one: texts of guides, empty values, a client's own ids.

The forms are those of guides and of the seeds (facts/gateway-clients.md §4.1), and of cases BR-103
and BR-106. Pure.
"""

from __future__ import annotations

import enum
import re

from doctor.model_names import core
from doctor.patterns import Pattern


class Placeholder(enum.StrEnum):
    """Why a model id cannot be meant."""

    EMPTY = "empty"
    TEMPLATE = "template"  # a text of a guide, to be replaced
    UNSET = "unset"  # an unset variable that became text: None, null, undefined
    INTERNAL = "internal"  # an id of the client's own, a UUID
    STAND_IN = "stand-in"  # whatever is loaded, which servers of a single model take


_UUID = Pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24}|[0-9a-f]{32}", re.I)
_TEMPLATE = Pattern(
    r"""
    .*[<>{}].* | \$\w+ | %\w+% | \[.*\]
    | (?:.*[-_ /])?x{2,}(?:[-_ .].*)? | gpt-?x(?:\.x)?
    | (?:your|my|the|any|some|target|own|chosen)?[-_ ]?(?:target|own|chosen)?[-_ ]?model[-_ ]?
      (?:id|name|slug|here|x|\.\.\.|…)*[-_ ]?(?:here)?
    | your[-_ ].*
    | (?:insert|replace|enter|put|choose|select|fill|change|set)[-_ ].*(?:model|name|here|your).*
    | (?:change|replace)[-_ ]?me | todo | tbd | fixme | placeholder | \.{3} | …
    | .*(?:你的|您的|填写|填入|请输入|替换|占位).*
    | 模型(?:id|名|名称)?
    """,
    re.I | re.X,
)
# Names of the pattern above that a small server may really serve.
_MAY_BE_SERVED = Pattern(r"(?:my|own)[-_ ]?model", re.I)
# What guides of local servers write where any name does: LM Studio, TGI, llama.cpp, mlx_lm.
_STAND_IN = Pattern(
    r"default(?:[-_ ]?model)?|(?:local|loaded|current|dummy|test)(?:[-_ ]?model)?|any|string"
    r"|tgi|lm[-_ ]?studio|llama[-_.]?cpp",
    re.I,
)
_UNSET = frozenset({"none", "null", "undefined", "nan", "nil", "[object object]"})


def placeholder(name: str) -> Placeholder | None:
    """Whether ``name`` was never meant as a model's id, and why."""
    inner = core(name)
    if not inner:
        return Placeholder.EMPTY
    if inner.lower() in _UNSET:
        return Placeholder.UNSET
    if _UUID.fullmatch(inner):
        return Placeholder.INTERNAL
    if _TEMPLATE.fullmatch(inner) and not _MAY_BE_SERVED.fullmatch(inner):
        return Placeholder.TEMPLATE
    if _STAND_IN.fullmatch(inner):
        return Placeholder.STAND_IN
    return None
