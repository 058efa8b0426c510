"""``kvdoctor prefix FILE --prove``: whom to ask, and what it will cost."""

from __future__ import annotations

import argparse
import asyncio

from doctor.commands.check import nothing_found, run_options, target_request
from doctor.commands.output import UsageError, complain
from doctor.facts.prefixproof import PrefixProof
from doctor.facts.store import Unavailable
from doctor.prefix.proving import Proving, proved
from doctor.prefix.sample import Sampler
from doctor.secrets import REDACTOR
from doctor.settings.discover import Discovery, discover
from doctor.settings.environment import this_environment
from doctor.target import Target
from doctor.text import _


def prove(options: argparse.Namespace, sampler: Sampler) -> PrefixProof | None:
    """None where nothing could be sent, which is said on stderr. Raises ``UsageError`` and
    ``ConfigError``."""
    sample = sampler.best
    if sample is None:
        complain(_("nothing to prove: no two requests of the log begin alike"))
        return None
    options.targets = [] if options.target is None else [options.target]
    environment = this_environment()
    found = discover(target_request(options), environment)
    for secret in found.secrets:
        REDACTOR.learn(secret)
    target = _target(found)
    proving = Proving(
        target=target,
        options=run_options(options, found),
        environment=environment,
        settings=found.settings,
        redactor=REDACTOR,
        model=options.model,
    )
    from doctor.probes.prefixproof import most_requests

    least, most = most_requests(sample)
    complain(
        _(
            "--prove sends {least} requests to {url}, {most} at most, of about {tokens} prompt"
            " tokens each, and asks for one token of answer",
            least=least,
            most=most,
            url=target.connection.base_url.value,
            tokens=f"{sample.best.characters // options.characters_per_token:,}",
        ),
        REDACTOR,
    )
    try:
        return asyncio.run(proved(proving, sample))
    except Unavailable as reason:
        complain(_("nothing is proved: {reason}", reason=str(reason)), REDACTOR)
        return None


def _target(found: Discovery) -> Target:
    """The one to ask. Raises ``UsageError``."""
    if not found.targets:
        raise UsageError(nothing_found(found))
    named = [target for target in found.targets if target.named] or list(found.targets)
    if len(named) > 1:
        names = ", ".join(target.id for target in named)
        raise UsageError(_("--prove asks one target, and several are found: {names}", names=names))
    return named[0]
