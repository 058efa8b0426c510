"""Token ids from a ``tokenizer.json`` and the model's chat template, as the engine makes them.

Needs the packages tokenizers and jinja2 (``kvdoctor[tokens]``).
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from doctor.prefix.prompts import NoPrompt
from doctor.text import _


class NoTokenizer(Exception):
    """No tokenizer can be had; the text says what is missing."""


class LocalTokens:
    """``folder`` holds ``tokenizer.json`` and the template (``chat_template.jinja`` or the entry
    of ``tokenizer_config.json``). Raises ``NoTokenizer``."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = _tokenizer(folder)
        self._config = _config(folder)
        self._template = _template(folder, self._config)

    def of(self, body: Mapping[str, Any]) -> Sequence[int]:
        """The ids of a chat, a plain prompt, or a list of ids as it is. Raises ``NoPrompt``."""
        prompt = body.get("prompt", body.get("input"))
        if isinstance(prompt, list) and all(isinstance(part, int) for part in prompt):
            return [int(part) for part in prompt]
        if isinstance(prompt, str):
            return self._ids(prompt, special=True)
        return self._ids(self._rendered(body), special=False)

    def ahead(self, bodies: Sequence[Mapping[str, Any]]) -> None:
        """There is nobody to wait for."""

    def _ids(self, text: str, *, special: bool) -> Sequence[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=special).ids
        return ids

    def _rendered(self, body: Mapping[str, Any]) -> str:
        names = ("bos_token", "eos_token", "pad_token", "unk_token")
        special = {name: _word(self._config.get(name)) for name in names}
        kwargs = body.get("chat_template_kwargs")
        given = {
            "messages": turns_of(body),
            "tools": body.get("tools") or None,
            "add_generation_prompt": True,
            **special,
            **(kwargs if isinstance(kwargs, dict) else {}),
        }
        try:
            text: str = self._template.render(given)
        except Exception as error:  # a template is a program, and a request may be any
            raise NoPrompt(_("the chat template refuses it: {error}", error=str(error))) from None
        return text


def turns_of(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of any API's body, with the system text in front, as a chat template takes
    them."""
    turns = list(body.get("messages") or body.get("input") or ())
    system = body.get("system", body.get("instructions"))
    if system:
        turns.insert(0, {"role": "system", "content": _plain(system)})
    return [{**turn, "content": _plain(turn.get("content"))} for turn in turns]


def _plain(content: Any) -> Any:
    """Text parts as one string, which is how the engine gives them to most templates."""
    if isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        return "\n".join(part["text"] for part in content)
    return content


def _word(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else ""


def _tokenizer(folder: Path) -> Any:
    path = folder / "tokenizer.json"
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise NoTokenizer(_("exact tokens need kvdoctor[tokens]")) from None
    if not path.is_file():
        raise NoTokenizer(_("{path}: no such file", path=str(path)))
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare exceptions
        raise NoTokenizer(f"{path}: {error}") from None


def _config(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _template(folder: Path, config: Mapping[str, Any]) -> Any:
    try:
        from jinja2 import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise NoTokenizer(_("exact tokens need kvdoctor[tokens]")) from None
    file = folder / "chat_template.jinja"
    source = file.read_text("utf-8") if file.is_file() else config.get("chat_template")
    if isinstance(source, list):
        source = next((one.get("template") for one in source if one.get("name") == "default"), None)
    if not isinstance(source, str):
        raise NoTokenizer(_("{folder}: the model has no chat template", folder=str(folder)))
    # As transformers sets it up: what templates rely on.
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise
    # The same moment for all prompts: that it passes is KVD711's.
    environment.globals["strftime_now"] = datetime.datetime.now().strftime
    try:
        return environment.from_string(source)
    except TemplateError as error:
        raise NoTokenizer(f"{folder}: {error}") from None


def _tojson(value: Any, indent: int | None = None, **_others: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(message: str) -> None:
    from jinja2 import TemplateError

    raise TemplateError(message)
