"""How large a strict schema may be for OpenAI, and how its unions have to be written.

Source: OpenAI's guide to structured outputs; the order of keys comes from the API's own message
about alternatives that begin with the same key.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from appfunctions_mcp.formats.schema_trees import place_of, subschemas
from appfunctions_mcp.metadata import JsonSchema

__all__ = ["limit_faults", "order_unions"]

MOST_PROPERTIES = 5000
MOST_LEVELS = 10
MOST_CHOICES = 1000
MOST_CHARACTERS = 120_000
FEW_CHOICES = 250
"""Up to so many choices of one list may be of any length."""
MOST_CHARACTERS_OF_CHOICES = 15_000


def limit_faults(schema: JsonSchema) -> list[str]:
    """What of a strict schema is more than OpenAI takes; nothing where all of it is taken."""
    parts = [part for _, part in subschemas(schema)]
    names = [name for part in parts for name in part.get("properties", {})]
    choices = [part["enum"] for part in parts if "enum" in part]
    texts = [str(value) for values in choices for value in values if isinstance(value, str)]
    characters = sum(map(len, [*names, *schema.get("$defs", {}), *texts]))
    long_lists = [
        sum(len(value) for value in values if isinstance(value, str))
        for values in choices
        if len(values) > FEW_CHOICES
    ]
    measured = (
        (len(names), MOST_PROPERTIES, "properties"),
        (_levels(schema), MOST_LEVELS, "levels of objects and lists"),
        (sum(map(len, choices)), MOST_CHOICES, "choices"),
        (characters, MOST_CHARACTERS, "characters of names and choices"),
        (
            max(long_lists, default=0),
            MOST_CHARACTERS_OF_CHOICES,
            "characters of one list's choices",
        ),
    )
    return [
        f"the schema has {number:,} {what}, and {most:,} are accepted"
        for number, most, what in measured
        if number > most
    ]


def _levels(part: JsonSchema) -> int:
    """How deep objects and lists stand in each other; definitions count where they stand."""
    own = 1 if part.get("type") in ("object", "array") else 0
    below = [*part.get("properties", {}).values(), *part.get("anyOf", ())]
    below += [part["items"]] if "items" in part else []
    nested = own + max(map(_levels, below), default=0)
    return max([nested, *map(_levels, part.get("$defs", {}).values())])


def order_unions(schema: JsonSchema) -> list[str]:
    """Orders the members of alternatives, in place, so that no two begin alike.

    A model's first key then tells which alternative it writes.

    Args:
        schema: In the strict dialect, and nobody else's.

    Returns:
        Why it is not possible, for each union where it is not.
    """
    faults = []
    for path, part in subschemas(schema):
        objects = list(_object_branches(part, schema.get("$defs", {})))
        if len(objects) > 1 and not _are_told_apart(objects):
            _move_first(objects)
            if not _are_told_apart(objects):
                faults.append(f"two alternatives at {place_of(path)} cannot be told apart by a key")
    return faults


def _object_branches(
    part: JsonSchema, definitions: Mapping[str, JsonSchema]
) -> Iterator[dict[str, JsonSchema]]:
    """The properties of each alternative that is an object."""
    for branch in part.get("anyOf", ()):
        name = str(branch.get("$ref", "")).removeprefix("#/$defs/")
        opened = definitions.get(name, branch)
        if opened.get("properties"):
            yield opened["properties"]


def _are_told_apart(objects: list[dict[str, JsonSchema]]) -> bool:
    return all(_differ(left, right) for left, right in combinations(objects, 2))


def _differ(left: dict[str, JsonSchema], right: dict[str, JsonSchema]) -> bool:
    first, other = next(iter(left)), next(iter(right))
    return first != other or _have_other_choices(left[first], right[first])


def _have_other_choices(left: JsonSchema, right: JsonSchema) -> bool:
    return (
        bool(left.get("enum"))
        and bool(right.get("enum"))
        and not any(value in right["enum"] for value in left["enum"])
    )


def _move_first(objects: list[dict[str, JsonSchema]]) -> None:
    """Moves a key first that all have with other choices, else one that no other has."""
    shared = [
        key
        for key in objects[0]
        if all(key in each for each in objects)
        and all(_have_other_choices(a[key], b[key]) for a, b in combinations(objects, 2))
    ]
    for each in objects:
        others = [other for other in objects if other is not each]
        own = [key for key in each if not any(key in other for other in others)]
        for key in (shared or own)[:1]:
            moved = {key: each.pop(key), **each}
            each.clear()
            each.update(moved)
