"""What surrounds the assignments of a start-up file neither hides them nor is taken for one."""

from __future__ import annotations

import pytest

from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan import fish, posix
from doctor.fixes.scan.base import Nesting

SURROUNDINGS = [
    "plugins=(git # it's fine\n  docker)\n",
    "if [[ -n ~/.zcompdump(#qN.mh+24) ]]; then\n  compinit -C\nfi\n",
    "case $OSTYPE in\n  (open|free)bsd*) x ;;\n  (darwin) y ;|\n  *) z\nesac\n",
    "case $- in *i*) ;; *) return;; esac\n",
    "() {\n  local a=1\n}\n",
    "f() {\n  echo ')'\n}\n",
    "function g {\n  case $1 in a) echo;; esac\n}\n",
    "cat <<-'END' | sed s/x/y/\n\tit's here\n\tEND\n",
    'x=$(case a in a) echo ")";; esac)\n',
    "(( n = 1 << 2 ))\n",
    "for (( i = 0; i < 3; i++ )); do :; done\n",
    "echo ${x//\\'/\\\"}\n",
    "alias g='git log --format=\"%h\"'\n",
    "diff <(sort a) <(sort b) >/dev/null 2>&1 &\n",
    "setopt extended_glob; files=(*.txt(N))\n",
    "a=`echo \\`date\\``\n",
    "[ -f x ] && . ./x || true\n",
    'eval "$(starship init bash)"\n',
    "# don't\n",
    "echo a#b 'c' # d'e\n",
]


@pytest.mark.parametrize("text", SURROUNDINGS)
def test_an_assignment_behind_it_is_found(text: str) -> None:
    found = [a for a in posix.scan(f"{text}export KEY=x\n").assignments if a.name == "KEY"]

    assert [(a.value, a.exported, a.nesting) for a in found] == [("x", True, Nesting.TOP)]
    assert found[0].line == text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "nesting"),
    [
        ("if x; then export KEY=x; fi\n", Nesting.CONDITIONAL),
        ("x && export KEY=x\n", Nesting.CONDITIONAL),
        ("x &&\n  export KEY=x\n", Nesting.CONDITIONAL),
        ("f() (x); { export KEY=x; }\n", Nesting.CONDITIONAL),
        ("case a in a) export KEY=x;; esac\n", Nesting.CONDITIONAL),
        ("f() { if x; then export KEY=x; fi; }\n", Nesting.FUNCTION),
        ("function f {\n export KEY=x\n}\n", Nesting.FUNCTION),
        ("f() { :; }; export KEY=x\n", Nesting.TOP),
    ],
)
def test_how_surely_a_line_runs_is_known(text: str, nesting: Nesting) -> None:
    assert [a.nesting for a in posix.scan(text).assignments] == [nesting]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("export KEY=a'b'\"c\"\\ d", "abc d"),
        ("export KEY=$'a\\tb\\u00e9\\x41'", "a\tbéA"),
        ("export KEY=$'\\xe2\\x80\\x9c'", "“"),
        ('export KEY="a\\$b"', "a$b"),
        ("export KEY=$B", None),
        ("export KEY=${B:-c}", None),
        ('export KEY="$(b)"', None),
        ("export KEY=~/x", None),
        ("export KEY=a:~/x", None),
        ("export KEY+=x", None),
        ("export KEY=(a b)", None),
    ],
)
def test_the_value_is_known_or_said_to_be_unknown(text: str, value: str | None) -> None:
    assert [a.value for a in posix.scan(text).assignments] == [value]


@pytest.mark.parametrize("text", ["KEY=x && y &\n", "x | export KEY=y\n", "(export KEY=x)\n"])
def test_what_a_subshell_sets_is_its_own(text: str) -> None:
    assert posix.scan(text).assignments == ()


def test_a_variable_that_is_taken_away_is_told() -> None:
    scan = posix.scan("unset -v A 'B'\nif x; then\n  unset C\nfi\nunset -f D\n")

    assert [(r.name, r.line, r.nesting) for r in scan.removals] == [
        ("A", 1, Nesting.TOP),
        ("B", 1, Nesting.TOP),
        ("C", 3, Nesting.CONDITIONAL),
    ]


def test_set_a_exports_what_follows() -> None:
    scan = posix.scan("A=1\nset -a\nB=2\nset +a\nC=3\n")

    assert [(a.name, a.exported) for a in scan.assignments] == [
        ("A", False),
        ("B", True),
        ("C", False),
    ]


@pytest.mark.parametrize(
    "text",
    ["echo 'x", 'echo "x', "echo $(x", "echo ${x", "echo `x", "[[ x", "a=(b", "case x in a", "A=<"],
)
def test_what_does_not_end_is_refused(text: str) -> None:
    with pytest.raises(RefusedEdit):
        posix.scan(f"{text}\n")


def test_fish_blocks_and_functions_are_told_apart() -> None:
    text = (
        "if status is-interactive\n  set -gx A 1\nend\nfunction f\n  set -gx B 2\nend\n"
        "begin; set -gx C 3; end\nset -gx D 4 # end\nset -gx E 5 6\nset F 7\n"
    )

    assert [(a.name, a.value, a.nesting.name) for a in fish.scan(text).assignments] == [
        ("A", "1", "CONDITIONAL"),
        ("B", "2", "FUNCTION"),
        ("C", "3", "TOP"),
        ("D", "4", "TOP"),
        ("E", None, "TOP"),
    ]
