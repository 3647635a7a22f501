"""`@app_prompt`: marks a Python function as one that makes the messages of a prompt.

The decorator only records what the author said; `prompts.py` reads it when a module is served.
"""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from appfunctions_mcp.declaration import PROMPT_ATTRIBUTE, Declaration, recording, require_known
from appfunctions_mcp.metadata import Access
from appfunctions_mcp.records import record
from appfunctions_mcp.resource_declaration import Complete

F = TypeVar("F", bound=Callable[..., Any])


@record(frozen=True, slots=True, kw_only=True)
class AppPromptDeclaration(Declaration):
    """What an author says of a prompt beside the function's signature and docstring."""

    name: str | None = None
    title: str | None = None
    description: str | None = None
    access: Access | None = None
    timeout_seconds: float | None = None
    complete: Complete | None = None


_BARE = AppPromptDeclaration()


@overload
def app_prompt(function: F, /) -> F: ...


@overload
def app_prompt(
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    access: Access | None = None,
    timeout_seconds: float | None = None,
    complete: Complete | None = None,
) -> Callable[[F], F]: ...


def app_prompt(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """Declares a function that makes the messages of a prompt; works bare or with options.

    A prompt is a request that the user picks from a menu and fills in. The function itself is
    returned, unchanged. It returns a text, a UserMessage, an AssistantMessage, or a list of them.

    Args:
        function: The function, when used without parentheses.
        options: `name` (default: the function's, behind the module's prefix), `title`,
            `description` (default: the docstring's), `access` (a scope or a predicate on the
            caller), `timeout_seconds` and `complete` (values by argument, or what makes them).

    Returns:
        The function, or a decorator for it.

    Raises:
        TypeError: An option is unknown, or what is declared is a class.
    """
    require_known(options, AppPromptDeclaration, "@app_prompt")
    declaration = AppPromptDeclaration(**options) if options else _BARE
    declare: Callable[[F], F] = recording(declaration, PROMPT_ATTRIBUTE, "@app_prompt")
    return declare if function is None else declare(function)


def prompt_declaration_of(function: object) -> AppPromptDeclaration | None:
    """What `@app_prompt` recorded on a function, None where it is not declared."""
    found = getattr(function, PROMPT_ATTRIBUTE, None)
    return found if isinstance(found, AppPromptDeclaration) else None
