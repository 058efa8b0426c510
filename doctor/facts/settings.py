"""What the sources of settings hold: files, variables, stored logins."""

from __future__ import annotations

import enum

from doctor.connection import Origin
from doctor.records import dataclass
from doctor.secrets import Secret


class Role(enum.StrEnum):
    """What a value found in some source is for."""

    BASE_URL = "base_url"
    KEY = "key"
    MODEL = "model"
    MAX_TOKENS = "max_tokens"
    KEY_VARIABLE = "key_variable"  # the name of the variable that holds the key
    BASE_VARIABLE = "base_variable"  # one that a base URL is written with, and that is not set
    TIMEOUT = "timeout"
    PROXY = "proxy"  # of a container, where it is the container's own localhost
    WINDOW = "window"  # max_model_len as a file declares it, in tokens
    ENGINE = "engine"  # another setting of the engine as a file declares it


@dataclass(frozen=True, slots=True)
class Sighting:
    """One value found in one source, in effect or not.

    ``value`` is a Secret for keys. ``raw`` is the text as it stands in the file, before the
    reader's rules for quotes and comments. ``provider`` is an id of providers.toml where the
    variable's name says it. ``in_effect_for`` are the ids of the targets that use it.
    ``in_container`` says that it takes effect inside a container (a compose service, ``docker run
    --env-file``), where localhost is the container itself, and that nothing tells of a program
    there that listens on that port.
    """

    role: Role
    name: str
    value: str | Secret
    origin: Origin
    raw: str | Secret = ""
    provider: str | None = None
    in_effect_for: tuple[str, ...] = ()
    in_container: bool = False


class EnvReader(enum.StrEnum):
    """Programs that read the same ``.env`` line differently."""

    DOTENV = "python-dotenv"
    DOCKER = "docker --env-file"
    COMPOSE = "docker compose"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class EnvLine:
    """One assignment of a ``.env`` file. ``values`` maps each reader to (name, value); None
    where that reader drops or refuses the line. Values are Secrets if the name is a key's, and
    empty if it is of no concern to a client of a model."""

    number: int
    name: str
    raw: str | Secret
    values: dict[EnvReader, tuple[str, str | Secret] | None]


@dataclass(frozen=True, slots=True)
class EnvFile:
    """A ``.env`` file: ``readers`` are those known to read it here (by a compose file, a flag)."""

    path: str
    project: bool
    lines: tuple[EnvLine, ...]
    bom: bool = False
    crlf: bool = False
    readers: tuple[EnvReader, ...] = ()
    mode: int | None = None
    tracked_by_git: bool | None = None


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """A source that could not be read or makes no sense, with the place.

    ``client`` is the program whose file it is, "" where none is known; ``consequence`` what that
    program then does.
    """

    path: str
    line: int | None
    message: str
    client: str = ""
    consequence: str = ""


@dataclass(frozen=True, slots=True)
class SecretFile:
    """A file that holds a key: permission bits, and whether git tracks it (None: unknown)."""

    path: str
    line: int | None
    name: str
    mode: int | None
    tracked_by_git: bool | None


class LoginKind(enum.StrEnum):
    """What a stored login is. Only that it is there is told, never its text."""

    OAUTH = "oauth"
    API_KEY = "api-key"  # typed in or made at a login, kept by the program
    HELPER = "helper"  # a command that prints a key


@dataclass(frozen=True, slots=True)
class Login:
    """A credential that a client stored, or the command by which it gets one.

    ``label`` is how its users call it ("claude.ai login"). ``vendor`` is the host that the
    credential belongs to, "" where it is anybody's. ``expires_at`` is in seconds since 1970, UTC,
    None where the file does not say; ``renewable`` that its program gets a new one by itself (the
    file holds a refresh token). ``key`` is the stored key where it is one. ``managed`` says
    that an administrator set it. ``in_effect_for`` are ids of targets.
    """

    client: str
    kind: LoginKind
    label: str
    origin: Origin
    vendor: str = ""
    expires_at: float | None = None
    key: Secret | None = None
    managed: bool = False
    renewable: bool = True
    in_effect_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A setting that its program ignores or refuses.

    ``reason`` is what the program does with it, ``instead`` what to write. ``fatal`` says that the
    program does not start, ``whole`` that all of its settings are meant. ``value`` is what stands
    there, and ``replacement`` what to put in its place ("": take it out), where one edit of that
    line is all that is needed. ``title`` says what comes of it where the program neither passes
    over it nor refuses to start.
    """

    client: str
    name: str
    origin: Origin
    reason: str
    instead: str = ""
    fatal: bool = False
    value: str | None = None
    replacement: str | None = None
    title: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """All that was found, whoever uses it."""

    sightings: tuple[Sighting, ...] = ()
    env_files: tuple[EnvFile, ...] = ()
    secret_files: tuple[SecretFile, ...] = ()
    problems: tuple[SourceProblem, ...] = ()
    logins: tuple[Login, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
