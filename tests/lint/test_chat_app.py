"""Google's sample chat app has faults that are known; our sample app has none."""

from pathlib import Path

import pytest

from appfunctions_mcp.lint.android_target import android_subject
from appfunctions_mcp.lint.rule_set import all_rules, findings_in, selected_rules
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.lint.targets import service_subject
from appfunctions_mcp.service import load_service
from tests.support.chat_app import chat_app
from tests.support.stdio_server import PROJECT


def _found_in_chat_app(folder: Path) -> list[Finding]:
    subject = android_subject(chat_app(folder))
    assert len(subject.functions) == 5
    return list(findings_in(subject, selected_rules(all_rules())))


def test_the_name_of_a_function_that_is_no_longer_there_is_an_error(tmp_path: Path) -> None:
    (found,) = (f for f in _found_in_chat_app(tmp_path) if f.rule.id == "AF201")
    assert found.severity is Severity.ERROR
    assert found.fault.words == "'send'"
    assert "'sendMessage'" in found.fault.fix
    assert found.source == f"{tmp_path}/res/xml/app_metadata.xml:18"


def test_texts_on_the_application_are_found_where_they_stand(tmp_path: Path) -> None:
    found = [f for f in _found_in_chat_app(tmp_path) if f.rule.id == "AF212"]
    assert [(f.fault.words, f.source.rpartition("/")[2]) for f in found] == [
        ("appfn:description", "AndroidManifest.xml:31"),
        ("appfn:displayDescription", "AndroidManifest.xml:32"),
    ]


def test_what_tells_the_agent_how_to_behave_is_found(tmp_path: Path) -> None:
    (found,) = (f for f in _found_in_chat_app(tmp_path) if f.rule.id == "AF202")
    assert found.fault.words == "Always call"


def test_a_result_that_nobody_describes_is_found(tmp_path: Path) -> None:
    found = [f for f in _found_in_chat_app(tmp_path) if f.rule.id == "AF040"]
    assert [(f.tool_name, f.fault.place) for f in found] == [("updateChatWallpaper", "response")]


def test_nothing_else_of_the_chat_app_is_an_error(tmp_path: Path) -> None:
    errors = [f for f in _found_in_chat_app(tmp_path) if f.severity is Severity.ERROR]
    assert [f.rule.id for f in errors] == ["AF201"]


@pytest.mark.parametrize("profile", ["guidelines", "skill"])
def test_the_sample_app_has_no_findings(profile: str) -> None:
    subject = service_subject(load_service(PROJECT / "metadata" / "app_metadata.xml"))
    assert len(subject.functions) == len(subject.bodies) > 5
    found = findings_in(subject, selected_rules(all_rules(), profile=profile))
    assert [(f.rule.id, f.tool_name, f.fault.text) for f in found] == []
