"""The exceptions of a call, and the errors of an author."""

import inspect

import pytest

from appfunctions_mcp import exceptions
from appfunctions_mcp.exceptions import (
    AppFunctionAppException,
    AppFunctionDeclarationError,
    AppFunctionElementNotFoundException,
    AppFunctionException,
    AppFunctionLimitExceededException,
    AppFunctionRequestException,
    AppFunctionsError,
    AppFunctionSystemException,
    AppFunctionUnknownException,
)

CODES = {
    "AppFunctionDeniedException": 1000,
    "AppFunctionInvalidArgumentException": 1001,
    "AppFunctionDisabledException": 1002,
    "AppFunctionFunctionNotFoundException": 1003,
    "AppFunctionElementNotFoundException": 1500,
    "AppFunctionLimitExceededException": 1501,
    "AppFunctionElementAlreadyExistsException": 1502,
    "AppFunctionSystemUnknownException": 2000,
    "AppFunctionCancelledException": 2001,
    "AppFunctionAppUnknownException": 3000,
    "AppFunctionPermissionRequiredException": 3500,
    "AppFunctionNotSupportedException": 3501,
}
FAMILIES = {
    1: ("request", AppFunctionRequestException),
    2: ("system", AppFunctionSystemException),
    3: ("app", AppFunctionAppException),
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_every_class_has_androids_code_category_and_family(name: str, code: int) -> None:
    """Android's AppFunctionException."""
    raised = getattr(exceptions, name)("what happened")
    category, family = FAMILIES[code // 1000]
    assert isinstance(raised, family)
    assert raised.structured() == {
        "type": name,
        "code": code,
        "category": category,
        "message": "what happened",
        "retryable": raised.retryable,
    }
    assert raised.text() == f"{name}: what happened"


def test_these_are_all() -> None:
    families = {"AppFunctionException", "AppFunctionUnknownException"} | {
        family.__name__ for _, family in FAMILIES.values()
    }
    ours = {
        name
        for name, value in vars(exceptions).items()
        if inspect.isclass(value) and issubclass(value, AppFunctionException)
    }
    assert ours == families | CODES.keys()


def test_only_what_may_succeed_later_may_be_tried_again() -> None:
    retryable = {name for name in CODES if getattr(exceptions, name)().retryable}
    assert retryable == {"AppFunctionLimitExceededException", "AppFunctionSystemUnknownException"}


@pytest.mark.parametrize(
    ("code", "category"), [(1999, "request"), (2500, "system"), (3999, "app"), (99, "unknown")]
)
def test_a_code_without_a_class_has_the_category_of_its_range(code: int, category: str) -> None:
    """Android's AppFunctionUnknownException."""
    raised = AppFunctionUnknownException(code, "odd", recovery="Ask.")
    assert (raised.structured()["code"], raised.structured()["category"]) == (code, category)
    assert raised.text() == "AppFunctionUnknownException: odd\nRecovery: Ask."
    restated = raised.restated(note="Note.")
    assert isinstance(restated, AppFunctionUnknownException)
    assert restated.structured() == raised.structured()


def test_recovery_and_note_stand_on_lines_of_their_own() -> None:
    raised = AppFunctionElementNotFoundException("gone", recovery="Look.")
    again = raised.restated(recovery="Not this.", note="Three times now.")
    assert again.text() == (
        "AppFunctionElementNotFoundException: gone\nRecovery: Look.\nThree times now."
    )
    assert again.__cause__ is raised
    assert raised.text() == "AppFunctionElementNotFoundException: gone\nRecovery: Look."


class NoteGoneException(AppFunctionElementNotFoundException):
    """An author's subclass with a constructor of its own."""

    error_code = 1599

    def __init__(self, note_id: str) -> None:
        super().__init__(f"note {note_id} is gone", extras={"note": note_id})


def test_an_authors_subclass_is_told_by_its_nearest_class() -> None:
    """F111."""
    raised = NoteGoneException("n1")
    assert raised.kind == "AppFunctionElementNotFoundException"
    again = raised.restated(recovery="Look.")
    assert type(again) is AppFunctionElementNotFoundException
    assert again.structured() == {
        "type": "AppFunctionElementNotFoundException",
        "code": 1599,
        "category": "request",
        "message": "note n1 is gone",
        "retryable": False,
        "note": "n1",
    }


@pytest.mark.parametrize("message", ["", None, 5, ValueError("inner")])
def test_a_message_is_always_text_and_an_error_never_empty(message: object) -> None:
    """F65."""
    raised = AppFunctionLimitExceededException(message)  # type: ignore[arg-type] # what people raise
    assert isinstance(raised.structured()["message"], str)
    assert raised.text().startswith("AppFunctionLimitExceededException")


def test_an_exception_made_without_its_constructor_has_a_text() -> None:
    """A subclass may forget to call it."""

    class Forgetful(AppFunctionElementNotFoundException):
        def __init__(self) -> None:
            Exception.__init__(self, "forgotten")

    assert Forgetful().text() == "AppFunctionElementNotFoundException: forgotten"
    assert Forgetful().structured()["message"] == "forgotten"


def test_an_authors_error_lists_its_faults_a_line_each() -> None:
    one, many = AppFunctionsError("one"), AppFunctionDeclarationError(["a", "b"])
    assert (one.faults, str(one)) == (("one",), "one")
    assert (many.faults, str(many)) == (("a", "b"), "a\nb")
    assert not issubclass(AppFunctionsError, AppFunctionException)
