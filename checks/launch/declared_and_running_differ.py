"""KVD918."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from checks._engine import READS, Live, live
from checks.launch._started import Differs, Running, differences
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)
from doctor.declared import files_of, tokens_in
from doctor.facts.engine import Engine, StartLine
from doctor.facts.settings import Role, Sighting
from doctor.records import dataclass
from doctor.token_budget import served_window

if TYPE_CHECKING:
    from doctor.enginemetrics import CacheConfig

_WORDS = {"true": True, "false": False}
_CACHING = "enable_prefix_caching"


@dataclass(frozen=True, slots=True)
class _Difference:
    """One setting of a file that no program reads: what it says and what runs, as text."""

    name: str
    sighting: Sighting
    running: str

    @property
    def declared(self) -> str:
        return visible(str(self.sighting.value), 80)


@check(
    code="KVD918",
    slug="declared-and-running-differ",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    needs=(facts.SETTINGS,),
    wants=(*READS, facts.MODELS, facts.START_LINE),
    blocking=False,
)
async def declared_and_running_differ(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A file or a launch line describes the engine otherwise than it runs.

    What it checks: settings.json and config.toml of this connection (memory share, type and block
    size of the KV cache, prefix caching) against what the running engine tells of itself, and their
    window against that of an engine behind a gateway whose own list tells none (KVD603 judges the
    window otherwise). And the line that starts the engine, where it is known: the file that
    `launch` in kvdoctor.toml names, the process that listens on this machine, or the service of
    compose.yaml that publishes its port; of it the window, the block size, the memory share, prefix
    caching, the served names and the version of vLLM. "auto", and what vLLM decides by itself, is
    no difference.

    Why it matters: the engine runs as it was started. Who plans by a file that says otherwise plans
    for another engine, and the next restart brings one that nobody has tried.

    How to fix: write into the file what runs, or start the engine as the file says.

    Fix safety: changing the file changes no engine; changing the engine needs a restart.

    References: facts/gateway-clients.md §§4.1, 4.2; facts/vllm.md §§1.3, 2.6, 3.2.
    """
    settings = await f.get(facts.SETTINGS)
    paths = files_of(f.connection, settings)
    declared = [
        sighting
        for sighting in settings.sightings
        if sighting.role in (Role.ENGINE, Role.WINDOW) and sighting.origin.path in paths
    ]
    line = await f.find(facts.START_LINE)
    if not declared and line is None:
        raise NotApplicable("no file or process tells how the engine is started")
    seen = None
    try:
        seen = await live(f, twice=False)
        engine = seen.engine
    except Unavailable:
        engine = await f.get(facts.ENGINE)
    found: list[_Difference] = []
    if seen is not None and seen.cache is not None:
        found += _of_cache(declared, seen.cache)
    found += await _of_window(f, declared, engine)
    if found:
        yield _finding(found, engine)
    if line is not None:
        other = list(differences(line, await _running(f, engine, seen)))
        if other:
            yield _of_line(line, other, engine)


async def _running(f: DeclaredFacts, engine: Engine, seen: Live | None) -> Running:
    models = engine.models
    if not engine.behind:
        listing = await f.find(facts.MODELS)
        models = None if listing is None else listing.models
    series = () if seen is None else seen.metrics.series
    labels = next((one.cache for one in series if one.cache), {})
    return Running(labels, models or (), engine.version)


def _of_line(line: StartLine, found: list[Differs], engine: Engine) -> Finding:
    caching = any(each.stated.name == _CACHING and each.running == "False" for each in found)
    advice = (
        _(
            "It is the command of the process that runs: what it reads has changed since (its"
            " --config file, the installed vLLM), or vLLM has decided otherwise. A restart takes"
            " what stands there now."
        )
        if line.running
        else _("Write into the file what runs, or start the engine anew as it says.")
    )
    return problem(
        _title_of_line(line, found),
        joined(
            *(
                _(
                    "{place}: {declared}; the engine runs with {running}.",
                    place=each.stated.where,
                    declared=each.stated.written,
                    running=each.running,
                )
                for each in found
            ),
            advice,
        ),
        evidence=(
            *(Evidence(_("launch line"), one.stated.where, one.stated.written) for one in found),
            *(
                Evidence(_("engine"), f"{engine.root} {one.stated.name}", one.running)
                for one in found
            ),
        ),
        # That a compose file lies here and names the port does not prove that it started this.
        confidence=Confidence.HIGH if line.running or line.given else Confidence.MEDIUM,
        explains=("KVD706",) if caching else (),
    )


def _title_of_line(line: StartLine, found: list[Differs]) -> Text:
    first = found[0]
    likely = not (line.running or line.given)
    values = {"n": len(found), "place": line.place}
    if len(found) > 1 and likely:
        return _("{place} likely starts another engine than runs: {n} settings differ", **values)
    if len(found) > 1:
        return _("The engine runs otherwise than {place} says in {n} settings", **values)
    shown = {
        "place": line.place,
        "declared": first.stated.written,
        "running": first.running,
    }
    if likely:
        return _("{place} likely starts another engine: {declared}, not {running}", **shown)
    return _("{place} says {declared}, and the engine runs with {running}", **shown)


def _of_cache(declared: list[Sighting], cache: CacheConfig) -> Iterator[_Difference]:
    for sighting in declared:
        name = sighting.name.rpartition(".")[2]
        running = _now(name, str(sighting.value), cache)
        if running is not None:
            yield _Difference(name, sighting, running)


def _now(name: str, declared: str, cache: CacheConfig) -> str | None:
    """What the engine runs with where that differs; None where it does not, or nobody can say."""
    if name == "gpu_memory_utilization":
        share = _share(declared)
        unused = cache.sized_by_bytes or cache.utilization is None or share is None
        return None if unused or share == cache.utilization else f"{cache.utilization:g}"
    if name == "kv_cache_dtype":
        one, other = _kind(declared), _kind(cache.dtype or "")
        return None if one == other or not one or not other else cache.dtype
    if name == "block_size":
        size = tokens_in(declared)
        unsure = size is None or cache.block_size is None
        return None if unsure or size == cache.block_size else str(cache.block_size)
    if name == _CACHING:
        wanted = _WORDS.get(declared.lower())
        unsure = wanted is None or cache.prefix_caching is None
        return None if unsure or wanted == cache.prefix_caching else str(cache.prefix_caching)
    return None


def _share(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _kind(dtype: str) -> str:
    """Eight bits or sixteen; "" for "auto", which is the model's own."""
    if dtype.startswith("fp8"):
        return "fp8"
    return "16" if dtype in ("bfloat16", "float16", "bf16", "fp16", "half") else ""


async def _of_window(
    f: DeclaredFacts, declared: list[Sighting], engine: Engine
) -> list[_Difference]:
    listing = await f.find(facts.MODELS)
    model = f.connection.model.value if f.connection.model else None
    told = served_window(listing.models if listing is not None else None, model)
    windows = {each.window for each in engine.models or () if each.window is not None}
    if told is not None or len(windows) != 1:
        return []
    running = windows.pop()
    return [
        _Difference("max_model_len", sighting, f"{running:,}")
        for sighting in declared
        if sighting.role is Role.WINDOW and tokens_in(sighting.value) not in (None, running)
    ]


def _finding(found: list[_Difference], engine: Engine) -> Finding:
    caching = any(each.name == _CACHING and each.running == "False" for each in found)
    return problem(
        _title(found),
        joined(
            *(
                _(
                    "{place}: {declared}; the engine runs with {running}.",
                    place=str(each.sighting.origin),
                    declared=each.declared,
                    running=each.running,
                )
                for each in found
            ),
            _(
                "No engine reads this file: write into it what runs, or start the engine as it"
                " says."
            ),
        ),
        evidence=(
            *(Evidence(_("setting"), str(each.sighting.origin), each.declared) for each in found),
            *(Evidence(_("engine"), f"{engine.root} {each.name}", each.running) for each in found),
        ),
        explains=("KVD706",) if caching else (),
    )


def _title(found: list[_Difference]) -> Text:
    first = found[0]
    if len(found) > 1:
        return _("The engine runs otherwise than the files say in {n} settings", n=len(found))
    return _(
        "{name} is {declared} in the file and {running} in the running engine",
        name=first.name,
        declared=first.declared,
        running=first.running,
    )
