"""Settings of the whole suite."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No test asserts on time; a busy machine must not fail one either.
settings.register_profile("kvdoctor", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kvdoctor")
