"""Any program: its variables that hold a base URL are led, each with its own path.

A variable of the process stands before one of an ``.env`` file for whoever loads that as
python-dotenv does. The SDKs' own addresses, where nothing is set, are led as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from doctor.connection import Connection, OriginKind, Protocol
from doctor.facts.machine import Environment
from doctor.patterns import Pattern
from doctor.settings.discover import TargetRequest, discover
from doctor.tap.origins import origin_in
from doctor.tap.steering.base import Launch, Lead, Led, Scene, Steering, past_proxies
from doctor.text import Text, _
from doctor.urls import is_loopback

# What each SDK reads, and its client; langchain and litellm read the others.
_SDKS = (("OPENAI_BASE_URL", "openai-sdk"), ("ANTHROPIC_BASE_URL", "anthropic-sdk"))
_ALSO = ("OPENAI_API_BASE", "ANTHROPIC_API_BASE", "ANTHROPIC_API_URL", "GOOGLE_GEMINI_BASE_URL")
# Where each protocol's libraries look, for an address that was given on the command line.
_NAMES = {
    Protocol.OPENAI_CHAT: ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    Protocol.OPENAI_RESPONSES: ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    Protocol.ANTHROPIC_MESSAGES: ("ANTHROPIC_BASE_URL",),
    Protocol.GEMINI_GENERATE: ("GOOGLE_GEMINI_BASE_URL",),
}
_VARIABLE = Pattern(r"[A-Z][A-Z0-9_]*")


def leads(scene: Scene) -> tuple[Lead, ...]:
    made: dict[str, Lead] = {}
    for name, connection in _found(scene):
        made.setdefault(name, _lead(name, connection, scene))
    variables = scene.environment.variables
    for name in _ALSO:
        if variables.get(name):
            made.setdefault(name, Lead(_id(name), name, variables[name]))
    for name, client in _SDKS:
        if name not in made and (variables.get(name) or name not in variables):
            made[name] = _lead(name, _usual(client, scene.environment), scene)
    return tuple(made.values())


def _lead(name: str, connection: Connection, scene: Scene) -> Lead:
    refusal: Text | str = ""
    if not _may_choose(connection, scene):
        refusal = _(
            "{place} is the project's: set in the environment it would reach programs that do not "
            "read that file. --trust-project allows it",
            place=str(connection.base_url.origin),
        )
    return Lead(_id(name), name, connection.base_url.value, connection, refusal)


def _may_choose(connection: Connection, scene: Scene) -> bool:
    """A file of the project may lead elsewhere only the key that stands in the same file."""
    base, key = connection.base_url, connection.key
    if not base.origin.project or scene.trusts_project:
        return True
    origin = origin_in(base.value)
    if origin is None or is_loopback(origin.host):
        return True
    return key is not None and key.origin.path == base.origin.path


def _found(scene: Scene) -> Iterator[tuple[str, Connection]]:
    """Variables from which some target has its base, in the process or in an ``.env`` file."""
    for target in scene.found.targets:
        setting = target.connection.base_url
        origin = setting.origin
        if origin.kind is OriginKind.FLAG:
            # --base-url stands for what the variables would say.
            yield from ((name, target.connection) for name in _NAMES[target.connection.protocol])
        of_env_file = origin.path is not None and ".env" in origin.path.rpartition("/")[2]
        named = origin.kind is OriginKind.ENVIRONMENT or of_env_file
        if named and _VARIABLE.fullmatch(origin.name):
            yield origin.name, target.connection


def _usual(client: str, environment: Environment) -> Connection:
    return discover(TargetRequest(names=(client,)), environment).targets[0].connection


def _id(name: str) -> str:
    return name.lower().replace("_", "-")


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    variables = {lead.name: led[lead.id] for lead in leads if lead.id in led}
    return Launch(scene.command, {**variables, **past_proxies(None, scene.environment)})


STEERING = Steering(leads, launch)
