"""The rules about Android's files, where their examples do not show enough."""

from pathlib import Path

import pytest

from appfunctions_mcp.lint.android_target import android_subject
from appfunctions_mcp.lint.rule_set import findings_in
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.lint.rules_android import RULES
from appfunctions_mcp.lint.rules_app import RULES as APP_RULES
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.android_apps import (
    METADATA_PROPERTY,
    V1_PROPERTY,
    V2_PROPERTY,
    description_text,
    first_form_text,
    functions_text,
    manifest_property,
    manifest_text,
    service,
    usual_app,
    write_files,
)

NAMES = manifest_property(METADATA_PROPERTY, "@xml/app_metadata", "resource")


def _found(folder: Path, **changed: str) -> list[Finding]:
    subject = android_subject(write_files(folder, usual_app() | changed))
    return list(findings_in(subject, [*RULES, *APP_RULES]))


def test_a_manifest_that_names_a_missing_file_is_told_with_its_line(tmp_path: Path) -> None:
    manifest = manifest_text(service(manifest_property(V2_PROPERTY, "note_service.xml")), NAMES)
    found = [
        f for f in _found(tmp_path, **{"AndroidManifest.xml": manifest}) if f.rule.id == "AF210"
    ]
    assert len(found) == 1
    assert found[0].fault.place == "AndroidManifest.xml"
    assert found[0].source.startswith(f"{tmp_path}/AndroidManifest.xml:")
    assert "'note_service.xml'" in found[0].fault.text
    assert "Perhaps 'notes_service.xml'" in found[0].fault.fix


def test_a_service_without_guard_and_export_has_two_findings(tmp_path: Path) -> None:
    found = [f for f in _found(tmp_path) if f.rule.id == "AF215"]
    assert len(found) == 2
    assert {f.severity for f in found} == {Severity.ERROR}


@pytest.mark.parametrize(
    ("older", "ids"),
    [(["com.example.Notes#list"], []), (["com.example.Notes#lst"], ["AF217", "AF217"])],
)
def test_both_files_of_a_service_list_the_same_functions(
    tmp_path: Path, older: list[str], ids: list[str]
) -> None:
    manifest = manifest_text(
        service(
            manifest_property(V2_PROPERTY, "notes_service.xml"),
            manifest_property(V1_PROPERTY, "older.xml"),
        ),
        NAMES,
    )
    files = {"AndroidManifest.xml": manifest, "assets/older.xml": first_form_text(*older)}
    assert [f.rule.id for f in _found(tmp_path, **files) if f.rule.id == "AF217"] == ids


def test_files_that_are_missing_or_broken_are_not_compared(tmp_path: Path) -> None:
    manifest = manifest_text(
        service(
            manifest_property(V2_PROPERTY, "notes_service.xml"),
            manifest_property(V1_PROPERTY, "older.xml"),
        ),
    )
    for older in ({}, {"assets/older.xml": "<appfunctions"}):
        found = _found(tmp_path, **{"AndroidManifest.xml": manifest} | older)
        assert "AF217" not in {f.rule.id for f in found}


def test_a_description_from_strings_is_an_error_on_android_and_a_note_here(tmp_path: Path) -> None:
    text = description_text("@string/about")
    found = [
        f for f in _found(tmp_path, **{"res/xml/app_metadata.xml": text}) if f.rule.id == "AF214"
    ]
    assert [f.severity for f in found] == [Severity.ERROR]
    metadata = parse_metadata(tmp_path / "res/xml/app_metadata.xml")
    ours = LintSubject((), Origin.OWN, app=metadata)
    assert [f.severity for f in findings_in(ours, RULES)] == [Severity.NOTE]


def test_a_text_of_its_own_for_people_is_fine_in_an_app_of_ours(tmp_path: Path) -> None:
    text = description_text(attributes='appfn:displayDescription="Notes"')
    found = _found(tmp_path, **{"res/xml/app_metadata.xml": text})
    assert [f.fault.words for f in found if f.rule.id == "AF213"] == ["Notes"]
    ours = LintSubject((), Origin.OWN, app=parse_metadata(tmp_path / "res/xml/app_metadata.xml"))
    assert findings_in(ours, RULES) == ()


def test_a_manifest_that_cannot_be_read_leaves_the_other_rules_silent(tmp_path: Path) -> None:
    subject = LintSubject((), Origin.ANDROID, folder=tmp_path)
    assert findings_in(subject, RULES) == ()


def test_an_app_with_functions_and_no_description_is_told(tmp_path: Path) -> None:
    files = {
        "AndroidManifest.xml": manifest_text(service(manifest_property(V2_PROPERTY, "f.xml"))),
        "assets/f.xml": functions_text("com.example.Notes#list"),
    }
    subject = android_subject(write_files(tmp_path, files))
    assert "AF200" in {f.rule.id for f in findings_in(subject, APP_RULES)}


def test_faults_without_a_place_are_told_whole() -> None:
    subject = LintSubject((), Origin.ANDROID, faults=("nothing is here",))
    (found,) = findings_in(subject, RULES)
    assert (found.fault.text, found.source) == ("Nothing is here.", "")
