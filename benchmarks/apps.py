"""The apps that the Python frameworks serve: the same functions, plain and declared, in a folder.

`plain_functions.py` is what MCPServer and FastMCP register; `app_functions.py` is the same text
with `@app_function` above each function, for this project.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from environments import cache

FEWEST = 4
"""The functions that are called: add, create_note, echo, pause."""
SLOW_IMPORT_SECONDS = 3

_SOURCE = Path(__file__).parent / "servers" / "plain_functions.py"
_DEFINITION = re.compile(r"^(?=(?:async )?def )", re.MULTILINE)
_METADATA = """<?xml version="1.0" encoding="utf-8"?>
<AppFunctionAppMetadata
    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1"
    appfn:description="Keeps notes for measurements."
    mcp:name="bench">
    <mcp:functions module="app_functions" />
</AppFunctionAppMetadata>
"""
_SLOW_IMPORT = f"""
_end = time.process_time() + {SLOW_IMPORT_SECONDS}
while time.process_time() < _end:  # as a large library would keep the processor busy
    pass
"""
_GENERATED = (
    '''

async def add_{i}(a: int, b: int) -> int:
    """Adds two integers of ledger {i}.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b
''',
    '''

async def create_note_{i}(title: str, content: str | None = None) -> Note:
    """Creates a note in notebook {i}.

    Args:
        title: The title of the note.
        content: The body text of the note.
    """
    return Note(id="n1", title=title, content=content)
''',
    '''

async def update_note_{i}(
    note_id: str, title: str | None = None, tags: list[str] | None = None, pinned: bool = False
) -> Note:
    """Changes a note in notebook {i}.

    Args:
        note_id: The ID of the note.
        title: The new title, if any.
        tags: All tags of the note.
        pinned: Whether the note stays on top.
    """
    return Note(id=note_id, title=title or "", content=None)
''',
)


@dataclass(frozen=True)
class App:
    """What is served: how many functions, of which kind."""

    count: int = FEWEST
    models: str = "dataclass"
    """`dataclass` or `pydantic`: how the app declares its note."""
    slow_import: bool = False
    """Whether the app's module takes seconds to import."""

    def folder(self) -> Path:
        """The folder with the app's files, written when they are not there yet."""
        slow = "-slow" if self.slow_import else ""
        folder = cache() / "apps" / f"{self.models}-{self.count}{slow}"
        folder.mkdir(parents=True, exist_ok=True)
        plain = self._plain_text()
        _write(folder / "plain_functions.py", plain)
        _write(folder / "app_functions.py", _declared(plain))
        _write(folder / "app_metadata.xml", _METADATA)
        return folder

    def _plain_text(self) -> str:
        text = _SOURCE.read_text(encoding="utf-8")
        if self.models == "pydantic":
            text = text.replace(
                "from dataclasses import dataclass", "from pydantic import BaseModel"
            )
            text = text.replace("@dataclass\nclass Note:", "class Note(BaseModel):")
        text += "".join(_GENERATED[i % 3].format(i=i) for i in range(FEWEST, self.count))
        return text + _SLOW_IMPORT if self.slow_import else text


def _declared(plain: str) -> str:
    """The text with every function declared; what echo returns may be large."""
    text = _DEFINITION.sub("@app_function\n", plain)
    unlimited = "@app_function(max_result_bytes=64_000_000)\nasync def echo("
    text = text.replace("@app_function\nasync def echo(", unlimited)
    return text.replace(
        "import time\n", "import time\nfrom appfunctions_mcp import app_function\n", 1
    )


def _write(path: Path, text: str) -> None:
    """Leaves a file alone that is right already, with its times and whatever was compiled."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
