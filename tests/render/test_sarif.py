"""SARIF 2.1.0: the parts that are written, by the rules of the standard."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.kit import KEY

from .sample import broken_report, healthy_report, with_text, written
from .test_markdown import HOSTILE

_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}},
         "additionalProperties": False}  # fmt: skip
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
# The properties that are used, closed, so that a misspelt one is seen (§§3.13 to 3.50).
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/run"}},
    },
    "$defs": {
        "run": {
            "type": "object",
            "required": ["tool", "results"],
            "additionalProperties": False,
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "additionalProperties": False,
                    "properties": {"driver": {"$ref": "#/$defs/driver"}},
                },
                "automationDetails": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"id": {"type": "string"}},
                },
                "invocations": {"type": "array", "items": {"$ref": "#/$defs/invocation"}},
                "originalUriBaseIds": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"description": _TEXT},
                    },
                },
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
        },
        "invocation": {
            "type": "object",
            "required": ["executionSuccessful"],
            "additionalProperties": False,
            "properties": {
                "executionSuccessful": {"type": "boolean"},
                "startTimeUtc": {
                    "type": "string",
                    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
                },
                "toolExecutionNotifications": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["message"],
                        "additionalProperties": False,
                        "properties": {"level": _LEVEL, "message": _TEXT},
                    },
                },
            },
        },
        "driver": {
            "type": "object",
            "required": ["name"],
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string"},
                "semanticVersion": {"type": "string"},
                "informationUri": {"type": "string", "format": "uri"},
                "rules": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {
                        "type": "object",
                        "required": ["id"],
                        "additionalProperties": False,
                        "properties": {
                            "id": {"type": "string"},
                            "name": {"type": "string"},
                            "shortDescription": _TEXT,
                            "fullDescription": _TEXT,
                            "help": _TEXT,
                            "helpUri": {"type": "string", "format": "uri"},
                            "defaultConfiguration": {
                                "type": "object",
                                "additionalProperties": False,
                                "properties": {"level": _LEVEL},
                            },
                            "properties": {"type": "object"},
                        },
                    },
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": _LEVEL,
                "message": _TEXT,
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                },
                "suppressions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["kind"],
                        "additionalProperties": False,
                        "properties": {
                            "kind": {"enum": ["inSource", "external"]},
                            "status": {"enum": ["accepted", "underReview", "rejected"]},
                            "justification": {"type": "string"},
                        },
                    },
                },
                "properties": {"type": "object"},
            },
        },
        "location": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation"],
                    "additionalProperties": False,
                    "properties": {
                        "artifactLocation": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "uri": {"type": "string", "pattern": r"^[^\s\\]+$"},
                                "uriBaseId": {"type": "string"},
                            },
                        },
                        "region": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"startLine": {"type": "integer", "minimum": 1}},
                        },
                    },
                },
                "logicalLocations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"name": {"type": "string"}, "kind": {"type": "string"}},
                    },
                },
            },
        },
    },
}


def run_of(text: str) -> dict[str, Any]:
    document = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    run: dict[str, Any] = document["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def test_every_finding_is_a_result_of_its_rule() -> None:
    report = broken_report()
    text = written(report, "sarif")
    run = run_of(text)

    assert [r["ruleId"] for r in run["results"]] == [f.code for f in report.findings]
    levels = {r["ruleId"]: r["level"] for r in run["results"]}
    assert levels["KVD102"] == "error"
    assert levels["KVD113"] == "warning"
    assert KEY not in text


def test_what_follows_from_another_is_suppressed() -> None:
    report = broken_report()
    run = run_of(written(report, "sarif"))
    suppressed = {r["ruleId"] for r in run["results"] if "suppressions" in r}

    assert suppressed == {f.code for f in report.findings if f.explained_by is not None}


def test_a_file_of_the_home_folder_is_named_without_its_owner() -> None:
    results = run_of(written(broken_report(), "sarif"))["results"]
    places = [r["locations"][0].get("physicalLocation") for r in results if r["ruleId"] == "KVD102"]

    assert places == [
        {
            "artifactLocation": {"uri": ".zshrc", "uriBaseId": "HOME"},
            "region": {"startLine": 41},
        }
    ]


def test_the_rule_page_is_linked_and_brought_along() -> None:
    rules = run_of(written(broken_report(), "sarif"))["tool"]["driver"]["rules"]
    rule = next(rule for rule in rules if rule["id"] == "KVD102")

    assert rule["helpUri"].endswith("/docs/rules/KVD102.md")
    assert "How to fix" in rule["help"]["text"]


def test_a_healthy_run_has_no_result() -> None:
    assert run_of(written(healthy_report(), "sarif"))["results"] == []


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_others_stays_text(text: str) -> None:
    run_of(written(with_text(text), "sarif"))
