"""Takes out of an app's texts what people would not see, before a model reads it.

A description with hidden characters is withheld, since it may say to a model what nobody else
reads; a function whose names or values hold some is left out. Each is a finding.
"""

from collections.abc import Iterator
from dataclasses import replace

from appfunctions_mcp.android.bridge.hidden_text import hidden_characters
from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
)
from appfunctions_mcp.android.references import components_of, types_in
from appfunctions_mcp.quoting import quoted

__all__ = ["visible_document", "visible_or_nothing"]


def visible_document(
    document: AndroidDocument, place: str
) -> tuple[AndroidDocument, tuple[str, ...]]:
    """A document without hidden characters, and what was withheld for that.

    Args:
        document: What an app says.
        place: Which app, for the findings.
    """
    cleaner = _Cleaner(document, place)
    functions = tuple(
        cleaner.function(each) for each in document.functions if not cleaner.refuses(each)
    )
    components = tuple(
        AndroidComponent(each.name, cleaner.type(each.type, f"component {quoted(each.name)}"))
        for each in document.components
    )
    visible = replace(document, functions=functions, components=components)
    return visible, tuple(dict.fromkeys(cleaner.findings))


def visible_or_nothing(text: str, what: str, findings: list[str]) -> str:
    """A text as it is, or nothing where it holds hidden characters, with a finding."""
    hidden = hidden_characters(text)
    if not hidden:
        return text
    findings.append(f"{what} is withheld: it holds hidden characters ({hidden})")
    return ""


class _Cleaner:
    def __init__(self, document: AndroidDocument, place: str) -> None:
        self._components = components_of(document)
        self._place = place
        self.findings: list[str] = []

    def refuses(self, function: AndroidFunction) -> bool:
        """Whether a name or a value of the function holds hidden characters."""
        for text in self._names_in(function):
            if hidden := hidden_characters(text):
                self.findings.append(
                    f"{self._place}: {quoted(function.id)} is left out: the name or value "
                    f"{quoted(text)} holds hidden characters ({hidden})"
                )
                return True
        return False

    def _names_in(self, function: AndroidFunction) -> Iterator[str]:
        yield function.id
        if function.schema is not None:
            yield from (function.schema.category, function.schema.name)
        types = [each.type for each in function.parameters]
        yield from (each.name for each in function.parameters)
        if function.response is not None:
            types.append(function.response.type)
        seen: set[str] = set()
        while types:
            for part in types_in(types.pop()):
                yield from _names_of(part)
                if isinstance(part, ReferenceType) and part.name not in seen:
                    seen.add(part.name)
                    types.append(self._components[part.name])

    def function(self, function: AndroidFunction) -> AndroidFunction:
        place = quoted(function.id)
        parameters = tuple(
            replace(
                each,
                description=self._text(each.description, f"{place}, {quoted(each.name)}"),
                type=self.type(each.type, f"{place}, {quoted(each.name)}"),
            )
            for each in function.parameters
        )
        response = function.response
        if response is not None:
            what = f"{place}, response"
            response = replace(
                response,
                description=self._text(response.description, what),
                type=self.type(response.type, what),
            )
        deprecation = function.deprecation
        if deprecation is not None:
            deprecation = self._text(deprecation, f"{place}, deprecation")
        return replace(
            function,
            description=self._text(function.description, place),
            parameters=parameters,
            response=response,
            deprecation=deprecation,
        )

    def _text(self, text: str, what: str) -> str:
        return visible_or_nothing(text, f"{self._place}: {what}: the description", self.findings)

    def type(self, data_type: DataType, what: str) -> DataType:
        """The type with visible descriptions."""
        seen = replace(data_type, description=self._text(data_type.description, what))
        if isinstance(seen, ArrayType):
            return replace(seen, items=self.type(seen.items, what))
        if isinstance(seen, AllOfType | OneOfType):
            return replace(seen, members=tuple(self.type(each, what) for each in seen.members))
        if isinstance(seen, ObjectType):
            properties = tuple(
                AndroidProperty(each.name, self.type(each.type, f"{what}.{each.name}"))
                for each in seen.properties
            )
            return replace(seen, properties=properties)
        return seen


def _names_of(data_type: DataType) -> Iterator[str]:
    if isinstance(data_type, ScalarType):
        yield from data_type.enum_values
        yield data_type.format
        yield from (each.value for each in data_type.patterns)
    elif isinstance(data_type, ObjectType):
        yield data_type.name
        yield from (each.name for each in data_type.properties)
    elif isinstance(data_type, ReferenceType | AllOfType | OneOfType):
        yield data_type.name
