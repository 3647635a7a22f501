"""Which parts of an app are served, where the user wants only some: `--only GLOB`."""

import fnmatch
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from appfunctions_mcp.compiling import Compiled
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.quoting import quoted

if TYPE_CHECKING:
    from appfunctions_mcp.resources import AppResource


def selected(compiled: Compiled, only: Sequence[str]) -> Compiled:
    """What the globs leave of an app; without globs, all.

    A function is meant by its tool name or its id, a resource by its address or name, a prompt
    by its name.
    """
    if not only:
        return compiled
    return Compiled(
        [f for f in compiled.functions if _is_wanted(_names_of_function(f), only)],
        [r for r in compiled.resources if _is_wanted(_names_of_resource(r), only)],
        [p for p in compiled.prompts if _is_wanted((p.name,), only)],
    )


def unmatched(only: Sequence[str], compiled: Compiled) -> list[str]:
    """Names the globs that leave nothing to serve, as a misspelled one does."""
    known: list[tuple[str, ...]] = [
        *map(_names_of_function, compiled.functions),
        *map(_names_of_resource, compiled.resources),
        *((prompt.name,) for prompt in compiled.prompts),
    ]
    first = ", ".join(names[0] for names in known[:8])
    return [
        f"--only {quoted(glob)} matches no function, resource or prompt; the first ones are {first}"
        for glob in only
        if not any(_is_wanted(names, [glob]) for names in known)
    ]


def _names_of_function(function: AppFunction) -> tuple[str, ...]:
    return function.names.tool_name, function.names.function_id


def _names_of_resource(resource: "AppResource") -> tuple[str, ...]:
    return resource.uri, resource.metadata.name


def _is_wanted(names: Iterable[str], only: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, glob) for glob in only for name in names)
