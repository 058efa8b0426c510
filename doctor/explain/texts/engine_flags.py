"""Texts about the launch line: argparse, pydantic, parsers (facts/vllm.md §§1.2, 5.2)."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

_BOOLEANS = ("true", "false")


def _unrecognized(match: re.Match[str]) -> tuple[Cause, ...]:
    """By the first word: a flag, a path, or a value that a flag no longer takes."""
    from doctor.explain.log.flags import OLDEST, gone, nearest_flag, of_another, since

    words = match["words"].split()
    word = words[0] if words else ""
    flag = word.partition("=")[0]
    if flag.lower() in _BOOLEANS:
        return (
            Cause(
                "KVD919",
                0.9,
                _("a switch takes no value: leave True out, write --no-… for False"),
            ),
        )
    if flag in ("serve", "vllm"):
        return (
            Cause(
                "KVD916",
                0.95,
                _(
                    "the image starts 'vllm serve' by itself, so that {word} is one word too many:"
                    " its arguments begin with the model",
                    word=word,
                ),
            ),
        )
    if not flag.startswith("-"):
        return (
            Cause(
                "KVD916",
                0.9,
                _(
                    "{word} belongs to no flag: quotes, a missing -- or another entry point?",
                    word=word,
                ),
                (f"--model {word}", f"vllm serve {word}"),
            ),
        )
    if _is_other(match["program"]):
        return (
            Cause("KVD903", 0.9, _("{flag} is no flag of that program", flag=flag)),
            Cause("KVD901", 0.1, _("was it one in an earlier version?")),
        )
    instead = gone(flag)
    if instead is not None:
        return (
            Cause("KVD901", 0.95, _("{flag} is gone: {instead}", flag=flag, instead=instead)),
            Cause("KVD903", 0.1, _("or is the program an older one?")),
        )
    first = since(flag)
    if first == OLDEST and len(words) > 1:
        return (
            Cause(
                "KVD916",
                0.9,
                _(
                    "every version has {flag}: flag and value arrived as one word, with the blank"
                    " in it",
                    flag=flag,
                ),
                (f"{flag}={words[1]}",),
            ),
        )
    if first is not None:
        return (
            Cause(
                "KVD903",
                0.85,
                _("vLLM has {flag} since {first}: an older one runs here", flag=flag, first=first),
                ("pip install --upgrade vllm",),
            ),
        )
    other = of_another(flag)
    if other is not None:
        told, own = other
        return (Cause("KVD903", 0.95, told, (own,) if own else ()),)
    near = nearest_flag(flag)
    return (
        Cause(
            "KVD903",
            0.8,
            _("vLLM has no {flag} in this version", flag=flag),
            (near,) if near else (),
        ),
        Cause("KVD901", 0.3, _("was it one in an earlier version?")),
    )


def _is_other(program: str | None) -> bool:
    return program is not None and "launch_server" in program


def _keyword(match: re.Match[str]) -> tuple[Cause, ...]:
    from doctor.explain.log.flags import gone

    name = match["name"]
    instead = gone("--" + name.replace("_", "-"))
    if instead is not None:
        return (Cause("KVD901", 0.95, _("{name} is gone: {instead}", name=name, instead=instead)),)
    return (
        Cause("KVD903", 0.7, _("{name} is not known to this version", name=name)),
        Cause("KVD901", 0.4, _("was it in an earlier one?")),
    )


def _ambiguous(match: re.Match[str]) -> tuple[Cause, ...]:
    from doctor.explain.log.flags import gone

    flag = match["flag"]
    instead = gone(flag)
    if instead is not None:
        return (
            Cause("KVD901", 0.9, _("{flag} is gone: {instead}", flag=flag, instead=instead)),
            Cause("KVD903", 0.2, _("or write the flag in full")),
        )
    return (Cause("KVD903", 0.9, _("write the flag in full: the text lists them")),)


SYMPTOMS = (
    symptom(
        r"(?:(?<![\w.-])(?P<program>[\w.-]+(?: serve)?): )?error: unrecognized arguments:"
        r" (?P<words>.+)",
        _("the launch line holds what this program does not know"),
        _unrecognized,
    ),
    symptom(
        r"error: ambiguous option: (?P<flag>--[\w-]+)\S* could match",
        _("the flag is cut short, and several begin like that"),
        _ambiguous,
    ),
    symptom(
        r"argument (?P<flag>--?[\w./-]+)\S*: ignored explicit argument '(?P<value>[^']*)'",
        _("a switch takes no value in this version"),
        lambda match: (
            Cause(
                "KVD919",
                0.95,
                _("leave True out, write --no-… for False"),
                (_switched(match["flag"], match["value"]),),
            ),
        ),
    ),
    symptom(
        r"argument (?P<flag>[-\w./]+): invalid choice: '?(?P<value>[^'\s]+)'?",
        _("the flag does not take this value in this version"),
        lambda match: (
            Cause(
                "KVD919",
                0.9,
                _(
                    "{flag} does not know {value}; the text lists what it takes",
                    flag=match["flag"],
                    value=match["value"],
                ),
            ),
            Cause("KVD901", 0.1, _("was it taken in an earlier version?")),
        ),
    ),
    symptom(
        r"error: argument (?P<flag>[-\w./]+): (?:expected|invalid|value)",
        _("the value of a flag cannot be read"),
        lambda match: (
            Cause(
                "KVD919",
                0.85,
                _("{flag}: is a value missing, or the JSON not quoted?", flag=match["flag"]),
            ),
            Cause("KVD916", 0.4, _("did the shell take the quotes away?")),
        ),
    ),
    symptom(
        r"error: the following arguments are required: (?P<what>.+)",
        _("the launch line is not complete"),
        Cause("KVD916", 0.9, _("the text names what is missing")),
    ),
    symptom(
        r"model`? should be provided as the first positional argument"
        r"|vllm: error: (?:argument subparser: )?invalid choice",
        _("vllm serve wants the model right behind it"),
        Cause("KVD916", 0.95, _("vllm serve MODEL …"), ()),
    ),
    symptom(
        r"(?<!\w)(?:\w*EngineArgs|LLM|\w+Config|OpenAIServing\w+|AsyncLLM\w*)(?:\.__init__)?\(?\)?"
        r" got an unexpected keyword argument '(?P<name>\w+)'",
        _("a script gives vLLM an argument that it does not know"),
        _keyword,
    ),
    symptom(
        r"--enable-auto-tool-choice requires --tool-call-parser",
        _("automatic tool calls need a parser"),
        Cause(
            "KVD911",
            0.95,
            _("the parser goes with the model's family: hermes, llama3_json, mistral, …"),
            ("--tool-call-parser NAME",),
        ),
    ),
    symptom(
        r"invalid tool call parser: (?P<name>[\w-]+)",
        _("this version has no tool parser of that name"),
        lambda match: (
            Cause(
                "KVD919", 0.85, _("the text lists the names; {name} is none", name=match["name"])
            ),
            Cause("KVD911", 0.5, _("a newer vLLM may have it")),
        ),
    ),
    symptom(
        r"reasoning parser '?(?P<name>[\w-]+)'? not found|invalid reasoning parser: (?P<other>\S+)",
        _("this version has no reasoning parser of that name"),
        lambda match: (
            Cause(
                "KVD919",
                0.95,
                _("the text lists the names; {name} is none", name=match["name"] or match["other"]),
            ),
        ),
    ),
    symptom(
        r"(?:valueerror: |^)unknown vllm environment variable detected: (?P<name>VLLM_\w+)",
        _("a variable is set that this vLLM does not know, and unknown ones are not allowed"),
        lambda match: (
            Cause("KVD903", 0.7, _("{name}: is it spelled right?", name=match["name"])),
            Cause("KVD901", 0.5, _("was it one of an earlier version?")),
        ),
    ),
    symptom(
        r"vllm_allow_runtime_lora_updating cannot be used with",
        _("adapters cannot be changed while this kind of server runs"),
        Cause("KVD919", 0.9, _("leave the variable out, or run one API server")),
    ),
    symptom(
        r"(?<!\d)\d+ validation errors? for (?P<config>\w+Config|EngineArgs)\b",
        _("a value of the launch line is not one that vLLM takes"),
        lambda match: (
            Cause(
                "KVD919",
                0.5,
                _(
                    "the text behind it names the value; it belongs to {config}",
                    config=match["config"],
                ),
            ),
        ),
        generic=True,
    ),
)


def _switched(flag: str, value: str) -> str:
    name = "--" + flag.split("/")[0].lstrip("-")
    return f"--no-{name[2:]}" if value.lower() in ("false", "0", "no") else name
