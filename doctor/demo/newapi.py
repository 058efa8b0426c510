"""A new-api-like gateway, mounted under a prefix as TaoToken publishes it.

Facts: gateway-clients.md section 1. Whether TaoToken is new-api is unproven there; this server
is new-api behind a path rewrite, the only way in which both can hold (facts: 0, item 10).
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

from . import newapi_account as account
from . import newapi_auth as auth
from . import newapi_relay as relay
from . import pages
from .ask import PATHS
from .faults import Faults
from .messages import Answer, Request, Response
from .newapi_config import Key, NewApiConfig, RootV1, StatusPlace, Variant
from .newapi_wire import Turn

_BILLING: dict[str, Callable[[Turn, Key], Response]] = {
    "/v1/dashboard/billing/subscription": account.subscription,
    "/dashboard/billing/subscription": account.subscription,
    "/v1/dashboard/billing/usage": account.billed,
    "/dashboard/billing/usage": account.billed,
}

_USAGE = "/api/usage/token/"
_STATUS = "/api/status"
_PRICING = "/api/pricing"
_ONE_MODEL = "/v1/models/"

# Known routes without an implementation: 501 after authentication (facts: 1.1).
_UNIMPLEMENTED = ("/v1/files", "/v1/fine-tunes", "/v1/images/variations")


class NewApi:
    """The handler: ``LoopbackServer(NewApi(NewApiConfig(keys=(Key(),))))``."""

    def __init__(self, config: NewApiConfig | None = None) -> None:
        self.config = config or NewApiConfig()
        self.faults = Faults.of(self.config.faults)

    async def __call__(self, request: Request) -> Answer:
        turn = Turn(request, self._behind_rewrite(request.path), self.config)

        async def routed() -> Answer:
            return await self._route(turn)

        return await self.faults.apply(turn.path, request, routed, early=True)

    def _behind_rewrite(self, path: str) -> str:
        """The path as new-api sees it: ``/api/v1/…`` is handed on as ``/v1/…``.

        Only ``/v1`` is rewritten; the admin API keeps its own ``/api``.
        """
        prefix = self.config.prefix
        if not prefix:
            return path
        if path.startswith(f"{prefix}/v1"):
            return path.removeprefix(prefix)
        if self.config.status_at is StatusPlace.DOUBLED and path.startswith(f"{prefix}/api"):
            return path.removeprefix(prefix)
        return path

    def _inside(self, turn: Turn) -> bool:
        """Whether an unknown path gets JSON: the raw prefix decides, so ``/v1x`` too."""
        prefixes = ["/v1", "/api", "/assets"]
        if self.config.prefix:
            prefixes.append(self.config.prefix + "/")
        return turn.path.startswith(tuple(prefixes))

    async def _route(self, turn: Turn) -> Answer:
        if self._bare_v1(turn) and self.config.root_v1 is not RootV1.SERVES:
            as_page = self.config.root_v1 is RootV1.PAGE
            return self._page(turn) if as_page else turn.not_found()
        method = turn.request.method
        if method == "GET":
            told = self._told(turn)
            if told is not None:
                return told
        served = self._methods(turn.path)
        if method in served:
            return await self._relayed(turn)
        slash = self._slash(turn)
        if slash is not None:
            return slash
        return turn.not_found() if self._inside(turn) else self._page(turn)

    def _bare_v1(self, turn: Turn) -> bool:
        """``/v1/…`` at the root of a gateway that lives under a prefix."""
        return bool(self.config.prefix) and turn.request.path.startswith("/v1")

    def _page(self, turn: Turn) -> Response:
        """The console for every unknown path outside, for a POST too (web-router.go 01dc8d6)."""
        headers = (("Cache-Control", "no-cache"), *turn.headers)
        return pages.html(200, pages.spa(self.config.system_name), headers)

    def _told(self, turn: Turn) -> Response | None:
        """The admin API's open endpoints, where this gateway has them."""
        path = turn.request.path if self.config.prefix else turn.path
        place = self.config.status_at
        if self.config.prefix and place is StatusPlace.NOWHERE:
            return None
        base = "/api" if self.config.prefix and place is StatusPlace.DOUBLED else ""
        if path == base + _STATUS:
            return account.status(turn)
        if path == base + _PRICING:
            return account.pricing(turn)
        if path == base + _USAGE and not turn.old:
            return account.usage(turn)
        if path + "/" == base + _USAGE and not turn.old:
            return self._moved(turn, 301, path + "/")
        return None

    def _methods(self, path: str) -> tuple[str, ...]:
        """The methods that a relay path takes; any other is 404, never 405 (facts: 1.1)."""
        if path in PATHS:
            old = self.config.variant is Variant.OLD and path == "/v1/responses"
            return () if old else ("POST",)
        if path == "/v1/models" or path in _BILLING:
            return ("GET",)
        if path.startswith(_ONE_MODEL) and path != _ONE_MODEL:
            return ("GET",)
        if path in _UNIMPLEMENTED:
            return ("GET", "POST", "DELETE")
        return ()

    def _slash(self, turn: Turn) -> Response | None:
        """gin's redirect for one slash too many: 301 for GET, 307 for the rest (facts: 1.1)."""
        bare = turn.path.removesuffix("/")
        method = turn.request.method
        if bare == turn.path or method not in self._methods(bare):
            return None
        return self._moved(turn, 301 if method == "GET" else 307, turn.request.path[:-1])

    def _moved(self, turn: Turn, status: int, to: str) -> Response:
        query = f"?{turn.request.query}" if turn.request.query else ""
        return Response(status, b"", (("Location", to + query), *turn.headers))

    async def _relayed(self, turn: Turn) -> Answer:
        """The gates in new-api's order: load, key, rate, channel, request, price, quota."""
        if self.config.overloaded:
            return turn.abort(503, "system cpu overloaded", "system_cpu_overloaded")
        key = auth.authenticate(turn)
        if isinstance(key, Response):
            return key
        if turn.path in PATHS:
            return await self._asked(turn, key)

        async def answered() -> Answer:
            return self._listed(turn, key)

        return await self.faults.apply(turn.path, turn.request, answered, early=False)

    def _listed(self, turn: Turn, key: Key) -> Answer:
        if turn.path in _BILLING:
            return _BILLING[turn.path](turn, key)
        if turn.path == "/v1/models":
            return account.models(turn, key)
        if turn.path.startswith(_ONE_MODEL):
            return account.model(turn, unquote(turn.path.removeprefix(_ONE_MODEL)))
        return turn.not_implemented()

    async def _asked(self, turn: Turn, key: Key) -> Answer:
        limited = auth.rate_limit(turn, key)
        if limited is not None:
            return limited
        model = relay.distribute(turn, key)
        if isinstance(model, Response):
            return model
        refusal = relay.validate(turn, key, model)
        if refusal is not None:
            return refusal

        async def answered() -> Answer:
            return await relay.upstream(turn, model)

        return await self.faults.apply(turn.path, turn.request, answered, early=False)
