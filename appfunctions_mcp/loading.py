"""From the modules that the metadata names to compiled functions.

Imports every module, reads its declared functions and applies what the metadata says of single
ones. All faults of all modules come in one report. Knows nothing of execution.
"""

import importlib
import importlib.machinery
import importlib.util
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionDeclarationError, AppFunctionsError
from appfunctions_mcp.functions import AppFunction, functions_of_module
from appfunctions_mcp.metadata import AppMetadata, FunctionOverride, FunctionsModule
from appfunctions_mcp.names import nearest_names


@dataclass(slots=True)
class LoadedFunctions:
    """What the modules gave: functions, warnings, and the modules that were left out."""

    functions: list[AppFunction] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Module name to the reason, for modules with `onError="skip"`."""


def load_functions(metadata: AppMetadata) -> LoadedFunctions:
    """Imports the modules that the metadata names and compiles their functions.

    Args:
        metadata: The app; its `python_path` is put behind all other places of modules.

    Returns:
        The functions in the order of modules and definitions.

    Raises:
        AppFunctionDeclarationError: Names every fault of every module.
    """
    extend_python_path(metadata.python_path)
    loaded = LoadedFunctions()
    faults: list[str] = []
    for declared in metadata.modules:
        where = f"{metadata.path or '<code>'}:{declared.line}"
        try:
            module = import_declared(declared.module, metadata.python_path, where)
            loaded.functions += _compile_module(module, declared, metadata, where)
        except AppFunctionsError as fault:
            if declared.on_error == "skip":
                loaded.skipped[declared.module] = fault.faults[0]
                loaded.warnings.append(f"{fault.faults[0]}; the module is left out")
            else:
                faults += fault.faults
    if faults:
        raise AppFunctionDeclarationError(faults)
    loaded.functions = _apply_overrides(loaded.functions, metadata, skipped=bool(loaded.skipped))
    loaded.warnings += [w for f in loaded.functions for w in f.warnings]
    return loaded


def extend_python_path(folder: Path | None) -> None:
    """Makes a folder's modules importable, behind the standard library and what is installed."""
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()


def import_declared(name: str, python_path: Path | None, where: str) -> ModuleType:
    """Imports a module that the metadata names.

    Args:
        name: The module's full name.
        python_path: The folder where the author keeps modules.
        where: `FILE:LINE` that names it.

    Returns:
        The module.

    Raises:
        AppFunctionDeclarationError: It is not found, fails while it is imported, or another
            file of the same name comes before the author's.
    """
    shadow = _shadowing_file(name, python_path)
    if shadow is not None:
        raise AppFunctionDeclarationError(
            f"{where}: {shadow} would be imported as {name!r}, not the module of that name below "
            f"{python_path}; rename the module"
        )
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name and (name == fault.name or name.startswith(f"{fault.name}.")):
            raise AppFunctionDeclarationError(
                f"{where}: there is no module {name!r}; looked in {python_path or 'sys.path'} and "
                "in what is installed; mcp:pythonPath names the folder that holds it"
            ) from fault
        raise AppFunctionDeclarationError(_import_fault(name, where, fault)) from fault
    except (Exception, SystemExit) as fault:
        raise AppFunctionDeclarationError(_import_fault(name, where, fault)) from fault


def _import_fault(name: str, where: str, fault: BaseException) -> str:
    """One line that begins with the place in the author's own code where the import failed."""
    if isinstance(fault, SyntaxError) and fault.filename:
        return f"{fault.filename}:{fault.lineno}: {name} cannot be imported: {fault.msg}"
    frames = [
        f
        for f in traceback.extract_tb(fault.__traceback__)
        if "importlib" not in f.filename and f.filename != __file__
    ]
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else where
    text = str(fault).splitlines()[0] if str(fault) else ""
    return f"{place}: {name} cannot be imported: {type(fault).__name__}: {text}".rstrip(": ")


def _shadowing_file(name: str, python_path: Path | None) -> str | None:
    """The file that Python would import instead of the one below the author's folder."""
    top = name.partition(".")[0]
    if python_path is None:
        return None
    mine = importlib.machinery.PathFinder.find_spec(top, [str(python_path)])
    if mine is None or mine.origin is None:
        return None
    present = sys.modules.get(top)
    spec = present.__spec__ if present is not None else importlib.util.find_spec(top)
    origin = spec.origin if spec is not None else None
    if origin in {None, "namespace"} or Path(str(origin)).resolve() == Path(mine.origin).resolve():
        return None
    return str(origin)


def _compile_module(
    module: ModuleType, declared: FunctionsModule, metadata: AppMetadata, where: str
) -> list[AppFunction]:
    found = functions_of_module(module)
    if not found:
        raise AppFunctionDeclarationError(
            f"{where}: {declared.module} declares no function; put @app_function above those "
            "that agents may call"
        )
    return compile_functions(
        found, metadata, prefix=declared.prefix, optional_defaults=declared.optional_defaults
    )


def compile_functions(
    found: list[Callable[..., Any]],
    metadata: AppMetadata,
    *,
    prefix: str | None = None,
    optional_defaults: Any = None,
) -> list[AppFunction]:
    """Compiles functions under an app's rules.

    Raises:
        AppFunctionDeclarationError: Names every fault of every function.
    """
    compiled: list[AppFunction] = []
    faults: list[str] = []
    for function in found:
        try:
            compiled.append(
                AppFunction.from_function(
                    function,
                    prefix=prefix,
                    optional_defaults=optional_defaults or metadata.optional_defaults,
                    unknown_arguments=metadata.unknown_arguments,
                )
            )
        except AppFunctionDeclarationError as fault:
            faults += fault.faults
    if faults:
        raise AppFunctionDeclarationError(faults)
    return compiled


def _apply_overrides(
    functions: list[AppFunction], metadata: AppMetadata, *, skipped: bool
) -> list[AppFunction]:
    """The functions with what `<mcp:function>` says of them."""
    by_id = {f.metadata.function_id: f for f in functions}
    faults: list[str] = []
    for override in metadata.overrides:
        function = by_id.get(override.function_id)
        if function is None:
            if not skipped:
                faults.append(_unknown_id(override, list(by_id), metadata))
            continue
        by_id[override.function_id] = function.with_metadata(
            replace(function.metadata, **_changes(override))
        )
    if faults:
        raise AppFunctionDeclarationError(faults)
    return list(by_id.values()) if len(by_id) == len(functions) else functions


def _changes(override: FunctionOverride) -> dict[str, Any]:
    names = {f.name for f in fields(override)} - {"function_id", "line"}
    return {n: getattr(override, n) for n in names if getattr(override, n) is not None}


def _unknown_id(override: FunctionOverride, ids: list[str], metadata: AppMetadata) -> str:
    near = nearest_names(override.function_id, ids)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return (
        f"{metadata.path}:{override.line}: no module declares the function "
        f"{override.function_id!r}{hint}"
    )
