"""What is worth knowing of a line and no fault of it."""

from __future__ import annotations

from doctor.launch.model import Entry, Launch
from doctor.launch.reach import open_by_default
from doctor.launch.tables import number_of
from doctor.text import Text, _

# Switch → since when it is on by itself (facts/vllm.md §1.3).
_DEFAULT_ON = {
    "--enable-prefix-caching": (0, 8, 0, 0),
    "--enable-chunked-prefill": (0, 8, 0, 0),
    "--async-scheduling": (0, 14, 0, 0),
}


def notes_of(launch: Launch) -> tuple[str, ...]:
    """In the order in which they are told."""
    notes: list[str] = [*launch.notes]
    version = launch.version
    number = number_of(version.text) or (0, 0, 0, 0)
    if version.newer:
        notes.append(
            _(
                "vLLM {version} is newer than all that are known; judged by {table}.",
                version=version.text,
                table=version.table,
            )
        )
    if number < (0, 6, 0, 0):
        notes.append(_("vLLM {version} is older than 0.6.0; judged by it.", version=version.text))
    for flag, since in _DEFAULT_ON.items():
        if launch.on(flag) and number >= since:
            notes.append(_on_by_itself(flag, since))
    if launch.entry is Entry.SERVE and launch.model is None and launch.has("--model"):
        notes.append(
            _("'vllm serve' takes the model as its first word; newer versions warn of --model.")
        )
    if launch.entry is Entry.DECLARED:
        notes.append(
            _(
                "No program reads this file as it stands: the line is what its settings mean for"
                " vLLM."
            )
        )
    port = open_by_default(launch)
    if port is not None:
        notes.append(
            _(
                "Port {port} is open to whoever reaches the machine: no address and no key is set.",
                port=port,
            )
        )
    if launch.open_ended and launch.entry is not Entry.OTHER:
        notes.append(_("Part of the arguments is only known when the command runs."))
    return tuple(dict.fromkeys(notes))


def _on_by_itself(flag: str, since: tuple[int, ...]) -> Text:
    version = ".".join(map(str, since[:3]))
    return _("{flag} is what vLLM does by itself since {version}.", flag=flag, version=version)
