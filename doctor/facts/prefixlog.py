"""What the analysis of a request log found (``doctor.prefix``)."""

from __future__ import annotations

from doctor.records import dataclass

# The ``path`` of a change of any earlier turn: the same change in every turn is one cause.
TURNS = "messages[n].content"


@dataclass(frozen=True, slots=True)
class PrefixCause:
    """One thing that changes from request to request.

    ``code`` is the fault's, ``kind`` a word for it ("clock"). ``path`` is where it stands in a
    request, ``offset`` at which character there, ``label`` the text before it. ``examples`` are
    two of its values. ``requests`` have it; ``distinct`` are its values. ``tokens_lost`` is what
    it alone would keep from being shared, ``blocks_lost`` the same in blocks.
    """

    code: str
    kind: str
    path: str
    offset: int
    label: str
    examples: tuple[str, str]
    requests: int
    distinct: int
    tokens_lost: int
    blocks_lost: int
    sure: bool = True


@dataclass(frozen=True, slots=True)
class PrefixSource:
    """Something in a source file or a template that will differ with each request.

    ``text`` is the call or the placeholder, at ``line`` of ``path``, from 1; the prompt that it
    goes into is at ``prompt_line``. ``guess`` says that only a name tells. ``pin`` is the variable
    of a template that sets the value instead.
    """

    code: str
    kind: str
    path: str
    line: int
    prompt_line: int
    text: str
    guess: bool = False
    pin: str = ""


@dataclass(frozen=True, slots=True)
class PrefixUnkept:
    """``requests`` to ``model`` marked at most ``marked`` tokens for its cache, which keeps
    ``minimum`` at least, and kept nothing. ``sure``: the prompts as a whole are shorter."""

    model: str
    requests: int
    marked: int
    minimum: int
    sure: bool


@dataclass(frozen=True, slots=True)
class PrefixLog:
    """``exact`` says that tokens are the engine's own; else they are estimated from characters.

    ``hit_rate_after`` is with every cause moved out of the way. ``reported_rate`` is what the
    log's own answers tell, None where there are none; ``expected_rate`` is what the requests that
    they belong to would hit as they were sent, ``reported`` how many those are and
    ``reported_mean`` their mean length in tokens. ``untold`` are requests that share their
    beginning with earlier ones, and whose answers have null for what was cached; ``unkept`` those
    whose marks are of no use. ``block_size`` is in tokens.
    """

    source: str
    requests: int
    prompt_tokens: int
    hit_rate: float
    hit_rate_after: float
    exact: bool
    block_size: int
    causes: tuple[PrefixCause, ...] = ()
    reported_rate: float | None = None
    expected_rate: float | None = None
    reported: int = 0
    reported_mean: float = 0.0
    untold: int = 0
    unkept: tuple[PrefixUnkept, ...] = ()
    rate_per_million: float | None = None
    prefill_tokens_per_second: float | None = None
