"""What a public text should not tell of its writer: names of people and machines, not only keys."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from doctor.secrets import Redactor, Secret, mask
from doctor.settings.providers import provider_for_host

_SHORTEST = 3
# Accounts that say nothing of their user, and words that texts are full of.
_COMMON = frozenset(
    {"root", "admin", "user", "ubuntu", "debian", "runner", "app", "default", "guest", "test"}
    | {"demo", "node", "docker", "vllm"}
)
_HOST = re.compile(r"://(?:[^\s/@]{1,400}@)?([A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)")
_LOCAL = frozenset({"localhost", "host.docker.internal"})


class Private(Redactor):
    """A redactor on top of another: also home folders, the account's and the machine's name.

    With ``hosts`` every host that no known provider has gets a made-up name, the same each time.
    ``taken`` counts what was replaced by kind.
    """

    def __init__(
        self, base: Redactor, *, home: str, user: str, machine: str, hosts: bool = False
    ) -> None:
        super().__init__()
        self._base = base
        self._home = home if len(home) > 1 else ""
        self._words = [
            (kind, re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE), shown)
            for kind, word, shown in (("user", user, "USER"), ("machine", machine, "MACHINE"))
            if len(word) >= _SHORTEST and word.lower() not in _COMMON | _LOCAL
        ]
        self._hosts: dict[str, str] | None = {} if hosts else None
        self.taken: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        text = self._base(text)
        if self._home and self._home in text:
            self._count("home", text.count(self._home))
            text = text.replace(self._home, "~")
        for kind, word, shown in self._words:
            text, times = word.subn(shown, text)
            self._count(kind, times)
        return text if self._hosts is None else self._without_hosts(text, self._hosts)

    def hide(self, urls: Iterable[str]) -> None:
        """Learn hosts ahead, so that they are hidden where no scheme is in front of them."""
        if self._hosts is not None:
            for url in urls:
                for host in _HOST.findall(url):
                    self._name(host, self._hosts)

    def _without_hosts(self, text: str, hosts: dict[str, str]) -> str:
        for host in _HOST.findall(text):
            self._name(host, hosts)
        if not hosts:
            return text
        longest_first = sorted(hosts, key=len, reverse=True)
        pattern = rf"(?<![\w-])(?<!\w\.)(?:{'|'.join(map(re.escape, longest_first))})(?![\w-]|\.\w)"
        text, times = re.subn(pattern, lambda match: hosts[match[0].lower()], text, flags=re.I)
        self._count("host", times)
        return text

    def _name(self, host: str, hosts: dict[str, str]) -> None:
        name = host.lower().rstrip(".")
        if name not in hosts and not _says_nothing(name):
            hosts[name] = f"host-{len(hosts) + 1}.example"

    def _count(self, kind: str, times: int) -> None:
        if times:
            self.taken[kind] = self.taken.get(kind, 0) + times


def _says_nothing(host: str) -> bool:
    """Whether it is everybody's: this machine itself, or a provider's own host."""
    if host in _LOCAL or host.endswith((".example", ".localhost")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return provider_for_host(host) is not None
    return address.is_loopback or address.is_unspecified


def masks_in(text: str, secrets: Iterable[Secret]) -> int:
    """How often a key stands masked in ``text``. One that is too short to be told by its mask does
    not count."""
    masks = {mask(secret.reveal()) for secret in secrets}
    return sum(text.count(shown) for shown in masks if len(shown) > _SHORTEST)
