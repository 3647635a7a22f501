"""What is written of each parameter: in its own description, and in the function's.

Many servers put a docstring whole into the description, with a list of arguments in it. Knows
no rule.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.schema_parts import SchemaPart, parameter_parts
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record

__all__ = ["PartText", "listed_arguments", "texts_of"]

_HEADING = regex(
    r"^[ \t]*(?:#+[ \t]*|\*\*)?(?:(?:args|arguments|parameters|params)(?:[ \t]+explained)?|takes"
    r"|аргументы|параметры)[ \t]*:?(?:\*\*)?[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = regex(
    r"(?P<indent>[ \t]*)(?:(?P<mark>[-*•])[ \t]+)?(?:\*\*|`)?(?P<name>[A-Za-z_]\w*)(?:\*\*|`)?"
    r"[ \t]*(?:\([^()\n]*\)|\[[^\[\]\n]*\])?[ \t]*(?::|[ \t]-|–|—)(?:[ \t]+(?P<text>\S.*)|[ \t]*)$"  # noqa: RUF001
)
# A list inside a list is marked otherwise where it is not indented.
_OTHER_MARK = {mark: regex(rf"[ \t]*(?!{re.escape(mark)})[-*•][ \t]") for mark in "-*•"}
# Nobody writes more of one parameter; the rest of a hostile text is noise.
_LONGEST_READ = 4_000
_LONGEST_DESCRIPTION = 20_000


@record(frozen=True, slots=True)
class PartText:
    """A text about one part of the parameters."""

    part: SchemaPart
    text: str
    place: str
    """Where the text stands: at the part, or `description`."""


def texts_of(function: AppFunctionMetadata) -> Iterator[PartText]:
    """Every text about a part of the parameters."""
    listed = listed_arguments(function.description)
    for part in parameter_parts(function):
        if part.description:
            yield PartText(part, part.description[:_LONGEST_READ], part.place)
        if part.depth == 1 and part.name in listed and listed[part.name] != part.description:
            yield PartText(part, listed[part.name][:_LONGEST_READ], "description")


@lru_cache(maxsize=1024)
def listed_arguments(description: str) -> dict[str, str]:
    """The texts of a list of arguments inside a description, by the name of the argument.

    Args:
        description: A function's.
    """
    description = description[:_LONGEST_DESCRIPTION]
    heading = _HEADING.search(description)
    if heading is None:
        return {}
    found: dict[str, list[str]] = {}
    indent, mark, current = None, None, None
    for line in description[heading.end() :].lstrip("\n").splitlines():
        entry = _ENTRY.match(line)
        is_first = indent is None
        if entry is not None and (is_first or (entry["indent"], entry["mark"]) == (indent, mark)):
            indent, mark, current = entry["indent"], entry["mark"], entry["name"]
            found[current] = [entry["text"] or ""]
            continue
        is_more = line.startswith(f"{indent} ") or (mark and _OTHER_MARK[mark].match(line))
        if not line.strip() or current is None or not is_more:
            break
        found[current].append(line.strip())
    return {name: " ".join(lines).strip() for name, lines in found.items()}
