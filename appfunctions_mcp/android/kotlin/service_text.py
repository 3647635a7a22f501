"""The text of services, signatures and schemas: their functions with KDoc and annotations."""

from collections.abc import Iterator, Sequence

from appfunctions_mcp.android.kotlin.class_text import default_text, instruction
from appfunctions_mcp.android.kotlin.findings import Findings
from appfunctions_mcp.android.kotlin.functions import KotlinFunction, KotlinParameter
from appfunctions_mcp.android.kotlin.names import FileScope
from appfunctions_mcp.android.kotlin.services import KotlinService
from appfunctions_mcp.android.kotlin.types import LIBRARY, constraint_of
from appfunctions_mcp.android.kotlin.words import (
    INDENT,
    LINE_LENGTH,
    annotation,
    comment,
    identifier,
    is_doc_text,
    is_tag_text,
    string_literal,
    wrapped_tag,
)
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionScope

__all__ = ["schema_lines", "service_lines"]

_METADATA = f"{LIBRARY}.metadata.AppFunctionMetadata"
_LEVELS = {
    AppFunctionAccessLevel.SELF: "ACCESS_LEVEL_SELF",
    AppFunctionAccessLevel.SYSTEM: "ACCESS_LEVEL_SYSTEM",
    AppFunctionAccessLevel.ANDROID_TRUSTED: "ACCESS_LEVEL_ANDROID_TRUSTED",
}
_SCOPES = {
    AppFunctionScope.GLOBAL: "SCOPE_GLOBAL",
    AppFunctionScope.ACTIVITY: "SCOPE_ACTIVITY",
}
_DOC_MARGIN = len(" * ")


def service_lines(
    service: KotlinService, scope: FileScope, inner: Sequence[str], findings: Findings, indent: str
) -> Iterator[str]:
    """The lines of an entry point with all its functions, or of a signature.

    Args:
        service: The service.
        scope: Of its file.
        inner: The lines of the classes that it holds.
        findings: Gets texts that Kotlin cannot hold.
        indent: What stands before each line.
    """
    name = identifier(service.name.path[-1])
    xml_name = string_literal(service.xml_name)
    if service.generated is None:
        yield from _signature_head(service, scope, xml_name, indent)
        head = f"fun interface {name}"
    else:
        mark = scope.name(f"{LIBRARY}.AppFunctionServiceEntryPoint")
        arguments = [("serviceName", string_literal(service.generated))]
        arguments.append(("appFunctionXmlFileName", xml_name))
        yield from annotation(mark, arguments, indent)
        parents = [f"{scope.name(f'{LIBRARY}.AppFunctionService')}()"]
        parents += map(identifier, service.schemas.values())
        head = f"abstract class {name} : {', '.join(parents)}"
    yield f"{indent}{head} {{"
    for position, function in enumerate(service.functions):
        if position:
            yield ""
        with findings.at(function.place):
            yield from _function_lines(function, service, scope, indent + INDENT)
    if inner:
        yield ""
        yield from inner
    yield f"{indent}}}"


def _signature_head(
    service: KotlinService, scope: FileScope, xml_name: str, indent: str
) -> Iterator[str]:
    declared = service.functions[0].declared
    word = _SCOPES[declared.scope or AppFunctionScope.GLOBAL]
    arguments = [("scope", f"{scope.name(_METADATA)}.{word}")]
    arguments += [("appFunctionXmlFileName", xml_name), ("isDescribedByKDoc", "true")]
    yield from annotation(scope.name(f"{LIBRARY}.AppFunctionSignature"), arguments, indent)
    yield from _access_lines(service.functions[0], scope, indent)


def _access_lines(function: KotlinFunction, scope: FileScope, indent: str) -> Iterator[str]:
    declared = function.declared
    if declared.access_level is None and declared.compat_enforcement is None:
        return
    level = _LEVELS[declared.access_level or AppFunctionAccessLevel.ANDROID_TRUSTED]
    compat = "false" if declared.compat_enforcement is False else "true"
    arguments = [("level", f"{scope.name(_METADATA)}.{level}")]
    arguments.append(("isCompatEnforcementEnabled", compat))
    yield from annotation(scope.name(f"{LIBRARY}.AppFunctionAccessLevel"), arguments, indent)


def _function_lines(
    function: KotlinFunction, service: KotlinService, scope: FileScope, indent: str
) -> Iterator[str]:
    is_signature = service.generated is None
    yield from comment(_doc_lines(function, LINE_LENGTH - len(indent) - _DOC_MARGIN), indent)
    yield from _mark_lines(function, scope, indent, is_signature=is_signature)
    *first, last = _head_lines(
        function, scope, indent, is_override=function.method in service.schemas
    )
    yield from first
    if is_signature:
        yield last
        return
    yield f"{last} {{"
    name = scope.name(f"{LIBRARY}.AppFunctionNotSupportedException")
    message = string_literal(f"{function.method} is not written yet.")
    throwing = f"{indent}{INDENT}throw {name}({message})"
    if len(throwing) > LINE_LENGTH:
        yield f"{indent}{INDENT}throw {name}("
        yield f"{indent}{INDENT}{INDENT}{message},"
        throwing = f"{indent}{INDENT})"
    yield throwing
    yield f"{indent}}}"


def _mark_lines(
    function: KotlinFunction, scope: FileScope, indent: str, *, is_signature: bool
) -> Iterator[str]:
    declared = function.declared
    if not is_signature:
        enabled = "isEnabled = false, " if declared.enabled_by_default is False else ""
        mark = scope.name(f"{LIBRARY}.AppFunctionDeclaration")
        yield f"{indent}@{mark}({enabled}isDescribedByKDoc = true)"
        yield from _access_lines(function, scope, indent)
    if declared.description and not is_doc_text(declared.description):
        yield f"{indent}{instruction(declared.description, scope)}"
    if declared.deprecation is not None:
        message = string_literal(declared.deprecation)
        yield f"{indent}@{scope.name('kotlin.Deprecated')}({message})"
    if function.result is not None:
        yield from constraint_of(function.result, scope, indent)


def _head_lines(
    function: KotlinFunction,
    scope: FileScope,
    indent: str,
    *,
    is_override: bool,
) -> list[str]:
    modifier = "override suspend" if is_override else "suspend"
    parameters = [
        line
        for each in function.parameters
        for line in _parameter_lines(each, scope, indent + INDENT, has_default=not is_override)
    ]
    head = f"{indent}{modifier} fun {identifier(function.method)}("
    end = f"){_result(function, scope)}"
    short = head + " ".join(line.strip() for line in parameters).removesuffix(",") + end
    if len(f"{short} {{") <= LINE_LENGTH and not any("@" in line for line in parameters):
        return [short]
    return [head, *parameters, f"{indent}{end}"]


def _doc_lines(function: KotlinFunction, width: int) -> list[str]:
    declared = function.declared
    tags = []
    for each in function.parameters:
        if each.description and is_tag_text(each.description, each.name):
            tags += wrapped_tag(f"@param {each.name}", each.description, width)
    result = declared.response.description if declared.response else ""
    if result and is_tag_text(result):
        tags += wrapped_tag("@return", result, width)
    is_described = declared.description and is_doc_text(declared.description)
    lines = declared.description.split("\n") if is_described else []
    return [*lines, "", *tags] if lines and tags else [*lines, *tags]


def _parameter_lines(
    each: KotlinParameter, scope: FileScope, indent: str, *, has_default: bool
) -> Iterator[str]:
    if each.description and not is_tag_text(each.description, each.name):
        yield f"{indent}{instruction(each.description, scope)}"
    yield from constraint_of(each.source, scope, indent)
    default = default_text(each.default, scope) if has_default else ""
    yield f"{indent}{identifier(each.name)}: {scope.type(each.type)}{default},"


def _result(function: KotlinFunction, scope: FileScope) -> str:
    response = function.declared.response
    text = response.description if response else ""
    described = f"{instruction(text, scope)} " if text and not is_tag_text(text) else ""
    if function.returns is None:
        return f": {described}{scope.name('kotlin.Unit')}" if described else ""
    return f": {described}{scope.type(function.returns)}"


def schema_lines(
    service: KotlinService, scope: FileScope, findings: Findings
) -> Iterator[list[str]]:
    """The interfaces of the schemas that functions of a service implement."""
    for function in service.functions:
        schema = function.declared.schema
        if schema is None or function.method not in service.schemas:
            continue
        with findings.at(function.place):
            name = identifier(service.schemas[function.method])
            parameters = ", ".join(
                f"{identifier(each.name)}: {scope.type(each.type)}"
                f"{default_text(each.default, scope)}"
                for each in function.parameters
            )
            returns = f": {scope.type(function.returns)}" if function.returns else ""
            arguments = [("name", string_literal(schema.name)), ("version", str(schema.version))]
            arguments.append(("category", string_literal(schema.category)))
            mark = scope.name(f"{LIBRARY}.AppFunctionSchemaDefinition")
            yield [
                *annotation(mark, arguments, ""),
                f"interface {name} {{",
                f"{INDENT}suspend fun {identifier(function.method)}({parameters}){returns}",
                "}",
            ]
