"""The sample app over both transports, used by a client with the bad habits of real ones."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.support.rough_client import (
    Reads,
    RoughClient,
    open_rough_client,
    open_rough_http_client,
)

METADATA = Path(__file__).resolve().parents[2] / "metadata" / "app_metadata.xml"
SERVE = ("-m", "appfunctions_mcp", "run", str(METADATA))
HTTP: dict[str, tuple[str, ...]] = {
    "http": ("--http", "0"),
    "http with sessions": ("--http", "0", "--sessions"),
}


@pytest.fixture(scope="module", params=["content", "structured"])
def reads(request: pytest.FixtureRequest) -> Reads:
    """Which half of results the client reads."""
    half: Reads = request.param
    return half


@pytest.fixture(scope="module", params=["stdio", *HTTP])
def transport(request: pytest.FixtureRequest) -> str:
    """How the client reaches the server."""
    assert isinstance(request.param, str)
    return request.param


@pytest.fixture(scope="module")
def client(
    transport: str, reads: Reads, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RoughClient]:
    """A client that reads only one half of results, with the same server for all tests."""
    with open_sample(tmp_path_factory.mktemp("sample"), transport, reads=reads) as client:
        yield client
    assert client.noise == []


def open_sample(
    folder: Path, transport: str, *, reads: Reads = "content", poll_seconds: float = 0.05
) -> AbstractContextManager[RoughClient]:
    environ = environ_in(folder)
    if transport == "stdio":
        return open_rough_client(
            (sys.executable, *SERVE), reads=reads, poll_seconds=poll_seconds, environ=environ
        )
    return open_rough_http_client(
        (*SERVE, *HTTP[transport]), reads=reads, poll_seconds=poll_seconds, environ=environ
    )


def environ_in(folder: Path) -> dict[str, str]:
    """An environment whose every kept file stands in the folder."""
    homes = ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
    return {
        **os.environ,
        **{name: str(folder / name.lower()) for name in homes},
        "NOTES_DB": str(folder / "notes.db"),
        "PYTHONPATH": _import_path(),
    }


def _import_path() -> str:
    """The project, as an installation would have it; the server starts in another folder."""
    return os.pathsep.join([str(METADATA.parents[1]), os.environ.get("PYTHONPATH", "")])


def value_of(client: RoughClient, name: str, **arguments: Any) -> dict[str, Any]:
    """What the model behind the client learns from a call."""
    answer = client.call(name, arguments)
    assert not answer.is_error, answer.seen
    seen: dict[str, Any] = json.loads(answer.seen) if isinstance(answer.seen, str) else answer.seen
    return seen


def test_it_learns_the_domain_and_the_functions_that_are_on(client: RoughClient) -> None:
    assert client.instructions.startswith("Manages personal notes")
    assert "\nConstraints:\n" in client.instructions
    assert [tool["name"] for tool in client.tools] == [
        "create_note",
        "get_note",
        "find_notes",
        "update_note",
        "export_notes",
        "labels_add",
        "labels_remove",
        "labels_list_all",
    ]


def test_it_creates_finds_and_reads_a_note(client: RoughClient) -> None:
    """F04, F06 and F10: texts for lists, nulls for what is left out, keys of its own."""
    note = value_of(
        client,
        "create_note",
        title="Мои покупки",
        content="Купить молоко",
        attachments=[{"name": "plan", "uri": "https://example.org/plan"}],
    )
    page = value_of(client, "find_notes", query="покупка")

    assert note["attachments"] == [{"name": "plan", "uri": "https://example.org/plan"}]
    assert note["owner"] is None
    assert [(n["id"], n["title"]) for n in page["notes"]] == [(note["id"], "Мои покупки")]
    assert value_of(client, "get_note", note_id=note["id"]) == note


def test_it_updates_one_field_and_leaves_the_rest(client: RoughClient) -> None:
    """F66 and F67: its nulls leave fields alone."""
    note = value_of(client, "create_note", title="T", content="C", owner="Ann")

    changed = value_of(client, "update_note", note_id=note["id"], title={"value": "New"})
    assert (changed["title"], changed["content"], changed["owner"]) == ("New", "C", "Ann")
    bare = value_of(client, "update_note", note_id=note["id"], title="Bare")
    assert (bare["title"], bare["content"]) == ("Bare", "C")


def test_it_clears_a_field_by_the_form_that_survives_it(client: RoughClient) -> None:
    """The null in `{"value": null}` is dropped on the way; `{"clear": true}` arrives."""
    note = value_of(client, "create_note", title="T", content="C")

    refused = client.call("update_note", {"note_id": note["id"], "content": {"value": None}})
    assert refused.is_error
    assert refused.seen.startswith("AppFunctionInvalidArgumentException: ")
    assert '{"clear": true}' in refused.seen
    assert value_of(client, "get_note", note_id=note["id"])["content"] == "C"

    cleared = value_of(client, "update_note", note_id=note["id"], content={"clear": True})
    assert (cleared["title"], cleared["content"]) == ("T", None)


@pytest.mark.parametrize("note_id", ["note-99", "", "заметка", "null", "12", "[1]"])
def test_a_note_that_does_not_exist_is_an_error_with_a_way_out(
    client: RoughClient, note_id: str
) -> None:
    answer = client.call("get_note", {"note_id": note_id})

    assert answer.is_error
    assert answer.seen.startswith("AppFunctionElementNotFoundException: No note has the ID")
    assert "\nRecovery: No note has this ID; find_notes finds IDs by text." in answer.seen
    assert answer.error_record is not None
    assert answer.error_record["code"] == 1500


def test_it_uses_the_second_module_and_its_declared_default(client: RoughClient) -> None:
    note = value_of(client, "create_note", title="T")

    assert value_of(client, "labels_add", note_id=note["id"], label="Дом")["labels"] == ["Дом"]
    assert {"label": "Дом", "notes": 1} in value_of(client, "labels_list_all")["result"]
    assert value_of(client, "find_notes", query="", label="ДОМ")["total"] == 1
    assert value_of(client, "labels_remove", note_id=note["id"], label="дом")["labels"] == []


def test_a_function_that_is_off_says_so_when_called(client: RoughClient) -> None:
    """It never lists tools again, so the state is enforced in the call."""
    answer = client.call("delete_note", {"note_id": "note-1"})

    assert answer.is_error
    assert answer.seen.startswith("AppFunctionDisabledException: ")


def test_its_user_attaches_a_note(client: RoughClient) -> None:
    note = value_of(client, "create_note", title="Zum Anhängen", content="Zwei Liter")

    resources, _ = client.listed_parts()
    (listed,) = [each for each in resources if each.get("title") == "Zum Anhängen"]
    assert listed["uri"] == f"notes://{note['id']}"
    attached = client.attach(listed["uri"])
    assert attached.startswith("# Zum Anhängen\n")
    assert "Zwei Liter" in attached
    assert client.attach("notes://note-99").startswith("AppFunctionElementNotFoundException: ")


def test_its_user_fills_in_the_form_of_a_prompt(client: RoughClient) -> None:
    """What the user leaves out comes as an empty text."""
    note = value_of(client, "create_note", title="Quittung", content="Zwei Liter")

    asked, attached = client.fill_in("sum_up_notes", subject="quittung")
    assert asked["content"]["text"].startswith("Sum up what the notes about 'quittung' say")
    assert attached["content"]["resource"]["uri"] == f"notes://{note['id']}"
    (fault,) = client.fill_in("sum_up_notes", subject="nirgends")
    assert fault["error"].startswith("AppFunctionElementNotFoundException: ")


def test_deleting_takes_two_calls_since_it_cannot_ask_its_user(
    transport: str, tmp_path: Path
) -> None:
    switch = (sys.executable, "-m", "appfunctions_mcp", "set-enabled", str(METADATA))
    with open_sample(tmp_path, transport) as client:
        note = value_of(client, "create_note", title="T")
        subprocess.run(
            [*switch, "delete_note", "enable"],
            check=True,
            stdout=subprocess.DEVNULL,
            env=environ_in(tmp_path),
        )
        asked = client.call("delete_note", {"note_id": note["id"]})
        assert asked.is_error
        assert asked.seen.startswith("AppFunctionDeniedException: confirmation needed")
        assert value_of(client, "get_note", note_id=note["id"]) == note

        assert asked.error_record is not None
        confirmed = client.call(
            "delete_note",
            {"note_id": note["id"], "confirmation": asked.error_record["confirmation"]},
        )
        assert (confirmed.is_error, confirmed.seen) == (False, '{"result":null}')
        assert client.call("get_note", {"note_id": note["id"]}).is_error


def test_two_clients_share_the_notes(transport: str, tmp_path: Path) -> None:
    """Claude Desktop and another client each have a server of their own."""
    with open_sample(tmp_path, "stdio") as one, open_sample(tmp_path, transport) as two:
        note = value_of(one, "create_note", title="Shared")
        assert value_of(two, "update_note", note_id=note["id"], title="Theirs")["title"] == "Theirs"
        assert value_of(one, "get_note", note_id=note["id"])["title"] == "Theirs"


def test_asking_again_and_again_for_resources_and_prompts_does_no_harm(
    transport: str, tmp_path: Path
) -> None:
    with open_sample(tmp_path, transport, poll_seconds=0.001) as client:
        ids = {value_of(client, "create_note", title=f"T{n}")["id"] for n in range(50)}

        assert len(ids) == 50
        resources, prompts = client.listed_parts()
        assert (len(resources), len(prompts)) == (50, 1)
        assert client.close() == 0
    assert client.noise == []
