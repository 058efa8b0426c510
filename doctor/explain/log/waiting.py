"""Starts that have not ended: what the engine's server waits for, and how far the start has come.

vllm/v1/engine/utils.py@0.32.0 tells every ten seconds, where debug messages are logged, how many
engines have not connected or not started; shm_broadcast.py each minute that a worker does not
answer; v1/executor/ray_utils.py that Ray has not found the GPUs. None of them is a fault.
"""

from __future__ import annotations

from doctor.explain.model import Cause
from doctor.explain.read import Seen
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import REDACTOR
from doctor.text import Text, _
from doctor.untrusted import visible

_WAITS = Pattern(
    r"[Ww]aiting for (?:(?P<local>\d+) local, (?P<remote>\d+) remote |\d+ (?:local )?)?core engine"
    r" proc\(s\) to (?:connect|start)"
    r"|No available (?:shared memory broadcast )?(?P<block>block) found in \d+ second"
    r"|Waiting for creating a (?P<group>placement group) of specs"
)
_LOADS = Pattern(
    r"Starting to load model|checkpoint shards: +\d|Loading model from|Load pretrained"
)
_KEPT = 500
_TALK = _("or do the ranks not reach one another? NCCL_DEBUG=INFO shows it")


@dataclass(slots=True)
class Waits:
    """``line`` and ``text`` are the first line that tells of it; ``remote`` engines are awaited
    from other machines, as the last one has it. ``for_workers``: nothing but a worker that does
    not answer, as an engine at rest has it too. ``loads``: the weights were begun with."""

    line: int = 0
    text: str = ""
    times: int = 0
    remote: int = 0
    for_ray: bool = False
    for_workers: bool = True
    loads: bool = False

    def take(self, number: int, text: str) -> bool:
        """Whether ``text`` tells that something is awaited."""
        match = _WAITS.search(text)
        if match is None:
            self.loads = self.loads or _LOADS.search(text) is not None
            return False
        if not self.times:
            self.line, self.text = number, text
        self.times += 1
        self.remote = int(match["remote"] or 0)
        self.for_ray = match["group"] is not None
        self.for_workers = self.for_workers and match["block"] is not None
        return True


def still_waiting(waits: Waits, *, begun: bool, loaded: bool) -> Seen | None:
    """A start that was waited for when the log ends; None where nothing tells of it. ``begun``: the
    log has its beginning, ``loaded``: the weights are on the GPU."""
    if not waits.times or (waits.for_workers and not begun):
        return None
    meaning, causes = _of(waits, loaded)
    text = visible(REDACTOR(waits.text).strip(), _KEPT)
    return Seen(text, waits.line, meaning, causes, False, waits.times)


def _of(waits: Waits, loaded: bool) -> tuple[Text, tuple[Cause, ...]]:
    if waits.for_ray:
        return _("Ray has not found the GPUs that the ranks need"), (
            Cause("KVD904", 0.75, _("compare tensor × pipeline parallel with 'ray status'")),
            Cause("KVD923", 0.4, _("or does a node name itself by an address that others"
                                   " do not reach? VLLM_HOST_IP is its own")),
        )  # fmt: skip
    if waits.remote:
        return _("engines of other machines are awaited"), (
            Cause(
                "KVD923",
                0.75,
                _(
                    "{count} are missing: were they started with --headless, and do they reach the"
                    " address and the port that --data-parallel-address and"
                    " --data-parallel-rpc-port name?",
                    count=waits.remote,
                ),
                ("--data-parallel-address", "--headless"),
            ),
            Cause("KVD915", 0.3, _("or are they still loading?")),
        )
    meaning = _("the engine has not come to the end of its start")
    if loaded:
        told = _(
            "the weights are loaded; what follows is compiled and captured, at a first start for"
            " minutes: is a processor busy with it?"
        )
        return meaning, (Cause("KVD915", 0.7, told), Cause("KVD923", 0.25, _TALK))
    if waits.loads:
        told = _(
            "it downloads and loads the weights, which may take long: does the folder that HF_HOME"
            " names grow, or is the disk read? A probe has to wait as long"
        )
        return meaning, (Cause("KVD915", 0.75, told), Cause("KVD923", 0.25, _TALK))
    told = _("nothing tells of the weights yet: does the log still move?")
    return meaning, (Cause("KVD915", 0.55, told), Cause("KVD923", 0.4, _TALK))
