"""What layers of a request, their states, severities and confidences are called."""

from __future__ import annotations

from doctor.models import Confidence, Hop, HopStatus, Severity
from doctor.text import _

HOP_NAMES = {
    Hop.CONFIGURATION: _("configuration"),
    Hop.PROXY: _("proxy"),
    Hop.DNS: _("DNS"),
    Hop.TCP: _("TCP"),
    Hop.TLS: _("TLS"),
    Hop.GATEWAY: _("gateway"),
    Hop.ROUTE: _("route"),
    Hop.ENGINE: _("engine"),
    Hop.KV: _("KV"),
}

STATUS_NAMES = {
    HopStatus.OK: _("ok"),
    HopStatus.BROKEN: _("broken"),
    HopStatus.UNKNOWN: _("unknown"),
    HopStatus.SKIPPED: _("skipped"),
}

SEVERITY_NAMES = {
    Severity.INFO: _("info"),
    Severity.WARNING: _("warning"),
    Severity.ERROR: _("error"),
    Severity.CRITICAL: _("critical"),
}

CONFIDENCE_NAMES = {
    Confidence.LOW: _("low"),
    Confidence.MEDIUM: _("medium"),
    Confidence.HIGH: _("high"),
}
