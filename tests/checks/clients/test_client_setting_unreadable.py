"""A file that its program cannot read."""

from __future__ import annotations

from checks.clients.client_setting_unreadable import client_setting_unreadable
from doctor.facts.settings import Settings, SourceProblem, Unsupported
from doctor.models import Status
from tests.kit import run_check

from .world import FILE, claude


def test_an_unreadable_file_is_named_with_its_line_and_what_follows() -> None:
    broken = SourceProblem(
        "~/.claude/settings.json", 4, "trailing comma", "claude-code", "It is passed over."
    )

    (finding,) = run_check(
        client_setting_unreadable, claude(), settings=Settings(problems=(broken,))
    ).findings

    assert "~/.claude/settings.json:4" in finding.title
    assert "It is passed over." in finding.explanation


def test_settings_of_another_client_do_not_count() -> None:
    ignored = Unsupported("opencode", "providers", FILE, "It is not read.")
    broken = SourceProblem("~/.config/opencode/opencode.json", 3, "no JSON", "opencode", "")
    settings = Settings(unsupported=(ignored,), problems=(broken,))

    assert (
        run_check(client_setting_unreadable, claude(), settings=settings).status is Status.SKIPPED
    )
