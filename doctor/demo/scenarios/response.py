"""Scenarios in which the model, or the answer, is at fault."""

from __future__ import annotations

from doctor.demo.console import Console, Site
from doctor.demo.faults import Fault, Injection
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import MODELS, Model, NewApiConfig
from doctor.demo.servers import Servers
from doctor.text import _

from .scenario import Area, Build, Scenario, Setup
from .sound import MODEL, base_of, shell

_CHAT = "/v1/chat/completions"


def _spoiled(fault: Fault) -> Build:
    """A sound setup at a gateway whose completions have ``fault``."""

    async def build(servers: Servers) -> Setup:
        config = NewApiConfig(faults={_CHAT: Injection(fault)})
        gateway = await servers.open(NewApi(config))
        return Setup(shell(base_of(gateway)))

    return build


async def _wrong_model(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(base_of(gateway), model="deepseek-v4-flesh"), right={"model": MODEL})


async def _wrong_case_model(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(base_of(gateway), model="DeepSeek-V4-Flash"), right={"model": MODEL})


async def _model_placeholder(servers: Servers) -> Setup:
    config = NewApiConfig(models=(Model(MODEL),))
    gateway = await servers.open(NewApi(config))
    return Setup(shell(base_of(gateway), model="your-target-model"), right={"model": MODEL})


async def _model_with_library_prefix(servers: Servers) -> Setup:
    """LiteLLM's library wants "openai/" before the id; an SDK sends it along."""
    gateway = await servers.open(NewApi())
    return Setup(shell(base_of(gateway), model=f"openai/{MODEL}"), right={"model": MODEL})


async def _model_without_channel(servers: Servers) -> Setup:
    orphan = Model("glm_for_coding", groups=())
    gateway = await servers.open(NewApi(NewApiConfig(models=(*MODELS, orphan))))
    return Setup(shell(base_of(gateway), model=orphan.id))


async def _captive_portal(servers: Servers) -> Setup:
    portal = await servers.open(Console(Site.CAPTIVE))
    return Setup(shell(base_of(portal)))


R = Area.RESPONSE
SCENARIOS = (
    Scenario(
        "wrong-model",
        R,
        _("The model id has a slip of the pen."),
        _wrong_model,
        ("KVD501",),
        proved=True,
    ),
    Scenario(
        "wrong-case-model",
        R,
        _("The model id is written with capitals, and ids are compared to the letter."),
        _wrong_case_model,
        ("KVD502",),
        proved=True,
    ),
    Scenario(
        "model-placeholder",
        R,
        _("The model id is still the sample of the manual."),
        _model_placeholder,
        ("KVD503",),
        proved=True,
    ),
    Scenario(
        "model-with-library-prefix",
        R,
        _('The model id begins with "openai/", which only LiteLLM\'s library wants.'),
        _model_with_library_prefix,
        ("KVD506",),
        proved=True,
    ),
    Scenario(
        "model-without-channel",
        R,
        _("The gateway lists the model and has no channel for it."),
        _model_without_channel,
        ("KVD505",),
    ),
    Scenario(
        "captive-portal",
        R,
        _("The sign-in page of a network answers in the gateway's place."),
        _captive_portal,
        ("KVD210",),
    ),
    Scenario(
        "error-inside-200",
        R,
        _("The answer has status 200 and holds an error object."),
        _spoiled(Fault.ERROR_IN_SUCCESS),
        ("KVD511",),
    ),
    Scenario(
        "body-null",
        R,
        _("The answer has status 200 and the body null."),
        _spoiled(Fault.JSON_NULL),
        ("KVD510",),
    ),
    Scenario(
        "stream-empty",
        R,
        _("The stream ends without a single chunk."),
        _spoiled(Fault.STREAM_EMPTY),
        ("KVD515",),
    ),
    Scenario(
        "empty-choices-chunk",
        R,
        _("The first chunk of the stream has no choices, which code for choices[0] trips on."),
        _spoiled(Fault.CHOICES_EMPTY),
        ("KVD512",),
        answers=True,
    ),
    Scenario(
        "another-model-answers",
        R,
        _("The gateway lets another model answer than was asked for."),
        _spoiled(Fault.OTHER_MODEL),
        ("KVD504",),
        answers=True,
    ),
)
