"""The text of classes: annotations, KDoc, properties and what they inherit.

Every text of a document stands in a KDoc that gives it back, or in a string literal.
"""

from collections.abc import Iterator

from appfunctions_mcp.android.kotlin.findings import Findings, Place
from appfunctions_mcp.android.kotlin.model import KotlinClass, KotlinProperty
from appfunctions_mcp.android.kotlin.names import FileScope
from appfunctions_mcp.android.kotlin.types import LIBRARY, constraint_of
from appfunctions_mcp.android.kotlin.words import (
    INDENT,
    comment,
    identifier,
    is_doc_text,
    string_literal,
)
from appfunctions_mcp.quoting import quoted

__all__ = ["class_lines", "default_text", "instruction"]


def instruction(text: str, scope: FileScope, target: str = "") -> str:
    """The annotation that describes what stands behind it, whatever its KDoc says.

    Args:
        text: The description.
        scope: Of the file.
        target: What the annotation is of, where that is not clear from its place.

    Raises:
        KotlinError: The text is too long.
    """
    name = scope.name(f"{LIBRARY}.AppFunctionInstruction")
    return f"@{target}{name}({string_literal(text)})"


def default_text(default: str | None, scope: FileScope) -> str:
    """The default as it stands behind a type; nothing where there is none."""
    if default is None:
        return ""
    called = default.removesuffix("()")
    return f" = {default}" if called == default else f" = {scope.name(called)}()"


def class_lines(
    written: KotlinClass, scope: FileScope, inner: list[str], findings: Findings, indent: str
) -> Iterator[str]:
    """The lines of a class.

    Args:
        written: The class.
        scope: Of its file.
        inner: The lines of the classes that it holds.
        findings: Gets texts that Kotlin cannot hold.
        indent: What stands before each line.
    """
    place = Place(f"type {quoted(written.name.binary, 300)}")
    with findings.at(place):
        yield from _described(written.description, scope, indent)
    yield f"{indent}{_mark(written, scope)}"
    name = identifier(written.name.path[-1])
    if written.type_parameters:
        name += f"<{', '.join(written.type_parameters)}>"
    if written.kind == "class":
        modifier = "open" if written.is_open else "data"
        yield f"{indent}{modifier} class {name}("
        for each in written.properties:
            with findings.at(place.inside(f"property {quoted(each.name)}")):
                yield from _property_lines(each, written, scope, indent + INDENT)
        head = f"{indent})"
        body = inner
    else:
        head = f"{indent}{written.kind} {name}"
        body = [*_interface_members(written, scope, findings, place, indent + INDENT), *inner]
    parents = _parents(written, scope)
    head += f" : {parents}" if parents else ""
    yield f"{head} {{" if body else head
    if body:
        yield from body
        yield f"{indent}}}"


def _mark(written: KotlinClass, scope: FileScope) -> str:
    if written.kind == "interface":
        return f"@{scope.name(f'{LIBRARY}.AppFunctionSchemaCapability')}"
    return f"@{scope.name(f'{LIBRARY}.AppFunctionSerializable')}(isDescribedByKDoc = true)"


def _described(text: str, scope: FileScope, indent: str, target: str = "") -> Iterator[str]:
    """A description as a KDoc, or as an annotation where a KDoc would change it."""
    if not text:
        return
    if is_doc_text(text):
        yield from comment(text.split("\n"), indent)
    else:
        yield f"{indent}{instruction(text, scope, target)}"


def _annotations(
    each: KotlinProperty, scope: FileScope, indent: str, target: str = ""
) -> Iterator[str]:
    yield from _described(each.source.description, scope, indent, target)
    yield from constraint_of(each.source, scope, indent, target)


def _property_lines(
    each: KotlinProperty, written: KotlinClass, scope: FileScope, indent: str
) -> Iterator[str]:
    if not each.is_inherited:
        # Without a target, an annotation is of the constructor's parameter alone.
        yield from _annotations(each, scope, indent, "property:")
    modifier = "override " if each.is_inherited else "open " if written.is_open else ""
    text = f"{modifier}val {identifier(each.name)}: {scope.type(each.type)}"
    yield f"{indent}{text}{default_text(each.default, scope)},"


def _interface_members(
    written: KotlinClass, scope: FileScope, findings: Findings, place: Place, indent: str
) -> Iterator[str]:
    for each in written.properties:
        with findings.at(place.inside(f"property {quoted(each.name)}")):
            yield from _annotations(each, scope, indent)
            yield f"{indent}val {identifier(each.name)}: {scope.type(each.type)}"
            if each.default is not None:
                yield f"{indent}{INDENT}get(){default_text(each.default, scope)}"


def _parents(written: KotlinClass, scope: FileScope) -> str:
    parents = []
    if written.base is not None:
        names = [identifier(each) for each in written.base_properties]
        arguments = ", ".join(f"{name} = {name}" for name in names)
        parents.append(f"{scope.type(written.base)}({arguments})")
    parents += [scope.name(each) for each in dict.fromkeys(written.interfaces)]
    return ", ".join(parents)
