"""KVD913."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    launched,
    problem,
    visible,
)
from doctor.patterns import Pattern

if TYPE_CHECKING:
    from doctor.launch.model import Launch

_URL = Pattern(
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co|modelscope\.cn/models)/([^/\s]+/[^/\s?#]+).*"
)
# Qwen's first chat models of this generation have no -Instruct (facts/gateway-clients.md §4.4 row
# 11); the later ones are -Instruct-2507.
_QWEN3 = Pattern(r"(Qwen/Qwen3-(?:0\.6B|1\.7B|4B|8B|14B|32B|30B-A3B|235B-A22B))-Instruct")
_FORMATS = ("config.json", "params.json")


@check(
    code="KVD913",
    slug="weights-unavailable",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def weights_unavailable(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The model of the line is nothing that vLLM can load.

    What it checks: a web address in the model's place; names of models that are known not to
    exist; a local directory, or one behind a mount of the container, that is there and holds
    neither a config.json nor a GGUF file. A path that is not on this machine is left alone: the
    line may be for another one. Nobody is asked over the network.

    Why it matters: vLLM stops with "Invalid repository ID or local directory specified", or with
    a 401 of the Hub, which answers a name that does not exist like one that needs a login.

    How to fix: write the id as the Hub has it (owner/name), or the directory that holds
    config.json itself.

    Fix safety: another name is another model; the proposed one is what is likely meant.

    References: facts/vllm.md §5.6 rows 71 to 74, 82.
    """
    launch = await launched(f)
    from doctor.launch.models import model_of

    name = model_of(launch)
    if not name:
        raise NotApplicable("the line names no model")
    finding = _url(launch, name) or _no_such(launch, name) or _folder(launch, name)
    if finding is not None:
        yield finding


def _url(launch: Launch, name: str) -> Finding | None:
    match = _URL.fullmatch(name)
    if match is None:
        return None
    return _named(
        launch,
        name,
        match.group(1),
        _("The model is given as a web address"),
        _("vLLM takes owner/name: {new}.", new=visible(match.group(1))),
    )


def _no_such(launch: Launch, name: str) -> Finding | None:
    match = _QWEN3.fullmatch(name)
    if match is None:
        return None
    return _named(
        launch,
        name,
        match.group(1),
        _("There is no model {name}", name=visible(name)),
        _(
            "The Hub answers it as if a login were missing. The chat model is {new}; only some"
            " later ones end in -Instruct-2507.",
            new=visible(match.group(1)),
        ),
    )


def _named(launch: Launch, name: str, new: str, title: Text, text: Text) -> Finding:
    from doctor.launch.edits import Edit
    from doctor.launch.model import Argument

    argument: Argument | None = launch.model
    if argument is None or argument.values[0] != name:
        argument = launch.last("--model")
    edits: tuple[Edit, ...] = ()
    place = launch.place
    if argument is not None:
        first = argument.last
        word = f"{argument.spelled}={new}" if argument.joined else new
        edits = (Edit("model", name, new, text, first, first, (word,)),)
        place = launch.where(first)
    return problem(
        title, text, evidence=(Evidence(_("launch line"), place, visible(name)),), edits=edits
    )


def _folder(launch: Launch, name: str) -> Finding | None:
    from doctor.launch.models import host_paths
    from doctor.settings.textfile import names_in

    for path in host_paths(launch, name):
        if not path.is_dir():
            continue
        names = names_in(path)
        if any(n in _FORMATS or n.endswith(".gguf") for n in names):
            return None
        inner = [n for n in names if (path / n / "config.json").is_file()][:3]
        more = (
            _("{inner} inside it does: name that one.", inner=visible(inner[0]))
            if inner
            else _("Name the directory that holds the model's files.")
        )
        return problem(
            _("{path} holds no model", path=visible(str(path))),
            _(
                "There is neither a config.json nor a GGUF file in it, and vLLM stops. {more}",
                more=more,
            ),
            evidence=(Evidence(_("directory"), visible(str(path)), f"{len(names)} entries"),),
        )
    return None
