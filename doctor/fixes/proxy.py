"""A proxy bypassed, or put right, for good: which proxy variables to change.

Every plan is tried on the rules of the client's own HTTP library before it is proposed. An
exclusion (NO_PROXY) touches this host only; a variable is taken out only where the proxy is of no
use to anybody as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from doctor.clients import profile
from doctor.clients.surroundings import environment_of
from doctor.connection import Change, Connection, OriginKind, ProxyMode
from doctor.facts.network import Endpoint
from doctor.fixes.draft import Draft, joined
from doctor.fixes.own_variables import add_own, change_own
from doctor.fixes.quoting import unset_line
from doctor.fixes.scene import Scene
from doctor.fixes.steps import RunText
from doctor.fixes.variables import add_variable, change_variable
from doctor.proxyrules import Route, Variables, no_proxy, route, values
from doctor.proxyrules.portable import NAMES, portable, with_target
from doctor.text import _
from doctor.urls import is_local

# A proxy that does not run or cannot be spoken to: of no use to any other host either.
_USELESS = frozenset({"KVD301", "KVD303", "KVD304"})
_ROUNDS = 8
# Clients whose settings hold variables that beat the shell's, and below which key.
_OWN_VARIABLES = {"claude-code": "env."}


@dataclass(frozen=True, slots=True)
class _VariableEdit:
    """``old`` None adds the variable, ``new`` None takes it out."""

    name: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class _Ways:
    """The client's route under changed variables, with and without its SOCKS add-on."""

    stack: str
    target: Endpoint

    def both(self, variables: Variables) -> tuple[Route, Route]:
        with_socks = route(self.stack, self.target, variables, socks=True)
        return with_socks, route(self.stack, self.target, variables, socks=False)

    def leads_to(self, variables: Variables, wanted: str | None) -> bool:
        """``wanted`` None is the direct way."""
        return all(
            one.error is None and values.same_proxy(one.proxy, wanted)
            for one in self.both(variables)
        )

    def decides(self, variables: Variables) -> Route:
        with_socks, without = self.both(variables)
        return without if without.error is not None else with_socks


def proxy_draft(change: Change, connection: Connection, scene: Scene) -> Draft:
    """What makes ``change`` of the proxy last, for a client whose proxy comes from variables.

    ``connection`` is the repaired one but for the proxy, so that its endpoint is the final one.
    """
    edits = _edits(change, connection, scene)
    if edits is None:
        return Draft(notes=(_("No change of a proxy variable leads there."),))
    whole = joined(tuple(_draft(edit, connection, scene) for edit in edits))
    if not whole.edits and change.value == ProxyMode.DIRECT:
        own = _excluded_in_own_file(connection, scene)
        if own is not None:
            return own
    names = [edit.name for edit in edits]
    if len(edits) < 2 or any(edit.new is not None for edit in edits):
        return whole
    shells = dict.fromkeys(text.shell for text in whole.texts if text.shell is not None)
    lines = tuple(
        RunText(unset_line(shell, names), shell, now=bool(whole.edits)) for shell in shells
    )
    return Draft((*whole.edits, *lines), whole.risky, whole.notes)


def _draft(edit: _VariableEdit, connection: Connection, scene: Scene) -> Draft:
    if edit.old is not None:
        held = connection.variables.get(edit.name)
        if held is not None:
            return change_own(held.origin, edit.old, edit.new, scene)
        return change_variable(scene, edit.name, edit.old, edit.new)
    ways = _ways(connection)
    assert ways is not None
    assert edit.new is not None
    chosen = ways.decides(_variables(connection, scene)).chosen
    assert chosen is not None
    beside = connection.variables.get(chosen.name)
    if beside is not None:
        return add_own(beside.origin, edit.name, edit.new, scene)
    return add_variable(scene, edit.name, edit.new, chosen.name, chosen.value)


def _excluded_in_own_file(connection: Connection, scene: Scene) -> Draft | None:
    """An exclusion in the client's own settings, where those beat the shell: it reaches this
    client alone. None where it has no such file here, or where that would not help."""
    base = connection.base_url.origin
    ways = _ways(connection)
    prefix = _OWN_VARIABLES.get(connection.client)
    if ways is None or prefix is None or base.path is None or not base.name.startswith(prefix):
        return None
    edits = _exclusion(ways, _variables(connection, scene))
    if edits is None:
        return None
    made = [
        add_own(base, edit.name, edit.new or "", scene)
        if edit.name not in connection.variables
        else change_own(connection.variables[edit.name].origin, edit.old or "", edit.new, scene)
        for edit in edits
    ]
    whole = joined(tuple(made))
    return whole if whole.edits else None


def _variables(connection: Connection, scene: Scene) -> Variables:
    """Those that the client has: the process's, and its own files' over them."""
    return Variables(environment_of(connection, scene.environment))


def _ways(connection: Connection) -> _Ways | None:
    client = profile(connection.client)
    target = client.endpoint(connection)
    return None if target.url is None else _Ways(client.stack, target)


def _edits(
    change: Change, connection: Connection, scene: Scene
) -> tuple[_VariableEdit, ...] | None:
    ways = _ways(connection)
    if ways is None or connection.proxy.origin.kind is not OriginKind.DEFAULT:
        return None
    variables = _variables(connection, scene)
    wanted = None if change.value == ProxyMode.DIRECT else str(change.value)
    if ways.leads_to(variables, wanted):
        return None
    excluded = _exclusion(ways, variables) if wanted is None else None
    taken_out = _without(ways, variables, wanted)
    if wanted is not None:
        return taken_out or _corrected(ways, variables, wanted)
    if is_local(ways.target.host) or change.code not in _USELESS:
        return excluded or taken_out
    return taken_out or excluded


def _exclusion(ways: _Ways, variables: Variables) -> tuple[_VariableEdit, ...] | None:
    held = [chosen for name in NAMES if (chosen := variables.find(name)) is not None]
    for value in _exclusions(ways.target, [chosen.value for chosen in held]):
        edits = tuple(
            _VariableEdit(chosen.name, chosen.value, value)
            for chosen in held
            if chosen.value != value
        ) or (_VariableEdit("NO_PROXY", None, value),)
        if ways.leads_to(_with(variables, edits), None):
            return edits
    return None


def _exclusions(target: Endpoint, held: list[str]) -> Iterator[str]:
    """Lists that may exclude ``target``: one that is there, one with it added, one cleaned up."""
    yield from (value for value in held if value)
    yield from (with_target(no_proxy.separated(value), target) for value in held or [""])
    yield from (portable(value, target) for value in held)


def _without(
    ways: _Ways, variables: Variables, wanted: str | None
) -> tuple[_VariableEdit, ...] | None:
    """Take the deciding variable out, with all that name the same proxy, until the way is right."""
    edits: list[_VariableEdit] = []
    for _round in range(_ROUNDS):
        changed = _with(variables, tuple(edits))
        if edits and ways.leads_to(changed, wanted):
            return tuple(edits)
        chosen = ways.decides(changed).chosen
        if chosen is None or variables.find(chosen.name) is None or chosen.name in NAMES:
            return None
        edits += [
            _VariableEdit(one.name, one.value, None)
            for one in changed
            if one.name.lower().endswith("_proxy")
            and one.name.lower() != "no_proxy"
            and (one.name == chosen.name or values.same_proxy(one.value, chosen.value))
        ]
    return None


def _corrected(ways: _Ways, variables: Variables, wanted: str) -> tuple[_VariableEdit, ...] | None:
    """Give the deciding variable, and all with the same value, the value that is right."""
    chosen = ways.decides(variables).chosen
    if chosen is None or variables.find(chosen.name) is None:
        return None
    edits = tuple(
        _VariableEdit(one.name, one.value, wanted)
        for one in variables
        if one.name.lower().endswith("_proxy") and one.value == chosen.value
    )
    return edits if ways.leads_to(_with(variables, edits), wanted) else None


def _with(variables: Variables, edits: tuple[_VariableEdit, ...]) -> Variables:
    for edit in edits:
        if edit.new is None:
            variables = variables.without([edit.name])
        else:
            variables = variables.replaced(edit.name, edit.new)
    return variables
