"""What each architecture keeps per layer; ``shape`` finds the family of a model."""

from __future__ import annotations

from doctor.memory.architectures.families import shape

__all__ = ["shape"]
