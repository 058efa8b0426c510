"""What the checks of a live engine share: its metrics, now and a moment later.

``doctor.enginemetrics`` is imported where an engine is there: most runs examine a gateway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.checkapi import DeclaredFacts, Evidence, NotApplicable, Text, _, facts
from doctor.facts.engine import Engine, Metrics
from doctor.patterns import Pattern
from doctor.records import dataclass

if TYPE_CHECKING:
    from doctor.enginemetrics import CacheConfig, Now, Window

_RELEASE = Pattern(r"(\d{1,4})\.(\d{1,4})(?:\.\d+)?(?!\.?dev|\d)")

READS = (facts.ENGINE, facts.METRICS, facts.METRICS_LATER)


@dataclass(frozen=True, slots=True)
class Live:
    """The engine at work. ``later`` and ``window`` are there only if there was something to do,
    ``ever`` only if the server says when it was started; ``before`` is the first look. ``caches``
    are those of the engine processes."""

    engine: Engine
    metrics: Metrics
    before: Now
    later: Now | None
    window: Window | None
    ever: Window | None
    caches: tuple[CacheConfig, ...]

    @property
    def cache(self) -> CacheConfig | None:
        """The configuration of the KV cache, which all engine processes of a server share."""
        return self.caches[0] if self.caches else None

    def seen(self, name: str, value: str) -> Evidence:
        return Evidence(_("engine metrics"), f"{self.metrics.url} {name}", value)


async def known(f: DeclaredFacts) -> Engine:
    """The engine. Raises ``NotApplicable`` where none is known."""
    engine = await f.get(facts.ENGINE)
    if engine.root is None:
        raise NotApplicable(engine.detail)
    return engine


async def live(f: DeclaredFacts, *, twice: bool = True) -> Live:
    """Raises ``NotApplicable`` where no engine is known, ``Unavailable`` where it does not tell.

    ``twice`` False: one look is enough, and nobody waits for a second.
    """
    engine = await known(f)
    first = await f.get(facts.METRICS)
    second: Metrics | None = None
    if twice:
        second = await f.find(facts.METRICS_LATER)
    from doctor.enginemetrics import between, cache_of, now_of, since_start

    return Live(
        engine=engine,
        metrics=first,
        before=now_of(first),
        later=None if second is None else now_of(second),
        window=None if second is None else between(first, second),
        ever=since_start(first),
        # The models of one engine share its cache.
        caches=tuple({s.engine: cache_of(s) for s in first.series if s.cache}.values()),
    )


def release(version: str | None) -> tuple[int, int] | None:
    """``(0, 32)``; None for what is no release, such as a build of one's own ("0.1.dev9+g1a2b")."""
    match = _RELEASE.match(version or "")
    return None if match is None else (int(match.group(1)), int(match.group(2)))


def percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 or share == 0 else f"{share:.1%}"


def whole(number: float) -> str:
    return f"{number:,.0f}"


def more_room(cache: CacheConfig | None) -> Text:
    """What gives the KV cache more memory, in keeping with how it was sized."""
    if cache is None:
        return _("Give the KV cache more memory, or run a second engine.")
    if cache.override is not None:
        return _(
            "--num-gpu-blocks-override limits the cache to {n} blocks: take it away.",
            n=whole(cache.override),
        )
    if cache.sized_by_bytes:
        return _(
            "Its size is set to {size} (--kv-cache-memory-bytes, on a CPU VLLM_CPU_KVCACHE_SPACE):"
            " raise that as far as the device has memory left.",
            size=_gib(cache.kv_bytes or 0),
        )
    if cache.utilization is not None and cache.utilization < 0.95:
        return _(
            "--gpu-memory-utilization is {share:g}; raise it if the GPU is the engine's alone.",
            share=cache.utilization,
        )
    return _("Nearly all memory of the GPU is the engine's already: run a second engine.")


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


def smaller_tokens(cache: CacheConfig | None) -> Text | str:
    """That tokens may be stored smaller, where they are not."""
    if cache is None or cache.dtype is None or "8" in cache.dtype:
        return ""
    if cache.dtype not in ("auto", "bfloat16", "float16", "half"):
        return ""
    return _("--kv-cache-dtype fp8 stores twice as many tokens where the GPU supports it.")
