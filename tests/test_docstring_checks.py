"""What a docstring says of parameters and exceptions that do not exist."""

from functools import partial

from appfunctions_mcp import AppFunctionContext
from appfunctions_mcp.docstring_checks import docstring_warnings


def rename(context: AppFunctionContext, title: str) -> None:
    """Renames.

    Args:
        context: Of the call.
        titel: The new title.
        zzz: Nothing.

    Raises:
        AppFunctionLimitExceedException: Too many.
        AppFunctionDeniedException: Not yours.
        KeyError: No such key.
    """


def test_a_misspelled_parameter_or_exception_is_named_with_the_nearest_one() -> None:
    described, unknown, raised = docstring_warnings(rename, "a.py:1: rename")

    assert described == (
        "a.py:1: rename: the docstring describes 'titel', which is no parameter; perhaps title"
    )
    assert unknown == "a.py:1: rename: the docstring describes 'zzz', which is no parameter"
    assert raised == (
        "a.py:1: rename: the docstring raises 'AppFunctionLimitExceedException', which does not "
        "exist; perhaps AppFunctionLimitExceededException"
    )


def test_a_docstring_that_fits_gives_no_warning() -> None:
    def remove(name: str) -> None:
        """Removes.

        Args:
            name: Whom.
        """

    assert docstring_warnings(partial(remove), "a.py:1: remove") == []
