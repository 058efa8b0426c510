"""Pages and words of what stands in front of a server: firewalls, and a front whose server fails.

Wordings: Cloudflare's pages for a failing origin (52x) and nginx, as people paste them; those of
firewalls are the ones that the doctor's own requests are judged by.
"""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.firewalls import FIREWALL_WORDS
from doctor.text import _

SYMPTOMS = (
    symptom(
        FIREWALL_WORDS,
        _("a firewall in front of the server refuses the request before the API sees it"),
        Cause(
            "KVD210",
            0.6,
            _("does curl get through? Then the program's User-Agent or TLS is what it refuses"),
        ),
        Cause("KVD115", 0.35, _("or does it refuse this address or country?")),
        Cause("KVD307", 0.1, _("or does the page belong to a proxy of this network?")),
    ),
    symptom(
        r"\b52[0-7]: |error code:? 5(?:2[0-7]|30)\b|\b530:? (?:<none>|origin dns)"
        r"|(?:http|status|error)(?: error| code| status)?\W{0,3}52[0-7]\b"
        r"|\b52[0-7] (?:status code|unknown|a timeout occurred|web server|origin|connection timed"
        r"|ssl handshake|invalid ssl|server error|<none>)"
        r"|errorcode_5(?:2[0-7]|30)\b|web server is (?:down|returning an unknown error)"
        r"|origin is unreachable|cloudflare tunnel error",
        _("Cloudflare answers in place of the server behind it, which fails or is too slow"),
        Cause(
            "KVD330",
            0.9,
            _("520 to 527 are the origin's: is it up? 524 is an answer that takes over 100 s"),
        ),
        Cause("KVD312", 0.1, _("does the same request stream? A stream does not run into 524")),
    ),
    symptom(
        r"request entity too large|\b413\b[^\n]{0,40}(?:payload|content|body|entity) too large"
        r"|(?:payload|request body|content)[ _](?:is )?too[ _]large|request_too_large"
        r"|request exceeds the maximum (?:allowed )?(?:size|number of bytes)"
        r"|exceeded the (?:maximum|max) (?:request )?(?:body|payload) (?:size|length)"
        r"|body exceeded .{0,20}limit|请求(?:体|实体)?(?:过大|太大)",
        _("the request is larger than the server, or a front such as nginx, takes"),
        Cause("KVD602", 0.75, _("does a new, short conversation pass? Images count in full")),
        Cause("KVD516", 0.2, _("nginx takes 1 MB: client_max_body_size is its operator's")),
    ),
)
