"""What bodies of functions do is read from their source, and nothing is guessed."""

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from appfunctions_mcp.lint.body_checks import body_of
from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.raised_exceptions import raised_by
from appfunctions_mcp.lint.rule_set import all_rules, findings_in
from appfunctions_mcp.lint.rules import Finding, Severity

RULES = [each for each in all_rules() if each.rule.id < "AF100"]
_NUMBERS = itertools.count()

HEAD = '''"""Things."""
import contextlib
import os
import shutil
from pathlib import Path

from appfunctions_mcp import (
    AppFunctionAppException,
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    AppFunctionInvalidArgumentException,
    AppFunctionRequestException,
    app_function,
)

THINGS = {"a": "b"}


def missing(name: str) -> AppFunctionElementNotFoundException:
    return AppFunctionElementNotFoundException(f"No thing {name}; there are others.")


def require(name: str) -> str:
    if name not in THINGS:
        raise missing(name)
    return THINGS[name]


def clean(store: object) -> None:
    store.delete_all()

'''
FUNCTION = '''
@app_function({hints})
def get_thing(name: str) -> str:
    """Returns the thing.

    Args:
        name: What it is called, such as "a".

    Returns:
        The thing.
{raises}    """
{body}
'''


def found_in(body: str, *, raises: str = "", hints: str = "read_only=True") -> list[Finding]:
    section = f"\n    Raises:\n        {raises}\n" if raises else ""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = HEAD + FUNCTION.format(hints=hints, raises=section, body=lines)
    return list(findings_in(subject_of({"python": text}), RULES))


def ids_in(body: str, **more: Any) -> set[str]:
    return {f.rule.id for f in found_in(body, **more)}


@pytest.mark.parametrize(
    "body",
    [
        "os.remove(name)\nreturn name",
        "shutil.rmtree(name)\nreturn name",
        "Path(name).unlink()\nreturn name",
        "Path(name).write_text(name)\nreturn name",
        "with open(name, 'w') as file:\n    file.write(name)\nreturn name",
        "with Path(name).open(mode='a') as file:\n    file.write(name)\nreturn name",
        "THINGS.execute('DELETE FROM things')\nreturn name",
        "THINGS.execute('  insert into things values (1)')\nreturn name",
        "THINGS.delete(name)\nreturn name",
        "THINGS.update_thing(name)\nreturn name",
        "THINGS.commit()\nreturn name",
        "clean(THINGS)\nreturn name",
    ],
)
def test_a_body_that_writes_belies_a_read_only_hint(body: str) -> None:
    (found,) = (f for f in found_in(body) if f.rule.id == "AF085")
    assert found.severity is Severity.ERROR
    assert found.fault.place == "body"
    assert "AF085" not in ids_in(body, hints="")


@pytest.mark.parametrize(
    "body",
    [
        "return THINGS[name]",
        "with open(name) as file:\n    return file.read()",
        "with open(name, 'rb') as file:\n    return file.read().decode()",
        "return THINGS.execute('SELECT * FROM things')",
        "return THINGS.execute(name)",
        "words = [name]\nwords.append(name)\nwords.remove(name)\nreturn name",
        "found = {}\nfound.update(THINGS)\nreturn name.replace('a', 'b')",
        "return os.path.join(name, 'a')",
    ],
)
def test_a_body_that_reads_bears_out_a_read_only_hint(body: str) -> None:
    assert "AF085" not in ids_in(body)


FOUND_NO = "AppFunctionElementNotFoundException: No thing is called so; others are."
INVALID = "raise AppFunctionInvalidArgumentException('The name is empty.')"


def test_an_exception_that_the_docstring_leaves_out_is_an_error() -> None:
    (found,) = (f for f in found_in(INVALID, raises=FOUND_NO) if f.rule.id == "AF086")
    assert found.severity is Severity.ERROR
    assert found.fault.words == "AppFunctionInvalidArgumentException"


def test_without_any_section_an_exception_left_out_is_a_warning() -> None:
    (found,) = (f for f in found_in(INVALID) if f.rule.id == "AF086")
    assert found.severity is Severity.WARNING


def test_the_line_of_an_exception_is_that_of_the_file() -> None:
    (found,) = (f for f in found_in(f"name = name.strip()\n{INVALID}") if f.rule.id == "AF086")
    line = HEAD.count("\n") + FUNCTION.partition("{raises}")[0].count("\n") + 3
    assert found.fault.text.startswith(f"Line {line} raises")


@pytest.mark.parametrize(
    "body",
    [
        "return require(name)",
        "raise missing(name)",
        "if not name:\n    raise AppFunctionElementNotFoundException('None.')\nreturn name",
    ],
)
def test_exceptions_of_called_functions_count(body: str) -> None:
    assert "AF086" in ids_in(body)
    assert not ids_in(body, raises=FOUND_NO) & {"AF086", "AF087"}


def test_a_class_above_the_raised_one_is_enough() -> None:
    raises = "AppFunctionRequestException: The name is wrong; names are short."
    assert not ids_in(INVALID, raises=raises) & {"AF086", "AF087"}


@pytest.mark.parametrize(
    "body",
    [
        f"try:\n    {INVALID}\nexcept AppFunctionInvalidArgumentException:\n    return name",
        f"def refuse() -> None:\n    {INVALID}\nreturn name",
    ],
)
def test_what_is_caught_or_only_declared_is_not_raised(body: str) -> None:
    assert "AF086" not in ids_in(body)


def test_what_a_handler_raises_leaves_the_body() -> None:
    body = f"try:\n    return THINGS[name]\nexcept KeyError:\n    {INVALID}"
    assert "AF086" in ids_in(body)


def test_a_documented_exception_that_nothing_raises_is_an_error() -> None:
    (found,) = (
        f for f in found_in("return str(len(name))", raises=FOUND_NO) if f.rule.id == "AF087"
    )
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    "body",
    [
        "return name.upper()",
        "with contextlib.suppress(KeyError):\n    return 'a'\nreturn name",
        "try:\n    return THINGS[name]\nexcept KeyError:\n    raise",
        "return THINGS.get(name, '')",
    ],
)
def test_where_a_call_cannot_be_seen_into_nothing_is_said_to_be_never_raised(body: str) -> None:
    assert "AF087" not in ids_in(body, raises=FOUND_NO)


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("return f'Error: no thing {name}'", True),
        ("return THINGS.get(name) or 'Error: none'", True),
        ("return THINGS[name] if name else 'Failed'", True),
        ("return {'error': name}", True),
        ("return {'errors_seen': name}", False),
        ("return 'Errors are rare.'", False),
        ("return name", False),
        ("return", False),
    ],
)
def test_an_error_that_is_returned_is_found(body: str, is_found: bool) -> None:
    assert ("AF054" in ids_in(body)) is is_found


@pytest.mark.parametrize(
    ("handler", "is_found"),
    [
        ("except Exception:\n    return ''", True),
        ("except:\n    return ''", True),
        ("except BaseException as fault:\n    return str(fault)", True),
        ("except KeyError:\n    return ''", False),
        ("except (KeyError, ValueError):\n    return ''", False),
        ("except Exception as fault:\n    raise missing(name) from fault", False),
    ],
)
def test_a_handler_of_every_exception_is_found(handler: str, is_found: bool) -> None:
    assert ("AF056" in ids_in(f"try:\n    return THINGS[name]\n{handler}")) is is_found


def test_an_exception_without_a_message_needs_a_text_in_the_docstring() -> None:
    body = "raise AppFunctionElementNotFoundException"
    assert "AF057" in ids_in(body)
    assert "AF057" not in ids_in(body, raises=FOUND_NO)
    assert "AF057" not in ids_in(f"{body}('No thing has this name.')")


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("raise ValueError('no')", True),
        ("raise RuntimeError", True),
        ("raise NotImplementedError", False),
        (INVALID, False),
        ("raise THINGS[name]", False),
    ],
)
def test_an_exception_of_which_agents_see_nothing_is_found(body: str, is_found: bool) -> None:
    assert ("AF058" in ids_in(body)) is is_found


def test_a_function_without_source_is_not_judged() -> None:
    names: dict[str, Any] = {}
    exec("def get(): raise ValueError", names)  # noqa: S102 - made at run time
    assert body_of(names["get"]) is None
    assert body_of(len) is None


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    file = tmp_path / f"things_{next(_NUMBERS)}.py"
    file.write_text(
        "import functools\n\n\n"
        "def wrapped(function):\n"
        "    @functools.wraps(function)\n"
        "    def inner():\n"
        "        return function()\n\n"
        "    return inner\n\n\n"
        "@wrapped\n"
        "def first():\n"
        "    return second()\n\n\n"
        "def second():\n"
        "    first()\n"
        "    return third()\n\n\n"
        "async def third():\n"
        "    raise ValueError\n\n\n"
        "short = lambda: 1\n",
        encoding="utf-8",
    )
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_functions_that_call_each_other_are_read_once(module: ModuleType) -> None:
    body = body_of(module.first)
    assert body is not None
    assert [each.node.name for each in body.called] == ["second", "third"]
    assert [each.exception for each in raised_by(body)] == [ValueError]


def test_a_function_without_a_name_is_not_judged(module: ModuleType) -> None:
    assert body_of(module.short) is None


@pytest.mark.parametrize(
    "body",
    [
        'fault = NotFound("x")\n    raise fault',
        'raise NotFound("x") if note_id else NotFound("y")',
        'try:\n        raise NotFound("x")\n    except KeyError:\n        return ""',
        "try:\n        look(note_id)\n    except NotFound:\n        raise",
        "try:\n        look(note_id)\n    except NotFound as fault:\n        raise fault",
    ],
)
def test_an_exception_that_leaves_by_a_detour_counts(body: str, tmp_path: Path) -> None:
    assert _exceptions_of(body, tmp_path) == {"AppFunctionElementNotFoundException"}


@pytest.mark.parametrize(
    "body",
    [
        'try:\n        look(note_id)\n    except NotFound:\n        return ""',
        'try:\n        look(note_id)\n    except (KeyError, Above):\n        return ""',
        "with contextlib.suppress(NotFound):\n        look(note_id)",
        'def inner():\n        raise NotFound("x")\n    return ""',
        'NotFound = ValueError\n    raise NotFound("x")',
    ],
)
def test_what_is_caught_around_a_call_does_not_leave_the_body(body: str, tmp_path: Path) -> None:
    assert "AppFunctionElementNotFoundException" not in _exceptions_of(body, tmp_path)


def _exceptions_of(body: str, folder: Path) -> set[str]:
    text = (
        "import contextlib\n"
        "from appfunctions_mcp import AppFunctionElementNotFoundException as NotFound\n"
        "from appfunctions_mcp import AppFunctionException as Above\n\n"
        'def look(note_id):\n    raise NotFound("x")\n\n'
        f"def read(note_id):\n    {body}\n"
    )
    file = folder / "detours.py"
    file.write_text(text, encoding="utf-8")
    namespace: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), namespace)  # noqa: S102 - a module of this test's own
    read = body_of(namespace["read"])
    assert read is not None
    return {each.exception.__name__ for each in raised_by(read) if each.is_sure}


@pytest.mark.parametrize("name", ["NotImplementedError", "AppFunctionNotSupportedException"])
def test_a_body_that_is_not_written_yet_is_not_judged(name: str) -> None:
    text = (
        "from appfunctions_mcp import AppFunctionNotSupportedException, app_function\n\n\n"
        "@app_function(read_only=True)\ndef get_note(note_id: str) -> str:\n"
        '    """Returns the text of one note.\n\n    Args:\n        note_id: Its ID.\n\n'
        "    Returns:\n        The text.\n\n    Raises:\n"
        '        AppFunctionElementNotFoundException: There is none; list them.\n    """\n'
        f'    raise {name}("get_note is not written yet")\n'
    )
    found = {each.rule.id for each in findings_in(subject_of({"python": text}), all_rules())}
    assert not found & {"AF057", "AF058", "AF086", "AF087"}
