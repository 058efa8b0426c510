"""Settings that a program refuses or passes over."""

from __future__ import annotations

from checks.clients.client_setting_not_supported import client_setting_not_supported
from doctor.connection import (
    Origin,
    OriginKind,
    Protocol,
)
from doctor.facts.settings import Settings, SourceProblem, Unsupported
from doctor.models import Severity, Status
from tests.kit import connection, run_check

from .world import FILE, SHELL, claude


def test_a_refused_setting_is_a_fault_with_its_edit_and_an_ignored_one_a_warning() -> None:
    origin = Origin(OriginKind.FILE, "model_providers.x.wire_api", "~/.codex/config.toml", 7)
    chat = Unsupported(
        "codex",
        "wire_api",
        origin,
        "It is gone.",
        fatal=True,
        value="chat",
        replacement="responses",
    )
    ignored = Unsupported("codex", "OPENAI_BASE_URL", SHELL, "It is not read.")
    target = connection(client="codex", protocol=Protocol.OPENAI_RESPONSES)

    result = run_check(
        client_setting_not_supported, target, settings=Settings(unsupported=(ignored, chat))
    )

    fatal, warning = result.findings
    assert fatal.severity is Severity.ERROR
    assert 'wire_api = "chat"' in fatal.title
    (edit,) = fatal.lasting[0].entries
    assert (edit.old, edit.new) == ("chat", "responses")
    assert warning.severity is Severity.WARNING
    assert warning.lasting == ()


def test_settings_of_another_client_do_not_count() -> None:
    ignored = Unsupported("opencode", "providers", FILE, "It is not read.")
    broken = SourceProblem("~/.config/opencode/opencode.json", 3, "no JSON", "opencode", "")
    settings = Settings(unsupported=(ignored,), problems=(broken,))

    assert (
        run_check(client_setting_not_supported, claude(), settings=settings).status
        is Status.SKIPPED
    )


def test_a_file_that_is_not_read_is_a_fault_of_its_own() -> None:
    place = Origin(OriginKind.FILE, "provider", "~/.opencode.json", 2)
    stray = Unsupported("opencode", "~/.opencode.json", place, "no", "Move it.", whole=True)

    (finding,) = run_check(
        client_setting_not_supported,
        connection(client="opencode"),
        settings=Settings(unsupported=(stray,)),
    ).findings

    assert finding.severity is Severity.ERROR
    assert finding.title == "opencode does not read ~/.opencode.json"
