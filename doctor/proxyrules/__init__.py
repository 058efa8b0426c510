"""Which proxy an HTTP library takes for a URL: pure rules, one function per library.

Nothing here looks at the machine. The probe ``doctor.probes.proxies`` applies the rules to the
examined environment; checks apply them again to ask what would happen with one variable changed.
What each library does was seen by running it (facts/gateway-clients.md §§2.5, 2.6, 5.2): httpx2
2.16, httpx 0.28, requests 2.34, urllib of Python 3.11, aiohttp 3.14, Node 20 and 24, axios 1.21,
curl 7.88, Claude Code 2.1.332, Codex 0.171, Bun 1.3.
"""

from doctor.proxyrules.stacks import CLIENT_STACKS, STACKS, Route, explicit, route
from doctor.proxyrules.variables import Chosen, Variables

__all__ = ["CLIENT_STACKS", "STACKS", "Chosen", "Route", "Variables", "explicit", "route"]
