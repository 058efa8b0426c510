"""Which option of vLLM a text speaks of, where its wording is not known.

vLLM names its options in its exceptions, as flags or as the fields behind them
(``--max-num-seqs``, ``max_num_seqs``), and its variables (config/*.py, engine/arg_utils.py,
envs.py). That a value, or two options together, are refused is then known, whatever the sentence.
"""

from __future__ import annotations

import functools

from doctor.explain.model import Cause
from doctor.launch import tables
from doctor.patterns import Pattern
from doctor.text import _

_NAME = Pattern(r"--[a-z][a-z0-9-]{2,60}|(?<![\w.'\"/-])[a-z][a-z0-9]*(?:_[a-z0-9]+){1,8}(?![\w(])")
_VARIABLE = Pattern(r"\bVLLM_[A-Z][A-Z0-9_]{2,60}\b")
# What a refusal of a value says of it.
_REFUSES = Pattern(
    r"\b(?:must|only|requires?|required|not (?:supported|compatible|valid|a valid|allowed|set"
    r"|implemented|enabled)|invalid|unknown|unsupported|exclusive|cannot|can't|can not|should"
    r"|greater|less|larger|smaller|exceeds?|divisible|expected|unrecognized|conflicts?|incompatible"
    r"|without|deprecated|removed|does ?n[o']t support|out of range)\b",
    2,  # re.IGNORECASE
)
# Names that programs beside vLLM have as well, and those of a request.
_OF_OTHERS = frozenset(
    {
        "--api-key",
        "--root-path",
        "--chat-template",
        "--max-model-len",
        "--max-logprobs",
        "--model-impl",
        "--load-format",
    }
)
# What stands in names of options, and the fault that a refused value of theirs is; else KVD919.
_CODES = (
    ("draft", "KVD905"),
    ("--gpu-memory", "KVD802"),
    ("--max-num-batched", "KVD608"),
    ("--tensor-parallel", "KVD904"),
    ("--pipeline-parallel", "KVD904"),
    ("--quantization", "KVD907"),
    ("--speculative", "KVD906"),
    ("--num-speculative", "KVD906"),
    ("--spec-", "KVD906"),
    ("--tool-call-parser", "KVD911"),
    ("--enable-auto-tool", "KVD911"),
)
_FIELDS = frozenset({"--num-speculative-tokens", "--draft-tensor-parallel-size"})


def option_in(text: str) -> str | None:
    """The first option or variable of vLLM that ``text`` names, None where it names none."""
    variable = _VARIABLE.search(text)
    if variable is not None:
        return variable[0]
    for match in _NAME.finditer(text):
        name = "--" + match[0].lstrip("-").replace("_", "-")
        if name in _known() and name not in _OF_OTHERS:
            return name
    return None


def refused_option(text: str) -> tuple[Cause, ...]:
    """The causes of an exception that refuses what an option says; none where it names none."""
    option = option_in(text)
    if option is None or _REFUSES.search(text) is None:
        return ()
    code = next((code for start, code in _CODES if start in option), "KVD919")
    told = Cause(code, 0.7, _("the text says what {option} may be", option=option), (option,))
    if code == "KVD919":
        return (told,)
    return (
        told,
        Cause("KVD919", 0.4, _("or does {option} not go with another option?", option=option)),
    )


@functools.cache
def _known() -> frozenset[str]:
    return frozenset(tables.ever()) | _FIELDS
