"""Files and variables of other programs, which are nobody's gateway."""

from __future__ import annotations

import json

from doctor.demo.keys import MASTER
from doctor.demo.litellm import LiteLlm

from .scene import GATEWAY_MODEL, GOOD, KEY, MODEL, Scene, healthy

_FILES = {
    "of_vs_code": {
        ".vscode/settings.json": '{\n  // editor\n  "editor.tabSize": 2,\n  "http.proxy": "",\n}\n',
        "settings.json": '{"editor.fontSize": 14, "workbench.colorTheme": "Default Dark+"}',
    },
    "of_hugo": {
        "config.toml": 'baseURL = "https://example.org/"\nlanguageCode = "en"\ntitle = "x"\n',
    },
    "of_node": {
        "package.json": '{"name": "x", "scripts": {"test": "vitest"}, "type": "module"}',
        "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
        "package-lock.json": '{"lockfileVersion": 3}',
    },
    "of_python": {
        "pyproject.toml": '[project]\nname = "x"\nversion = "0"\n[tool.ruff]\nline-length = 99\n',
    },
    "of_mkdocs": {"mkdocs.yml": "site_name: x\nsite_url: https://example.org\n"},
    "of_playwright": {"e2e.json": '{"use": {"baseURL": "http://localhost:3000"}}'},
    "of_jekyll": {"_config.yml": "url: https://example.org\nbaseurl: /x\ntitle: x\n"},
    "of_a_machine_learner": {
        "config.json": '{"architectures": ["Qwen3ForCausalLM"], "max_position_embeddings": 40960}',
        "train.yaml": "model: qwen3\nlr: 1e-4\nmax_tokens: 4096\n",
    },
    "of_an_api_client": {
        "openapi.yaml": "openapi: 3.1.0\nservers:\n  - url: https://api.example/v1\n",
        "insomnia.json": '{"base_url": "https://api.example", "token": "{{ token }}"}',
    },
    "that_do_not_parse": {"notes.json": "{not json", "half.toml": "a = ", "x.yaml": "a: [1, 2"},
    "of_docker": {
        "docker-compose.yml": "services:\n  db:\n    image: postgres:17\n    environment:\n"
        "      POSTGRES_PASSWORD: hunter2\n  web:\n    build: .\n    ports: ['8080:80']\n",
    },
    "of_github": {
        ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n"
        "    env:\n      OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}\n    steps: []\n",
    },
}


def _beside(name: str, files: dict[str, str]) -> None:
    def build(s: Scene) -> None:
        for path, text in files.items():
            s.machine.write(path, text)
        s.at_gateway(s.gateway())

    build.__name__ = f"files_{name}"
    healthy()(build)


for _name, _files in _FILES.items():
    _beside(_name, _files)


@healthy()
def compose_with_the_env_file(s: Scene) -> None:
    """The container gets the same file; the service of the database is nobody's gateway."""
    server = s.gateway()
    base = f"{server.origin}/api/v1"
    s.dotenv(f"OPENAI_BASE_URL={base}", f"OPENAI_API_KEY={GOOD}", f"OPENAI_MODEL={GATEWAY_MODEL}")
    s.machine.write(
        "compose.yaml",
        "services:\n  app:\n    build: .\n    network_mode: host\n    env_file: .env\n"
        "  db:\n    image: postgres:17\n    environment: [POSTGRES_PASSWORD=hunter2]\n",
    )


@healthy(notes=1)
def compose_between_services(s: Scene) -> None:
    """The engine is another service, by its name, which only containers know."""
    s.shell(f"{s.engine().origin}/v1", "EMPTY")
    s.machine.write(
        "docker-compose.yml",
        "services:\n"
        "  app:\n    build: .\n    environment:\n      OPENAI_BASE_URL: http://vllm:8000/v1\n"
        "      OPENAI_API_KEY: EMPTY\n      OPENAI_MODEL: qwen3-8b\n"
        "  vllm:\n    image: vllm/vllm-openai:v0.32.0\n    ports: ['8000:8000']\n",
    )


@healthy(notes=1)
def compose_that_hands_the_shell_on(s: Scene) -> None:
    s.at_gateway(s.gateway())
    s.machine.write(
        "docker-compose.yml",
        "services:\n  app:\n    build: .\n    environment:\n      - OPENAI_API_KEY\n"
        "      - OPENAI_BASE_URL=http://host.docker.internal:8000/v1\n      - DEBUG=1\n",
    )


@healthy()
def settings_of_the_guides(s: Scene) -> None:
    """A settings.json as the guides have it, key by the name of a variable."""
    server = s.gateway()
    s.machine.variables["TAOTOKEN_KEY"] = GOOD
    document = {
        "llm": {
            "base_url": f"{server.origin}/api/v1",
            "api_key_env": "TAOTOKEN_KEY",
            "model": GATEWAY_MODEL,
            "max_tokens": 1024,
            "timeout": 60,
        },
        "inference": {"max_model_len": 131072},
    }
    s.machine.write("settings.json", json.dumps(document, indent=2))


@healthy()
def variables_of_other_services(s: Scene) -> None:
    s.at_gateway(s.gateway())
    s.machine.variables |= {
        "JIRA_BASE_URL": "https://jira.example",
        "JIRA_API_TOKEN": "made0up0made0up0made0up0",
        "SENTRY_AUTH_TOKEN": "sntrys_made0up0made0up0",
        "STRIPE_API_KEY": "sk_test_made0up0made0up0made0up0",
        "DATABASE_URL": "postgres://me:hunter2hunter2@db.example/app",
        "API_URL": "https://api.example/v1",
        "MODEL": "production",
        "SECRET_KEY": "made0up0made0up0made0up0",
        "GOOGLE_APPLICATION_CREDENTIALS": "/etc/made-up.json",
        "OPENAI_ORG_ID": "org-made0up",
        "OPENAI_PROJECT": "proj_made0up",
        "OPENAI_LOG": "debug",
        "VLLM_USE_V1": "1",
        "CUDA_VISIBLE_DEVICES": "0,1",
    }


@healthy()
def a_folder_full_of_programs(s: Scene) -> None:
    s.dotenv(
        f"OPENAI_BASE_URL={s.api(key=KEY).origin}/v1",
        f"OPENAI_API_KEY={KEY}",
        f"OPENAI_MODEL={MODEL}",
    )
    s.machine.write(
        "app.py", "import os\nfrom openai import OpenAI\nclient = OpenAI(api_key=os.environ['K'])\n"
    )
    s.machine.write("Dockerfile", "FROM python:3.12\nENV OPENAI_API_KEY=\nCOPY . .\n")
    s.machine.write("Makefile", "run:\n\tdocker run --env-file prod.env app\n")
    s.machine.write("README.md", "export OPENAI_API_KEY=sk-your-key-here\n")


@healthy()
def another_programs_settings_in_home(s: Scene) -> None:
    s.at_gateway(s.gateway())
    s.machine.write("~/.codex/config.toml", 'model = "gpt-5"\nmodel_provider = "openai"\n', 0o600)
    s.machine.write("~/.claude/settings.json", '{"model": "opus"}', 0o600)
    s.machine.write("~/.config/Code/User/settings.json", "{}")


@healthy()
def sourced_by_a_script(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(f'OPENAI_BASE_URL="{base}"', f"OPENAI_API_KEY='{KEY}'", f"OPENAI_MODEL={MODEL}")
    s.machine.write("run.sh", "#!/bin/sh\nset -a\n. ./.env\nset +a\nexec python app.py\n", 0o755)


@healthy()
def loaded_by_a_program(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(f'export OPENAI_BASE_URL="{base}"', f"OPENAI_API_KEY = '{KEY}'  # ours",
             f"OPENAI_MODEL={MODEL}")  # fmt: skip
    s.machine.write("app.py", "from dotenv import load_dotenv\nload_dotenv()\n")


@healthy()
def docker_on_the_hosts_network(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(f"OPENAI_BASE_URL={base}", f"OPENAI_API_KEY={KEY}", f"OPENAI_MODEL={MODEL}")
    s.machine.write("run.sh", "docker run --rm --env-file .env \\\n  --network host app\n")


@healthy()
def docker_and_compose_with_sound_lines(s: Scene) -> tuple[str, ...]:
    s.dotenv("OPENAI_BASE_URL=http://192.168.1.20:8000/v1", f"OPENAI_API_KEY={KEY}",
             f"OPENAI_MODEL={MODEL}")  # fmt: skip
    s.machine.write("run.sh", "docker run --rm --env-file .env app\n")
    s.machine.write("compose.yaml", "services:\n  app:\n    image: app\n    env_file: [.env]\n")
    return ("--connect-to", f"192.168.1.20:8000={s.api(key=KEY).netloc}")


@healthy()
def sidecar_of_compose(s: Scene) -> None:
    """localhost is the container whose network is shared."""
    s.shell(f"{s.engine().origin}/v1", "EMPTY")
    s.machine.write(
        "compose.yaml",
        "services:\n  vllm:\n    image: vllm/vllm-openai:v0.32.0\n  app:\n    image: app\n"
        "    network_mode: 'service:vllm'\n    environment:\n"
        "      OPENAI_BASE_URL: http://localhost:8000/v1\n      OPENAI_API_KEY: EMPTY\n",
    )


@healthy(targets=2)
def routes_of_litellm(s: Scene) -> None:
    """The proxy's own configuration beside a client of it."""
    proxy, engine = s.stage.open(LiteLlm()), s.engine()
    s.shell(f"{proxy.origin}/v1", MASTER)
    s.machine.write(
        "config.yaml",
        "model_list:\n  - model_name: chat\n    litellm_params:\n"
        f"      model: hosted_vllm/{MODEL}\n      api_base: {engine.origin}/v1\n"
        "      api_key: EMPTY\nlitellm_settings:\n  drop_params: true\n",
    )


@healthy()
def settings_of_an_editor(s: Scene) -> None:
    server = s.gateway()
    s.machine.variables["SHOP_KEY"] = GOOD
    document = {
        "assistant.model": GATEWAY_MODEL,
        "assistant": {
            "provider": "openai",
            "baseUrl": f"{server.origin}/api/v1",
            "apiKey": "${env:SHOP_KEY}",
            "model": GATEWAY_MODEL,
        },
    }
    s.machine.write("settings.json", "// of the editor\n" + json.dumps(document, indent=2))


@healthy()
def the_same_key_under_several_names(s: Scene) -> tuple[str, ...]:
    server = s.gateway()
    s.at_gateway(server)
    s.dotenv(f"OPENAI_API_KEY={GOOD}", f"LLM_API_KEY={GOOD}", f"ANTHROPIC_AUTH_TOKEN={GOOD}")
    return ("openai-sdk",)


@healthy()
def a_program_of_the_shop(s: Scene) -> tuple[str, ...]:
    """Its own API and its own model of something else."""
    s.at_gateway(s.gateway())
    s.dotenv("BASE_URL=https://shop.example", "MODEL=T-800", "TIMEOUT=5", "ENDPOINT=/cart")
    return ()
