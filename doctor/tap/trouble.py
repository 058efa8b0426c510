"""Why no answer came, in the words and kinds of a run's own requests."""

from __future__ import annotations

import ssl

from doctor.facts.network import TransportFault
from doctor.facts.store import Unavailable
from doctor.probes.faults import fault_of, text_of
from doctor.probes.phases import Phases
from doctor.tap.seen import End, Seen
from doctor.tap.upstream import Upstream
from doctor.text import _


def trouble_of(seen: Seen, upstream: Upstream) -> tuple[TransportFault | None, str]:
    """The fault, None where an answer began; the text is also told of one that broke off."""
    match seen.end:
        case End.UNREACHED:
            return _unreached(seen.error, upstream)
        case End.RESET | End.CUT:
            fault = TransportFault.RESET if seen.answer is None else None
            if seen.error is not None:
                return fault, text_of(seen.error)
            return fault, _("the server ended the connection")
        case End.CLIENT_LEFT:
            return None, _("the program left before the answer was over")
    return None, ""


def _unreached(
    error: BaseException | None, upstream: Upstream
) -> tuple[TransportFault | None, str]:
    if isinstance(error, Unavailable):
        # The program's own library refuses its proxy, or the proxy refuses.
        setting = bool(upstream.refusal) or upstream.proxy is None
        fault = TransportFault.PROXY_SETTING if setting else TransportFault.PROXY_REFUSES
        return fault, str(error)
    if error is None:
        return TransportFault.OTHER, _("the server was not reached")
    proxied = upstream.proxy is not None
    phases = Phases(proxied=proxied, tunnelled=proxied and not upstream.forwarded)
    phases.dialling = True
    secured = upstream.origin.scheme == "https"
    phases.tls_started = phases.connected = secured and isinstance(error, ssl.SSLError)
    phases.dial_failed = not phases.connected
    return fault_of(error, phases, proxied=proxied, timeout=0.0)
