"""`@app_function`: marks a Python function as one that agents may call.

The decorator only records what the author said; `functions.py` reads it when a module is
served. So a declared function stays an ordinary function, and importing it costs nothing.
"""

from collections.abc import Callable
from types import EllipsisType, ModuleType
from typing import Any, TypeVar, overload

from appfunctions_mcp.metadata import (
    Access,
    AppFunctionAccessLevel,
    AppFunctionSchema,
    AppFunctionScope,
    OptionalDefaults,
    Thread,
)
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.records import record

F = TypeVar("F", bound=Callable[..., Any])
_ATTRIBUTE = "__app_function__"
_PLACES = "__app_function_places__"


class Declaration:
    """What an author says of something that an app serves."""

    __slots__ = ()


@record(frozen=True, slots=True, kw_only=True)
class AppFunctionDeclaration(Declaration):
    """What an author says of a function beside its signature and docstring.

    None means "as the docstring, the module or the app says", and for what is Android's alone
    "as Android takes it where nothing is said". `enabled` is left unsaid by `...`.
    """

    id: str | None = None
    name: str | None = None
    title: str | None = None
    description: str | None = None
    enabled: bool | EllipsisType | None = ...
    timeout_seconds: float | None = None
    thread: Thread = "worker"
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    requires_confirmation: bool = False
    schema: AppFunctionSchema | None = None
    access: Access | None = None
    access_level: AppFunctionAccessLevel | None = None
    access_level_compat: bool | None = None
    scope: AppFunctionScope | None = None
    optional_defaults: OptionalDefaults | None = None
    deprecated: str | None = None
    max_result_bytes: int | None = None

    def __post_init__(self) -> None:
        schema = self.schema
        if schema is None or (schema.category and schema.name and schema.version > 0):
            return
        raise ValueError(
            f"{schema!r} is no schema of Android's; category and name are given, and the version "
            "is 1 or more"
        )


_BARE = AppFunctionDeclaration()


@overload
def app_function(function: F, /) -> F: ...


@overload
def app_function(
    *,
    id: str | None = None,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    enabled: bool | None = ...,
    timeout_seconds: float | None = None,
    thread: Thread = "worker",
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    requires_confirmation: bool = False,
    schema: AppFunctionSchema | None = None,
    access: Access | None = None,
    access_level: AppFunctionAccessLevel | None = None,
    access_level_compat: bool | None = None,
    scope: AppFunctionScope | None = None,
    optional_defaults: OptionalDefaults | None = None,
    deprecated: str | None = None,
    max_result_bytes: int | None = None,
) -> Callable[[F], F]: ...


def app_function(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """Declares a function that agents may call; works bare or with options.

    The function itself is returned, unchanged: it is called and typed as before. A declared
    function is served by naming its module in the metadata XML, or by
    `AppFunctionService.from_functions`.

    Args:
        function: The function, when used without parentheses.
        options: `id` (default `<module>#<function>`), `name` (the tool's name), `title`,
            `description` (default: the docstring's), `enabled` (False: off until enabled; None:
            on, and Android's files do not say so), `timeout_seconds`, `thread` (`"main"` keeps
            a plain `def` on the event loop's thread), `read_only`, `destructive`,
            `idempotent`, `open_world` (hints for clients), `requires_confirmation`, `schema`,
            `access` (a scope or a predicate on the caller), `access_level`,
            `access_level_compat` and `scope` (Android's), `optional_defaults` (`"declared"`
            passes Python's own defaults), `deprecated` (what to use instead) and
            `max_result_bytes`.

    Returns:
        The function, or a decorator for it.

    Raises:
        TypeError: An option is unknown, or what is declared is a class.
        ValueError: The schema lacks its category, its name or its version.
    """
    if options:
        require_known(options, AppFunctionDeclaration, "@app_function")
    declaration = AppFunctionDeclaration(**options) if options else _BARE
    declare: Callable[[F], F] = recording(declaration, _ATTRIBUTE, "@app_function")
    return declare if function is None else declare(function)


def recording(
    declaration: Declaration, attribute: str, decorator: str, *, does: str = "makes"
) -> Callable[[F], F]:
    """A decorator that records what the author said, and returns the function itself.

    Args:
        declaration: What the author said.
        attribute: Of the function, under which it is recorded.
        decorator: Its name, for the message where it stands above a class.
        does: What a function does instead of such a class.
    """

    def declare(declared: F) -> F:
        if isinstance(declared, type):
            raise TypeError(
                f"{decorator} stands above functions, and {declared.__name__} is a class; "
                f"declare a function that {does} one"
            )
        setattr(declared, attribute, declaration)
        _note_place(declared)
        return declared

    return declare


def _note_place(declared: Callable[..., Any]) -> None:
    """Notes, in the function's own module, where each name is declared.

    A module keeps the last of two functions of one name and forgets the first.
    """
    code = getattr(declared, "__code__", None)
    if code is not None and declared.__qualname__ == declared.__name__:
        places = declared.__globals__.setdefault(_PLACES, {})
        places.setdefault(declared.__name__, {})[code.co_firstlineno] = None


def twin_names(module: ModuleType) -> dict[str, list[int]]:
    """The names that a module declares more than once, each with its lines."""
    places: dict[str, dict[int, None]] = getattr(module, _PLACES, {})
    return {name: list(lines) for name, lines in places.items() if len(lines) > 1}


def require_known(options: dict[str, Any], declaration: type, decorator: str) -> None:
    """Refuses options that a decorator has not, with the ones that may be meant.

    Raises:
        TypeError: Names the first of them.
    """
    accepted = tuple(declaration.__annotations__)
    for name in options.keys() - set(accepted):
        near = nearest_names(name, accepted, limit=1)
        hint = f"perhaps {near[0]}" if near else f"accepted are {', '.join(accepted)}"
        raise TypeError(f"{decorator} has no option {name!r}; {hint}")


def declaration_of(function: object) -> AppFunctionDeclaration | None:
    """What `@app_function` recorded on a function, None where it is not declared."""
    found = getattr(function, _ATTRIBUTE, None)
    return found if isinstance(found, AppFunctionDeclaration) else None


RESOURCE_ATTRIBUTE = "__app_resource__"
"""Where `@app_resource` records what the author said."""
PROMPT_ATTRIBUTE = "__app_prompt__"
"""Where `@app_prompt` records what the author said."""


def is_declared(function: object) -> bool:
    """Whether a function is declared as anything that an app serves."""
    attributes = (_ATTRIBUTE, RESOURCE_ATTRIBUTE, PROMPT_ATTRIBUTE)
    return any(isinstance(getattr(function, a, None), Declaration) for a in attributes)
