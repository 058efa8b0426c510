"""What is told of a base: its fault, another base, and what a client makes of one."""

from __future__ import annotations

import enum

from doctor.bases.paths import is_version
from doctor.clients.base import ClientProfile, ClientRefusal
from doctor.connection import Protocol
from doctor.records import dataclass
from doctor.urls import Base


class Fault(enum.StrEnum):
    """What a base lacks or has too much. Each is the business of one check."""

    MALFORMED = "malformed"
    QUERY = "query"
    ENDPOINT = "endpoint"
    DOUBLED = "doubled"
    WITHOUT_VERSION = "without-version"
    WITHOUT_PREFIX = "without-prefix"
    OTHER_CLIENT = "other-client"
    OTHER_PROVIDER = "other-provider"
    CONSOLE = "console"
    NOT_SERVED_VERSION = "not-served-version"
    SCHEME = "scheme"
    SLASH = "slash"
    MOVED_AWAY = "moved-away"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Another base on the same host. ``rank`` orders guesses, lower first."""

    base: str
    fault: Fault
    rank: int = 0


_PROBE, _ANY_MODEL = "a-base-without-version", "any-model"


@dataclass(frozen=True, slots=True)
class Convention:
    """What one client makes of its base: the segments that it appends for its protocol.

    ``in_place`` says that they take the place of what stands behind the last slash of the base.
    """

    protocol: Protocol
    appends: tuple[str, ...]
    in_place: bool = False

    @classmethod
    def of(cls, client: ClientProfile, protocol: Protocol) -> Convention:
        path = client.paths[protocol].partition("?")[0]
        own = tuple(part for part in path.split("/") if part)
        # Bases of Google's API hold no version, whatever those of the client's other APIs do.
        without = not client.base_has_version or protocol is Protocol.GEMINI_GENERATE
        if without and own and not is_version(own[0]):
            own = _brought(client, path) or own
        return cls(protocol, own, bool(own) and _PROBE not in _joined(client, path))

    @property
    def anthropic(self) -> bool:
        return self.protocol is Protocol.ANTHROPIC_MESSAGES

    @property
    def of_google(self) -> bool:
        return self.protocol is Protocol.GEMINI_GENERATE

    @property
    def adds_version(self) -> bool:
        """The base must not have the version, for the client brings it."""
        return bool(self.appends) and is_version(self.appends[0])

    @property
    def takes_endpoint(self) -> bool:
        """Nothing is appended: the setting holds the whole address."""
        return not self.appends

    @property
    def holds(self) -> tuple[str, ...]:
        """What of the protocol's endpoint the base itself has to end in."""
        whole, count = ENDPOINTS[self.protocol], len(self.appends)
        return whole[:-count] if count and whole[-count:] == self.appends else ()

    def written(self, base: Base) -> str:
        """``base`` as it has to stand in the settings."""
        return base.url + ("/" if self.in_place else "")


def _brought(client: ClientProfile, path: str) -> tuple[str, ...]:
    """What a client appends whose join rule itself brings the version."""
    parts = _joined(client, path).partition(_PROBE)[2].split("/")
    return tuple(part.replace(_ANY_MODEL, "{model}") for part in parts if part)


def _joined(client: ClientProfile, path: str) -> str:
    try:
        return client.join(f"https://host/{_PROBE}", path.replace("{model}", _ANY_MODEL))
    except ClientRefusal:
        return _PROBE


OPENAI = Convention(Protocol.OPENAI_CHAT, ("chat", "completions"))
ANTHROPIC = Convention(Protocol.ANTHROPIC_MESSAGES, ("v1", "messages"))
_GENERATE = "{model}:streamGenerateContent"
# The endpoint below a base of the providers' table, which holds them as the SDKs want them.
ENDPOINTS = {
    Protocol.OPENAI_CHAT: ("chat", "completions"),
    Protocol.OPENAI_RESPONSES: ("responses",),
    Protocol.ANTHROPIC_MESSAGES: ("v1", "messages"),
    Protocol.GEMINI_GENERATE: ("v1beta", "models", _GENERATE),
}
