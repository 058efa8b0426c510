"""The session on this machine: discovery, runs and explanations; fixes are in ``live_fixes``."""

from __future__ import annotations

import argparse
import asyncio
import importlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from doctor import bundle, registry
from doctor.checkapi import Check
from doctor.commands import check
from doctor.commands.output import UsageError
from doctor.events import Event
from doctor.facts.machine import Environment
from doctor.facts.store import Unavailable
from doctor.fixes.journal import Journal
from doctor.probes import http
from doctor.run import Plan, run
from doctor.secrets import Redactor
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.settings.errors import ConfigError
from doctor.text import _, stacked
from doctor.tui.explained import Explained
from doctor.tui.explaining import explained
from doctor.tui.live_fixes import LiveFixes
from doctor.tui.session import Prepared, Scope, Trouble
from doctor.watching import Watch, watchable, watched

if TYPE_CHECKING:
    from doctor.enginemetrics.sample import Gap, Sample
    from doctor.tui.benching import Benching
    from doctor.tui.first_steps import FirstSteps
    from doctor.tui.screens.first_run import Aim


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
            http.warm()
            self._notes = (*loaded.notes, *found.notes)
            return loaded.selected(self._options.select, self._options.ignore), found
        except (UsageError, ConfigError, registry.UnknownSelector) as error:
            raise Trouble(check.usage_text(error)) from None

    def first_steps(self) -> FirstSteps:
        from doctor.tui.first_steps import first_steps

        return first_steps(self.environment.variables)

    def aim(self, at: Aim) -> None:
        request = self._request or check.target_request(self._options)
        self._request = replace(
            request,
            names=(at.client,),
            base_url=at.base_url or request.base_url,
            key_env=at.key_env or request.key_env,
            model=at.model or request.model,
        )

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

    async def watch(self, target: str, interval: float) -> AsyncIterator[Sample | Gap]:
        _known, found = await asyncio.to_thread(self._look)
        chosen = [each for each in found.targets if each.id == target]
        reasons: list[str] = []
        for each in chosen or watchable(found.targets):
            plan = Watch(
                target=each,
                options=check.run_options(self._options, found),
                environment=self.environment,
                settings=found.settings,
                redactor=self.redactor,
                interval=interval,
            )
            try:
                async for sample in watched(plan):
                    yield sample
            except Unavailable as reason:
                reasons.append(str(reason))
        raise Trouble(stacked(reasons) or _("No engine is known here."))

    def benching(self, target: str) -> Benching:
        from doctor.tui.bench_live import LiveBench

        return LiveBench(
            target,
            self._options,
            self.environment,
            self.redactor,
            look=self._found_for,
            # Where the command keeps them, unless the journal is that of a made-up setup.
            where=self._journal.folder.parent / "bench",
        )

    def _found_for(self) -> tuple[TargetRequest, Discovery]:
        _known, found = self._look()
        assert self._request is not None, "made by the look"
        return self._request, found

    async def warm(self) -> None:
        # The SDK probe needs it when a raw request fails, and it takes most of a second.
        await asyncio.to_thread(importlib.import_module, "openai")

    async def explain(self, text: str, here: Mapping[str, str]) -> Explained:
        return await asyncio.to_thread(explained, text, here)


def _nothing(found: Discovery) -> str:
    text = stacked(found.elsewhere) or _("No base URL, key or kvdoctor.toml was found here.")
    return stacked((text, *found.notes))
