"""The files of the project that an import makes: a package, its metadata, strings, a README.

The metadata is the app's own with what serving needs beside it, so the project is served as it
is. Knows nothing of folders: files are texts by their path in the project.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from appfunctions_mcp.android.app.sources import AndroidSource
from appfunctions_mcp.android.python.source import python_package
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata_attributes import ANDROIDX, MCP
from appfunctions_mcp.metadata_values import version
from appfunctions_mcp.metadata_xml import ROOT
from appfunctions_mcp.names import tool_name_of
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.string_resources import is_reference
from appfunctions_mcp.xml_elements import XmlText

_TEMPLATE = Path(__file__).parents[2] / "templates" / "imported_README.md.txt"
_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}
_NOT_IN_PREFIX = regex(r"[^A-Za-z0-9_]+")
_LONGEST_TOOL_NAME = 64
_MOST_NAMED = 20
"""How many functions a made description names."""


@dataclass(frozen=True, slots=True)
class _ServedModule:
    """A generated module and the tools that it gives."""

    name: str
    tools: tuple[str, ...]


def project_files(source: AndroidSource, *, package: str) -> dict[str, str]:
    """The texts of an imported project by their path in its folder.

    Args:
        source: What was read of the app.
        package: The name of the Python package, and of the server.

    Raises:
        MetadataXmlError: Something of the app has no form in Python; names file and line.
    """
    files = python_package(source.documents, package=package)
    modules = list(_served_modules(files))
    title = source.texts.title
    shown = title if title and not title.startswith("@") else source.package or package
    files["metadata/app_metadata.xml"] = _metadata(source, package, shown, modules)
    for folder, table in source.texts.strings.items():
        files[f"metadata/{folder}/strings.xml"] = _strings(table)
    readme = Template(_TEMPLATE.read_text(encoding="utf-8"))
    files["README.md"] = readme.substitute(package=package, title=package)
    return files


def _served_modules(files: Mapping[str, str]) -> Iterator[_ServedModule]:
    """The modules that define functions, in their order."""
    for path, text in files.items():
        tools = tuple(
            _tool_of(node)
            for node in ast.parse(text).body
            if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list
        )
        if tools:
            yield _ServedModule(path.removesuffix(".py").replace("/", "."), tools)


def _tool_of(function: ast.AsyncFunctionDef) -> str:
    """The tool name of a generated function: its given name, else what its id gives."""
    given = {
        keyword.arg: str(keyword.value.value)
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if isinstance(keyword.value, ast.Constant)
    }
    return given.get("name") or tool_name_of(given["id"])


def _metadata(source: AndroidSource, package: str, shown: str, modules: list[_ServedModule]) -> str:
    lines = [_DECLARATION, *source.texts.comments, f"<{ROOT}"]
    lines += (
        f'    {name}="{_escaped(text)}"'
        for name, text in _attributes(source, package, shown, modules)
        if text is not None
    )
    lines[-1] += ">"
    lines += (f"    {element}" for element in _elements(modules))
    return "\n".join([*lines, f"</{ROOT}>\n"])


def _attributes(
    source: AndroidSource, package: str, shown: str, modules: list[_ServedModule]
) -> Iterator[tuple[str, str | None]]:
    texts = source.texts
    has_description = texts.description is not None or texts.instructions is not None
    yield "xmlns:appfn", ANDROIDX
    yield "xmlns:mcp", MCP
    yield "appfn:description", texts.description if has_description else _made(shown, modules)
    yield "appfn:instructions", texts.instructions
    yield "appfn:displayDescription", texts.display_description
    yield "mcp:name", package
    yield "mcp:title", texts.title
    yield "mcp:version", _version(source)
    yield "mcp:package", source.package
    yield "mcp:pythonPath", ".."


def _made(shown: str, modules: list[_ServedModule]) -> str:
    """A description for an app that has none: what the functions are called."""
    tools = [tool for module in modules for tool in module.tools]
    named = ", ".join(tools[:_MOST_NAMED])
    more = len(tools) - _MOST_NAMED
    return f"Functions of {shown}: {named}{f' and {more} more' if more > 0 else ''}."


def _version(source: AndroidSource) -> str | None:
    written = source.version or ""
    try:
        return None if is_reference(written) else version(written)
    except ValueError:
        return None  # no version, or one that only the build knows


def _elements(modules: list[_ServedModule]) -> Iterator[str]:
    """The modules, with a prefix where a tool's name is taken by a module before."""
    taken: set[str] = set()
    for module in modules:
        prefix = "" if taken.isdisjoint(module.tools) else _prefix_for(module, taken)
        taken.update(f"{prefix}_{tool}" if prefix else tool for tool in module.tools)
        written = f' prefix="{prefix}"' if prefix else ""
        yield f'<mcp:functions module="{_escaped(module.name)}"{written} />'


def _prefix_for(module: _ServedModule, taken: set[str]) -> str:
    """A prefix that makes the module's tools new, and no name too long.

    Raises:
        MetadataXmlError: A name leaves no room for any.
    """
    longest = max(map(len, module.tools))
    own = _NOT_IN_PREFIX.sub("_", module.name.rpartition(".")[2]).strip("_") or "more"
    own = own if own[0].isalpha() else f"m{own}"
    for number in range(1, 100):
        ending = "" if number == 1 else str(number)
        room = _LONGEST_TOOL_NAME - longest - 1 - len(ending)
        prefix = f"{own[:room].rstrip('_')}{ending}"
        if room > 0 and taken.isdisjoint(f"{prefix}_{tool}" for tool in module.tools):
            return prefix
    raise MetadataXmlError(
        f"{module.name}: other functions have the same names, and "
        f"{quoted(max(module.tools, key=len))} is too long for a prefix; import the files into "
        "projects of their own"
    )


def _escaped(text: str) -> str:
    """A text as the value of an attribute; line breaks stay, as our reader keeps them."""
    for character, entity in _ENTITIES.items():
        text = text.replace(character, entity)
    return text


def _strings(table: Mapping[str, tuple[XmlText, ...]]) -> str:
    lines = [_DECLARATION, "<resources>"]
    for name, pieces in table.items():
        lines.append(f'    <string name="{_escaped(name)}">{"".join(map(_piece, pieces))}</string>')
    return "\n".join([*lines, "</resources>\n"])


def _piece(piece: XmlText) -> str:
    """A piece of a string as it was: blanks in a CDATA section count, others do not."""
    return f"<![CDATA[{piece.text}]]>" if piece.literal else _escaped(piece.text)
