"""What a public text does not tell of its writer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.private import Private, masks_in
from doctor.secrets import Redactor, Secret
from tests.kit import KEY


def private(*, hosts: bool = False, user: str = "kim", machine: str = "lab-7") -> Private:
    base = Redactor()
    base.learn(KEY)
    return Private(base, home="/home/kim", user=user, machine=machine, hosts=hosts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/kim/app/.env:3", "~/app/.env:3"),
        ("kim@lab-7", "USER@MACHINE"),
        ("Kimono and kimchi", "Kimono and kimchi"),
        ("lab-70 and my-lab-7", "lab-70 and my-lab-7"),
        (f"key {KEY}", "key sk-…0up0"),
    ],
)
def test_names_of_people_and_machines_are_taken_out(text: str, shown: str) -> None:
    assert private()(text) == shown


@pytest.mark.parametrize("user", ["root", "runner", "ab", ""])
def test_a_name_that_says_nothing_stays(user: str) -> None:
    assert private(user=user)("root runner ab") == "root runner ab"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://gw.corp/v1", "http://host-1.example/v1"),
        ("http://a.corp a.corp:80", "http://host-1.example host-1.example:80"),
        ("http://a.corp http://b.corp", "http://host-1.example http://host-2.example"),
        ("http://…@gw.corp:1", "http://…@host-1.example:1"),
        ("http://GW.corp gw.CORP", "http://host-1.example host-1.example"),
        ("http://10.1.2.3:8000", "http://host-1.example:8000"),
        ("http://127.0.0.1:1 http://localhost:2", "http://127.0.0.1:1 http://localhost:2"),
        ("https://taotoken.net/api/v1", "https://taotoken.net/api/v1"),
        ("http://a.corp/a.corporation", "http://host-1.example/a.corporation"),
    ],
)
def test_hosts_are_taken_out_only_where_they_say_something(text: str, shown: str) -> None:
    assert private(hosts=True)(text) == shown


def test_a_host_is_hidden_where_no_scheme_is_ahead_of_it() -> None:
    hiding = private(hosts=True)
    hiding.hide(["http://gw.corp:8000/v1"])

    assert hiding("gw.corp refuses the key") == "host-1.example refuses the key"


def test_what_was_taken_out_is_counted() -> None:
    counting = private(hosts=True)
    counting("/home/kim /home/kim kim http://a.corp")

    assert counting.taken == {"home": 2, "user": 1, "host": 1}
    assert masks_in("sk-…0up0, sk-…0up0 and …", [Secret(KEY), Secret("short")]) == 2


@given(st.text(alphabet=st.sampled_from("htp:/@.-a1 corp…"), max_size=60))
def test_no_text_is_too_much_and_twice_is_once(text: str) -> None:
    hiding = private(hosts=True)
    once = hiding(text)

    assert hiding(once) == once
