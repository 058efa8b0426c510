"""Which base URL a client needs on a server, and what is wrong with the one it has.

Pure: from a base, what the client appends to it, and what is publicly known of the provider, to
candidate bases on the same host. A candidate carries the fault that it would prove. Those of
``certain`` and ``known`` are right by themselves; that of ``of_product`` is as sure as the product;
those of ``guesses`` are alternatives for a server of which nothing is known, likeliest first.
Facts: facts/gateway-clients.md §§1.1, 2.1, 3.0.
"""

from doctor.bases.alternatives import guesses
from doctor.bases.known_hosts import base_for, difference, known, nearest, right_bases
from doctor.bases.model import ANTHROPIC, OPENAI, Candidate, Convention, Fault
from doctor.bases.paths import endpoint_tail, has_version, is_page, is_version, tracks, two_versions
from doctor.bases.products import of_product
from doctor.bases.wrong_anywhere import certain

__all__ = [
    "ANTHROPIC",
    "OPENAI",
    "Candidate",
    "Convention",
    "Fault",
    "base_for",
    "certain",
    "difference",
    "endpoint_tail",
    "guesses",
    "has_version",
    "is_page",
    "is_version",
    "known",
    "nearest",
    "of_product",
    "right_bases",
    "tracks",
    "two_versions",
]
