"""The session on this machine: discovery, runs and explanations; fixes are in ``live_fixes``."""

from __future__ import annotations

import argparse
import asyncio
import importlib
from collections.abc import AsyncIterator, Mapping

from doctor import bundle, registry
from doctor.checkapi import Check
from doctor.commands import check
from doctor.commands.output import UsageError
from doctor.events import Event
from doctor.facts.observed import Environment
from doctor.fixes.journal import Journal
from doctor.run import Plan, run
from doctor.secrets import Redactor
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.settings.errors import ConfigError
from doctor.text import _
from doctor.tui.explained import Explained
from doctor.tui.explaining import explained
from doctor.tui.live_fixes import LiveFixes
from doctor.tui.session import Prepared, Scope, Trouble


class LiveSession(LiveFixes):
    """``options`` are those of ``kvdoctor check``; ``environment`` is what is examined."""

    def __init__(
        self,
        options: argparse.Namespace,
        environment: Environment,
        redactor: Redactor,
        journal: Journal,
    ) -> None:
        super().__init__(environment, journal)
        self.redactor = redactor
        self._options = options
        self._request: TargetRequest | None = None
        self._found: Discovery | None = None

    async def prepare(self) -> Prepared:
        known, found = await asyncio.to_thread(self._look)
        self._found = found
        nothing = "" if found.targets else _nothing(found)
        return Prepared(found.targets, known, nothing, found.ignores)

    def _look(self) -> tuple[tuple[Check, ...], Discovery]:
        """Reads files and imports the checks: not for the event loop."""
        try:
            if self._request is None:
                self._request = check.target_request(self._options)
            found = discover(self._request, self.environment)
            for secret in found.secrets:
                self.redactor.learn(secret)
            loaded = registry.load()
            self._notes = (*loaded.notes, *found.notes)
            return loaded.selected(self._options.select, self._options.ignore), found
        except (UsageError, ConfigError, registry.UnknownSelector) as error:
            raise Trouble(check.usage_text(error)) from None

    async def run(self, scope: Scope) -> AsyncIterator[Event]:
        if self._found is None:
            await self.prepare()
        found, self._found = self._found, None
        assert found is not None
        async for event in run(self._plan(found, scope)):
            yield event

    def _plan(self, found: Discovery, scope: Scope) -> Plan:
        select = scope.selectors or self._options.select
        try:
            checks = registry.load().selected(select, self._options.ignore)
            options = check.run_options(self._options, found)
        except (UsageError, registry.UnknownSelector) as error:
            raise Trouble(check.usage_text(error)) from None
        targets = found.targets
        if scope.targets:
            targets = tuple(target for target in targets if target.id in scope.targets)
        return Plan(
            targets=targets,
            checks=checks,
            options=options,
            environment=self.environment,
            settings=found.settings,
            recorder=bundle.Live(),
            redactor=self.redactor,
            notes=self._notes,
            ignores=found.ignores,
        )

    async def warm(self) -> None:
        # The SDK probe needs it when a raw request fails, and it takes most of a second.
        await asyncio.to_thread(importlib.import_module, "openai")

    async def explain(self, text: str, here: Mapping[str, str]) -> Explained:
        return await asyncio.to_thread(explained, text.splitlines(), here)


def _nothing(found: Discovery) -> str:
    text = _("No base URL, key or kvdoctor.toml was found here.")
    return "\n".join((text, *found.notes))
