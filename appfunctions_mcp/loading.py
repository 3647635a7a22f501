"""From the modules that the metadata names to what they declare, compiled.

Imports every module, reads its declared functions and applies what the metadata says of single
ones. All faults of all modules come in one report. Knows nothing of execution.
"""

import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
import traceback
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any

from appfunctions_mcp.compiling import Compiled, compile_declared
from appfunctions_mcp.declaration import twin_names
from appfunctions_mcp.exceptions import AppFunctionDeclarationError, AppFunctionsError
from appfunctions_mcp.functions import AppFunction, functions_of_module
from appfunctions_mcp.lifespans import Lifespan
from appfunctions_mcp.metadata import AppMetadata, FunctionOverride, FunctionsModule
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.records import field_names, record, replaced

_PACKAGE = Path(__file__).parent


@record(slots=True)
class LoadedFunctions(Compiled):
    """What the modules gave, and the modules that were left out.

    What the author should know of a function stands in its own `warnings`.
    """

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
        # Line 0: the command line or the environment names the module, not the file.
        where = f"{metadata.path or '<code>'}:{declared.line}" if declared.line else "--module"
        try:
            module = import_declared(declared.module, metadata.python_path, where)
            compiled = _compile_module(module, declared, metadata, where)
            loaded.functions += compiled.functions
            loaded.resources += compiled.resources
            loaded.prompts += compiled.prompts
        except AppFunctionsError as fault:
            if declared.on_error == "skip":
                loaded.skipped[declared.module] = fault.faults[0]
                loaded.warnings.append(f"{fault.faults[0]}; the module is left out")
            else:
                faults += fault.faults
    if faults:
        raise AppFunctionDeclarationError(faults)
    loaded.functions = _apply_overrides(loaded.functions, metadata, skipped=bool(loaded.skipped))
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
        module = importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as fault:
        if fault.name and (name == fault.name or name.startswith(f"{fault.name}.")):
            near = nearest_names(name, _modules_below(python_path, name), limit=1)
            hint = f"; perhaps {near[0]}" if near else ""
            raise AppFunctionDeclarationError(
                f"{where}: there is no module {name!r}{hint}; looked in "
                f"{python_path or 'sys.path'} and in what is installed; mcp:pythonPath names the "
                "folder that holds it"
            ) from fault
        what = _import_fault(name, where, python_path, fault)
        raise AppFunctionDeclarationError(f"{what}; {_how_to_install(fault)}") from fault
    except BaseException as fault:
        what = _import_fault(name, where, python_path, fault)
        raise AppFunctionDeclarationError(what) from fault
    if not isinstance(module, ModuleType):
        raise AppFunctionDeclarationError(
            f"{where}: {name} puts {type(module).__name__} in place of itself into sys.modules; "
            "declare the functions in a module that stays one"
        )
    return module


def _modules_below(python_path: Path | None, name: str) -> list[str]:
    """The modules that stand where one of this name would."""
    parents = name.split(".")[:-1]
    folder = python_path.joinpath(*parents) if python_path else None
    if folder is None or not folder.is_dir():
        return []
    found = (
        inspect.getmodulename(entry) if entry.is_file() else entry.name
        for entry in folder.iterdir()
    )
    return [
        ".".join([*parents, each]) for each in sorted(filter(None, found)) if each.isidentifier()
    ]


def _how_to_install(fault: ModuleNotFoundError) -> str:
    """The command that installs a module's package for the Python that serves."""
    package = (fault.name or "PACKAGE").partition(".")[0]
    if Path(sys.prefix, "pipx_metadata.json").is_file():
        command = f"pipx inject appfunctions-mcp {package}"
    else:
        command = f"{sys.executable} -m pip install {package}"
    return f"correct the name, or install its package: {command}"


def _import_fault(name: str, where: str, python_path: Path | None, fault: BaseException) -> str:
    """One line that begins with the place in the author's own code where the import failed."""
    if isinstance(fault, SyntaxError) and fault.filename:
        return f"{fault.filename}:{fault.lineno}: {name} cannot be imported: {fault.msg}"
    frames = [
        f
        for f in traceback.extract_tb(fault.__traceback__)
        if "importlib" not in f.filename and not Path(f.filename).is_relative_to(_PACKAGE)
    ]
    frames = [f for f in frames if _is_below(f.filename, python_path)] or frames
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else where
    try:
        text = next(iter(str(fault).splitlines()), "")
    except Exception:  # noqa: BLE001 - an author's exception may not even have a text
        text = ""
    return f"{place}: {name} cannot be imported: {type(fault).__name__}: {text}".rstrip(": ")


def _is_below(file: str, python_path: Path | None) -> bool:
    """Whether a file is the author's: in the folder of modules, and in no environment there."""
    return (
        python_path is not None
        and Path(file).is_relative_to(python_path)
        and "site-packages" not in Path(file).parts
    )


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


def import_lifespan(metadata: AppMetadata) -> Lifespan | None:
    """Imports the lifespan that the metadata names, if it names one.

    Raises:
        AppFunctionDeclarationError: There is none of that name.
    """
    if metadata.lifespan is None:
        return None
    where = f"{metadata.path}:{metadata.lifespan_line}"
    module_name, _, name = metadata.lifespan.partition(":")
    module = import_declared(module_name, metadata.python_path, where)
    lifespan = getattr(module, name, None)
    if not callable(lifespan):
        raise AppFunctionDeclarationError(
            f"{where}: {module_name} has no callable {name!r}; name an async context manager, as "
            "@asynccontextmanager makes one"
        )
    return lifespan  # type: ignore[no-any-return] # what the author wrote; _open checks it by use


def _compile_module(
    module: ModuleType, declared: FunctionsModule, metadata: AppMetadata, where: str
) -> Compiled:
    found = functions_of_module(module)
    if twins := twin_names(module):
        raise AppFunctionDeclarationError(
            f"{module.__file__}:{lines[-1]}: {name} is declared at line {lines[0]} already, and "
            "Python keeps only the last one; rename one of them"
            for name, lines in twins.items()
        )
    if not found:
        raise AppFunctionDeclarationError(
            f"{where}: {declared.module} declares no function; put @app_function above those "
            "that agents may call"
        )
    return compile_declared(
        found, metadata, prefix=declared.prefix, optional_defaults=declared.optional_defaults
    )


def _apply_overrides(
    functions: list[AppFunction], metadata: AppMetadata, *, skipped: bool
) -> list[AppFunction]:
    """The functions with what `<mcp:function>` says of them."""
    by_id = {f.names.function_id: f for f in functions}
    faults: list[str] = []
    for override in metadata.overrides:
        function = by_id.get(override.function_id)
        if function is None:
            if not skipped:
                faults.append(_unknown_id(override, list(by_id), metadata))
            continue
        by_id[override.function_id] = function.with_metadata(
            replaced(function.metadata, **_changes(override))
        )
    if faults:
        raise AppFunctionDeclarationError(faults)
    return list(by_id.values()) if len(by_id) == len(functions) else functions


def _changes(override: FunctionOverride) -> dict[str, Any]:
    names = {*field_names(type(override))} - {"function_id", "line"}
    changes = {n: getattr(override, n) for n in names if getattr(override, n) is not None}
    return changes | {"is_described": True} if "description" in changes else changes


def _unknown_id(override: FunctionOverride, ids: list[str], metadata: AppMetadata) -> str:
    near = nearest_names(override.function_id, ids)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return (
        f"{metadata.path}:{override.line}: no module declares the function "
        f"{override.function_id!r}{hint}"
    )
