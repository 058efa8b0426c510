"""Whatever lies in a folder, discovery ends with targets or with a ConfigError."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.settings.errors import ConfigError
from tests.settings.machine import Machine

NAMES = st.sampled_from(
    (
        *(".env", "settings.json", "config.toml", "config.yaml", "compose.yaml", "kvdoctor.toml"),
        *("Makefile", "run.sh", "app.py", ".github/workflows/a.yml"),
    )
)
PIECES = st.sampled_from(
    (
        *("{", "}", "[", "]", '"', ":", ",", "=", "\n", "\n  ", "- ", "# ", "services"),
        *("environment", "env_file", ".env", "env", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        *("base_url", "api_key", "model", "llm", "targets", "ignore", "code", "*a", "&a ", "<<"),
        *("null", "1", "true", "http://h/v1", "http://[", "sk-made0up0made0up0", "${", "$(", "'"),
        *("${OPENAI_API_KEY}", "\ufeff", "\r", "é", "\x1b[31m", "\x00"),
    )
)
CONTENTS = st.lists(PIECES, max_size=20).map("".join).map(str.encode) | st.binary(max_size=60)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(NAMES, CONTENTS, max_size=4))
def test_no_folder_is_too_strange(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        with contextlib.suppress(ConfigError):
            found = machine.discover(files, {"OPENAI_API_KEY": "sk-made0up0made0up0"})
            shown = [t.label for t in found.targets] + [str(n) for n in found.notes]
            shown += [p.message for p in found.settings.problems]
            assert not any("\x1b" in text for text in shown)
