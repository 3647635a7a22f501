"""Texts that contradict schemas, names and hints are found in the forms that people write."""

from typing import Any

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import all_rules, findings_in
from appfunctions_mcp.lint.rules import Finding, Severity

RULES = [each for each in all_rules() if each.rule.id < "AF100"]


def found_in(tool: dict[str, Any]) -> list[Finding]:
    return list(findings_in(subject_of(tool), RULES))


def a_tool(
    schema: dict[str, Any], name: str = "some_value", *, required: bool = False
) -> dict[str, Any]:
    return {
        "name": "list_items",
        "description": "Lists the items of the cart.",
        "inputSchema": {
            "type": "object",
            "properties": {name: schema},
            "required": [name] if required else [],
        },
    }


ENUM = {"type": "string", "enum": ["low", "high"]}
TEN = {"type": "integer", "default": 10}
BOUNDED = {"type": "integer", "minimum": 1, "maximum": 50}


@pytest.mark.parametrize(
    "text",
    [
        "Severity: 'low', 'high' or 'critical'",
        "Severity: low, high or critical.",
        "How severe it is (low/high/critical)",
        "Must be one of low, high, critical.",
        "Supported values are low, high, and critical",
        "Severity, low | high | critical",
        "Accepts low, high or critical.",
        "Может быть low, high или critical.",
        "Одно из значений: low, high, critical.",
        "Severity (low|high|critical)",
        "Severity. One of: low, high, critical.",
        "Severity. Allowed values: low, critical.",
        "Severity. Possible values are `low`, `high`, `critical`.",
        "Severity, either low, high or critical",
        "Severity (low, high, critical)",
        'Must be "low", "medium", or "high".',
        "Options are:\n1. low - not much\n2. high - much\n3. critical - all",
        "Уровень: 'low', 'high' или 'critical'",
    ],
)
def test_a_choice_that_the_enum_does_not_have_is_an_error(text: str) -> None:
    (found,) = (f for f in found_in(a_tool({**ENUM, "description": text})) if f.rule.id == "AF073")
    assert found.severity is Severity.ERROR
    assert found.fault.words in text
    assert found.fault.words in {"critical", "medium"}


@pytest.mark.parametrize(
    "text",
    [
        "Severity: 'low' or 'high'",
        "Severity: low or high.",
        "Low ones come last, high ones first.",
        "low — подождёт, high — сегодня",
        "Severity (LOW|HIGH)",
        "One of 'low' or 'high'; use 'high' for what cannot wait.",
        "What matters, such as 'urgent', 'broken' or 'high'",
        "Fields 'name', 'size' and 'kind' are compared",
        "Severity (default: low, rarely changed)",
        "",
    ],
)
def test_a_list_that_agrees_or_is_about_something_else_is_no_error(text: str) -> None:
    found = {f.rule.id for f in found_in(a_tool({**ENUM, "description": text}))}
    assert not found & {"AF073", "AF074"}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (TEN, "How many. Defaults to 20."),
        (TEN, "How many. If omitted, 20 is used."),
        (TEN, "How many, 20 if unset."),
        (TEN, "How many. Falls back to 20."),
        (TEN, "Сколько. Если не указано, 20."),
        (TEN, "Сколько: 20, если не задано иное."),
        ({"type": "boolean", "default": True}, "Recurse. Off by default."),
        ({"type": "boolean", "default": True}, "Recurse (false by default)."),
        ({"type": "boolean", "default": True}, "Вглубь. По умолчанию выключено."),
        ({"type": "boolean", "default": True}, "Вглубь, по умолчанию нет."),
        (TEN, "How many (default 20)"),
        (TEN, "How many (defaults to 20 if not given)"),
        (TEN, "How many, 20 by default"),
        (TEN, "How many. Default: 20"),
        (TEN, "How many. The default is 20."),
        (TEN, "Сколько, по умолчанию 20"),
        (TEN, "Сколько (по умолчанию: 20)"),
        ({"type": "boolean", "default": False}, "Recurse. Default true."),
        ({"type": "string", "default": "json"}, 'The form (default: "xml")'),
        ({"type": "string", "default": "json"}, "The form, default is xml."),
    ],
)
def test_another_default_in_the_text_is_an_error(schema: dict[str, Any], text: str) -> None:
    (found,) = (
        f for f in found_in(a_tool({**schema, "description": text})) if f.rule.id == "AF076"
    )
    assert found.severity is Severity.ERROR
    assert found.fault.words in text


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (TEN, "How many (default: 10)"),
        (TEN, "How many. If omitted, 10 are returned."),
        ({"type": "boolean", "default": True}, "Recurse, on by default."),
        ({"type": "boolean", "default": False}, "Вглубь. По умолчанию выключено."),
        ({"type": "string", "default": "en"}, "Код языка, по умолчанию английский."),
        ({"type": "string", "default": "en"}, "The language, defaults to English."),
        (TEN, "How many, the default depends on the plan"),
        (TEN, "Defaults to the number of the page"),
        ({"type": "integer", "default": 30_000}, "How long, 30 seconds (default: 30 seconds)"),
        ({"type": "number", "default": 0.5}, "The share (default: 50 percent)"),
        ({"type": "string", "default": ""}, "Words (default: all)"),
        ({"type": "string", "default": None}, "Words (default: 'all')"),
        ({"type": "boolean", "default": True}, "Recurse (default: on)"),
        ({"type": "array", "default": [1]}, "Numbers (default: 1)"),
        ({"type": "string", "default": "HEAD"}, "The commit, defaults to latest."),
        ({"type": "string", "default": "."}, "The folder (default: current)."),
        ({"type": "string", "default": "UTC"}, "Часовой пояс (по умолчанию: текущий)."),
        ({"type": "integer", "default": 10}, "How many (default: some_value)"),
    ],
)
def test_a_default_that_agrees_or_cannot_be_compared_is_no_error(
    schema: dict[str, Any], text: str
) -> None:
    found = {f.rule.id for f in found_in(a_tool({**schema, "description": text}))}
    assert "AF076" not in found


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (BOUNDED, "How many (1-100)"),
        (BOUNDED, "Cannot exceed 100."),
        (BOUNDED, "Capped at 100."),
        (BOUNDED, "<= 100"),
        (BOUNDED, "Не превышает 100."),
        ({"type": "string", "maxLength": 50}, "100 characters at most."),
        ({"type": "string", "maxLength": 50}, "Maximum length: 100."),
        ({"type": "string", "maxLength": 50}, "Заголовок до 100 символов."),
        (BOUNDED, "How many, max 100"),
        (BOUNDED, "Between 1 and 100."),
        (BOUNDED, "Less than or equal to 100."),
        (BOUNDED, "Up to 100 results."),
        (BOUNDED, "At least 5."),
        (BOUNDED, "Сколько, от 1 до 100"),
        (BOUNDED, "Не более 100"),
        ({"type": "integer", "maximum": 10_000}, "How many, 1 to 20 000"),
        ({"type": "string", "maxLength": 50}, "A title of up to 100 characters."),
        ({"type": "string", "maxLength": 50}, "Заголовок, не более 100 символов."),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 5}, "Up to 10 tags"),
        ({"type": "number", "minimum": 0, "maximum": 1}, "In the range 0 to 100."),
        ({"type": "number", "minimum": 0, "maximum": 1}, "A score in [0, 10]"),
    ],
)
def test_another_limit_in_the_text_is_an_error(schema: dict[str, Any], text: str) -> None:
    found = [f for f in found_in(a_tool({**schema, "description": text})) if f.rule.id == "AF078"]
    assert found
    assert all(f.severity is Severity.ERROR and f.fault.words in text for f in found)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (BOUNDED, "How many, 1 to 50"),
        (BOUNDED, "With at most 2 decimal places"),
        (BOUNDED, "On 2024-01-15"),
        (BOUNDED, "As in RFC 1-100-2"),
        ({"type": "string", "maxLength": 50}, "At most 3 lines"),
        ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 101}, "1 to 100"),
        ({"type": "integer", "maximum": 30_000}, "How long, at most 30 seconds"),
        ({"type": "integer", "maximum": 10_000}, "How many, 1 to 10 000"),
        ({"type": "integer", "maximum": 1_000_000}, "Сколько, не более 1 000 000 строк"),
        ({"type": ["string", "integer"], "maximum": 5}, "At most 10"),
        ({"type": "integer", "maximum": 66}, "Which book; books 1 to 7 have 50 chapters"),
    ],
)
def test_a_limit_that_agrees_or_limits_something_else_is_no_error(
    schema: dict[str, Any], text: str
) -> None:
    found = {f.rule.id for f in found_in(a_tool({**schema, "description": text}))}
    assert "AF078" not in found


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (ENUM, "Severity, e.g. 'critical'"),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, "Day, e.g. 31.12.2024"),
        ({"type": "string", "pattern": r"^\d{4}$"}, 'Year, for example "24"'),
        ({"type": "string", "pattern": r"^\d{4}$"}, "Год, например «24»"),
        ({"type": "integer", "maximum": 10}, "How many, e.g. 50"),
    ],
)
def test_an_example_that_would_be_refused_is_an_error(schema: dict[str, Any], text: str) -> None:
    (found,) = (
        f for f in found_in(a_tool({**schema, "description": text})) if f.rule.id == "AF081"
    )
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("name", "schema", "text", "rule"),
    [
        ("timeout_ms", {"type": "integer"}, "How long, in seconds", "AF082"),
        ("timeoutMs", {"type": "integer"}, "How long (seconds)", "AF082"),
        ("wait_seconds", {"type": "integer"}, "How long in milliseconds", "AF082"),
        ("distance_km", {"type": "number"}, "How far, in meters", "AF082"),
        ("delay_ms", {"type": "integer"}, "Задержка в секундах", "AF082"),
        ("day", {"type": "string", "format": "date"}, "A day and 2024-01-01T10:00:00Z", "AF083"),
        ("since", {"type": "string", "format": "date-time"}, "The day as YYYY-MM-DD", "AF083"),
        ("since", {"type": "string", "format": "date-time"}, "A Unix timestamp", "AF083"),
        ("since", {"type": "integer"}, "When, as ISO 8601", "AF083"),
        ("word", {"type": "string"}, "Required. The filter.", "AF084"),
        ("word", {"type": "string"}, "The filter (required).", "AF084"),
        ("tags", {"type": "array", "items": {"type": "string"}}, "Tags, comma-separated", "AF088"),
        ("is_deep", {"type": "boolean"}, "Comma-separated names", "AF088"),
        ("head", {"type": "object", "additionalProperties": ENUM}, "JSON string", "AF088"),
    ],
)
def test_what_the_text_says_of_form_and_need_is_compared(
    name: str, schema: dict[str, Any], text: str, rule: str
) -> None:
    found = found_in(a_tool({**schema, "description": text}, name))
    assert [f.severity for f in found if f.rule.id == rule] == [Severity.ERROR]


@pytest.mark.parametrize(
    ("name", "schema", "text"),
    [
        ("timeout_ms", {"type": "integer"}, "How long, in milliseconds (1000 is a second)"),
        ("timeout_ms", {"type": "string"}, "How long, in seconds"),
        ("days", {"type": "integer"}, "How many days, not hours"),
        ("day", {"type": "string", "format": "date"}, "The day as YYYY-MM-DD"),
        ("day", {"type": "string", "format": "date"}, "A date, not a date-time"),
        ("day", {"type": "string", "format": "date"}, "As 2024-01-01, not 2024-01-01T00:00"),
        ("since", {"type": "string", "format": "date-time"}, "As YYYY-MM-DDTHH:MM:SSZ"),
        ("word", {"type": "string"}, "Required for 'create', optional for 'update'."),
        ("word", {"type": "string"}, "Required unless a file is given."),
        ("tags", {"type": "string"}, "Tags, comma-separated"),
        ("tags", {"type": "string"}, "List of tags, one per line"),
        ("kind", {"type": "string"}, "Whether 'local' or 'remote' branches are meant"),
    ],
)
def test_what_agrees_or_depends_is_no_contradiction(
    name: str, schema: dict[str, Any], text: str
) -> None:
    found = found_in(a_tool({**schema, "description": text}, name))
    assert not {f.rule.id for f in found} & {"AF082", "AF083", "AF084", "AF088"}


@pytest.mark.parametrize(
    "text",
    ["Optional filter.", "The filter (optional).", "Words, optional", "Необязательный фильтр"],
)
def test_a_required_parameter_that_is_called_optional_is_an_error(text: str) -> None:
    found = found_in(a_tool({"type": "string", "description": text}, required=True))
    assert "AF084" in {f.rule.id for f in found}


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("get_users", "Deletes users from the database."),
        ("fetch_data", "Fetches the data and deletes it from the server."),
        ("get_user", "Удаляет пользователя."),
        ("delete_user", "Creates a user."),
        ("delete_note", "Lists all notes."),
        ("search_orders", "Update an order."),
    ],
)
def test_a_name_that_its_description_belies_is_an_error(name: str, description: str) -> None:
    found = found_in({"name": name, "description": description})
    assert "AF072" in {f.rule.id for f in found}


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("get_users", "Returns the users that were deleted."),
        ("search_and_replace", "Replaces a text in the document."),
        ("get_or_create_user", "Creates a user where there is none."),
        ("find_notes", "Finds notes. Updates of the index take a minute."),
        ("delete_user", "Removes a user."),
        ("get_user", ""),
    ],
)
def test_a_name_that_its_description_bears_out_is_none(name: str, description: str) -> None:
    found = found_in({"name": name, "description": description})
    assert "AF072" not in {f.rule.id for f in found}


@pytest.mark.parametrize(
    ("name", "description", "severity"),
    [
        ("delete_thing", "A thing.", Severity.ERROR),
        ("github_create_issue", "A thing.", Severity.ERROR),
        ("cancel_order", "A thing.", Severity.ERROR),
        ("add_numbers", "Adds two numbers.", Severity.WARNING),
        ("sync_things", "Deletes all old things.", Severity.ERROR),
        ("sync_things", "Создаёт заметку.", Severity.ERROR),
        ("get_thing", "Reads the thing and then removes it.", Severity.ERROR),
    ],
)
def test_a_read_only_claim_against_a_verb_that_writes_is_found(
    name: str, description: str, severity: Severity
) -> None:
    tool = {"name": name, "description": description, "annotations": {"readOnlyHint": True}}
    found = [f.severity for f in found_in(tool) if f.rule.id in {"AF070", "AF071"}]
    assert found
    assert max(found) is severity


@pytest.mark.parametrize(
    "description",
    [
        "Lists items.\n\nArgs:\n    limit: How many.\n    sort: The order,\n        of all.",
        "Lists items.\n\n## Parameters\n- `limit`: How many.\n- `sort`: The order.",
        "Lists items.\n\nParameters explained:\n- limit: Most:\n* few\n* many\n- sort: Its order",
        "Lists items.\n\nTakes:\n- limit: How many\n- sort: The order",
        "Lists items. Use the 'sort' parameter for the order.",
        "Lists items. The parameter `sort` is the order.",
        "Lists items. Set `sort` to order them.",
        "Показывает товары, параметр `sort` задаёт порядок.",
    ],
)
def test_a_parameter_that_only_the_text_has_is_an_error(description: str) -> None:
    tool = a_tool({"type": "integer", "description": "How many."}, "limit")
    found = found_in({**tool, "description": description})
    assert [f.fault.words for f in found if f.rule.id == "AF079"] == ["sort"]


@pytest.mark.parametrize(
    "description",
    [
        "Lists items. The 'sort' parameter of `find_items` does more.",
        "Lists items, at most `limit`.",
        "Lists items. Set `SORT_ORDER` to change it.",
        "Lists items.\n\nArgs:\n    limit: How many.\n\nReturns:\n    items: All of them.",
        "Lists items.\n\nArgs:\n- limit: How many:\n  - few: Less than ten.\n* sorted: Always.",
    ],
)
def test_other_words_are_taken_for_no_parameter(description: str) -> None:
    tool = a_tool({"type": "integer", "description": "How many."}, "limit")
    found = found_in({**tool, "description": description})
    assert "AF079" not in {f.rule.id for f in found}


@pytest.mark.parametrize(
    ("schema", "text", "is_found"),
    [
        ({"type": "string"}, "The commit (defaults to latest)", False),
        ({"type": "string"}, "Какой день (по умолчанию: сегодня)", False),
        ({"type": "string", "enum": ["latest", "oldest"]}, "Which (defaults to latest)", True),
        ({"type": "string"}, "The version (default: 'latest')", True),
        ({"type": "string"}, "The browser (default: chromium)", True),
        ({"type": "integer"}, "How many (default: 10)", True),
    ],
)
def test_a_default_of_the_text_alone_is_told_from_a_phrase(
    schema: dict[str, Any], text: str, *, is_found: bool
) -> None:
    tool = a_tool({**schema, "description": text})
    tool["inputSchema"].pop("required", None)
    assert ("AF077" in {f.rule.id for f in found_in(tool)}) is is_found


@pytest.mark.parametrize(
    ("members", "text", "is_found"),
    [
        ([0, 1], "The sex.", True),
        ([0, 1], "The sex: 0 for female, 1 for male.", False),
        (["G", "D"], "The kind of train.", True),
        (["G", "D"], "The kind of train: G (fast) or D (slow).", False),
        ([1, 2, 3, 4], "The quarter of the year.", False),
        ([0, 50, 100], "The share in percent.", False),
        (["low", "high"], "The severity.", False),
        ([True, False, None], "Whether it counts.", False),
    ],
)
def test_codes_that_nothing_explains_are_found(
    members: list[Any], text: str, *, is_found: bool
) -> None:
    found = found_in(a_tool({"enum": members, "description": text}))
    assert ("AF089" in {f.rule.id for f in found}) is is_found


@pytest.mark.parametrize(
    ("name", "schema", "text", "rule"),
    [
        ("weight_kg", {"type": "number"}, "The weight in pounds.", "AF082"),
        ("weight_kg", {"type": "number"}, "Вес в граммах.", "AF082"),
        ("height_cm", {"type": "number"}, "The height in inches.", "AF082"),
        ("price_cents", {"type": "integer"}, "The price in dollars.", "AF082"),
        ("heat_celsius", {"type": "number"}, "In degrees Fahrenheit.", "AF082"),
        ("start", {"type": "string", "format": "date"}, "The day as DD.MM.YYYY.", "AF083"),
        ("start", {"type": "string", "format": "date-time"}, "В виде ГГГГ-ММ-ДД.", "AF083"),
        ("start", {"type": "string", "format": "date"}, "Дата и время начала.", "AF083"),
        ("mail", {"type": "string", "format": "email"}, "Номер телефона.", "AF083"),
        ("start", {"type": "integer"}, "Дата в виде ГГГГ-ММ-ДД.", "AF083"),
        ("label", {"type": "string"}, "The label. Required.", "AF084"),
        ("label", {"type": "string"}, "This parameter is required.", "AF084"),
        ("label", {"type": "string"}, "Must be provided.", "AF084"),
        ("label", {"type": "string"}, "Обязательное поле.", "AF084"),
        ("drafts", {"type": "boolean"}, "How many drafts there are.", "AF088"),
        ("labels", {"type": "string"}, "Список меток.", "AF088"),
        ("labels", {"type": "array", "items": {}}, "A JSON string of labels.", "AF088"),
    ],
)
def test_another_form_in_the_text_is_found(
    name: str, schema: dict[str, Any], text: str, rule: str
) -> None:
    assert rule in {f.rule.id for f in found_in(a_tool({**schema, "description": text}, name))}


@pytest.mark.parametrize(
    ("name", "schema", "text", "rule"),
    [
        ("weight_kg", {"type": "number"}, "The weight in kilograms.", "AF082"),
        ("price_cents", {"type": "integer"}, "In cents, 100 for a dollar.", "AF082"),
        ("start", {"type": "string", "format": "date"}, "The day of the timestamp.", "AF083"),
        ("mail", {"type": "string", "format": "email"}, "The e-mail address.", "AF083"),
        ("label", {"type": "string"}, "Required for folders.", "AF084"),
        ("label", {"type": "string"}, "Either this or an ID must be provided.", "AF084"),
        ("label", {"type": "string"}, "Обязательно, если указана папка.", "AF084"),
        ("labels", {"type": "string"}, "Список меток через запятую.", "AF088"),
    ],
)
def test_a_form_that_agrees_or_depends_is_none(
    name: str, schema: dict[str, Any], text: str, rule: str
) -> None:
    assert rule not in {f.rule.id for f in found_in(a_tool({**schema, "description": text}, name))}


@pytest.mark.parametrize(
    ("description", "is_found"),
    [
        ("Deletes a note. This is a read-only operation.", True),
        ("Deletes a note; read-only.", True),
        ("Deletes a note without modifying anything.", True),
        ("Удаляет заметку. Только чтение.", True),
        ("Deletes a note; fails if it is read-only.", False),
        ("Deletes a note. Nothing is deleted if it is locked.", False),
        ("Deletes a note. This tool is not read-only.", False),
        ("Удаляет заметку. Если её нет, ничего не меняет.", False),
    ],
)
def test_a_claim_to_read_only_is_compared_with_the_verb(description: str, is_found: bool) -> None:
    tool = {"name": "delete_note", "description": description, "inputSchema": {"type": "object"}}
    assert ("AF090" in {f.rule.id for f in found_in(tool)}) is is_found


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("create_query_plan", "Creates a query plan for a statement."),
        ("create_share_link", "Generates a link to the page."),
        ("create_chart", "Создаёт диаграмму продаж."),
    ],
)
def test_what_is_created_as_an_answer_alone_is_no_contradiction(
    name: str, description: str
) -> None:
    tool = {"name": name, "description": description, "annotations": {"readOnlyHint": True}}
    severities = {f.rule.id: f.severity for f in found_in(tool)}
    assert severities["AF070"] is Severity.WARNING
    assert "AF071" not in severities


@pytest.mark.parametrize(
    "description",
    [
        "Empties the cart of the customer.",
        "Returns the mails and marks them as read.",
        "Читает заметки и удаляет лишние.",
    ],
)
def test_a_read_only_hint_against_a_text_that_writes_is_an_error(description: str) -> None:
    tool = {"name": "cart_view", "description": description, "inputSchema": {"type": "object"}}
    found = found_in({**tool, "annotations": {"readOnlyHint": True}})
    assert "AF071" in {f.rule.id for f in found}
