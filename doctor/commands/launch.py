"""``kvdoctor launch``: judges a line that starts vLLM, and prints the corrected one. Offline."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from doctor import exitcodes, registry
from doctor.commands.answers import Answer, write_answer
from doctor.commands.output import UsageError, complain, reaching
from doctor.launch.document import launch_document
from doctor.launch.judging import Judged, NothingFound, judge, read
from doctor.launch.lines import Wanted
from doctor.launch.model import Gpu
from doctor.launch.present import corrections, present
from doctor.launch.reading.detect import Reading
from doctor.registry import Registry, UnknownSelector
from doctor.secrets import REDACTOR
from doctor.settings import textfile
from doctor.settings.carried import of_variables
from doctor.text import _
from doctor.untrusted import visible

_LIMIT = 1024 * 1024


def execute(options: argparse.Namespace) -> int:
    for secret in of_variables(os.environ):
        REDACTOR.learn(secret)
    known = registry.load()
    try:
        reading, place, file, wanted = _source(options)
        checks = known.selected(options.select, options.ignore)
        judged = judge(reading, place, wanted, checks)
        _write(options, judged, file, known)
    except UsageError as error:
        complain(str(error), REDACTOR)
        return exitcodes.USAGE
    except UnknownSelector as error:
        hint = f"; the nearest is {error.hint}" if error.hint else ""
        complain(
            _(
                "{selector}: no check, area or slug of that name{hint}",
                selector=error.selector,
                hint=hint,
            )
        )
        return exitcodes.USAGE
    except NothingFound as error:
        complain(str(error), REDACTOR)
        return exitcodes.NOTHING
    found = [finding for one in judged for finding in one.findings]
    return exitcodes.FINDINGS if reaching(found, options.fail_on) else exitcodes.OK


# ------------------------------------------------------------------ what is examined


def _source(options: argparse.Namespace) -> tuple[Reading, str, str | None, Wanted]:
    """The reading, how its place is told, the file it came from, and what else is known."""
    wanted = _wanted(options)
    line: list[str] = options.line
    given = [bool(line), options.compose is not None, options.pid is not None,
             options.container is not None]  # fmt: skip
    if sum(given) > 1:
        raise UsageError(_("one of: a line, a file, --compose, --pid, --container"))
    if options.pid is not None:
        return _process(options.pid, wanted)
    if options.container is not None:
        return read(_inspected(options.container)), options.container, None, wanted
    if options.compose is not None:
        return _file(Path(options.compose), wanted)
    if not line and sys.stdin.isatty():
        raise UsageError(_("give a line behind --, a file, - for stdin, --compose, --pid"))
    if not line or line == ["-"]:
        text = sys.stdin.buffer.read(_LIMIT + 1).decode("utf-8", "replace")
        return read(text), "stdin", None, wanted
    if len(line) == 1:
        return _one_word(line[0], wanted)
    import dataclasses

    return read(line), _("the line"), None, dataclasses.replace(wanted, here=True)


def _one_word(word: str, wanted: Wanted) -> tuple[Reading, str, str | None, Wanted]:
    """The name of a file, or a whole line in quotes."""
    path = Path(word)
    with contextlib.suppress(OSError, ValueError):
        if path.exists():
            return _file(path, wanted)
    if " " in word.strip() or "\n" in word:
        return read(word), _("the line"), None, wanted
    raise UsageError(_("{word}: no such file; a line stands behind --", word=visible(word)))


def _file(path: Path, wanted: Wanted) -> tuple[Reading, str, str | None, Wanted]:
    import dataclasses

    try:
        text = textfile.read(path, _LIMIT).text
    except textfile.Unreadable as error:
        raise UsageError(_("{path}: {why}", path=str(path), why=str(error))) from None
    known = dataclasses.replace(wanted, folder=str(path.resolve().parent))
    return read(text), str(path), str(path), known


def _process(pid: int, wanted: Wanted) -> tuple[Reading, str, str | None, Wanted]:
    import dataclasses

    from doctor.launch.reading.process import of_pid

    found, folder = of_pid(pid)
    reading = read([word.text for word in found.words])
    for one in reading.found:
        one.variables += found.variables
        one.name = found.name
    known = dataclasses.replace(wanted, here=True, folder=folder)
    return reading, f"pid {pid}", None, known


def _inspected(name: str) -> str:
    """What docker tells of a container; nothing is started or changed."""
    import shutil
    import subprocess

    docker = shutil.which("docker") or shutil.which("podman")
    if docker is None:
        raise UsageError(_("--container: docker is not here; give the output of docker inspect"))
    if name.startswith("-"):
        raise UsageError(_("--container: a name or an id"))
    try:
        done = subprocess.run(  # noqa: S603 - the name is one argument, no shell is in between
            [docker, "inspect", "--type", "container", name],
            capture_output=True, timeout=20, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(_("docker inspect: {why}", why=str(error))) from None
    if done.returncode:
        raise NothingFound(visible(done.stderr.decode("utf-8", "replace").strip()))
    return done.stdout.decode("utf-8", "replace")


def _wanted(options: argparse.Namespace) -> Wanted:
    from doctor.launch.versions import told

    if options.vllm_version is not None:
        try:
            told(options.vllm_version, "")
        except ValueError:
            raise UsageError(
                _(
                    "--vllm-version {vllm_version}: write a version such as 0.32.0",
                    vllm_version=visible(options.vllm_version),
                )
            ) from None
    return Wanted(
        version=options.vllm_version,
        config=_existing("--model-config", options.model_config),
        draft_config=_existing("--draft-config", options.draft_config),
        gpu=_gpu(options),
        folder=str(Path.cwd()),
        variables=dict(os.environ),
    )


def _existing(flag: str, path: str | None) -> str | None:
    if path is not None and not Path(path).exists():
        raise UsageError(_("{flag} {path}: there is no such file", flag=flag, path=visible(path)))
    return path


def _gpu(options: argparse.Namespace) -> Gpu | None:
    import dataclasses

    from doctor.launch.gpus import named
    from doctor.memory.errors import OptionError
    from doctor.memory.gpus import size

    gpu = None
    if options.gpu is not None:
        gpu = named(options.gpu)
        if gpu is None:
            raise UsageError(
                _("--gpu {gpu}: not a GPU that is known, such as T4", gpu=visible(options.gpu))
            )
    if options.gpus is not None:
        gpu = dataclasses.replace(gpu or Gpu(), count=options.gpus)
    if options.gpu_memory is not None:
        try:
            memory = size(options.gpu_memory, "--gpu-memory")
        except OptionError as error:
            raise UsageError(str(error)) from None
        gpu = dataclasses.replace(gpu or Gpu(), memory=memory)
    return gpu


# ------------------------------------------------------------------ what is told


def _write(
    options: argparse.Namespace, judged: Sequence[Judged], file: str | None, known: Registry
) -> None:
    answer = Answer(
        command="launch",
        subject=", ".join(dict.fromkeys(visible(one.launch.place) for one in judged)),
        findings=[finding for one in judged for finding in one.findings],
        results=[result for one in judged for result in one.results],
        document=lambda: launch_document(judged, known.notes),
        tell=lambda lines: present(lines, judged, file, known.notes),
        rest=lambda lines: corrections(lines, judged, file),
        notes=(*(note for one in judged for note in one.notes), *known.notes),
    )
    write_answer(options, answer)
