"""What is known about the base URL of one connection, and what speaks of it."""

from __future__ import annotations

import enum
from dataclasses import field

from doctor import bases
from doctor.bases import Convention, Fault
from doctor.checkapi import Confidence, Unavailable, _
from doctor.clients import ClientProfile
from doctor.connection import Connection
from doctor.facts.answers import ModelsReply, OutcomeKind, Product, Reply
from doctor.facts.network import Endpoint
from doctor.records import dataclass
from doctor.settings.providers import Provider, provider_for_host, provider_of_console
from doctor.urls import Base, Reading

from . import _replies

# These show in the text of the base, so that no reply is needed to rule them out.
_TEXTUAL = frozenset({Fault.MALFORMED, Fault.QUERY, Fault.ENDPOINT, Fault.DOUBLED})


class ToldBy(enum.Enum):
    """What a fault is known from."""

    TEXT = enum.auto()
    PROVIDER = enum.auto()
    REDIRECT = enum.auto()
    REPLY = enum.auto()
    REFUSAL = enum.auto()
    KEY_FIRST = enum.auto()
    PRODUCT = enum.auto()
    PORT = enum.auto()


@dataclass(frozen=True, slots=True)
class Spoken:
    """The one fault that speaks, with the base that would be right.

    ``base`` is None where no base on the same host helps. A ``guess`` is one of several.
    """

    fault: Fault
    base: str | None
    confidence: Confidence = Confidence.HIGH
    guess: bool = False
    rank: int = 0
    told_by: ToldBy = ToldBy.TEXT


@dataclass(frozen=True, slots=True)
class Situation:
    """What the facts tell of the base of one connection.

    ``unavailable`` is the reason why no completion was asked for, None if one was. ``product`` is
    only asked for where nothing was found.
    """

    connection: Connection
    client: ClientProfile
    convention: Convention
    reading: Reading
    endpoint: Endpoint | None
    completion: Reply | None
    models: ModelsReply | None
    product: Product | None
    unavailable: str | None
    spoken: tuple[Spoken, ...] = field(default=())

    @property
    def given(self) -> str:
        return self.connection.base_url.value

    @property
    def base(self) -> Base | None:
        return self.reading.base

    @property
    def provider(self) -> Provider | None:
        """Known by its host name, which is sure."""
        base = self.base
        return None if base is None or base.port else provider_for_host(base.host)

    @property
    def likely_server(self) -> Provider | None:
        """What usually listens on this port of this machine, which is not."""
        base = self.base
        return None if base is None else provider_for_host(base.host, base.port)

    @property
    def console_of(self) -> Provider | None:
        base = self.base
        if base is None:
            return None
        return provider_of_console(base.host, base.path)

    @property
    def reply(self) -> Reply | None:
        """The reply that shows where the base leads: the completion's, else the models list's."""
        if self.completion is not None:
            return self.completion
        return None if self.models is None else self.models.reply

    @property
    def works(self) -> bool:
        """An API answered below this base: whatever fails, the base is right."""
        if self.completion is not None:
            return _replies.reached_api(self.completion)
        return self.models is not None and self.models.models is not None

    @property
    def nothing_there(self) -> bool:
        return self.reply is not None and _replies.nothing_there(self.reply)

    @property
    def lists_models(self) -> bool:
        """The models list is served below this base, or its route at least asks for a key."""
        if self.models is None:
            return False
        kind = self.models.reply.outcome.kind
        key_asked = kind in (OutcomeKind.KEY_MISSING, OutcomeKind.KEY_REFUSED)
        return self.models.models is not None or key_asked

    @property
    def shape_is_wrong(self) -> bool:
        """The path alone makes the base doubtful for this client."""
        base = self.base
        if base is None:
            return True
        if bases.is_page(base) or bases.two_versions(base):
            return True
        return not self.convention.adds_version and not bases.has_version(base.segments)

    @property
    def path_is_meant(self) -> bool:
        """The client itself makes of the base what its text means (it trims, it keeps a query
        behind the path), so that the fault hits other clients only."""
        if self.endpoint is None or self.endpoint.url is None or self.base is None:
            return False
        meant = self.base.at(*self.base.segments, *self.convention.appends)
        return self.endpoint.path == meant.path

    def of(self, *faults: Fault) -> tuple[Spoken, ...]:
        """What speaks of one of ``faults``.

        Raises ``Unavailable`` where no reply tells whether the base is right.
        """
        chosen = tuple(spoken for spoken in self.spoken if spoken.fault in faults)
        if not self.spoken and not _TEXTUAL.issuperset(faults) and self._undecided:
            raise Unavailable(
                self.unavailable or _("the reply does not tell whether the base URL is right")
            )
        return chosen

    @property
    def _undecided(self) -> bool:
        told = self.nothing_there and self.completion is not None
        return self.provider is None and not self.works and not told
