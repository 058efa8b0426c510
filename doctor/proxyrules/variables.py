"""How programs read proxy variables: which case of a name wins, and what an empty value does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doctor.facts.machine import Environment
from doctor.records import dataclass

SYSTEM_NAMES = {"darwin": "macOS system proxy", "win32": "Windows system proxy"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A value with the variable, or the setting of the system, that it was read from."""

    name: str
    value: str


class Variables:
    """The environment by the rules of its platform: on Windows a name has no case."""

    def __init__(self, environment: Environment) -> None:
        self._values = environment.variables
        self._caseless = environment.platform == "win32"
        self._system = environment.system_proxies
        self._system_name = SYSTEM_NAMES.get(environment.platform, "system proxy")
        self._folded = {name.lower(): name for name in self._values} if self._caseless else {}

    def find(self, name: str) -> Chosen | None:
        """The variable ``name``, None where it is not set; its value may be empty."""
        if self._caseless:
            name = self._folded.get(name.lower(), name)
        value = self._values.get(name)
        return None if value is None else Chosen(name, value)

    def __iter__(self) -> Iterator[Chosen]:
        return (Chosen(name, value) for name, value in self._values.items())

    def first_set(self, *names: str) -> Chosen | None:
        """The first that is set and not empty, as ``a || b`` does in JavaScript."""
        found = (self.find(name) for name in names)
        return next((chosen for chosen in found if chosen is not None and chosen.value), None)

    def first_there(self, *names: str) -> Chosen | None:
        """The first that is set at all; an empty one ends the search, as ``a ?? b`` does."""
        found = (self.find(name) for name in names)
        chosen = next((chosen for chosen in found if chosen is not None), None)
        return chosen if chosen is not None and chosen.value else None

    def python(self) -> dict[str, Chosen]:
        """What ``urllib.request.getproxies()`` gives: "http", "https", "all", "no", … → value.

        Lower case wins over upper case, and an empty lower-case variable deletes what upper case
        said. Under CGI only lower-case ``http_proxy`` counts. The system's proxies are asked for
        only if no variable says anything at all.
        """
        found: dict[str, Chosen] = {}
        for chosen in self:
            if chosen.value and chosen.name.lower().endswith("_proxy"):
                found[chosen.name.lower()[:-6]] = chosen
        if self.find("REQUEST_METHOD") is not None:
            found.pop("http", None)
        for chosen in self:
            if not chosen.name.endswith("_proxy"):
                continue
            key = chosen.name.lower()[:-6]
            if chosen.value:
                found[key] = chosen
            else:
                found.pop(key, None)
        return found or {
            scheme: Chosen(self._system_name, url) for scheme, url in (self._system or {}).items()
        }

    def without(self, names: Iterable[str]) -> Variables:
        """These variables as if ``names`` were not set."""
        dropped = set(names)
        return self._with({k: v for k, v in self._values.items() if k not in dropped})

    def replaced(self, name: str, value: str) -> Variables:
        """These variables with ``name`` set to ``value``."""
        return self._with({**self._values, name: value})

    def _with(self, values: dict[str, str]) -> Variables:
        other = Variables.__new__(Variables)
        other._values = values
        other._caseless = self._caseless
        other._system = self._system
        other._system_name = self._system_name
        other._folded = {name.lower(): name for name in values} if self._caseless else {}
        return other
