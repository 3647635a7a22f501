"""The layers, the third-party allow-list, the size budgets and the public names."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "appfunctions_mcp"

LAYERS = {
    0: "exceptions plain_json records lazy_regex plugin_search metadata media marks values "
    "patterns fields requests questions json_text quoting eager_tasks addresses uri_templates "
    "traversal prompt_messages library_models lazy_names",
    1: "names docstrings docstring_blocks docstring_entries field_docstrings declaration schema "
    "function_metadata docstring_checks outcomes context functions registry resource_declaration "
    "prompt_declaration completers resource_contents offered_functions resources prompts",
    2: "metadata_xml metadata_parts metadata_attributes metadata_values xml_elements "
    "oauth_settings string_resources string_escapes fault_report kept_files inotify file_events "
    "manifest manifest_writing places state threads tasks limits deadlines loop_guard confirmation "
    "secret_values redaction telemetry log_lines crash_texts audit tracing "
    "access activities calls confirming executor execution_records function_states manager "
    "compiling selection registrations loading lifespans service settings resource_registry "
    "offered_calls pending_steps handed_out reading prompting formats",
    3: "client android lint",
    4: "server assistant install",
    5: "cli testing __main__",
}
LAYER_OF = {name: layer for layer, names in LAYERS.items() for name in names.split()}

ANDROID_USES = {
    "xml": "",
    "app": "xml",
    "bridge": "xml",
    "kotlin": "xml",
    "describing": "xml kotlin",
    "python": "xml app describing",
    "shell": "describing",
}
"""Which parts of `android/` each of them may use, beside the modules that stand above them."""

ALLOWED = {
    "mcp": ("client", "server.sdk", "testing"),
    "mcp_types": ("client", "server.sdk", "testing"),
    "starlette": ("server",),
    "uvicorn": ("server",),
    "httptools": ("server.httptools_connection",),
    "h11": ("server.h11_connection",),
    "argparse": ("cli",),
    "rich": ("cli",),
    "structlog": ("log_lines",),
    "opentelemetry": ("tracing",),
    "xml": ("metadata_xml", "xml_elements", "string_resources", "android"),
    "jwt": ("server.auth",),
    "cryptography": ("server",),
    "jsonschema": ("install",),
    "yaml": ("lint.utterances",),
    "griffe": (),
    "lxml": (),
}
POSIX_ONLY = {"fcntl", "pwd", "grp", "termios", "resource", "msvcrt", "winreg"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """`server.sdk` for `appfunctions_mcp/server/sdk.py`; a package's `__init__` is the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, *, top_level_only: bool = False) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_down_only(path: Path) -> None:
    name = module_name(path)
    if not name or "templates" in path.parts:
        return
    own = name.partition(".")[0]
    assert own in LAYER_OF, f"{own} has no layer; give it one in LAYERS"
    for imported in imports_of(path):
        if not imported.startswith("appfunctions_mcp."):
            continue
        other = imported.split(".")[1]
        if other in LAYER_OF and other != own:
            assert LAYER_OF[other] <= LAYER_OF[own], f"{name} may not import {imported}"


def test_the_packages_of_one_layer_above_the_core_do_not_import_each_other() -> None:
    for path in MODULES:
        own = module_name(path).partition(".")[0]
        for imported in imports_of(path):
            if own in {"server", "assistant", "install"}:
                others = {"server", "assistant", "install"} - {own}
                assert not any(imported.startswith(f"appfunctions_mcp.{o}") for o in others), path


def test_the_parts_of_android_use_each_other_in_one_direction() -> None:
    for path in sorted((PACKAGE / "android").rglob("*.py")):
        own = module_name(path).split(".")[1:2]
        part = own[0] if own and own[0] in ANDROID_USES else ""
        allowed = {part, *ANDROID_USES.get(part, "").split()}
        for imported in imports_of(path):
            other = imported.removeprefix("appfunctions_mcp.android.").partition(".")[0]
            if other in ANDROID_USES and imported.startswith("appfunctions_mcp.android."):
                assert other in allowed, f"{path} may not import {imported}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_third_party_packages_are_used_only_where_they_belong(path: Path) -> None:
    name = module_name(path)
    for imported in imports_of(path):
        root = imported.partition(".")[0]
        places = ALLOWED.get(root)
        if places is not None:
            assert any(name == p or name.startswith(f"{p}.") for p in places), (name, imported)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_no_module_needs_a_single_platform_to_be_imported(path: Path) -> None:
    found = {i.partition(".")[0] for i in imports_of(path, top_level_only=True)}
    assert not found & POSIX_ONLY


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_modules_and_functions_keep_their_budgets(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = _lines_without_docstring(node)
            assert lines <= 40, f"{node.name} has {lines} lines"


def _lines_without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of signature and body; a docstring describes the surface and does not count."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_the_public_names_are_listed_sorted_and_real() -> None:
    import appfunctions_mcp

    assert list(appfunctions_mcp.__all__) == sorted(set(appfunctions_mcp.__all__))
    for name in appfunctions_mcp.__all__:
        assert getattr(appfunctions_mcp, name) is not None
    assert set(appfunctions_mcp.__all__) <= set(dir(appfunctions_mcp))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = appfunctions_mcp.no_such_name


def modules_after(code: str) -> set[str]:
    """The names in sys.modules after the code ran in an interpreter of its own."""
    script = f"{code}\nimport sys; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.splitlines()[-1].split())


def test_importing_every_public_name_needs_no_mcp_and_no_web_stack() -> None:
    loaded = modules_after("from appfunctions_mcp import *")
    assert not loaded & {"mcp", "mcp_types", "starlette", "uvicorn", "rich", "structlog", "griffe"}


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["list", "--help"],
        ["new", "--help"],
        ["list", str(PACKAGE.parent / "metadata/app_metadata.xml"), "--all"],
        ["new", "notes-project", "--output", "{folder}"],
    ],
    ids=["help", "help of list", "help of new", "list", "new"],
)
def test_listing_starting_and_help_need_no_mcp(words: list[str], tmp_path: Path) -> None:
    words = [word.replace("{folder}", str(tmp_path / "made")) for word in words]
    loaded = modules_after(
        "import contextlib, io\nfrom appfunctions_mcp.cli import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        f"    main({words!r})"
    )
    assert not loaded & {"mcp", "mcp_types", "starlette", "uvicorn"}
