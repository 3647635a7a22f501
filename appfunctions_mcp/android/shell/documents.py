"""Documents as AppSearch holds them: what arguments and results are on Android's shell.

A document does not know whether a property is one value or a list, nor what null is: every
property is a list of values of one kind, and what is null or empty is not there. Knows nothing
of declared types.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from appfunctions_mcp.android.shell.org_json import java_text, type_mismatch

__all__ = ["Document", "Value", "document_from_json", "json_from_document"]


@dataclass(frozen=True, slots=True)
class Document:
    """Properties by name, and the class that they make up (Android: GenericDocument)."""

    properties: "Mapping[str, tuple[Value, ...]]" = field(default_factory=dict)
    schema_type: str = ""


Value = str | int | float | bool | Document


def document_from_json(members: Mapping[str, Any]) -> Document:
    """The document that Android's shell makes of a JSON object.

    A list takes the kind of its first item, to which the others are converted; nulls, empty
    lists, lists of lists and lists that begin with null are left out.

    Raises:
        ShellError: An item of a list cannot be converted to the kind of the first one.
    """
    properties = {name: _values(each) for name, each in members.items()}
    schema_type = members.get("schemaType", "")
    return Document(
        {name: values for name, values in properties.items() if values},
        schema_type if isinstance(schema_type, str) else "",
    )


def json_from_document(document: Document) -> dict[str, Any]:
    """A document as JSON in which every property is a list, as the shell prints it."""
    return {
        name: [json_from_document(each) if isinstance(each, Document) else each for each in values]
        for name, values in document.properties.items()
    }


def _values(value: Any) -> tuple[Value, ...]:
    if value is None:
        return ()
    if isinstance(value, dict):
        return (document_from_json(value),)
    if isinstance(value, list):
        return _items(value)
    return (value,)


def _items(items: list[Any]) -> tuple[Value, ...]:
    if not items or items[0] is None or isinstance(items[0], list):
        return ()
    return tuple(_item(each, items[0], index) for index, each in enumerate(items))


def _item(item: Any, first: Any, index: int) -> Value:
    if isinstance(first, str):
        return java_text(item)
    if isinstance(first, dict):
        if isinstance(item, dict):
            return document_from_json(item)
        raise type_mismatch(item, "JSONObject", index)
    if isinstance(first, bool):
        return _truth(item, index)
    number = _number(item, "long" if isinstance(first, int) else "double", index)
    return _long(number) if isinstance(first, int) else float(number)


def _truth(item: Any, index: int) -> bool:
    if isinstance(item, bool):
        return item
    if isinstance(item, str) and item.lower() in {"true", "false"}:
        return item.lower() == "true"
    raise type_mismatch(item, "boolean", index)


def _number(item: Any, wanted: str, index: int) -> int | float:
    if isinstance(item, int | float) and not isinstance(item, bool):
        return item
    if isinstance(item, str):
        try:
            return float(item)
        except ValueError:
            raise type_mismatch(item, wanted, index) from None
    raise type_mismatch(item, wanted, index)


def _long(number: float) -> int:
    """A number as Java casts it to a long: towards zero, and no further than a long goes."""
    if number != number:  # noqa: PLR0124 - not a number
        return 0
    return int(max(-(2**63), min(2**63 - 1, number)))
