"""How a firewall in front of a server says that it refuses a request."""

from __future__ import annotations

import re

from doctor.patterns import Pattern

# Where a page's own marks stand; a body is long, and may be made to keep a pattern busy.
_HEAD = 8_000
# Cloudflare, CloudFront, Akamai, Imperva, Alibaba Cloud, BT Panel: in front of a server.
FIREWALL_WORDS = (
    r"sorry, you have been blocked|attention required! \|"
    r"|used cloudflare to restrict access|banned your access based on your browser"
    r"|\bbanned the (?:autonomous system number|country or region|ip address)"
    r"|error code:? ?10(?:0[5-9]|1[0-25]|20)\b|(?:cloudflare|error) 10(?:0[5-9]|10|20)\b"
    r"|\b(?:your )?request (?:was|has been|is) blocked\b|request blocked\. we can't connect"
    r"|<title>(?:just a moment|access denied|请求被拦截|安全拦截)|checking your browser"
    r"|enable javascript and cookies to continue|cf-(?:error-details|chl|browser-verification)"
    r"|incapsula incident id|you don't have permission to access [^\n]{0,120} on this server"
    r"|requested url was rejected\. please consult|blocked by (?:the )?(?:waf|firewall)\b"
    r"|web application firewall|访问被阻断|可能对网站造成安全威胁|带有不合法参数"
    r"|网站防火墙|被(?:网站)?(?:防火墙|WAF|安全策略)(?:拦截|阻断|阻止)"
)
_FIREWALL = Pattern(FIREWALL_WORDS, re.I)


def is_firewall(body: str) -> bool:
    """Whether a firewall in front of the server wrote this, a page or a line of text."""
    return _FIREWALL.search(body[:_HEAD]) is not None
