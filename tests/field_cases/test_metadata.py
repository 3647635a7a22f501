"""Field cases about the metadata XML, as its text reaches a client or its author."""

import shutil
import time
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main
from appfunctions_mcp.service import load_service
from appfunctions_mcp.testing import connect
from tests.support.corpus import corpus
from tests.support.metadata_files import ANDROIDX, RES_AUTO

MODULE = "tests.support.field_functions"


async def instructions_of(file: Path) -> str:
    """What a client learns of the app."""
    async with connect(load_service(file, modules=[MODULE])) as client:
        assert client.server_info is not None
        assert client.server_info.description == client.instructions
        return client.instructions or ""


def with_strings(folder: Path, attributes: str) -> Path:
    """A metadata file beside the strings of the corpus."""
    (folder / "values").mkdir()
    shutil.copy(corpus("app_metadata", "synthetic", "strings.xml"), folder / "values")
    file = folder / "app_metadata.xml"
    file.write_text(
        f'<AppFunctionAppMetadata xmlns:a="{ANDROIDX}" {attributes}/>', encoding="utf-8"
    )
    return file


def synthetic(number: str) -> Path:
    """One file of the corpus by its number."""
    (file,) = corpus("app_metadata", "synthetic").glob(f"{number}-*.xml")
    return file


@pytest.mark.anyio
@pytest.mark.parametrize("number", ["01", "02", "03", "04", "05", "06", "10"])
async def test_both_namespaces_and_both_names_are_read(number: str) -> None:
    """F89: the real resolver fell back to empty text without an error."""
    assert await instructions_of(synthetic(number))


@pytest.mark.anyio
async def test_instructions_come_before_description_and_androidx_before_res_auto(
    tmp_path: Path,
) -> None:
    """F89."""
    file = tmp_path / "app_metadata.xml"
    file.write_text(
        f'<AppFunctionAppMetadata xmlns:b="{RES_AUTO}" xmlns:a="{ANDROIDX}" '
        'b:instructions="b-i" a:description="a-d" a:instructions="a-i" b:description="b-d"/>',
        encoding="utf-8",
    )
    assert await instructions_of(file) == "a-i"


@pytest.mark.parametrize(
    ("number", "found"),
    [("07", "description"), ("08", "child"), ("09", "root")],
)
def test_anything_else_is_an_error_that_names_file_and_line(
    number: str, found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """F89: never a silently empty description."""
    file = synthetic(number)
    assert main(["list", str(file), "--module", MODULE]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{file}:")
    assert found in captured.err


@pytest.mark.anyio
async def test_the_line_breaks_of_the_description_are_kept() -> None:
    """F90: the rules became one run-on line."""
    text = await instructions_of(corpus("app_metadata", "chatapp.app_metadata.xml"))
    lines = text.splitlines()
    assert sum(line.startswith("- ") for line in lines) >= 5
    assert any(line.startswith("Constraints:") for line in lines)
    assert "  " not in text
    assert all(line == line.strip() for line in lines)


@pytest.mark.anyio
async def test_one_line_stays_one_and_crlf_makes_no_difference(tmp_path: Path) -> None:
    """F90."""
    assert "\n" not in await instructions_of(corpus("app_metadata", "phone-mcp.app_metadata.xml"))
    assert (await instructions_of(synthetic("02"))).count("\n") == 1
    crlf = tmp_path / "app_metadata.xml"
    crlf.write_bytes(synthetic("01").read_bytes().replace(b"\r", b"").replace(b"\n", b"\r\n"))
    assert await instructions_of(crlf) == await instructions_of(synthetic("01"))


@pytest.mark.parametrize("number", ["21", "22", "23", "24", "25", "26", "utf-16"])
def test_a_document_type_is_refused_before_anything_is_expanded(
    number: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """F91: file contents read, memory filled."""
    file = tmp_path / "app_metadata.xml"
    if number == "utf-16":
        text = synthetic("01").read_text(encoding="utf-8").replace("utf-8", "utf-16")
        root = text.index("<AppFunctionAppMetadata")
        file.write_text(text[:root] + "<!DOCTYPE x>" + text[root:], encoding="utf-16")
    else:
        shutil.copy(synthetic(number), file)
    started = time.monotonic()
    assert main(["list", str(file), "--module", MODULE]) == 2
    assert time.monotonic() - started < 1, "importing included"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{file}:")
    assert "DOCTYPE" in captured.err
    assert "root:" not in captured.err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shown", "Keep a list, don't lose it"),
        ("desc", "  quoted   keeps   spaces  "),
        ("html", "Bold text and %1$d items"),
        ("cdata", "a < b & c"),
        ("at", "@notaref"),
        ("ref", "Keep a list, don't lose it"),
        ("empty", ""),
    ],
)
def test_strings_are_resolved_and_unescaped(name: str, text: str, tmp_path: Path) -> None:
    """F93: the reference itself was shown."""
    file = with_strings(tmp_path, f'a:description="D" a:displayDescription="@string/{name}"')
    assert load_service(file, modules=[MODULE]).metadata.display_description == text


@pytest.mark.anyio
async def test_escapes_in_attributes_and_references_with_a_package_are_read(tmp_path: Path) -> None:
    """F93."""
    assert await instructions_of(synthetic("27")) == (
        "Don't guess ids.\nAsk first. \u2713 @handle ?"
    )
    shutil.copy(synthetic("12"), with_strings(tmp_path, 'a:description="D"'))
    service = load_service(tmp_path / "app_metadata.xml", modules=[MODULE])
    assert service.metadata.description.split() == ["quoted", "keeps", "spaces"]
    assert service.metadata.display_description == "Keep a list, don't lose it"


def test_a_string_that_is_not_there_is_empty_with_a_warning() -> None:
    """F93: never the literal reference."""
    service = load_service(synthetic("11"), modules=[MODULE])
    assert service.metadata.display_description == ""
    assert any("not_defined_anywhere" in warning for warning in service.warnings)


def test_a_cycle_of_strings_ends_with_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """F93."""
    file = with_strings(tmp_path, 'a:description="@string/loop_a"')
    assert main(["list", str(file), "--module", MODULE]) == 2
    assert "loop_a" in capsys.readouterr().err
