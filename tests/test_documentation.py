"""Every page tells the truth: its Python runs, its commands exist and print what it shows."""

import asyncio
import json
import re
import shlex
import subprocess
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import appfunctions_mcp
from appfunctions_mcp import load_service
from appfunctions_mcp.cli import COMMANDS
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.testing import connect
from tests.support.documented_models import (
    ANSWER,
    FORMATS_OF,
    addresses_of,
    documented_provider,
)
from tests.support.documents import ROOT, Block, blocks_of, commands_of, pages
from tests.support.providers import ProviderServer

PAGES = [pytest.param(page, id=page.name) for page in pages()]
PROGRAM = (sys.executable, "-m", "appfunctions_mcp")
OTHER_PROGRAMS = {"docker", "export", "make", "ollama", "pip", "pipx"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to follow a page in; what it imports is forgotten afterwards."""
    known, path = set(sys.modules), list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", None) is None or _lies_in(name, tmp_path):
            del sys.modules[name]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    """A provider of models on this machine, which every client finds."""
    with documented_provider(monkeypatch) as server:
        yield server


def _lies_in(module: str, folder: Path) -> bool:
    return Path(sys.modules[module].__file__ or "/").is_relative_to(folder)


def write_files(blocks: list[Block], folder: Path) -> None:
    for block in blocks:
        if block.file_name:
            path = folder / block.file_name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")


def run_blocks(
    page: Path, blocks: list[Block], folder: Path, addresses: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Runs the Python blocks of a page in order, as one module.

    Args:
        page: The page.
        blocks: Its blocks.
        folder: Where they run.
        addresses: What takes the place of the addresses of providers.
    """
    module = types.ModuleType(f"page_{page.stem}")
    sys.modules[module.__name__] = module
    for block in blocks:
        if block.language != "python" or block.file_name or block.note.startswith("made: "):
            continue
        text = block.text
        for written, address in (addresses or {}).items():
            text = text.replace(written, address)
        code = compile("\n" * block.line + text, folder / f"{page.name}.py", "exec")
        if block.note.startswith("raises: "):
            expected = getattr(appfunctions_mcp, block.note.removeprefix("raises: "))
            with pytest.raises(expected):
                exec(code, vars(module))  # noqa: S102 - the project's own pages
        else:
            exec(code, vars(module))  # noqa: S102 - the project's own pages
    return vars(module)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(
    page: Path, folder: Path, provider: ProviderServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a page asks a provider, no request breaks a rule, and the answer is printed."""
    blocks = blocks_of(page)
    write_files(blocks, folder)

    run_blocks(page, blocks, folder, addresses_of(provider))

    assert blocks or page.name != "README.md"
    assert provider.refused == []
    assert {request.format for request in provider.requests} >= FORMATS_OF.get(page.name, set())
    assert not provider.requests or ANSWER in capsys.readouterr().out


def piped(line: str) -> tuple[str, str]:
    """What a line writes into the standard input of a command, and the command."""
    before, _, after = line.partition(" | ")
    if not before.startswith("echo "):
        return "", line
    return " ".join(shlex.split(before)[1:]) + "\n", after


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_on_the_console_is_what_is_printed(page: Path, folder: Path) -> None:
    blocks = blocks_of(page)
    write_files(blocks, folder)
    shown, printed = [], []
    for command in (c for b in blocks if b.language == "console" for c in commands_of(b)):
        typed, command_line = piped(command.command)
        program, *words = shlex.split(command_line)
        assert program == "appfunctions-mcp", command.command
        done = subprocess.run(
            [*PROGRAM, *words],
            cwd=folder,
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=60,
        )
        shown.append(f"$ {command.command}\n{command.output}")
        printed.append(f"$ {command.command}\n{done.stdout}")

    for block in blocks:
        if block.note.startswith("made: "):
            shown.append(block.text)
            printed.append((folder / block.note.removeprefix("made: ")).read_text("utf-8"))

    assert "".join(shown) == "".join(printed)


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_exist_with_their_options(page: Path) -> None:
    lines = [
        line
        for block in blocks_of(page)
        if block.language == "sh"
        for line in block.text.splitlines()
    ]
    text = page.read_text(encoding="utf-8")
    lines += re.findall(r"`(appfunctions-mcp [a-z][^`]*)`", text)

    for line in filter(None, lines):
        program, *words = shlex.split(line)
        if program != "appfunctions-mcp":
            assert program in OTHER_PROGRAMS, line
            continue
        assert words[0] in COMMANDS, line
        for option in (w for w in words if w.startswith("-")):
            assert option in help_of(words[0]), line


_HELP: dict[str, str] = {}


def help_of(command: str) -> str:
    """What `appfunctions-mcp COMMAND --help` prints; asked once."""
    if command not in _HELP:
        done = subprocess.run(
            [*PROGRAM, command, "--help"], capture_output=True, text=True, check=True, timeout=60
        )
        _HELP[command] = done.stdout
    return _HELP[command]


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("## Command line")[2].partition("\n## ")[0]

    assert set(COMMANDS) == set(re.findall(r"`([a-z-]+)[ `\[]", table)) & set(COMMANDS)


@pytest.mark.parametrize("page", PAGES)
def test_the_metadata_that_a_page_shows_is_accepted(page: Path, folder: Path) -> None:
    blocks = [b for b in blocks_of(page) if b.language == "xml"]
    write_files(blocks, folder)

    for block in blocks:
        assert block.file_name is not None
        if "<AppFunctionAppMetadata" in block.text:
            assert parse_metadata(folder / block.file_name).description


def test_the_tool_in_the_readme_is_what_a_client_gets(folder: Path) -> None:
    blocks = blocks_of(ROOT / "README.md")
    write_files(blocks, folder)
    (shown,) = (json.loads(b.text) for b in blocks if b.note == "tools/list")

    async def listed() -> list[dict[str, Any]]:
        async with connect(load_service(folder / "app_metadata.xml")) as client:
            tools = (await client.list_tools()).tools
            return [t.model_dump(by_alias=True, exclude_none=True, mode="json") for t in tools]

    assert [shown] == asyncio.run(listed())


def test_the_page_about_testing_works_with_the_sample(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "testing.md"
    names = run_blocks(page, blocks_of(page), folder)
    metadata = ROOT / "metadata" / "app_metadata.xml"

    asyncio.run(names["test_a_note_is_found"](metadata, folder, monkeypatch))


@pytest.mark.parametrize("page", [*PAGES, pytest.param(ROOT / ".github" / "CONTRIBUTING.md")])
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    anchors = {
        path: {_anchor(h) for h in re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)}
        for path in pages()
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        assert not anchor or anchor in anchors[path], target


def _anchor(heading: str) -> str:
    """The anchor that Markdown viewers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", [*PAGES, pytest.param(ROOT / ".github" / "CONTRIBUTING.md")])
def test_a_page_has_one_sentence_a_line(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    prose = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "#"))]

    assert [line for line in prose if re.search(r"[a-z`)][.?!] [A-Z]", line)] == []
