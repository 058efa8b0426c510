"""Sources and templates: what will make a system prompt differ is found, ordinary code is not."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.prefix.static.python_source import scan_python
from doctor.prefix.static.scan import scan
from doctor.prefix.static.texts import scan_script, scan_template

SICK = {
    "in the message": 'm = [{"role": "system", "content": f"Now {datetime.now()}. Rules"}]',
    "through a name": """
        now = datetime.datetime.utcnow()
        m = {"role": "system", "content": "Now %s" % now}
        """,
    "through a function": """
        def head():
            return str(uuid.uuid4())
        SYSTEM_PROMPT = "Rules " + head()
        """,
    "as an argument": 'client.messages.create(system="In " + os.getcwd(), messages=m)',
    "as instructions": 'client.responses.create(instructions="{}".format(time.time()), input=q)',
    "of a framework": 'chain = SystemMessage(content=f"Today is {date.today()}")',
    "as a pair": 'p = from_messages([("system", f"It is {pendulum.now()}"), ("human", "{q}")])',
}


@pytest.mark.parametrize("name", SICK)
def test_python_that_puts_something_volatile_into_a_prompt(name: str) -> None:
    (spot,) = scan_python(textwrap.dedent(SICK[name]))
    assert spot.kind.code in ("KVD701", "KVD702", "KVD703")
    assert spot.line >= 1


HEALTHY = {
    "a clock of its own": 'started = datetime.now()\nm = {"role": "system", "content": RULES}',
    "in the user's turn": 'm = {"role": "user", "content": f"At {datetime.now()}: {q}"}',
    "in a log line": 'log.info("system %s", datetime.now())',
    "a system call": "os.system(f'date {datetime.now()}')",
    "another dictionary": 'row = {"role": "admin", "content": datetime.now()}',
}


@pytest.mark.parametrize("name", HEALTHY)
def test_python_that_does_not(name: str) -> None:
    assert scan_python(HEALTHY[name]) == []


def test_scripts_and_templates_tell_line_and_text() -> None:
    script = "const m = [{role: 'system', content: `Rules\n${new Date().toISOString()}`}]"
    (spot,) = scan_script(script)
    assert (spot.kind.code, spot.line, spot.guess) == ("KVD701", 2, False)
    assert scan_script("const m = [{role: 'user', content: `${Date.now()}`}]") == []

    (spot,) = scan_template("Rules.\nIt is {{ current_time }}. {{ question }}")
    assert (spot.kind.code, spot.line, spot.guess) == ("KVD701", 2, True)


def test_a_folder_is_scanned_without_what_others_brought(tmp_path: Path) -> None:
    sick = SICK["in the message"]
    for name in ("app.py", "node_modules/x.py", ".venv/lib/y.py", "broken.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def (" if name == "broken.py" else sick)
    assert [path.name for path, _spot in scan(tmp_path)] == ["app.py"]


@given(st.text(max_size=400))
def test_any_text_is_scanned(text: str) -> None:
    for scan_text in (scan_script, scan_template):
        for spot in scan_text(text):
            assert 1 <= spot.line <= text.count("\n") + 1
