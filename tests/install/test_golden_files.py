"""What each client's file looks like before and after, as files that a person has looked at."""

from pathlib import Path

import pytest

from appfunctions_mcp.install.addresses import Address, read_headers, read_request
from appfunctions_mcp.install.clients import CLIENT_NAMES, McpClient, find_client
from appfunctions_mcp.install.entry import Launch

GOLDEN = Path(__file__).parent / "golden"
ARGS = ("-P", "-m", "appfunctions_mcp", "run", "/home/ann/notes/app_metadata.xml")
PYTHON = "/home/ann/venv/bin/python"
URL = "https://notes.example.com/mcp"


def golden(client: McpClient, what: str) -> bytes:
    """The file of this name, whatever its ending."""
    (path,) = GOLDEN.joinpath(client.name).glob(f"{what}.*")
    return path.read_bytes()


def launch_of(client: McpClient) -> Launch:
    """A launch with a setting and a secret that is not in the file."""
    env = {"NOTES_DB": "/home/ann/notes.db"}
    secret = client.references.write("notes", "TOKEN", is_optional=False)
    if secret is None:
        return Launch(PYTHON, ARGS, env, ("TOKEN",))
    return Launch(PYTHON, ARGS, {**env, "TOKEN": secret})


@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_a_started_server_is_written_as_the_golden_file_has_it(name: str) -> None:
    client = find_client(name)
    before, path = golden(client, "before"), Path(name)
    entry = client.stdio_entry(launch_of(client))
    after = client.document.with_entry(before, path, "notes", entry)
    assert after.decode() == golden(client, "stdio").decode()
    assert client.document.without_entry(after, path, "notes") == before


@pytest.mark.parametrize("headers", ["address", "token"])
@pytest.mark.parametrize("name", [name for name in CLIENT_NAMES if name != "claude-desktop"])
def test_an_address_is_written_as_the_golden_file_has_it(name: str, headers: str) -> None:
    """With a token and with a header that hold variables, each client has its own words."""
    client, path = find_client(name), Path(name)
    sent = read_headers(["X-Team=Ann", "X-Key=${KEY}"], "TOKEN") if headers == "token" else {}
    before, entry = golden(client, "before"), client.url_entry(Address(URL, "notes", sent))
    after = client.document.with_entry(before, path, "notes", entry)
    assert after.decode() == golden(client, headers).decode()
    assert client.document.without_entry(after, path, "notes") == before
    request = read_request(entry, client.references, {"TOKEN": "t-1", "KEY": "k-1"})
    assert request is not None
    assert request.url == URL
    expected = {"Authorization": "Bearer t-1", "X-Team": "Ann", "X-Key": "k-1"}
    assert request.headers == (expected if headers == "token" else {})


@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_what_is_printed_to_be_copied_is_a_whole_document(name: str) -> None:
    client = find_client(name)
    entry = client.stdio_entry(launch_of(client))
    text = client.document.snippet("notes", entry)
    assert client.document.read_entries(text.encode(), Path(name)) == {"notes": entry}
    assert not text.endswith("\n")
