"""Files that env readers read, each in a form that its reader understands."""

from __future__ import annotations

from .scene import KEY, MODEL, Scene, healthy


def _lines(base: str, key: str = KEY) -> tuple[str, str, str]:
    return (f"OPENAI_BASE_URL={base}", f"OPENAI_API_KEY={key}", f"OPENAI_MODEL={MODEL}")


@healthy()
def plain(s: Scene) -> None:
    s.dotenv(*_lines(f"{s.api(key=KEY).origin}/v1"))


@healthy()
def double_quotes(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(f'OPENAI_BASE_URL="{base}"', f'OPENAI_API_KEY="{KEY}"', f'OPENAI_MODEL="{MODEL}"')


@healthy()
def single_quotes_and_blanks_at_equals(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(f"OPENAI_BASE_URL = '{base}'", f"OPENAI_API_KEY='{KEY}'", f"OPENAI_MODEL = '{MODEL}'")


@healthy()
def export_in_dotenv(s: Scene) -> None:
    s.dotenv(*(f"export {line}" for line in _lines(f"{s.api(key=KEY).origin}/v1")))


@healthy()
def windows_line_ends(s: Scene) -> None:
    s.dotenv(*_lines(f"{s.api(key=KEY).origin}/v1"), end="\r\n")


@healthy()
def windows_line_ends_and_quotes(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(f'OPENAI_BASE_URL="{base}"', f'OPENAI_API_KEY="{KEY}"', "", end="\r\n")
    s.machine.variables["OPENAI_MODEL"] = MODEL


@healthy()
def comments(s: Scene) -> None:
    base, key, model = _lines(f"{s.api(key=KEY).origin}/v1")
    s.dotenv(
        "# the gateway",
        f"{base} # ours",
        "",
        "# OPENAI_API_KEY=sk-your-key-here",
        f"{key}   # do not share",
        f"{model}",
        "#OPENAI_MODEL=gpt-4o",
    )


@healthy()
def values_from_other_variables(s: Scene) -> None:
    server = s.api(key=KEY)
    s.dotenv(
        f"HOST={server.netloc}",
        "OPENAI_BASE_URL=http://${HOST}/v1",
        f"MY_KEY={KEY}",
        "OPENAI_API_KEY=${MY_KEY}",
        f"OPENAI_MODEL=${{CHAT_MODEL:-{MODEL}}}",
    )


@healthy()
def the_same_in_shell_and_file(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(*_lines(base))
    s.shell(base)


@healthy()
def a_model_of_the_shell_over_the_files(s: Scene) -> None:
    base = f"{s.api(key=KEY, ids=(MODEL, 'other')).origin}/v1"
    s.dotenv(*_lines(base)[:2], "OPENAI_MODEL=other")
    s.machine.variables["OPENAI_MODEL"] = MODEL


@healthy()
def an_example_beside_it(s: Scene) -> None:
    s.dotenv(*_lines(f"{s.api(key=KEY).origin}/v1"))
    sample = _lines("https://your-gateway/v1", "sk-your-key-here")
    s.dotenv(*sample, name=".env.example", mode=0o644)
    s.dotenv(*sample, name=".env.sample", mode=0o644)


@healthy()
def direnv(s: Scene) -> None:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(
        f'export OPENAI_BASE_URL="{base}"',
        f"export OPENAI_API_KEY='{KEY}'",
        "PATH_add bin",
        name=".envrc",
    )
    s.shell(base)


@healthy()
def much_else_in_the_file(s: Scene) -> None:
    s.dotenv(
        "NODE_ENV=production",
        "DATABASE_URL=postgres://app:hunter2hunter2@db.example:5432/app",
        "REDIS_URL=redis://:hunter2hunter2@redis.example:6379/0",
        "SECRET_KEY='django-insecure-1#2$3%4^5&6*7(8)9_0-made-up'",
        "STRIPE_API_KEY=sk_test_made0up0made0up0made0up0",
        "JIRA_BASE_URL=https://jira.example",
        "JIRA_API_TOKEN=made0up0made0up0made0up0",
        "SENTRY_DSN=https://0123456789abcdef0123456789abcdef@sentry.example/1",
        "AWS_SECRET_ACCESS_KEY=made+up/made+up/made+up/made+up/made+up0",
        'PRIVATE_KEY="-----BEGIN MADE UP-----',
        "bWFkZSB1cCBtYWRlIHVwIG1hZGUgdXA=",
        '-----END MADE UP-----"',
        'GREETING="two\\nlines"',
        "EMPTY=",
        *_lines(f"{s.api(key=KEY).origin}/v1"),
    )


@healthy()
def of_docker_without_quotes(s: Scene) -> tuple[str, ...]:
    s.dotenv(*_lines("http://192.168.1.20:8000/v1"), name="docker.env")
    mapped = f"192.168.1.20:8000={s.api(key=KEY).netloc}"
    return ("--env-file", "docker.env", "--env-reader", "docker", "--connect-to", mapped)


@healthy()
def of_a_shell(s: Scene) -> tuple[str, ...]:
    base = f"{s.api(key=KEY).origin}/v1"
    s.dotenv(
        f"export OPENAI_BASE_URL='{base}'; export OPENAI_API_KEY=\"{KEY}\"",
        f"OPENAI_MODEL={MODEL} # served here",
        name="keys.sh",
    )
    return ("--env-file", "keys.sh", "--env-reader", "shell")


@healthy()
def not_in_git(s: Scene) -> None:
    s.dotenv(*_lines(f"{s.api(key=KEY).origin}/v1"))
    s.dotenv("app.py", name="README.md", mode=0o644)
    s.machine.git("init", "-q")
    s.machine.git("add", "README.md")


@healthy()
def ignored_by_git(s: Scene) -> None:
    s.dotenv(*_lines(f"{s.api(key=KEY).origin}/v1"))
    s.dotenv(".env", name=".gitignore", mode=0o644)
    s.machine.git("init", "-q")
    s.machine.git("add", "-A")


@healthy()
def readable_by_all_in_a_closed_home(s: Scene) -> None:
    s.dotenv(*_lines(f"{s.api(key=KEY).origin}/v1"), mode=0o644)


@healthy()
def own_names_of_the_program(s: Scene) -> None:
    s.dotenv(
        f"LLM_BASE_URL={s.api(key=KEY).origin}/v1",
        f"LLM_API_KEY={KEY}",
        f"LLM_MODEL={MODEL}",
        "LLM_TIMEOUT=60",
        "LLM_MAX_TOKENS=1024",
    )
