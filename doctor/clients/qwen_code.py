"""Qwen Code. Facts: facts/gateway-clients.md §3.12, and observed with 0.24.4.

The name of a model in the settings wins over OPENAI_MODEL; an entry of ``modelProviders`` with that
name wins over every variable but the one that it names for its key.
"""

from __future__ import annotations

from doctor.clients import gemini_url
from doctor.clients.base import ClientProfile
from doctor.clients.files import Files
from doctor.clients.held import is_own, see
from doctor.clients.javascript import header_refusal
from doctor.clients.machine import Machine
from doctor.clients.qwen_choice import NAMES, Choice, choice, selected
from doctor.clients.qwen_settings import FOLDER, Config, config, home_of
from doctor.clients.whatwg import href
from doctor.connection import Connection, OriginKind, Protocol, Setting, Shadowed
from doctor.facts.settings import Login, LoginKind, Role, Unsupported
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found
from doctor.text import _

ID = "qwen-code"
_OAUTH = "qwen-oauth"
_LOGIN_HOST = "chat.qwen.ai"


def _join(base: str, path: str) -> str:
    """Base and path as one text; Google's SDK has rules of its own."""
    if path.startswith("/v1beta/"):
        return gemini_url.join(base, path)
    return href(base + (path[1:] if base.endswith("/") else path))


def _prepare_key(key: str) -> str:
    """Only fetch cuts blanks off, and those at the end of the header alone."""
    return key.rstrip("\t\n\r ")


PROFILE = ClientProfile(
    id=ID,
    label="Qwen Code",
    stack="undici",
    paths={
        Protocol.OPENAI_CHAT: "/chat/completions",
        Protocol.OPENAI_RESPONSES: "/responses",
        Protocol.ANTHROPIC_MESSAGES: "/v1/messages",
        Protocol.GEMINI_GENERATE: gemini_url.STREAM_PATH,
    },
    models_path="/models",
    models_paths={
        Protocol.ANTHROPIC_MESSAGES: "/v1/models",
        Protocol.GEMINI_GENERATE: gemini_url.MODELS_PATH,
    },
    base_has_version=True,
    join=_join,
    prepare_key=_prepare_key,
    key_refusal=lambda key: header_refusal(f"Bearer {key}"),
    default_base="https://api.openai.com/v1",
)


def find(machine: Machine, *, always: bool) -> Found:
    """One target where its own files set an address of the user's own."""
    found = Found()
    files = Files(machine, ID, found)
    read = config(files)
    _sight(read, files)
    _login(files)
    method = selected(read)
    if method is not None and method.value == _OAUTH:
        reason = _("the free tier of the Qwen login ended on 2026-04-15, and it does not start")
        instead = _("run /auth in Qwen Code, or set selectedType to openai")
        found.unsupported.append(
            Unsupported(ID, method.origin.name, method.origin, reason, instead, fatal=True)
        )
    made = choice(read, files, method)
    if made is None:
        if always and method is not None:
            found.candidates.append(_without_address(method))
        return found
    if always or _is_of_its_own(made.connection, read):
        found.unsupported += _ignored(read, made)
        label = _label(made.connection)
        found.candidates.append(Candidate(ID, label, made.connection, origins=made.origins))
    return found


def _sight(read: Config, files: Files) -> None:
    for role, names in NAMES.items():
        for path, layer in read.envs:
            see(files, role, layer, path, *names)
        for file in read.files:
            for name in names:
                value = file.secret("env", name) if role is Role.KEY else file.text("env", name)
                files.see(file, role, value)
    for file in read.files:
        files.see(file, Role.MODEL, file.text("model", "name"))
        files.see(file, Role.BASE_URL, file.text("security", "auth", "baseUrl"))
        files.see(file, Role.KEY, file.secret("security", "auth", "apiKey"))


def _login(files: Files) -> None:
    file = files.json(home_of(files.machine) / "oauth_creds.json")
    if file is not None and file.at("access_token"):
        login = Login(ID, LoginKind.OAUTH, _("Qwen login"), file.origin(), _LOGIN_HOST)
        files.found.logins.append(login)


def _without_address(method: Shadowed[str]) -> Candidate:
    """For a user who named it, where it goes to its vendor's or to Google's Vertex AI: there is
    nobody to ask, so this is as if nothing were set up."""
    base = Setting(PROFILE.default_base or "", DEFAULT)
    connection = Connection(client=ID, protocol=Protocol.OPENAI_CHAT, base_url=base)
    return Candidate(ID, method.origin.path or "environment", connection)


def _is_of_its_own(connection: Connection, read: Config) -> bool:
    """An address other than the vendor's, of which its own files say at least a part."""
    base, key = connection.base_url, connection.key
    if base.origin.kind is OriginKind.DEFAULT:
        return False
    paths = {file.shown for file in read.files}
    origins = [base.origin, *([key.origin] if key is not None else [])]
    return any(origin.path in paths or is_own(origin, FOLDER) for origin in origins)


def _ignored(read: Config, made: Choice) -> list[Unsupported]:
    """What ``model.generationConfig`` says does not reach an entry of ``modelProviders``."""
    if made.entry is None:
        return []
    own = made.entry.file.table(*made.entry.keys, "generationConfig")
    found = []
    for name in ("samplingParams", "customHeaders", "timeout", "contextWindowSize"):
        for file in read.files:
            keys = ("model", "generationConfig", name)
            if file.at(*keys) is not None and name not in own:
                reason = _("it is ignored for a model that modelProviders lists")
                instead = _(
                    "generationConfig.{name} of the entry {id}", name=name, id=made.entry.id
                )
                found.append(Unsupported(ID, ".".join(keys), file.origin(*keys), reason, instead))
    return found


def _label(connection: Connection) -> str:
    """The file that its address, or else its key, comes from."""
    settings = (connection.base_url, connection.key)
    paths = (setting.origin.path for setting in settings if setting is not None)
    return next((path for path in paths if path is not None), "environment")
