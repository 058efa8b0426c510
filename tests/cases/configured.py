"""The request as a case configures it, as far as its author told: what the stub must know to tell
a changed request from the first one, and what the program is to be told by flags."""

from __future__ import annotations

import ipaddress
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .case import Case
from .commandline import CommandLine, Engine, read_command_line

_BASE_NAME = re.compile(
    r"(?:(?:(?:openai|anthropic|llm)\w*)?base[-_]?url|api[-_]?base(?:[-_]url)?|endpoint)",
    re.IGNORECASE,
)
_BASE_VARIABLE = re.compile(r"(?:^|_)(?:BASE_URLS?|API_BASE|BASE_PATH|ENDPOINT|API_URL)$")
_KEY_VARIABLE = re.compile(r"(?:^|_)(?:KEYS?|TOKEN|SECRET)$")
_MODEL_VARIABLE = re.compile(r"(?:^|_)MODEL(?:_NAME|_ID)?$")
_IN_A_FILE = re.compile(
    r"""["']?(?P<name>[A-Za-z_][\w-]*)["']?\s*[:=]\s*["']?(?P<value>https?://[^\s"',]+)"""
)
# Not env_key and the like, whose value is the name of a variable.
_KEY_IN_A_FILE = re.compile(
    r"""(?<![\w-])(?!env_)[\w-]*(?:key|token)["']?\s*[:=]\s*(?!["']?(?-i:[A-Z_]+)["']?\s)""",
    re.IGNORECASE,
)
_MODEL_IN_A_FILE = re.compile(
    r"""["']?[A-Za-z_]*model(?:_?(?:name|id))?["']?\s*[:=]\s*["'](?P<value>[^"'\s]+)["']""",
    re.IGNORECASE,
)
_OF_AN_APP = re.compile(r"~/\.config/[\w.-]+/\.env$")
_OF_ANTHROPIC = re.compile(
    r"""provider["']?\s*[:=]\s*["']?(?:anthropic|claude)\b(?![-_])""", re.IGNORECASE
)
_SPEAKERS = {"ANTHROPIC": "anthropic-messages", "CLAUDE": "anthropic-messages"}


@dataclass(frozen=True, slots=True)
class Configured:
    """``base_flag`` is a base URL that stands in a client's own file, or on a line of curl, and has
    to be passed on, as ``key_flag`` has. ``tells_key`` says whether the report holds a key at all,
    an empty one included. ``model`` "" means that the request names none, None that the report
    does not say. ``model_of_client``: no setting names it, the client asks for it of itself.
    ``env_file_of_app``: one that lies in a program's own folder, which only its user can name."""

    env: dict[str, str]
    base_url: str | None
    base_flag: str | None
    key: str | None
    key_flag: str | None
    tells_key: bool
    model: str | None
    model_flag: str | None
    max_tokens: int | None
    protocol: str
    command: CommandLine
    model_of_client: bool = False
    env_file_of_app: str | None = None

    @property
    def engine(self) -> Engine | None:
        return self.command.engine

    @property
    def scheme(self) -> str:
        return "https" if (self.base_url or "").strip().lower().startswith("https:") else "http"

    @property
    def host(self) -> str:
        return _split(self.base_url)[0]

    @property
    def is_near(self) -> bool:
        """On this machine or in this network, where servers have no website around their API."""
        return is_near(self.host)

    @property
    def port(self) -> int:
        return _split(self.base_url)[1] or (443 if self.scheme == "https" else 80)


def configured(case: Case) -> Configured:
    """What ``case`` says of the connection."""
    command = read_command_line(case.argv, case.env)
    env = {**case.env, **command.env}
    speaks = _protocol(env, case)
    in_env = _base_in(env, speaks) or _base_in(_assignments(case.files.get(".env", "")), speaks)
    in_file = None if in_env else _base_asked(command.url) or _base_in_files(case.files)
    model_flag, model = _model(case, env)
    return Configured(
        env=env,
        base_url=in_env or in_file,
        base_flag=in_file,
        key=_key(env, speaks) if command.key is None else command.key,
        key_flag=command.key,
        tells_key=command.key is not None or _tells_key(case, env),
        model=model,
        model_flag=model_flag,
        max_tokens=_max_tokens(case),
        protocol=speaks,
        command=command,
        model_of_client=bool(case.requests) and not _names_a_model(case, env),
        env_file_of_app=next((name for name in case.files if _OF_AN_APP.match(name)), None),
    )


def is_near(host: str) -> bool:
    """Whether ``host`` is no name or address of the public internet."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host


def _protocol(env: dict[str, str], case: Case) -> str:
    words = {name.split("_")[0] for name in env}
    if any('wire_api = "responses"' in text for text in case.files.values()):
        return "openai-responses"
    if "OPENAI" not in words:
        # A settings file of Claude Code names its variables.
        texts = case.files.values()
        words |= {word for word in _SPEAKERS if any(f"{word}_BASE_URL" in t for t in texts)}
        words |= {"ANTHROPIC" for text in texts if _OF_ANTHROPIC.search(text)}
        return next((_SPEAKERS[word] for word in words if word in _SPEAKERS), "openai-chat")
    return "openai-chat"


def _base_in(env: dict[str, str], speaks: str) -> str | None:
    found = [name for name in env if _BASE_VARIABLE.search(name) and env[name].strip()]
    # Of several the one of the client that the program examines.
    wanted = "ANTHROPIC" if speaks == "anthropic-messages" else "OPENAI"
    found.sort(key=lambda name: not name.startswith(wanted))
    return env[found[0]] if found else None


def _assignments(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, _equals, value in pairs}


def _base_in_files(files: dict[str, str]) -> str | None:
    for path, text in files.items():
        if "compose" in path or _is_route(text):
            continue  # the program reads such files itself; a gateway's route is no setting
        for match in _IN_A_FILE.finditer(text):
            name = match.group("name").rpartition(".")[2]
            if _is_azures_own(match.group("value"), text):
                continue
            # A client's own file may hold variables, as Claude Code's does.
            of_client = path.endswith(".json") and _BASE_VARIABLE.search(name)
            if _BASE_NAME.fullmatch(name) or of_client:
                return match.group("value")
    return None


def _is_azures_own(base: str, text: str) -> bool:
    """The resource of a client of Azure's own API, which no client of OpenAI's takes for a base."""
    own = re.search(r"azure_?deployment|api[-_]?version", text, re.IGNORECASE)
    bare = re.fullmatch(r"https://[\w.-]+\.openai\.azure\.com/?", base)
    return bare is not None and own is not None


def _is_route(text: str) -> bool:
    """A channel of one-api or new-api as JSON: what the gateway asks, not what a client does."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and isinstance(value.get("type"), int) and "models" in value


def _base_asked(url: str | None) -> str | None:
    """The base of a request that was made by hand."""
    if url is None:
        return None
    for end in ("/chat/completions", "/responses", "/v1/messages", "/models"):
        if url.endswith(end):
            return url.removesuffix(end)
    return url


def _key(env: dict[str, str], speaks: str) -> str | None:
    first = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY")
    names = [*(first if speaks == "anthropic-messages" else ()), "OPENAI_API_KEY"]
    names += [name for name in env if _KEY_VARIABLE.search(name)]
    return next((env[name] for name in names if name in env), None)


def _tells_key(case: Case, env: dict[str, str]) -> bool:
    if any(_KEY_VARIABLE.search(name) for name in env):
        return True
    return any(_KEY_IN_A_FILE.search(text) for text in case.files.values())


def _model(case: Case, env: dict[str, str]) -> tuple[str | None, str | None]:
    """The model to name by a flag, and the one in effect."""
    if case.requests:
        asked = str(case.requests[0].get("model", ""))
        return asked, asked
    in_env = next((env[name] for name in env if _MODEL_VARIABLE.search(name)), None)
    if in_env is not None:
        return None, in_env
    for text in case.files.values():
        match = _MODEL_IN_A_FILE.search(text)
        if match is not None:
            return match.group("value"), match.group("value")
    answered = _answer(case).get("model")
    named = answered if isinstance(answered, str) and answered else None
    return named, named


def _names_a_model(case: Case, env: dict[str, str]) -> bool:
    named = any(_MODEL_VARIABLE.search(name) for name in env)
    return named or any("model" in text.lower() for text in case.files.values())


def _max_tokens(case: Case) -> int | None:
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        value = case.requests[0].get(name) if case.requests else None
        if isinstance(value, int):
            return value
    return _where_it_was_cut(_answer(case))


def _where_it_was_cut(answer: dict[str, Any]) -> int | None:
    """An answer that was cut for its length is as long as it was allowed to be."""
    choices, usage = answer.get("choices"), answer.get("usage")
    if not isinstance(choices, list) or not choices or not isinstance(usage, dict):
        return None
    cut = isinstance(choices[0], dict) and choices[0].get("finish_reason") == "length"
    used = usage.get("completion_tokens")
    return used if cut and isinstance(used, int) else None


def _answer(case: Case) -> dict[str, Any]:
    """The completion in the response, or the first chunk of its stream; empty where it has none."""
    response = case.response
    if response is None or response.status != 200:
        return {}
    first = response.body.split("\n", 1)[0] if response.body.startswith("data:") else response.body
    try:
        value = json.loads(first.removeprefix("data:"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _split(url: str | None) -> tuple[str, int | None]:
    try:
        parts = urlsplit((url or "").strip())
        return (parts.hostname or "").lower(), parts.port
    except ValueError:
        return "", None
