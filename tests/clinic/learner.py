"""A learner who knows what is right, and writes it into the files of a case."""

from __future__ import annotations

from collections.abc import Mapping

from doctor.clinic.sandbox import Sandbox
from doctor.clinic.shellfile import exported
from doctor.demo.scenarios import Setup
from doctor.demo.shell import exports
from doctor.demo.stage import STARTUP
from doctor.secrets import Secret

_VARIABLES = {
    "key": ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"),
    "base_url": ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"),
    "model": ("OPENAI_MODEL", "ANTHROPIC_MODEL"),
    "max_tokens": ("OPENAI_MAX_TOKENS",),
}


def mend(sandbox: Sandbox, setup: Setup) -> None:
    """Write the right values where the wrong ones stand."""
    startup = sandbox.home / STARTUP
    if startup.exists():
        variables = _righted(exported(startup.read_text("utf-8")), setup)
        startup.write_text("\n".join(exports(variables)) + "\n", "utf-8")
    folder = sandbox.home / "app"
    if (folder / ".env").exists():
        lines = (folder / ".env").read_text("utf-8").splitlines()
        pairs = dict(line.split("=", 1) for line in lines)
        righted = _righted(pairs, setup)
        text = "".join(f"{name}={value}\n" for name, value in righted.items())
        (folder / ".env").write_text(text, "utf-8")
    if "auth" in setup.right:
        path = folder / "kvdoctor.toml"
        text = path.read_text("utf-8").replace("x-api-key", str(setup.right["auth"]))
        path.write_text(text, "utf-8")


def _righted(variables: Mapping[str, str], setup: Setup) -> dict[str, str]:
    found = dict(variables)
    for setting, value in setup.right.items():
        text = value.reveal() if isinstance(value, Secret) else str(value)
        for name in _VARIABLES.get(setting, ()):
            if name in found:
                found[name] = text
        if setting == "proxy":
            wrong = [name for name in found if name.upper().endswith("_PROXY")]
            for name in wrong:
                if text == "direct":
                    del found[name]
                else:
                    found[name] = text
    return found
