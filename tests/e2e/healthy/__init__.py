"""Setups of real life with which nothing is wrong, by what they are about."""

from __future__ import annotations

from . import addresses, answers, env_files, keys, models, neighbours, proxies, trust
from .scene import SETUPS, Healthy, Scene

__all__ = ["SETUPS", "Healthy", "Scene"]

# Each of them has registered its setups when it was imported.
_MODULES = (addresses, answers, env_files, keys, models, neighbours, proxies, trust)
