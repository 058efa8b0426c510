"""From whatever configuration a machine has to the targets and settings of a run.

Sources, in the order in which they name a connection that several describe: the command line,
``kvdoctor.toml``, the process environment with the ``.env`` of the working folder, compose files,
settings files of the working folder. Every value keeps its place and what it shadows.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from pathlib import Path

from doctor.clients import ids
from doctor.clients.machine import Machine
from doctor.connection import Connection, Origin, OriginKind
from doctor.facts.machine import Environment
from doctor.facts.settings import EnvFile, Login, Settings
from doctor.misplaced import is_key
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import ANTHROPIC_SDK, OPENAI_SDK
from doctor.settings.candidates import Candidate, merged, with_effect
from doctor.settings.carried import carried, of_address, of_variables
from doctor.settings.client_targets import client_targets
from doctor.settings.env_files import Spaces, spaces
from doctor.settings.errors import ConfigError
from doctor.settings.flags import apply, check_request, chosen_client, gives_key, laid
from doctor.settings.found import Found
from doctor.settings.ignore import IgnoreRule
from doctor.settings.names import looks_like_key
from doctor.settings.places import Places
from doctor.settings.request import TargetRequest
from doctor.settings.sdk_targets import anthropic_target, openai_target
from doctor.settings.secret_files import git_root, secret_files, tracked_by_git
from doctor.settings.space_targets import of_space
from doctor.settings.textfile import names_in
from doctor.settings.toml_targets import read_tomls, toml_targets
from doctor.settings.variables import Space
from doctor.target import Target
from doctor.text import _
from doctor.untrusted import visible

__all__ = ["ConfigError", "Discovery", "IgnoreRule", "TargetRequest", "discover"]

_DATA_ENDINGS = (".json", ".jsonc", ".toml", ".yaml", ".yml")
# "taotoken.net/api", "localhost:8000": no name that kvdoctor gives has these characters.
_ADDRESS = Pattern(r"://|[/:]|^[\w-]+(\.[\w-]+)+$")


@dataclass(frozen=True, slots=True)
class Discovery:
    """``targets`` are what to examine, ``settings`` all that was seen, whoever uses it.

    ``secrets`` are every secret that came by, for the redactor to learn before anything is shown.
    ``ignores`` are the user's exceptions. ``elsewhere`` says of clients that were named where they
    go and nothing is examined.
    """

    targets: tuple[Target, ...] = ()
    settings: Settings = field(default_factory=Settings)
    notes: tuple[str, ...] = ()
    secrets: tuple[Secret, ...] = ()
    ignores: tuple[IgnoreRule, ...] = ()
    elsewhere: tuple[str, ...] = ()


def discover(request: TargetRequest, environment: Environment) -> Discovery:
    """Find the targets. Reads files below the working folder and the user's own kvdoctor.toml.

    Raises ``ConfigError`` for flags and files of kvdoctor's own that make no sense.
    """
    check_request(request)
    cwd = Path(environment.cwd)
    root = project_root(cwd, environment.home)
    places = Places.of(environment, None if root is None else str(root))
    machine = Machine.of(
        environment,
        places,
        keychain=request.keychain,
        helpers=request.run_key_helper,
        trusts_project=request.trust_project,
    )
    seen = spaces(request, environment, places)
    found, ignores = toml_targets(read_tomls(environment, places, root), seen.own, places)
    for space in (seen.own, *seen.containers):
        found.extend(of_space(space))
    if request.env_file is None:
        found.extend(client_targets(machine, found.candidates))
        found.extend(_of_folder(cwd, places, seen.own, found.taken))
    found.extend(seen.found)
    known = merged(_without_superseded_guesses(found.candidates))
    selected = _selected(request, known, seen.own, found, machine)
    chosen = tuple(apply(request, selected, seen.own, places, found))
    if not request.names and request.base_url is None:
        found.note(_of_no_target(found, chosen))
    settings = _settings(found, chosen)
    return Discovery(
        targets=tuple(candidate.target() for candidate in chosen),
        settings=settings,
        notes=tuple(found.notes),
        secrets=tuple(dict.fromkeys(_secrets(chosen, settings, seen, environment))),
        ignores=ignores,
        elsewhere=tuple(found.elsewhere),
    )


def project_root(cwd: Path, home: str) -> Path | None:
    """The git root that ``cwd`` lies in. A home that is itself kept under git is no project."""
    root = git_root(cwd)
    if root is None or Path(os.path.realpath(home)).is_relative_to(os.path.realpath(root)):
        return None
    return root


def _of_folder(cwd: Path, places: Places, space: Space, taken: Collection[str]) -> Found:
    """What the files of the working folder itself say. Parsers are loaded where there is one."""
    found = Found()
    names = names_in(cwd)
    if any(name.lower().endswith(_DATA_ENDINGS) for name in names):
        from doctor.settings.settings_files import settings_files

        found.extend(settings_files(cwd, places, space, taken))
    if ".github" in names:
        from doctor.settings.workflows import workflows

        found.extend(workflows(cwd, places))
    return found


def _without_superseded_guesses(candidates: list[Candidate]) -> list[Candidate]:
    """Leave out a provider's default address for a key for which some source says the address."""

    def guessed(candidate: Candidate) -> bool:
        return candidate.connection.base_url.origin.kind is OriginKind.PROVIDER

    stated = {
        candidate.connection.key.origin
        for candidate in candidates
        if candidate.connection.key is not None and not guessed(candidate)
    }
    return [
        candidate
        for candidate in candidates
        if not guessed(candidate)
        or candidate.connection.key is None
        or candidate.connection.key.origin not in stated
    ]


def _selected(
    request: TargetRequest,
    known: tuple[Candidate, ...],
    space: Space,
    found: Found,
    machine: Machine,
) -> list[Candidate]:
    """What the user asked for; everything, where nothing was asked for."""
    client = chosen_client(request)
    if request.base_url is not None:
        if len(request.names) > 1:
            raise ConfigError(_("--base-url is for one target: name one, or none"))
        if request.names:
            named = _named(request.names[0], request, known, space, found, machine)
            return [_moved(candidate, request.base_url) for candidate in named]
        origin = Origin(OriginKind.FLAG, "--base-url")
        return [_at(request.base_url, origin, request, space, found, known)]
    if request.names:
        chosen: dict[str, Candidate] = {}
        for name in request.names:
            for candidate in _named(name, request, known, space, found, machine):
                chosen.setdefault(candidate.id, candidate)
        return _examined(chosen.values(), found)
    if client is not None:
        return _examined(_named(client, request, known, space, found, machine), found)
    return [candidate for candidate in known if not candidate.elsewhere]


def _examined(candidates: Iterable[Candidate], found: Found) -> list[Candidate]:
    """Those that go where something can be examined; of the others it is kept where they go."""
    kept = []
    for candidate in candidates:
        if candidate.elsewhere:
            found.elsewhere.append(candidate.elsewhere)
        else:
            kept.append(candidate)
    return kept


def _named(
    name: str,
    request: TargetRequest,
    known: tuple[Candidate, ...],
    space: Space,
    found: Found,
    machine: Machine,
) -> list[Candidate]:
    by_id = [candidate for candidate in known if candidate.id == name]
    matching = by_id or [candidate for candidate in known if name in candidate.names]
    if not matching and name in ids():
        matching = [c for c in known if c.connection.client == name]
        matching = matching or _of_client(name, space, found, machine)
    if matching:
        return [dataclasses.replace(candidate, named=True) for candidate in matching]
    near = _near(name, known)
    if near is None and _ADDRESS.search(name):
        origin = Origin(OriginKind.FLAG, "command line")
        return [_at(name, origin, request, space, found, known)]
    if near is not None:
        raise ConfigError(
            _(
                "no target is called '{name}'; the nearest is '{near}'",
                name=visible(name),
                near=near,
            )
        )
    listed = ", ".join(candidate.id for candidate in known) or _("none")
    raise ConfigError(
        _("no target is called '{name}'; found here: {names}", name=visible(name), names=listed)
    )


def _near(name: str, known: tuple[Candidate, ...]) -> str | None:
    """A known name that was likely meant. An address must be very near to one to be taken for it:
    files give their names to targets, and so have dots as hosts have."""
    from doctor.suggest import nearest

    names = sorted({n for candidate in known for n in candidate.names})
    if "/" in name or ":" in name:
        return None
    return nearest(name, names, 0.85 if "." in name else 0.6)


def _of_client(client: str, space: Space, found: Found, machine: Machine) -> list[Candidate]:
    if client == OPENAI_SDK:
        return openai_target(space, always=True)
    if client == ANTHROPIC_SDK:
        return anthropic_target(space, always=True)
    from doctor.clients.configured import named

    asked = named(client, machine)
    made, asked.candidates = asked.candidates, []
    found.extend(asked)
    return made


def _at(
    url: str,
    origin: Origin,
    request: TargetRequest,
    space: Space,
    found: Found,
    known: tuple[Candidate, ...],
) -> Candidate:
    from doctor.settings.file_lends import with_key_of_files
    from doctor.settings.url_targets import url_target

    candidate, note = url_target(
        url,
        origin,
        space,
        chosen_client(request),
        own_key=gives_key(request),
        beside=request.beside,
    )
    if candidate.connection.key is None and not (gives_key(request) or request.beside):
        lent = with_key_of_files(candidate, known)
        if lent is not candidate:
            return lent
    found.note([] if note is None else [note])
    return candidate


def _moved(candidate: Candidate, url: str) -> Candidate:
    """The candidate at another address, which the user typed."""
    base = laid(url, "base-url", candidate.connection.base_url)
    return dataclasses.replace(
        candidate, connection=dataclasses.replace(candidate.connection, base_url=base)
    )


def _settings(found: Found, chosen: tuple[Candidate, ...]) -> Settings:
    sightings = with_effect(dict.fromkeys(found.sightings), chosen)
    env_files = _each_once(found.env_files)
    tracked = tracked_by_git(env_files)
    return Settings(
        sightings=sightings,
        env_files=tuple(
            dataclasses.replace(file, tracked_by_git=tracked.get(path))
            for path, file in env_files.items()
        ),
        secret_files=secret_files(found.key_places),
        problems=tuple(dict.fromkeys(found.problems)),
        logins=tuple(_logins(found, chosen)),
        unsupported=tuple(dict.fromkeys(found.unsupported)),
    )


def _each_once(found: Iterable[tuple[str, EnvFile]]) -> dict[str, EnvFile]:
    """Path → file; one that several programs read has the readers of all of them."""
    files: dict[str, EnvFile] = {}
    for path, file in found:
        known = files.get(path)
        if known is not None:
            readers = tuple(dict.fromkeys((*known.readers, *file.readers)))
            file = dataclasses.replace(known, readers=readers)
        files[path] = file
    return files


def _of_no_target(found: Found, chosen: tuple[Candidate, ...]) -> Iterator[str]:
    """What keeps a client from being a target: nobody else would tell of it."""
    examined = {candidate.connection.client for candidate in chosen}
    judged = {file.path for _path, file in found.env_files} if chosen else set()
    for problem in found.problems:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        if not problem.client and problem.path not in judged:
            yield _("{place} cannot be read ({why})", place=place, why=problem.message)
        elif problem.client and problem.client not in examined:
            yield _(
                "{place} cannot be read ({why}): kvdoctor check {client} says more",
                place=place,
                why=problem.message,
                client=problem.client,
            )
    for one in found.unsupported:
        if one.fatal and one.client not in examined:
            client, place = one.client, str(one.origin)
            yield (
                _(
                    "{title} ({place}): kvdoctor check {client} says more",
                    title=visible(one.title, 200),
                    place=place,
                    client=client,
                )
                if one.title
                else _(
                    "{client} does not start with {name} ({place}): kvdoctor check {client} says "
                    "more",
                    client=client,
                    name=visible(one.name, 100),
                    place=place,
                )
            )


def _logins(found: Found, chosen: tuple[Candidate, ...]) -> Iterator[Login]:
    """Each login with the targets whose requests carry it."""
    for login in dict.fromkeys(found.logins):
        used = tuple(
            candidate.id
            for candidate in chosen
            if (
                candidate.connection.unsent is not None
                and candidate.connection.unsent.origin == login.origin
            )
            or (
                candidate.connection.key is not None
                and candidate.connection.key.origin == login.origin
            )
        )
        yield dataclasses.replace(login, in_effect_for=used)


def _secrets(
    chosen: Iterable[Candidate], settings: Settings, seen: Spaces, environment: Environment
) -> Iterator[Secret]:
    for candidate in chosen:
        yield from _of_connection(candidate.connection)
    for sighting in settings.sightings:
        yield from _held(sighting.value, sighting.raw)
    yield from (login.key for login in settings.logins if login.key is not None)
    for file in settings.env_files:
        for line in file.lines:
            yield from _held(line.raw, *(pair[1] for pair in line.values.values() if pair))
    for space in (seen.own, *seen.containers):
        for held in space:
            yield from carried(held.name, held.value)
    yield from of_variables(environment.variables)


def _of_connection(connection: Connection) -> Iterator[Secret]:
    bases = (connection.base_url.value, *(lost.value for lost in connection.base_url.shadows))
    own = (setting.value for setting in connection.variables.values())  # a proxy with a password
    for address in (*bases, connection.proxy.value, *own):
        yield from of_address(address)
    key = connection.key
    if key is not None:
        if is_key(connection.base_url.value, key.value.reveal()):
            yield Secret(connection.base_url.value)
        yield key.value
        yield from (shadowed.value for shadowed in key.shadows)
    second = connection.second_key
    if second is not None:
        yield second.value
        yield from (shadowed.value for shadowed in second.shadows)
    yield from (header.value for header in connection.headers)


def _held(*values: str | Secret) -> Iterator[Secret]:
    for value in values:
        if isinstance(value, Secret):
            yield value
        elif looks_like_key(value):
            yield Secret(value)
