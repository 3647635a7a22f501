"""Python functions → the document of a functions XML that describes them.

Functions that are made of ready metadata are described from their JSON Schemas, as far as these
tell. Knows nothing of XML text.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from appfunctions_mcp.android.data_types import (
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    AndroidResponse,
    DataType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.describing.classes import ModelReader, shape_of_type
from appfunctions_mcp.android.describing.types import (
    Components,
    NoAndroidTypeError,
    TypeDescriber,
)
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.schema.shapes import Direction, NullShape, Shape
from appfunctions_mcp.service import AppFunctionService

__all__ = [
    "COMPONENTS_ATTRIBUTE",
    "SERVICE_ATTRIBUTE",
    "described_document",
    "described_functions",
    "described_modules",
]

SERVICE_ATTRIBUTE = "__app_function_service__"
"""Where a module names Android's class whose functions it has."""
COMPONENTS_ATTRIBUTE = "__app_function_components__"
"""Where a module lists types that are described though no function uses them."""


def described_document(
    functions: Iterable[AppFunction],
    *,
    service: str | None = None,
    modules: Iterable[str] = (),
    package: str | None = None,
    faults: list[str] | None = None,
) -> AndroidDocument:
    """Describes functions as Android does.

    Args:
        functions: The functions, in the order of the document.
        service: The qualified name of the class that has them on Android; without it, the one
            that their modules name, if it is one.
        modules: Modules that belong to it beside those of the functions; each may name
            the service and further types.
        package: Where classes belong that have no name on Android; their modules when left out.
        faults: Gets what cannot be described, which is left out then; without it, that is an
            error.

    Returns:
        The document; components stand in the order of their names.

    Raises:
        AppFunctionDeclarationError: Names file, function, parameter and type of everything that
            Android has no type for.
    """
    all_functions = list(functions)
    found: list[str] = []
    writer = _Writer(found, package)
    described = [each for function in all_functions for each in writer.functions_of(function)]
    names = list(dict.fromkeys([*modules, *(f.names.module for f in all_functions)]))
    for name in names:
        writer.add_types(name)
    if found and faults is None:
        raise AppFunctionDeclarationError(found)
    if faults is not None:
        faults.extend(dict.fromkeys(found))
    return AndroidDocument(
        functions=tuple(described),
        components=tuple(AndroidComponent(*each) for each in writer.components.sorted()),
        service=service or _service_of(names),
    )


def described_functions(
    service: AppFunctionService, *, faults: list[str] | None = None
) -> AndroidDocument:
    """Describes all functions of a service, whichever module they are from.

    Args:
        service: The service, running or not.
        faults: As in `described_document`.

    Raises:
        AppFunctionDeclarationError: As `described_document` does.
    """
    modules = [each.module for each in service.metadata.modules]
    return described_document(service.registry, modules=modules, faults=faults)


def described_modules(
    service: AppFunctionService, *, package: str | None = None
) -> dict[str, AndroidDocument]:
    """Describes a service's functions by the module that they are from.

    Args:
        service: The service, running or not.
        package: As in `described_document`.

    Returns:
        Module name → its document, in the order of the service; modules without functions are
        left out.

    Raises:
        AppFunctionDeclarationError: Names what cannot be described of all modules.
    """
    by_module: dict[str, list[AppFunction]] = {}
    for function in service.registry:
        by_module.setdefault(function.names.module, []).append(function)
    faults: list[str] = []
    documents = {
        name: described_document(functions, package=package, faults=faults)
        for name, functions in by_module.items()
    }
    if faults:
        raise AppFunctionDeclarationError(dict.fromkeys(faults))
    return documents


def _service_of(modules: Sequence[str]) -> str | None:
    """The one class that modules name; None where they name none, or several."""
    named = {getattr(sys.modules.get(module), SERVICE_ATTRIBUTE, None) for module in modules}
    named.discard(None)
    return named.pop() if len(named) == 1 else None


class _Writer:
    """Describes functions one after the other; collects components and faults."""

    def __init__(self, faults: list[str], package: str | None) -> None:
        self.components = Components()
        self._faults = faults
        self._package = package
        self._describers = self._new_describers()

    def _new_describers(self) -> dict[Direction, TypeDescriber]:
        return {
            "arguments": TypeDescriber(self.components, "arguments", ModelReader, self._package),
            "result": TypeDescriber(self.components, "result", ModelReader, self._package),
        }

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Takes back what was described of something that turns out to have no type.

        What a component without a type holds, or is held by, would lead nowhere.
        """
        faults, components = len(self._faults), len(self.components)
        yield
        if len(self._faults) > faults:
            self.components.shrink(components)
            self._describers = self._new_describers()

    def functions_of(self, function: AppFunction) -> Iterator[AndroidFunction]:
        """The description of a function; none where something of it has no type."""
        before = len(self._faults)
        with self._all_or_nothing():
            parameters = tuple(self._parameters_of(function))
            response = self._response_of(function)
        if len(self._faults) == before:
            metadata = function.metadata
            yield AndroidFunction(
                id=metadata.function_id,
                enabled_by_default=_enabled(metadata),
                scope=metadata.scope if _is_told(metadata, "scope") else None,
                description=metadata.description if metadata.is_described else "",
                parameters=parameters,
                response=AndroidResponse(type=response, description=metadata.response.description),
                schema=metadata.schema,
                deprecation=metadata.deprecated,
                access_level=(
                    metadata.access_level if _is_told(metadata, "access_level") else None
                ),
                compat_enforcement=(
                    metadata.access_level_compat
                    if _is_told(metadata, "access_level_compat")
                    else None
                ),
            )

    def _parameters_of(self, function: AppFunction) -> Iterator[AndroidParameter]:
        described = function.arguments.descriptions
        for prop in function.arguments.shape.properties:
            yield AndroidParameter(
                name=prop.name,
                type=self._type_of(function, "arguments", prop.shape, prop.name),
                required=prop.required,
                description=described.get(prop.name, ""),
            )

    def _response_of(self, function: AppFunction) -> DataType:
        shape = function.response.shape
        if shape is None:
            # A ready schema is left out for text alone.
            return ScalarType(kind=TypeNumber.STRING)
        if isinstance(shape, NullShape):
            return ScalarType(kind=TypeNumber.UNIT, description=_said_of_type(shape))
        return self._type_of(function, "result", shape, "the result")

    def _type_of(
        self, function: AppFunction, direction: Direction, shape: Shape, path: str
    ) -> DataType:
        describer = self._describers[direction]
        describer.package = function.names.module
        describer.owner = f"{function.names.name}_{path.rpartition(' ')[2]}"
        try:
            return describer.describe(shape, path, is_use=True)
        except NoAndroidTypeError as fault:
            why = str(fault)
        except RecursionError:
            why = f"{path} holds models in each other, more than can be followed; leave some out"
        names = function.names
        self._faults.append(f"{names.source}: {names.name}: {why}")
        return ScalarType(kind=TypeNumber.UNIT)

    def add_types(self, module: str) -> None:
        """Adds the types that a module lists as belonging to its functions."""
        for each in getattr(sys.modules.get(module), COMPONENTS_ATTRIBUTE, ()):
            with self._all_or_nothing():
                describer = self._describers["arguments"]
                describer.package = module
                try:
                    describer.describe(shape_of_type(each, "arguments"), repr(each))
                except NoAndroidTypeError as fault:
                    self._faults.append(f"{module}: {COMPONENTS_ATTRIBUTE}: {fault}")


def _said_of_type(shape: Shape) -> str:
    return str(shape.marks.get("type_description", ""))


def _enabled(metadata: AppFunctionMetadata) -> bool | None:
    """Whether it is on by default; None where only the scope is said, as Android writes it."""
    is_told = metadata.told.get("enabled_by_default", "scope" not in metadata.told)
    return None if metadata.enabled_by_default and not is_told else metadata.enabled_by_default


def _is_told(metadata: AppFunctionMetadata, name: str) -> bool:
    """Whether a document tells of it: the author wrote it, or it is not what nothing means."""
    default = AppFunctionMetadata.__record_defaults__[name]  # type: ignore[attr-defined] # every record has it
    return name in metadata.told or getattr(metadata, name) != default
