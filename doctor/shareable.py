"""Which environment variables may leave the machine in a bundle.

An environment holds secrets that kvdoctor has never heard of. So nothing leaves unless its name
is one that a check judges by; keys among those are masked like everywhere else.
"""

from __future__ import annotations

import dataclasses
import re

from doctor.facts.machine import Environment
from doctor.patterns import Pattern

_NAMES = Pattern(
    r"""(
        (https?|all|no|ftp)_proxy | openai_proxy | anthropic_proxy
        | (openai|anthropic|taotoken)_(base_url|api_base|api_url|model)
        | ssl_cert_(file|dir) | requests_ca_bundle | curl_ca_bundle
        | node_extra_ca_certs | node_tls_reject_unauthorized | node_use_env_proxy
        | request_method | virtual_env | conda_prefix | lang | lc_all | term | container
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def shareable(environment: Environment) -> Environment:
    """The environment with the variables that may be shared, and the home folder as ``~``."""
    home = environment.home
    kept = {
        name: _without_home(_without_login(value), home)
        for name, value in environment.variables.items()
        if _NAMES.fullmatch(name)
    }
    return dataclasses.replace(
        environment, variables=kept, home="~", cwd=_without_home(environment.cwd, home)
    )


def _without_login(url: str) -> str:
    """A URL, with or without its scheme, less user and password."""
    head, at, rest = url.rpartition("@")
    scheme, separator, _login = head.rpartition("://")
    return f"{scheme}{separator}…@{rest}" if at else url


def _without_home(text: str, home: str) -> str:
    return text.replace(home, "~") if len(home) > 1 else text
