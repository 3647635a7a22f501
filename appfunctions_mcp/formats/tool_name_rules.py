"""What every provider asks of the names of a request's functions. Knows no provider."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.quoting import quoted

__all__ = ["repeated_names"]


def repeated_names(functions: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Violation]:
    """Checks that no two functions of a request have one name.

    Args:
        functions: What has the names, each with the JSON pointer to it.
    """
    seen: dict[str, str] = {}
    for path, function in functions:
        name = function.get("name")
        if isinstance(name, str) and seen.setdefault(name, path) != path:
            text = f"{quoted(name)} is the name of {seen[name]} as well; names differ"
            yield Violation(f"{path}/name", "tool-name-repeated", text)
