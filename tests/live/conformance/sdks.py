"""What is asked of every SDK of OpenAI and of Anthropic, whatever its language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .case import Case, Program
from .recorder import Recorded

KEY = "sk-made-up-key-000000"
_MODEL, _MAX_TOKENS = "tiny", "7"


@dataclass(frozen=True)
class Sdk:
    """``prefix`` is that of its variables. Its script says model and limit; the variables are
    what kvdoctor reads them from. ``methods`` are those of the requests that count."""

    program: Program
    prefix: str
    methods: tuple[str, ...] = ("POST",)

    @property
    def base(self) -> str:
        return f"{self.prefix}_BASE_URL"

    @property
    def key(self) -> str:
        return f"{self.prefix}_API_KEY"

    def sent(self, request: Recorded) -> bool:
        return request.method in self.methods

    def case(self, name: str, **variables: str) -> Case:
        usual = {
            f"{self.prefix}_MODEL": _MODEL,
            f"{self.prefix}_MAX_TOKENS": _MAX_TOKENS,
            self.base: "{base}",
            self.key: KEY,
        }
        return Case(name, variables={**usual, **variables}, awaited=self.sent)

    def refused(self, name: str, **variables: str) -> Case:
        """A case in which it sends nothing."""
        return replace(self.case(name, **variables), no_request=True)

    def bases(self, sent: Mapping[str, str], refused: Mapping[str, str]) -> Iterator[Case]:
        """One case a base URL."""
        for name, value in sent.items():
            yield self.case(f"base-{name}", **{self.base: value})
        for name, value in refused.items():
            yield self.refused(f"base-{name}", **{self.base: value})

    def keys(self, sent: Mapping[str, str], refused: Mapping[str, str]) -> Iterator[Case]:
        """One case a key."""
        for name, value in sent.items():
            yield self.case(f"key-{name}", **{self.key: value})
        for name, value in refused.items():
            yield self.refused(f"key-{name}", **{self.key: value})
