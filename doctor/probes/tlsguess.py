"""Whether a port that closed on a plain request speaks TLS.

nginx and Go say so in words; Python's and many other TLS servers just close. Nothing is sent but
the handshake, and nothing of it is trusted.
"""

from __future__ import annotations

import asyncio
import ssl

from doctor.context import Options
from doctor.facts.store import Unavailable
from doctor.probes.request import origin_of
from doctor.probes.tunnel import open_way

_LIMIT = 3.0


async def speaks_tls(options: Options, url: str) -> bool:
    """Never raises; False as well where it cannot be told."""
    origin = origin_of(url)
    if origin is None:
        return False
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(min(_LIMIT, options.timeout)):
            writer = await open_way(options, origin[1], origin[2], None)
            await writer.start_tls(context, server_hostname=origin[1])
    except (OSError, Unavailable, UnicodeError):
        return False
    else:
        return True
    finally:
        if writer is not None:
            writer.transport.abort()
