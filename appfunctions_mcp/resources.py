"""`AppResource`: a declared Python function that reads what stands at an address.

Compiled once: the address or its template, the check of its variables, and what becomes of the
result. Knows nothing of callers or limits, nor of MCP.
"""

from collections.abc import Callable, Iterable, Mapping, Sized
from functools import cached_property
from itertools import islice
from typing import Any

from appfunctions_mcp.completers import Completer, read_completers, side_function
from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.function_metadata import FunctionNames, innermost
from appfunctions_mcp.functions import AppFunction, ReadFunction, read_function
from appfunctions_mcp.media import ResourceLink, TextResource
from appfunctions_mcp.metadata import (
    AppResourceMetadata,
    OptionalDefaults,
)
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.offered_functions import description_of, offered_function
from appfunctions_mcp.resource_contents import Contents, ContentWriter, content_writer
from appfunctions_mcp.resource_declaration import (
    AppResourceDeclaration,
    resource_declaration_of,
)
from appfunctions_mcp.schema.json_values import type_name_of
from appfunctions_mcp.schema.result_faults import function_at_fault
from appfunctions_mcp.traversal import fault_in
from appfunctions_mcp.uri_templates import (
    UriTemplate,
    UriTemplateError,
    is_uri_template,
    parse_uri_template,
)

MAX_ENTRIES = 100_000
"""How many resources of one template are listed; what makes them one by one may have no end."""


class AppResource:
    """One resource, or one template of resources, that clients may read.

    `function` is the Python function under the checks and limits of a call.
    """

    def __init__(
        self,
        declared: AppResourceDeclaration,
        names: FunctionNames,
        function: AppFunction,
        writer: ContentWriter,
        template: UriTemplate | None,
        *,
        docstring: ParsedDocstring,
        entries: AppFunction | None,
        completers: Mapping[str, Completer],
    ) -> None:
        self.uri = declared.uri
        self.names = names
        self.function = function
        self.template = template
        self.entries = entries
        self.completers = completers
        self._declared = declared
        self._docstring = docstring
        self._writer = writer

    @classmethod
    def from_function(
        cls,
        function: Callable[..., Any],
        *,
        optional_defaults: OptionalDefaults = "type",
    ) -> "AppResource":
        """Reads a declared function once and compiles what reading needs.

        Args:
            function: A function that `@app_resource` stands above.
            optional_defaults: The rule for variables that an address may leave out.

        Returns:
            The resource.

        Raises:
            AppFunctionDeclarationError: It cannot be served as it is declared; the text names
                file, function and what is wrong.
        """
        declared = resource_declaration_of(function)
        if declared is None:
            raise AppFunctionDeclarationError(
                f"{function!r} is no resource; put @app_resource(…) above it"
            )
        read = read_function(function, optional_defaults=optional_defaults)
        names = _names_of(function, read)
        template = _template_of(declared, read, names)
        writer = content_writer(
            read.signature.return_annotation,
            declared.mime_type,
            docstring=read.docstring,
            source=read.source,
        )
        return cls(
            declared,
            names,
            offered_function(
                function,
                read,
                declared,
                names,
                response=writer.response,
                max_result_bytes=declared.max_result_bytes,
            ),
            writer,
            template,
            docstring=read.docstring,
            entries=_entries_of(declared, names),
            completers=read_completers(
                declared.complete, template.variables if template else (), names
            ),
        )

    @cached_property
    def metadata(self) -> AppResourceMetadata:
        """Everything that is published of the resource."""
        declared, names = self._declared, self.names
        return AppResourceMetadata(
            uri=declared.uri,
            name=declared.name or names.name,
            title=declared.title,
            description=description_of(declared, self._docstring, names),
            mime_type=self._writer.mime_type,
            size=declared.size,
            is_template=self.template is not None,
            parameters=self.function.metadata.parameters,
            access=declared.access,
            module=names.module,
            source=names.source,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know."""
        return self.function.warnings

    @property
    def takes_grants(self) -> bool:
        """Whether callers may read it that a result has given a grant for it."""
        return self._declared.granted

    def contents(self, value: object, uri: str) -> Contents | None:
        """The contents that the function's result makes; None where nothing stands there.

        Raises:
            AppFunctionAppUnknownException: The value does not fit the declared type.
        """
        return self._writer.contents(value, uri)

    def entry(self, entry: object) -> AppResourceMetadata:
        """One concrete resource, as `entries` returned it.

        Raises:
            ValueError: It is no entry, or its address is none of this template that could be
                read; says which.
        """
        link = _link_of(entry)
        values = None if self.template is None else self.template.match(link.uri)
        if values is None:
            raise ValueError(f"the entry {link.uri!r} is no address of {self.uri}")
        fault = fault_in(values)
        if fault is not None:
            raise ValueError(f"nobody could read the entry {link.uri!r}: {fault}")
        own = self.metadata
        return AppResourceMetadata(
            uri=link.uri,
            name=link.name,
            title=link.title,
            description=link.description or "",
            mime_type=link.mime_type or own.mime_type,
            size=link.size,
            access=own.access,
            module=own.module,
            source=own.source,
        )


def _entries_in(made: object) -> list[object]:
    """The entries that an author's function returned, read where and while it runs."""
    if isinstance(made, str | bytes | Mapping) or not isinstance(made, Iterable):
        raise function_at_fault(f"entries are a list, not {type_name_of(made)}")
    entries = list(made) if isinstance(made, Sized) else list(islice(made, MAX_ENTRIES + 1))
    if len(entries) > MAX_ENTRIES:
        raise function_at_fault(f"there are more than {MAX_ENTRIES:,} entries")
    return entries


def _link_of(entry: object) -> ResourceLink:
    if isinstance(entry, ResourceLink):
        return entry
    if isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(e, str) for e in entry):
        return ResourceLink(*entry)
    raise ValueError(
        f"an entry is a ResourceLink or a pair of address and name, not {type(entry).__name__}"
    )


def _names_of(function: Callable[..., Any], read: ReadFunction) -> FunctionNames:
    inner = innermost(function)
    name = getattr(inner, "__name__", type(inner).__name__)
    module = getattr(inner, "__module__", None) or type(inner).__module__
    return FunctionNames(name, f"{module}#{name}", name, module, read.source)


def _template_of(
    declared: AppResourceDeclaration, read: ReadFunction, names: FunctionNames
) -> UriTemplate | None:
    """Reads the address and compares its variables with the function's parameters."""
    where = f"{read.source}: {names.name}: the address {declared.uri!r}"
    template = None
    if is_uri_template(declared.uri):
        try:
            template = parse_uri_template(declared.uri)
        except UriTemplateError as fault:
            raise AppFunctionDeclarationError(f"{where}: {fault}") from fault
    else:
        _require_address(declared, where)
    variables = template.variables if template else ()
    taken = {parameter.name: parameter for parameter in read.signature.parameters}
    faults = [
        f"{where} has the variable {name}, but the function has no such parameter"
        + _perhaps(name, taken)
        for name in variables
        if name not in taken
    ]
    faults += [
        f"{where} has no variable {name}, so nothing can be passed for that parameter; write "
        f"{{{name}}} into the address, or leave the parameter out"
        for name in taken
        if name not in variables
    ]
    if template is not None and declared.size is not None:
        faults.append(f"{where} is a template, whose resources differ in size; leave out size=")
    if template is None and declared.entries is not None:
        faults.append(f"{where} is one resource, which is listed as it is; leave out entries=")
    if faults:
        raise AppFunctionDeclarationError(faults)
    return template


def _perhaps(name: str, taken: Mapping[str, Any]) -> str:
    near = nearest_names(name, taken, limit=1)
    return f"; perhaps {near[0]} is meant" if near else ""


def _require_address(declared: AppResourceDeclaration, where: str) -> None:
    try:
        TextResource(declared.uri, "")
    except ValueError as fault:
        raise AppFunctionDeclarationError(
            f"{where} has no valid form; one such as 'notes://all' is accepted, or a template "
            "such as 'notes://{note_id}'"
        ) from fault


def _entries_of(declared: AppResourceDeclaration, names: FunctionNames) -> AppFunction | None:
    if declared.entries is None:
        return None
    return side_function(declared.entries, names, "entries", made=_entries_in)
