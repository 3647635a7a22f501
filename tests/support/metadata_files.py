"""Writes metadata files and strings for tests."""

from pathlib import Path

ANDROIDX = "http://schemas.android.com/apk/androidx.appfunctions"
RES_AUTO = "http://schemas.android.com/apk/res-auto"
MCP = "urn:appfunctions-mcp:metadata:1"


def metadata_text(attributes: str = 'appfn:description="Keeps lists."', content: str = "") -> str:
    """A metadata document whose root element stands in line 2, its attributes from line 5."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<AppFunctionAppMetadata xmlns:appfn="{ANDROIDX}"\n'
        f'  xmlns:auto="{RES_AUTO}"\n'
        f'  xmlns:mcp="{MCP}"\n'
        f"  {attributes}>\n{content}</AppFunctionAppMetadata>\n"
    )


def write_metadata(
    folder: Path, attributes: str = 'appfn:description="Keeps lists."', content: str = ""
) -> Path:
    """Writes a metadata document and returns its path."""
    path = folder / "app_metadata.xml"
    path.write_text(metadata_text(attributes, content), encoding="utf-8")
    return path


def write_strings(folder: Path, strings: str, *, file: str = "strings.xml") -> Path:
    """Writes a file of `<string>` elements into a values folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file
    path.write_text(f"<resources>\n{strings}\n</resources>\n", encoding="utf-8")
    return path
