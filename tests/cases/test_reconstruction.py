"""The reconstructed server is fair: only a request that differs where the response speaks of it
gets another answer."""

from __future__ import annotations

import dataclasses
import json
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from .aspect import Aspect, aspect_of, limit_of
from .case import Case, CasesError, GivenResponse, case_of, read_cases
from .commandline import read_command_line
from .configured import configured
from .examine import Seen
from .keys import cleaned
from .places import vendors_base
from .proxied import goes_through_proxy, proxies, system_proxies
from .server import LOOPBACK, serving
from .stub import Asked, Stub, stub_of
from .verdict import Expectations, Expected, Verdict
from .world import world_of

KEY = "sk-made0up0made0up0made0up0made0up0made0up0made0up0"


def _case(**given: Any) -> Case:
    return case_of({"id": "X-1", "kind": "base-url", "minimal_input": given})


def _stub(*, key: str | None = KEY, proxied: bool = False, **given: Any) -> Stub:
    case = _case(**given)
    return stub_of(case, configured(case), proxied=proxied, key=key)


def _response(status: int, body: str, content_type: str = "application/json") -> dict[str, Any]:
    return {"status": status, "headers": {"content-type": content_type}, "body": body}


def _post(path: str, key: str | None = KEY, **body: Any) -> Asked:
    return Asked("POST", path, bearer=key, body={"model": "gpt-4o", **body})


ASPECTS = [
    (401, '{"detail": "Unauthorized"}', Aspect.KEY),
    (401, '{"message": "API key is required"}', Aspect.NO_KEY),
    (403, '{"error": {"message": "token quota is not enough"}}', Aspect.FIXED),
    (404, '{"error": {"message": "Invalid URL (POST /v1/v1/x)"}}', Aspect.PATH),
    (404, '{"error": {"message": "The model `x` does not exist"}}', Aspect.MODEL),
    (503, '{"error": {"message": "分组 G 下模型 M 无可用渠道"}}', Aspect.MODEL),
    (400, '{"error": {"message": "max_tokens is too large: 32000"}}', Aspect.MAX_TOKENS),
    (400, '{"message": "max_tokens must be at least 1, got -186."}', Aspect.FIXED),
    (429, '{"error": {"message": "Rate limit"}}', Aspect.FIXED),
    (200, '{"choices": null}', Aspect.FIXED),
    (200, '{"error": {"message": "invalid api key"}}', Aspect.KEY),
    (502, "", Aspect.FIXED),
    (301, "", Aspect.PATH),
]


@pytest.mark.parametrize(("status", "body", "aspect"), ASPECTS)
def test_aspect_of_a_response(status: int, body: str, aspect: Aspect) -> None:
    assert aspect_of(GivenResponse(status, {}, body)) is aspect


def test_a_bad_gateway_through_a_proxy_speaks_of_the_proxy() -> None:
    assert aspect_of(GivenResponse(502, {}, ""), proxied=True) is Aspect.ROUTE


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("the valid range of max_tokens is [1, 8192]", 8192),
        ("max_tokens=32000 cannot be greater than max_model_len=4096", 4096),
        ("this model supports at most 16384 completion tokens", 16384),
        ("no number here", None),
    ],
)
def test_limit_of_a_text(text: str, limit: int | None) -> None:
    assert limit_of(GivenResponse(400, {}, text)) == limit


def test_a_page_at_the_root_gives_way_to_the_versioned_path() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com"},
        response=_response(200, "<!doctype html><html></html>", "text/html"),
    )
    assert stub.answer(_post("/chat/completions")).body.startswith("<!doctype")
    assert stub.answer(Asked("GET", "/models", bearer=KEY)).body.startswith("<!doctype")
    assert "choices" in stub.answer(_post("/v1/chat/completions")).body


def test_the_configured_path_is_never_healthy_when_the_answer_is_about_it() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com/v1"},
        response=_response(404, '{"detail": "Not Found"}'),
    )
    assert stub.answer(_post("/v1/chat/completions")).status == 404
    assert stub.answer(_post("/api/v1/chat/completions")).status == 200


def test_a_server_here_that_has_no_v1_has_its_api_at_the_root() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "http://localhost:8080/v1"}, response=_response(404, "", "")
    )
    assert stub.answer(_post("/v1/chat/completions")).status == 404
    assert stub.answer(_post("/api/v1/chat/completions")).status == 404
    assert stub.answer(_post("/chat/completions")).status == 200


def test_a_product_that_its_words_show_has_its_own_places() -> None:
    told = {"error": "Not Found", "message": "Route /api/responses not found", "timestamp": "x"}
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com/api"},
        files={"config.toml": 'wire_api = "responses"'},
        response=_response(404, json.dumps(told)),
    )
    assert stub.answer(_post("/api/v1/responses")).status == 404
    assert stub.answer(_post("/openai/responses")).status == 200


def test_a_key_that_another_request_of_the_report_was_answered_with_is_good() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com", "OPENAI_API_KEY": KEY},
        response=_response(401, '{"error": {"message": "Unauthorized"}}'),
        log='$ curl -H "Authorization: Bearer $OPENAI_API_KEY" $OPENAI_BASE_URL/models\n200\n',
    )
    assert stub.answer(_post("/chat/completions")).status == 401
    assert stub.answer(_post("/v1/chat/completions")).status == 200


@pytest.mark.parametrize(
    ("more", "listed"),
    [
        (
            {"files": {"config.yaml": "model_list:\n- model_name: a\n  litellm_params: {}\n"}},
            ["a"],
        ),
        ({"log": 'GET /v1/models\n{"data":[{"id":"b","object":"model"}]}'}, ["b"]),
    ],
)
def test_the_models_that_a_report_tells_are_listed(more: Any, listed: list[str]) -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "http://127.0.0.1:4000/v1"},
        requests_jsonl='{"model": "x/a"}\n',
        response=_response(404, '{"error": {"message": "The model `x/a` does not exist"}}'),
        **more,
    )
    answer = json.loads(stub.answer(Asked("GET", "/v1/models", bearer=KEY)).body)
    assert [entry["id"] for entry in answer["data"]] == listed


def test_a_channel_of_a_gateway_is_no_setting_of_a_client() -> None:
    channel = {"type": 30, "base_url": "http://localhost:11434", "models": "m", "group": "default"}
    assert configured(_case(files={"channel.json": json.dumps(channel)})).base_url is None


@pytest.mark.parametrize(
    ("variable", "base"),
    [
        ("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
        ("AZURE_OPENAI_API_KEY", None),  # whose host is the user's own
        ("MY_API_KEY", None),
    ],
)
def test_a_vendors_own_variable_names_its_server(variable: str, base: str | None) -> None:
    assert vendors_base(variable) == base


def test_the_home_of_a_report_is_the_one_that_holds_its_files() -> None:
    case = _case(env={"HOME": "/home/dev", "OPENAI_API_KEY": KEY}, files={"~/.zshrc": "x"})
    with world_of(case, case.env) as world:
        assert Path(world.env["HOME"], ".zshrc").exists()
        assert world.env["OPENAI_API_KEY"] == KEY


@pytest.mark.parametrize(
    ("argv", "folder"),
    [
        (["docker", "compose", "-p", "app", "up"], "app/docker"),
        (["docker", "compose", "-f", "app/docker/compose.yml", "up"], "work"),
        (["claude"], "work"),
    ],
)
def test_compose_is_started_where_its_file_is(argv: list[str], folder: str) -> None:
    case = _case(argv=argv, files={"~/app/docker/compose.yml": "services: {}", "~/app/.env": ""})
    with world_of(case, {}) as world:
        assert world.cwd == world.home / folder
        assert (world.home / "app/.env").exists()


SCUTIL = """<dictionary> {
  HTTPEnable : 1
  HTTPPort : 7897
  HTTPProxy : 127.0.0.1
  HTTPSEnable : 0
  HTTPSPort : 7898
  HTTPSProxy : 127.0.0.1
}"""


@pytest.mark.parametrize(
    ("env", "through"),
    [
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, True),
        ({"OPENAI_BASE_URL": "https://api.openai.com/v1"}, False),
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1", "NO_PROXY": "localhost"}, False),
    ],
)
def test_a_proxy_in_the_systems_settings_is_the_machines(
    env: dict[str, str], through: bool
) -> None:
    case = _case(env=env, log=SCUTIL)
    assert system_proxies(case) == {"http": "http://127.0.0.1:7897"}
    assert proxies(configured(case), case) == (("127.0.0.1", 7897),)
    assert goes_through_proxy(configured(case), case) is through


def test_a_known_provider_answers_at_its_own_place_only() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://dashscope.aliyuncs.com/api/v1"},
        response=_response(404, ""),
    )
    assert stub.answer(_post("/v1/chat/completions")).status == 404
    healthy = stub.answer(_post("/compatible-mode/v1/chat/completions", model="qwen-plus"))
    assert healthy.status == 200


def test_a_missing_responses_api_is_missing_everywhere() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com/v1"},
        files={"config.toml": 'wire_api = "responses"'},
        response=_response(404, '{"detail": "Not Found"}'),
    )
    assert stub.answer(_post("/api/v1/responses")).status == 404
    assert stub.answer(_post("/v1/chat/completions")).status == 200


@pytest.mark.parametrize("broken", [f"{KEY}\n", f'"{KEY}"', f"Bearer {KEY}", f"{KEY}\u200b"])
def test_a_refused_key_is_taken_once_it_is_cleaned(broken: str) -> None:
    stub = _stub(
        key=broken,
        env={"OPENAI_BASE_URL": "https://relay.example.com/v1", "OPENAI_API_KEY": broken},
        response=_response(401, '{"error": {"message": "Invalid token"}}'),
    )
    assert stub.answer(_post("/v1/chat/completions", broken)).status == 401
    assert stub.answer(_post("/v1/chat/completions", "sk-another-key")).status == 401
    assert stub.answer(_post("/v1/chat/completions", KEY)).status == 200


def test_a_refused_key_of_good_shape_stays_refused() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com/v1", "OPENAI_API_KEY": KEY},
        response=_response(401, '{"error": {"message": "Invalid token"}}'),
    )
    assert stub.answer(_post("/v1/chat/completions")).status == 401
    assert stub.answer(Asked("GET", "/v1/models", bearer=KEY)).status == 401


def test_a_key_of_the_report_that_the_refusal_does_not_quote_is_taken() -> None:
    other = KEY[:-4] + "good"
    refusal = f"Incorrect API key provided: {KEY[:7]}********{KEY[-4:]}."
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com/v1", "OPENAI_API_KEY": KEY},
        files={".env": f"OPENAI_API_KEY={other}\n"},
        response=_response(401, json.dumps({"error": {"message": refusal}})),
    )
    asked = "/v1/chat/completions"
    statuses = [stub.answer(_post(asked, key=key)).status for key in (KEY, other, other + "x")]
    assert statuses == [401, 200, 401]


def test_no_key_is_demanded_where_the_report_has_none() -> None:
    stub = _stub(
        key=None,
        env={"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"},
        response=_response(200, '{"choices": null}'),
    )
    assert stub.answer(_post("/v1/chat/completions", None)).body == '{"choices": null}'
    assert stub.answer(Asked("GET", "/v1/models")).status == 200


def test_a_vendor_that_saw_no_key_takes_one_in_its_header() -> None:
    """So the program of the report sent none, whatever its environment holds."""
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://api.openai.com/v1", "OPENAI_API_KEY": KEY},
        response=_response(401, '{"error": {"message": "You didn\'t provide an API key."}}'),
    )
    assert stub.answer(_post("/v1/chat/completions")).status == 200
    assert stub.answer(_post("/v1/chat/completions", key=None)).status == 401


def test_an_unknown_model_is_no_more_unknown_with_an_id_of_the_list() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://openrouter.ai/api/v1"},
        requests_jsonl='{"model": "deepseek-chat"}\n',
        response=_response(400, '{"error": {"message": "deepseek-chat is not a valid model ID"}}'),
    )
    path = "/api/v1/chat/completions"
    assert stub.answer(_post(path, model="deepseek-chat")).status == 400
    assert stub.answer(_post(path, model="deepseek/deepseek-chat")).status == 200
    listed = json.loads(stub.answer(Asked("GET", "/api/v1/models", bearer=KEY)).body)
    assert "deepseek-chat" not in [entry["id"] for entry in listed["data"]]


def test_a_budget_below_the_limit_is_taken() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"},
        requests_jsonl='{"model": "gpt-4o", "max_tokens": 32000}\n',
        response=_response(400, "the valid range of max_tokens is [1, 8192]"),
    )
    assert stub.answer(_post("/v1/chat/completions", max_tokens=32000)).status == 400
    assert stub.answer(_post("/v1/chat/completions", max_tokens=8192)).status == 200


def test_a_whole_answer_is_streamed_to_a_client_that_streams() -> None:
    body = {"choices": [{"message": {"content": "", "reasoning_content": "x"}}]}
    stub = _stub(
        env={"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"},
        response=_response(200, json.dumps(body)),
    )
    assert json.loads(stub.answer(_post("/v1/chat/completions")).body) == body
    streamed = stub.answer(_post("/v1/chat/completions", stream=True)).body
    assert streamed.startswith("data: ")
    assert "reasoning_content" in streamed


def test_the_line_that_starts_the_server_tells_what_it_serves() -> None:
    case = _case(
        argv=["vllm", "serve", "/models/a", "--served-model-name", "a", "--max-model-len", "4096"],
        requests_jsonl='{"model": "/models/a"}\n',
    )
    stub = stub_of(case, configured(case), proxied=False, key=None)
    assert stub.answer(_post("/v1/chat/completions", model="/models/a")).status == 404
    assert stub.answer(_post("/v1/chat/completions", model="a")).status == 200
    listed = json.loads(stub.answer(Asked("GET", "/v1/models")).body)["data"]
    assert listed[0]["max_model_len"] == 4096


def test_docker_gives_the_environment_of_its_line() -> None:
    line = read_command_line(
        ["docker", "run", "-e", "HTTPS_PROXY=socks5://10.0.0.1:1080", "-e", "PASSED", "image"],
        {"PASSED": "on", "KEPT": "out"},
    )
    assert line.env == {"HTTPS_PROXY": "socks5://10.0.0.1:1080", "PASSED": "on"}


def test_assignments_before_a_command_are_its_environment() -> None:
    assert read_command_line(["A=1", "B=2", "codex", "C=3"], {}).env == {"A": "1", "B": "2"}


def test_a_request_made_by_hand_tells_base_and_key() -> None:
    line = ["curl", "https://relay.example.com/v1/chat/completions", "-H"]
    known = configured(_case(argv=[*line, f"Authorization: Bearer {KEY}"]))
    assert known.base_flag == "https://relay.example.com/v1"
    assert known.key_flag == KEY


def test_aider_sets_the_variable_of_the_provider() -> None:
    assert read_command_line(["aider", "--api-key", "openai=x"], {}).env == {"OPENAI_API_KEY": "x"}


@given(st.text(), st.sampled_from(["{}", '"{}"', "Bearer {}", " {}\r\n", "“{}”", "\ufeff{}"]))
def test_cleaning_gives_the_key_back(text: str, form: str) -> None:
    assert cleaned(form.format(KEY)) == KEY
    assert cleaned(cleaned(text)) == cleaned(text)


def test_the_server_speaks_clear_text_tls_and_proxy() -> None:
    stub = _stub(
        env={"OPENAI_BASE_URL": "https://relay.example.com/v1", "OPENAI_API_KEY": KEY},
        response=_response(200, '{"choices": null}'),
    )
    authority = trustme.CA()
    trusting = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
    with serving(stub, authority, ("relay.example.com",)) as ports:
        head = {"Authorization": f"Bearer {KEY}"}
        plain = urllib.request.Request(f"http://{LOOPBACK}:{ports.plain}/v1/models", headers=head)
        safe = urllib.request.Request(f"https://localhost:{ports.tls}/v1/models", headers=head)
        through = urllib.request.Request("http://relay.example.com/v1/models", headers=head)
        through.set_proxy(f"{LOOPBACK}:{ports.proxy}", "http")
        direct = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting)
        )
        for request in (plain, safe, through):
            with direct.open(request, timeout=10) as answer:
                assert b"gpt-4o" in answer.read()
        with pytest.raises(urllib.error.URLError):
            direct.open(f"http://{LOOPBACK}:{ports.refused}/", timeout=10)


def test_a_key_that_went_in_another_header_is_taken_as_bearer() -> None:
    started = ["vllm", "serve", "m", "--api-key", "made-up-0123456789"]
    refused = _response(401, '{"error": "Unauthorized"}')
    for log, answered in (('"X-API-KEY"=>"made-up-0123456789"', 200), ("no key in here", 401)):
        case = _case(argv=started, log=log, response=refused)
        stub = stub_of(case, configured(case), proxied=False, key=None)
        asked = Asked(
            "POST", "/v1/chat/completions", bearer="made-up-0123456789", body={"model": "m"}
        )
        assert stub.answer(asked).status == answered


def test_the_id_of_which_a_client_sent_the_last_part_is_served() -> None:
    stub = _stub(
        files={"config.yaml": "llm:\n  model: maker/m-5\n"},
        requests_jsonl='{"model": "m-5", "messages": []}',
        response=_response(404, '{"message": "Model not found: m-5"}'),
    )
    assert "maker/m-5" in stub.served.ids


def test_a_resource_of_azures_own_api_is_no_base() -> None:
    text = "base_url: https://r.openai.azure.com/\n{}: made-up\n"
    assert configured(_case(files={"a.yaml": text.format("azure_deployment")})).base_url is None
    assert configured(_case(files={"a.yaml": text.format("model")})).base_url is not None


def test_an_unknown_report_is_judged_by_its_kind() -> None:
    expected = Expectations().of(_case())
    assert expected.by_kind
    assert expected.holds("KVD201")
    assert not expected.holds("KVD102")


def test_only_the_first_code_counts_unless_several_faults_are_stated() -> None:
    seen = Seen(roots=("KVD201",), explained=("KVD102",))
    assert not Verdict(_case(), Expected(("KVD102",)), seen).ok
    assert Verdict(_case(), Expected(("KVD102",)), seen).named
    assert Verdict(_case(), Expected(("KVD102",), several=True), seen).ok


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "A", "kind": "tls", "minimal_input": {}}\n{"id": "B"}\n', "utf-8")
    with pytest.raises(CasesError, match=r"cases\.jsonl:2: KeyError"):
        read_cases(path)


def test_a_client_that_asked_for_its_base_alone_is_served_at_the_endpoint() -> None:
    stub = _stub(
        env={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://relay.example.com/api"},
        response={
            "status": 404,
            "body": '{"error":"Not Found","message":"Route /api not found","timestamp":"x"}',
        },
    )
    there = Asked("POST", "/api/v1/messages", KEY, body={"model": stub.served.ids[0]})
    assert stub.answer(there).status == 200
    assert stub.answer(dataclasses.replace(there, path="/api")).status == 404
