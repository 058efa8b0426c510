"""vLLM's ``/metrics``: its names in every version, what a scrape says, what two scrapes say
together. Pure: no network, no clock.
"""

from __future__ import annotations

from doctor.enginemetrics.cache import CacheConfig, cache_of
from doctor.enginemetrics.now import Now, now_of
from doctor.enginemetrics.snapshot import read
from doctor.enginemetrics.window import Window, between, since_start

__all__ = ["CacheConfig", "Now", "Window", "between", "cache_of", "now_of", "read", "since_start"]
