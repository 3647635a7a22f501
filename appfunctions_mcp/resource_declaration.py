"""`@app_resource`: marks a Python function as one that reads what stands at an address.

The decorator only records what the author said; `resources.py` reads it when a module is served.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from appfunctions_mcp.declaration import RESOURCE_ATTRIBUTE, Declaration, recording, require_known
from appfunctions_mcp.metadata import Access
from appfunctions_mcp.records import record

F = TypeVar("F", bound=Callable[..., Any])

Complete = Mapping[str, Sequence[Any] | Callable[..., Any]]
"""What completes a variable or argument: values, or what makes them of the text so far."""
Entries = Callable[..., Any]
"""Makes the concrete resources of a template: ResourceLinks, or pairs of address and name."""


@record(frozen=True, slots=True, kw_only=True)
class AppResourceDeclaration(Declaration):
    """What an author says of a resource beside the function's signature and docstring."""

    uri: str
    name: str | None = None
    """What lists call it; None takes the function's name."""
    title: str | None = None
    """What a person reads instead of the name."""
    description: str | None = None
    """What stands there; None takes the docstring's."""
    mime_type: str | None = None
    """What kind of content it is; None finds it from the return type."""
    size: int | None = None
    """How many bytes a single resource has, where that is always the same."""
    access: Access | None = None
    granted: bool = False
    """Whether it is for callers that a result has given an AppFunctionUriGrant for it; others
    are admitted by `access` alone, and by none where there is none."""
    timeout_seconds: float | None = None
    max_result_bytes: int | None = None
    entries: Entries | None = None
    """Lists the resources of a template; may take the context, and may be async."""
    complete: Complete | None = None
    """By variable, the values that complete it."""


class AppResourceOptions(TypedDict, total=False):
    """The options of `@app_resource`; the fields of the declaration say what they mean."""

    name: str | None
    title: str | None
    description: str | None
    mime_type: str | None
    size: int | None
    access: Access | None
    granted: bool
    timeout_seconds: float | None
    max_result_bytes: int | None
    entries: Entries | None
    complete: Complete | None


def app_resource(uri: str, /, **options: Unpack[AppResourceOptions]) -> Callable[[F], F]:
    """Declares a function that reads a resource, or each resource of a template.

    The function itself is returned, unchanged. It is served by naming its module in the metadata
    XML, or by `AppFunctionService.from_functions`. A text goes out as text, bytes as a blob,
    anything else as JSON; None means that nothing stands at this address. TextResource and
    BlobResource, alone or in a list, go out under their own address.

    Args:
        uri: An address such as `notes://all`, or an RFC 6570 template such as
            `notes://{note_id}`, whose variables are the function's parameters.
        options: `name` (what lists call it; default: the function's), `title`, `description`
            (default: the docstring's), `mime_type` (default: from the return type), `size`
            (bytes, of a single resource), `access` (a scope or a predicate on the caller),
            `granted` (for callers that a result has given an AppFunctionUriGrant for the
            address, and for those whom `access` admits), `timeout_seconds`,
            `max_result_bytes`, `entries` (lists the resources of a template: returns
            ResourceLinks, or pairs of address and name) and `complete` (by variable: a sequence
            of values, or what returns one for the text so far).

    Returns:
        A decorator for the function.

    Raises:
        TypeError: The address is no text, an option is unknown, or what is declared is a class.
    """
    if not isinstance(uri, str):
        raise TypeError(
            "@app_resource takes the address first, as in @app_resource('notes://{note_id}')"
        )
    require_known({**options}, AppResourceOptions, "@app_resource")
    declaration = AppResourceDeclaration(uri=uri, **options)
    return recording(declaration, RESOURCE_ATTRIBUTE, "@app_resource", does="reads")


def resource_declaration_of(function: object) -> AppResourceDeclaration | None:
    """What `@app_resource` recorded on a function, None where it is not declared."""
    found = getattr(function, RESOURCE_ATTRIBUTE, None)
    return found if isinstance(found, AppResourceDeclaration) else None
