from __future__ import annotations

from tests.settings.machine import machine

__all__ = ["machine"]
