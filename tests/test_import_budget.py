"""What a server has imported when it has answered its first call: little beyond pydantic."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.stdio_server import stdio_server

APP = """\
import sys
from pydantic import BaseModel
from appfunctions_mcp import app_function


class Note(BaseModel):
    title: str
    content: str | None = None


@app_function
def create_note(title: str, content: str | None = None) -> Note:
    '''Creates a note.'''
    return Note(title=title, content=content)


@app_function
async def loaded_modules() -> list[str]:
    '''Names what is imported.'''
    return sorted(sys.modules)
"""
METADATA = """\
<AppFunctionAppMetadata xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1" appfn:description="Keeps notes." mcp:name="notes">
  <mcp:functions module="few_imports"/>
</AppFunctionAppMetadata>
"""
PYDANTIC = {
    "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection",
}  # fmt: skip
COSTLY = {
    "ctypes", "difflib", "email", "ensurepip", "html", "http", "importlib.metadata",
    "importlib.resources", "multiprocessing", "optparse", "pprint", "queue", "shutil", "sqlite3",
    "tempfile", "unittest", "urllib.request", "xml.dom", "xml.etree", "zipfile",
}  # fmt: skip
"""Parts of the standard library that a start needs none of."""


@pytest.fixture(scope="module")
def at_interpreter_start() -> set[str]:
    """What this environment imports into every process: `.pth` files may do what they like."""
    code = "import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def modules_after_first_call(folder: Path, *options: str) -> set[str]:
    file = folder / "app_metadata.xml"
    file.write_text(METADATA)
    (folder / "few_imports.py").write_text(APP)
    command = ("-m", "appfunctions_mcp", "run", str(file), *options)
    with stdio_server(*command) as server:
        server.initialize()
        note = server.call("create_note", {"title": "Milk"})["result"]["structuredContent"]
        assert note == {"title": "Milk", "content": None}
        names = server.call("loaded_modules")["result"]["structuredContent"]["result"]
    assert isinstance(names, list)
    return set(names)


@pytest.mark.parametrize("start", ["eager", "first", "from a manifest"])
def test_the_first_call_imports_our_own_code_and_pydantic_only(
    tmp_path: Path, start: str, at_interpreter_start: set[str]
) -> None:
    options = ["--eager"] if start == "eager" else []
    loaded = modules_after_first_call(tmp_path, *options)
    if start == "from a manifest":
        loaded = modules_after_first_call(tmp_path, *options)

    added = {name for name in loaded - at_interpreter_start if name != "__mp_main__"}
    roots = {name.partition(".")[0] for name in added}
    known = PYDANTIC | set(sys.stdlib_module_names) | {"appfunctions_mcp", "few_imports"}
    foreign = {root for root in roots - known if not root.startswith("_sysconfigdata")}
    # `ntpath` and `ssl` ask for the modules of other platforms, and get empty ones.
    assert not foreign - {"org", "nt", "msvcrt", "winreg"}
    if start == "eager":
        assert not added & COSTLY, sorted(added & COSTLY)
