"""Our own apps and running servers as what rules judge."""

import sys
from pathlib import Path

import anyio
import pytest

from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.lint.targets import (
    TargetError,
    place_of_texts,
    server_subject,
    service_subject,
    tools_subject,
)
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.service import AppFunctionService, load_service
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT

SAMPLE = PROJECT / "metadata" / "app_metadata.xml"


def test_an_app_of_ours_has_bodies_texts_and_the_names_of_all_it_offers() -> None:
    subject = service_subject(load_service(SAMPLE))
    assert subject.origin is Origin.OWN
    assert subject.server_name == "notes"
    assert subject.bodies.keys() == {each.function_id for each in subject.functions}
    assert {"labels_add", "delete_note"} <= {each.tool_name for each in subject.functions}
    assert subject.bodies["sample_app.labels#add"].__name__ == "add"
    assert {"sum_up_notes", "NOTES_DB", "note_id"} <= subject.other_names
    lines = SAMPLE.read_text("utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "appfn:description=" in text)
    assert subject.instructions_source == f"{SAMPLE}:{line}"


def test_an_app_made_in_code_has_no_place_for_its_texts() -> None:
    def greet() -> str:
        """Greets."""
        return "hello"

    service = AppFunctionService.from_functions([greet], name="a", description="Greets people.")
    subject = service_subject(service)
    assert (subject.instructions_source, subject.bodies) == ("", {})
    assert [each.tool_name for each in subject.functions] == ["greet"]


@pytest.mark.parametrize(
    ("attributes", "line"),
    [
        ('appfn:description="A."', 5),
        ('appfn:description="A."\n auto:instructions="B."', 6),
        ('auto:description="A."', 5),
    ],
)
def test_the_place_of_the_texts_is_that_of_the_attribute_which_counts(
    tmp_path: Path, attributes: str, line: int
) -> None:
    metadata = parse_metadata(write_metadata(tmp_path, attributes))
    assert place_of_texts(metadata) == f"{tmp_path}/app_metadata.xml:{line}"


def test_texts_that_have_gone_are_placed_at_the_root(tmp_path: Path) -> None:
    path = write_metadata(tmp_path, "")
    assert place_of_texts(AppMetadata("a", "A.", path=path)) == f"{path}:2"


def _server(kind: str) -> list[str]:
    return [sys.executable, str(PROJECT / "tests/support/raw_tools_server.py"), kind]


def test_a_server_is_started_and_asked() -> None:
    async def ask() -> LintSubject:
        return await server_subject([sys.executable, "-m", "appfunctions_mcp", "run", str(SAMPLE)])

    subject = anyio.run(ask)
    assert (subject.origin, subject.server_name) == (Origin.FOREIGN, "notes")
    assert subject.instructions.startswith("Manages personal notes")
    assert "create_note" in {each.tool_name for each in subject.functions}
    assert len(subject.tools) == len(subject.functions)


def test_a_name_that_is_given_wins_over_the_servers_own() -> None:
    async def ask() -> LintSubject:
        return await server_subject(_server("plain"), name="mine")

    assert anyio.run(ask).server_name == "mine"


@pytest.mark.parametrize(
    "target", [["appfunctions-no-such-program"], [sys.executable, "-c", ""], "http://127.0.0.1:9/"]
)
def test_a_server_that_cannot_be_asked_says_why(target: list[str] | str) -> None:
    async def ask() -> None:
        await server_subject(target)

    with pytest.raises(TargetError, match="the server cannot be asked: "):
        anyio.run(ask)


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appfunctions_mcp.lint.targets._START_SECONDS", 0.5)

    async def ask() -> None:
        await server_subject([sys.executable, "-c", "import time; time.sleep(60)"])

    with pytest.raises(TargetError, match="no list of tools within"):
        anyio.run(ask)


def test_tools_without_a_file_name_themselves() -> None:
    subject = tools_subject([{"name": "a"}], server_name="s", instructions="Does it.")
    assert subject.functions[0].source == "tool 'a'"
    assert (subject.server_name, subject.instructions_source) == ("s", "")
