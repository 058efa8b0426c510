"""Exit codes, the same in every format."""

OK = 0  # nothing at or above --fail-on
FINDINGS = 1
USAGE = 2  # usage or configuration
NOTHING = 3  # nothing to examine: no target given or discovered
INTERNAL = 4
INTERRUPTED = 130
