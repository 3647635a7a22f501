"""Faults of schemas, put into a tool as its author would write them."""

from collections.abc import Callable
from typing import Any

__all__ = ["SCHEMA_FAULTS", "parameter"]

Edit = Callable[[dict[str, Any]], None]


def parameter(
    tool: dict[str, Any], name: str, schema: dict[str, Any], *, need: bool = False
) -> None:
    """Declares one more parameter."""
    tool["inputSchema"]["properties"][name] = schema
    if need:
        tool["inputSchema"]["required"] = [*tool["inputSchema"].get("required", []), name]


def _taking(
    name: str, text: str = "On which shelf it lies.", *, need: bool = False, **s: Any
) -> Edit:
    schema = ({"description": text} if text else {}) | s
    return lambda tool: parameter(tool, name, schema, need=need)


def _returning(**schema: Any) -> Edit:
    return lambda tool: tool.update(outputSchema={"type": "object", **schema})


def _needing_what_is_not_there(tool: dict[str, Any]) -> None:
    tool["inputSchema"]["required"] = [*tool["inputSchema"].get("required", []), "shelf"]


def _without_root(tool: dict[str, Any]) -> None:
    whole = tool["inputSchema"]
    tool["inputSchema"] = {"oneOf": [whole, {"type": "object", "properties": {}}]}


def _of_two_styles(tool: dict[str, Any]) -> None:
    for name in ("shelf_number", "parcelOwner"):
        parameter(tool, name, {"type": "string", "description": "One that is written there."})


def _of_many(tool: dict[str, Any]) -> None:
    for number in range(13):
        text = f"How many parcels lie on shelf {number}."
        parameter(tool, f"shelf_{number}_count", {"type": "integer", "description": text})


def _listing_all(tool: dict[str, Any]) -> None:
    tool.pop("outputSchema", None)
    tool |= {"name": "list_parcels", "inputSchema": {"type": "object", "properties": {}}}


def _referring(tool: dict[str, Any]) -> None:
    whole = {
        "type": "object",
        "properties": {"row": {"type": "integer", "description": "Its row."}},
    }
    tool["inputSchema"]["$defs"] = {"Shelf": whole}
    parameter(tool, "shelf", {"$ref": "#/$defs/Shelf", "description": "On which shelf it lies."})


_WORD: dict[str, Any] = {"type": "string"}
_NUMBER: dict[str, Any] = {"type": "integer"}
_PLACES: dict[str, Any] = {"type": "string", "enum": ["floor", "shelf", "roof"]}

SCHEMA_FAULTS: dict[str, Edit] = {
    "AF020": _taking("shelf", "", type="string"),
    "AF021": _taking("shelf_name", "The name of the shelf", type="string"),
    "AF022": _taking("shelf"),
    "AF023": _taking("shelves", type="array"),
    "AF024": _taking("extras", "What else is known of it.", type="object"),
    "AF025": _taking("shelf", type="str"),
    "AF026": _without_root,
    "AF027": _needing_what_is_not_there,
    "AF028": _taking("shelf", type="integer", default="three"),
    "AF029": _taking("shelf", type="integer", default=3, need=True),
    "AF030": _taking("shelf", type="string", enum=[]),
    "AF031": _taking("shelf", type="integer", minimum=9, maximum=3),
    "AF032": _taking("shelf", type="string", pattern="([a-z"),
    "AF033": _taking("expiry_date", "When it goes bad.", type="string"),
    "AF034": _taking("delay", "How long it rests between two counts.", type="number"),
    "AF035": _taking("parcel_id", "Which parcel is meant.", type="string"),
    "AF036": _of_many,
    "AF037": _taking("data", "What is kept of it.", type="string"),
    "AF038": _taking("shelf number!", type="string"),
    "AF039": _of_two_styles,
    "AF042": _returning(),
    "AF043": _returning(
        properties={"result": {"type": "string", "description": "All parcels as JSON."}}
    ),
    "AF044": _returning(properties={"parcels": {"type": "integer"}}),
    "AF045": _returning(properties={}, required=["parcels"]),
    "AF046": _listing_all,
    "AF073": _taking("place", "Either 'floor', 'shelf' or 'cellar'.", **_PLACES),
    "AF074": _taking("place", "One of 'floor' or 'shelf'.", **_PLACES),
    "AF075": _taking("place", "Must be one of 'floor' or 'shelf'.", **_WORD),
    "AF076": _taking("shelf", "Its number (default 5).", type="integer", default=3),
    "AF077": _taking("shelf", "Its number. Defaults to 5.", **_NUMBER),
    "AF078": _taking("shelf", "Its number, at most 10.", type="integer", maximum=5),
    "AF080": _taking("shelf", "Its number, at most 10.", **_NUMBER),
    "AF081": _taking("shelf", "Its code, for example 'top-left'.", type="string", pattern="^\\d+$"),
    "AF082": _taking("pause_seconds", "How long it rests, in milliseconds.", **_NUMBER),
    "AF083": _taking("since", "A Unix timestamp.", type="string", format="date"),
    "AF084": _taking("shelf", "Optional. On which shelf it lies.", need=True, **_WORD),
    "AF088": _taking("shelves", "A comma-separated list of shelves.", type="array", items=_WORD),
    "AF089": _taking("shelf", "The class of the shelf.", type="string", enum=["A", "B", "C"]),
    "AF122": _taking("action", "What happens.", type="string", enum=["get", "delete", "update"]),
    "AF134": _taking("credit_card_number", "With what it is paid.", type="string"),
    "AF139": _taking("shell_command", "What is run when it arrives.", type="string"),
    "AF172": _taking("shelf_name", "What is written on it.", type="string", title="Shelf Name"),
    "AF173": _taking("shelf", type="string", enum=[f"shelf-{number}" for number in range(200)]),
    "AF183": lambda tool: parameter(tool, "shelf", {"$ref": "#/$defs/Missing"}),
    "AF184": _taking("shelf", type="integer", enum=[1, 2, 3]),
    "AF185": _taking("shelf", type=["string", "null"]),
    "AF186": _referring,
    "AF187": _taking("shelf", type="integer", minimum=0, exclusiveMinimum=True),
}
