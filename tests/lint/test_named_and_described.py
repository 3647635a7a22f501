"""Names, parameters, results and hints: what is found, and what is left alone."""

import json
from typing import Any

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import all_rules, findings_in
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from tests.support.corpus import corpus
from tests.support.exported import corpus_functions, sample_functions

RULES = [each for each in all_rules() if each.rule.id < "AF100"]


def found_in(*names: str, server: str = "", **more: Any) -> list[Finding]:
    tools = [{"name": name, "description": "Lists items.", **more} for name in names]
    return list(findings_in(subject_of({"server": server, "tools": tools}), RULES))


def ids_in(*names: str, server: str = "", **more: Any) -> set[str]:
    return {f.rule.id for f in found_in(*names, server=server, **more)}


def taking(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"inputSchema": {"type": "object", "properties": {name: schema}}}


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("notes.list", "AF001"),
        ("List Notes", "AF001"),
        ("2fa_check", "AF001"),
        ("x" * 65, "AF002"),
        ("do_it", "AF005"),
        ("process_data", "AF005"),
        ("run", "AF005"),
        ("tool", "AF005"),
        ("search", "AF006"),
        ("directory_tree", "AF007"),
        ("notes_list", "AF008"),
        ("list_usr_notes", "AF011"),
        ("list_ntfs_msgs", "AF011"),
        ("list_notes_v2", "AF012"),
        ("listNotesV2", "AF012"),
        ("search_tool", "AF013"),
    ],
)
def test_a_fault_of_a_name_is_found(name: str, rule: str) -> None:
    assert rule in ids_in(name)


@pytest.mark.parametrize(
    "name",
    ["start_process", "list_notes", "convert_html_to_pdf", "hash_sha256", "getNotes", "get-notes"],
)
def test_a_good_name_has_no_fault(name: str) -> None:
    assert not [f for f in found_in(name) if f.fault.place == "name"]


def test_a_name_that_cannot_be_used_gets_one_that_can() -> None:
    (found,) = (f for f in found_in("notes.list") if f.rule.id == "AF001")
    assert found.fault.fix == "Call it 'notes_list'."
    (found,) = (f for f in found_in("…") if f.rule.id == "AF001")
    assert found.fault.fix == ""


def test_names_are_compared_with_each_other() -> None:
    assert "AF003" in ids_in("list_notes", "list_notes")
    assert "AF004" in ids_in("list_notes", "listNotes")
    assert "AF009" in ids_in("list_notes", "list_labels", "listFiles")
    assert "AF012" in ids_in("list_notes", "list_notes_new")
    assert not ids_in("list_notes", "list_labels", "list_2") & {"AF003", "AF004", "AF009", "AF012"}


def test_a_prefix_that_names_share_is_no_part_of_them() -> None:
    names = ("github_list_notes", "github_read_note", "github_write_note")
    assert "AF008" not in ids_in(*names)
    assert "AF008" in ids_in("iframe_click_button")
    assert "AF014" in ids_in("notes_list", server="notes")
    assert "AF014" not in ids_in("notes_list", server="mail")


@pytest.mark.parametrize(
    ("name", "schema", "rule"),
    [
        ("some_value", {"type": "integer"}, "AF020"),
        ("some_value", {"type": "integer", "description": "  "}, "AF020"),
        ("note_number", {"type": "integer", "description": "The number of the note."}, "AF021"),
        ("start_date", {"type": "string", "description": "The first one."}, "AF033"),
        ("createdAt", {"type": "string", "description": "The first one."}, "AF033"),
        ("until", {"type": ["string", "null"], "description": "The last one."}, "AF033"),
        ("timeout", {"type": "integer", "description": "How long to wait."}, "AF034"),
        ("note_id", {"type": "string", "description": "Which note is meant."}, "AF035"),
        ("data", {"type": "string", "description": "What is written."}, "AF037"),
        ("q", {"type": "string", "description": "What is looked for."}, "AF037"),
    ],
)
def test_a_fault_of_what_is_written_of_a_parameter_is_found(
    name: str, schema: dict[str, Any], rule: str
) -> None:
    assert rule in ids_in("list_items", **taking(name, schema))


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("start_date", {"type": "string", "format": "date", "description": "The first one."}),
        ("start_date", {"type": "string", "description": "The first one, as YYYY-MM-DD."}),
        ("start_date", {"type": "string", "description": "Первый день, например 2024-01-31."}),
        ("wait_until", {"type": "string", "description": "What is waited for."}),
        ("since", {"type": "integer", "description": "Which one is the first."}),
        ("timeout", {"type": "integer", "description": "How long to wait, in seconds."}),
        ("timeout", {"type": "integer", "description": "Сколько ждать, в секундах."}),
        ("timeout", {"type": "string", "description": "How long to wait."}),
        ("timeout_ms", {"type": "integer", "description": "How long to wait."}),
        ("note_id", {"type": "string", "description": "Which note, such as 'note-12'."}),
        ("note_id", {"type": "string", "description": "Какая заметка, например note-12."}),
        ("x", {"type": "number", "description": "How far to the right, in pixels."}),
        ("kind", {"type": "string", "enum": ["a", "b"], "description": "The kind."}),
        ("thing", {"$ref": "#/$defs/Thing"}),
    ],
)
def test_what_is_told_of_a_parameter_is_enough(name: str, schema: dict[str, Any]) -> None:
    found = ids_in("list_items", **taking(name, schema))
    assert not found & {"AF020", "AF021", "AF033", "AF034", "AF035"}


def test_a_text_that_stands_in_the_function_alone_is_a_note() -> None:
    text = "Lists items.\n\nArgs:\n    some_value: How many."
    found = found_in(
        "list_items", **{**taking("some_value", {"type": "integer"}), "description": text}
    )
    (told,) = (f for f in found if f.rule.id == "AF020")
    assert told.severity is Severity.NOTE


def test_the_inside_of_a_set_field_needs_no_text() -> None:
    value = {"type": "string"}
    field = {"type": "object", "description": "The new title.", "additionalProperties": False}
    plain = {**field, "properties": {"value": value}, "required": ["value"]}
    clearable = {**field, "properties": {"value": value, "clear": {"type": "boolean"}}}
    open_object = {**plain, "additionalProperties": True}
    assert "AF020" not in ids_in("update_item", **taking("title", plain))
    assert "AF020" not in ids_in("update_item", **taking("title", clearable))
    assert "AF020" in ids_in("update_item", **taking("title", open_object))


@pytest.mark.parametrize("schema", [{"const": "circle"}, {"enum": ["circle"]}])
def test_what_tells_branches_apart_needs_no_text(schema: dict[str, Any]) -> None:
    """Compilers put it there, so that no author can describe it."""
    kind = {"type": "string", **schema}
    shape = {"type": "object", "description": "The shape.", "properties": {"kind": kind}}
    result = {"outputSchema": shape, **taking("shape", shape)}
    assert not ids_in("draw_shape", **result) & {"AF020", "AF044"}
    kind["enum"] = ["circle", "square"]
    kind.pop("const", None)
    assert {"AF020", "AF044"} <= ids_in("draw_shape", **result)


def test_the_members_of_a_class_of_the_library_need_no_text() -> None:
    text = {"type": "string"}
    whole = {"type": "object", "properties": {"mimeType": text, "content": text}}
    tool = {"name": "get_item", "description": "Gets an item.", "outputSchema": whole}
    (function,) = subject_of(tool).functions

    def is_found(origin: Origin) -> bool:
        found = findings_in(LintSubject((function,), origin), RULES)
        return "AF044" in {f.rule.id for f in found}

    assert not is_found(Origin.ANDROID)
    assert is_found(Origin.FOREIGN)


@pytest.mark.parametrize(
    ("name", "text", "is_spoken_of"),
    [
        ("isUrl", "Reads a file, or a page when isUrl is true.", True),
        ("max_lines", "Reads a file, of which max_lines come back.", True),
        ("head", "Reads a file. The 'head' parameter takes the first lines.", True),
        ("path", "Reads the file at a path.", False),
        ("head", "Reads the head of a file.", False),
    ],
)
def test_an_undescribed_parameter_that_the_text_speaks_of_is_told_so(
    name: str, text: str, *, is_spoken_of: bool
) -> None:
    more = {"description": text, **taking(name, {"type": "string"})}
    (told,) = (f for f in found_in("read_file", **more) if f.rule.id == "AF020")
    assert ("the function's text speaks of it" in told.fault.text) is is_spoken_of
    assert told.severity is Severity.WARNING


@pytest.mark.parametrize("other", ["key", "field_name", "selector", "cssSelector", "column"])
def test_a_value_beside_what_it_belongs_to_is_no_vague_name(other: str) -> None:
    value = {"type": "string", "description": "What is written."}
    schema = {"type": "object", "properties": {other: value, "value": value}}
    assert "AF037" not in ids_in("set_item", inputSchema=schema)
    schema["properties"] = {"url": value, "value": value}
    assert "AF037" in ids_in("set_item", inputSchema=schema)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("Only those with this CVE ID.", False),
        ("The SHA of the commit to compare.", False),
        ("The UUID of the job.", False),
        ("The ISBN of the book.", False),
        ("The ID of the job.", True),
        ("The shape of the job.", True),
    ],
)
def test_an_id_of_a_form_that_the_world_knows_needs_no_origin(text: str, *, is_found: bool) -> None:
    schema = {"type": "string", "description": text}
    assert ("AF035" in ids_in("get_item", **taking("some_id", schema))) is is_found


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("list_issue_types", False),
        ("list_allowed_directories", False),
        ("list_supported_units", False),
        ("list_issues", True),
        ("search_directories", True),
    ],
)
def test_a_list_of_a_few_things_needs_no_limit(name: str, *, is_found: bool) -> None:
    assert ("AF046" in ids_in(name)) is is_found


@pytest.mark.parametrize(
    ("names", "rule"),
    [
        (["console_logs"], "AF007"),
        (["user_orders"], "AF007"),
        (["code_review"], "AF007"),
        (["tax_return_tool"], "AF007"),
        (["iframe_fill"], "AF008"),
        (["user_creates_note"], "AF008"),
        (["notes_update"], "AF008"),
        (["do_something"], "AF005"),
        (["do_backup"], None),
        (["excel_copy_sheet", "excel_read_sheet", "excel_write_sheet"], None),
        (["git_log", "git_add", "git_show"], None),
    ],
)
def test_a_verb_of_a_name_is_told_from_a_thing(names: list[str], rule: str | None) -> None:
    found = {f.rule.id for f in found_in(*names) if f.fault.place == "name"}
    assert found & {"AF005", "AF007", "AF008"} == ({rule} if rule else set())


@pytest.mark.parametrize(
    ("name", "text", "severity"),
    [
        ("delete_item", "Deletes an item.", Severity.ERROR),
        ("erase_disk", "Returns when the disk is erased.", Severity.ERROR),
        ("drop_pin", "Drops a pin at a place of the map.", Severity.WARNING),
        ("remove_item", "Removes an item.", Severity.WARNING),
        ("remove_background", "Returns a copy of a picture without its background.", None),
        ("truncate_text", "Makes a shorter text.", None),
    ],
)
def test_a_hint_that_denies_what_the_name_says_weighs_as_much_as_it_is_sure(
    name: str, text: str, severity: Severity | None
) -> None:
    found = found_in(name, description=text, annotations={"destructiveHint": False})
    assert [f.severity for f in found if f.rule.id == "AF063"] == [severity] * (
        severity is not None
    )


def test_what_deletes_is_confirmed_by_those_who_can_confirm() -> None:
    """Other servers only give hints; their clients ask the user by them."""
    (function,) = subject_of({"name": "delete_item", "description": "Deletes an item."}).functions

    def is_found(origin: Origin) -> bool:
        found = findings_in(LintSubject((function,), origin), RULES)
        return "AF065" in {f.rule.id for f in found}

    assert [is_found(each) for each in (Origin.OWN, Origin.ANDROID, Origin.FOREIGN)] == [
        True,
        True,
        False,
    ]


def test_styles_of_parameters_are_compared_with_each_other() -> None:
    names = ("some_value", "other_value", "third-value", "fourthValue")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    found = [f for f in found_in("list_items", inputSchema=schema) if f.rule.id == "AF039"]
    assert [f.fault.words for f in found] == ["third-value", "fourthValue"]


@pytest.mark.parametrize(
    ("name", "hints", "rule"),
    [
        ("list_items", {"destructiveHint": True}, "AF010"),
        ("list_items", {"readOnlyHint": True, "destructiveHint": True}, "AF061"),
        ("list_items", {"readOnlyHint": True, "idempotentHint": False}, "AF062"),
        ("delete_item", {"destructiveHint": False}, "AF063"),
        ("delete_item", {}, "AF064"),
        ("send_item", {"idempotentHint": True}, "AF066"),
        ("list_items", {}, "AF069"),
    ],
)
def test_a_fault_of_a_hint_is_found(name: str, hints: dict[str, bool], rule: str) -> None:
    assert rule in ids_in(name, annotations=hints)


@pytest.mark.parametrize(
    ("name", "hints", "parameter"),
    [
        ("delete_item", {"destructiveHint": True}, "some_value"),
        ("delete_item", {"readOnlyHint": False}, "dry_run"),
        ("create_item", {"destructiveHint": False, "idempotentHint": True}, "some_value"),
        ("list_items", {"readOnlyHint": True, "destructiveHint": False}, "some_value"),
    ],
)
def test_hints_that_fit_have_no_fault(name: str, hints: dict[str, bool], parameter: str) -> None:
    found = ids_in(name, annotations=hints, **taking(parameter, {"type": "boolean"}))
    assert not found & {"AF010", "AF061", "AF062", "AF063", "AF064", "AF065", "AF066", "AF069"}


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("Reads a file. Returns the text or an error message.", True),
        ("Reads a file. Returns an error if there is none.", True),
        ("Возвращает сообщение об ошибке.", True),
        ("Returns the error rate of a service.", False),
        ("Returns error logs.", False),
        ("Reads a file; fails with an error where there is none.", False),
    ],
)
def test_an_error_that_a_text_calls_a_result_is_found(text: str, *, is_found: bool) -> None:
    assert ("AF053" in ids_in("read_file", description=text)) is is_found


def test_json_inside_a_text_is_found() -> None:
    def output(text: str) -> dict[str, Any]:
        result = {"type": "string", "description": text}
        return {"outputSchema": {"type": "object", "properties": {"result": result}}}

    assert "AF043" in ids_in("list_items", **output("The items as JSON."))
    assert "AF043" not in ids_in("list_items", **output("The path of the JSON file."))


@pytest.mark.parametrize("origin", list(Origin))
def test_titles_and_hints_are_asked_of_those_who_can_give_them(origin: Origin) -> None:
    (function,) = subject_of({"name": "delete_item", "description": "Deletes."}).functions
    found = {f.rule.id for f in findings_in(LintSubject((function,), origin), RULES)}
    assert ("AF067" in found, "AF069" in found) == ((origin is Origin.FOREIGN,) * 2)
    assert ("AF060" in found) is (origin is Origin.OWN)


def test_the_real_tool_lists_have_the_errors_that_were_found_by_hand() -> None:
    """One text spells eight parameters otherwise than its schema; no other contradicts it."""
    errors = [
        (name.partition(".")[0], f.rule.id, f.fault.words)
        for name, functions in corpus_functions().items()
        for f in findings_in(
            LintSubject(functions, Origin.FOREIGN), [each for each in RULES if each.rule.is_default]
        )
        if f.severity is Severity.ERROR
    ]
    names = (
        "next_thought_needed thought_number total_thoughts is_revision revises_thought "
        "branch_from_thought branch_id needs_more_thoughts"
    )
    assert errors == [("server-sequentialthinking", "AF079", name) for name in names.split()]


def test_no_warning_fires_on_most_of_the_real_tools() -> None:
    by_rule: dict[str, set[str]] = {}
    count = 0
    for name, functions in corpus_functions().items():
        count += len(functions)
        for found in findings_in(LintSubject(functions, Origin.FOREIGN), RULES):
            if found.severity > Severity.NOTE and found.rule.is_default:
                by_rule.setdefault(found.rule.id, set()).add(f"{name} {found.function_id}")
    assert count > 200
    assert {rule for rule, tools in by_rule.items() if len(tools) > 0.6 * count} == set()


def test_the_sample_app_has_no_fault_of_these_kinds() -> None:
    assert findings_in(LintSubject(sample_functions(), Origin.OWN), RULES) == ()


def test_a_tool_as_it_stands_in_a_file_is_judged() -> None:
    file = corpus("tools", "random-number.tools.json")
    found = findings_in(subject_of(json.loads(file.read_text(encoding="utf-8"))), RULES)
    assert {"AF007", "AF023"} <= {f.rule.id for f in found}
