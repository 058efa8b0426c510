"""TLS settings that are right, and marks of the place where the program runs."""

from __future__ import annotations

from tests.e2e.api import Api

from .scene import KEY, Scene, healthy


def _https(s: Scene) -> None:
    """https on this machine, by an authority of one's own."""
    server = s.stage.open(Api(key=KEY), ssl_context=s.tls("localhost", "127.0.0.1"))
    s.shell(f"https://localhost:{server.port}/v1")


@healthy()
def bundle_by_variable(s: Scene) -> None:
    _https(s)
    s.machine.variables["SSL_CERT_FILE"] = str(s.bundle)


@healthy()
def bundle_by_flag(s: Scene) -> tuple[str, ...]:
    _https(s)
    return ("--ca-bundle", str(s.bundle))


@healthy()
def bundle_by_ones_own_setting(s: Scene) -> None:
    server = s.stage.open(Api(), ssl_context=s.tls("localhost"))
    s.machine.write("ca.pem", s.bundle.read_bytes())
    s.machine.write(
        "kvdoctor.toml",
        f'[targets.lab]\nbase_url = "https://localhost:{server.port}/v1"\nca_bundle = "ca.pem"\n'
        'model = "qwen3-8b"\n',
    )


@healthy()
def bundles_of_several_libraries(s: Scene) -> None:
    _https(s)
    names = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    s.machine.variables |= dict.fromkeys(names, str(s.bundle))


@healthy()
def bundle_beside_a_target_in_clear(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1", SSL_CERT_FILE=str(s.bundle))


@healthy()
def folder_of_certificates(s: Scene) -> None:
    s.machine.write("certs/ca.pem", s.bundle.read_bytes())
    s.shell(f"{s.api(key=KEY).origin}/v1", SSL_CERT_DIR=str(s.machine.cwd / "certs"))


@healthy()
def bundle_of_node_for_a_python_client(s: Scene) -> None:
    s.shell(f"{s.api(key=KEY).origin}/v1", NODE_EXTRA_CA_CERTS=str(s.bundle))


def _in_place(name: str, **variables: str) -> None:
    def build(s: Scene) -> None:
        s.shell(f"{s.api(key=KEY).origin}/v1", **variables)

    build.__name__ = f"in_{name}"
    healthy()(build)


_in_place("a_container", container="docker")
_in_place("kubernetes", KUBERNETES_SERVICE_HOST="10.0.0.1", KUBERNETES_SERVICE_PORT="443")
_in_place("wsl", WSL_DISTRO_NAME="Ubuntu", WSL_INTEROP="/run/WSL/8_interop")
_in_place("ssh", SSH_CONNECTION="203.0.113.5 50022 203.0.113.6 22", SSH_TTY="/dev/pts/0")
_in_place("ci", CI="true", GITHUB_ACTIONS="true", RUNNER_OS="Linux")
_in_place("as_root", USER="root", LOGNAME="root", SUDO_USER="me", SUDO_UID="1000")
_in_place("vs_code", TERM_PROGRAM="vscode", VSCODE_IPC_HOOK_CLI="/tmp/vscode.sock")
_in_place("tmux", TERM="tmux-256color", TMUX="/tmp/tmux-1000/default,1,0")
_in_place("chinese", LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8")
_in_place("the_c_locale", LANG="C", LC_ALL="C")
