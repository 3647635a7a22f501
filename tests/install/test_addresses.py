"""Addresses of servers that run elsewhere, and the headers that go with them."""

from typing import Any

import pytest

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.addresses import (
    Address,
    read_headers,
    read_request,
    read_url,
    require_no_secrets,
    require_url,
)
from appfunctions_mcp.install.clients import find_client
from appfunctions_mcp.install.entry import merge_entry
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.references import SHELL

URL = "https://example.com/mcp"


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("example.com/mcp", "no address of http or https"),
        ("ftp://example.com", "no address of http or https"),
        ("https:///mcp", "no address of http or https"),
        ("https://h/m cp", "no address of http or https"),
        ("https://h/m\ncp", "no address of http or https"),
        ("http://[::1/mcp", "write --url"),
        ("http://h:99999/mcp", "write --url"),
        ("https://ann:secret@example.com/mcp", "holds a user name or a password"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, what: str) -> None:
    with pytest.raises(SettingsError, match=what) as caught:
        require_url(url)
    assert "secret" not in str(caught.value)


def test_headers_are_read_as_people_write_them() -> None:
    assert read_headers(["X-A=1", "X-B: a=b:c", "X-C=${KEY} x"], "TOKEN") == {
        "X-A": "1",
        "X-B": "a=b:c",
        "X-C": "${KEY} x",
        "Authorization": "Bearer ${TOKEN}",
    }
    assert read_headers([], None) == {}


@pytest.mark.parametrize(
    ("headers", "bearer", "what"),
    [
        (["canary"], None, "write --header NAME=VALUE"),
        (["X A=canary"], None, "write --header NAME=VALUE"),
        (["=canary"], None, "write --header NAME=VALUE"),
        (["X-A="], None, "its value is empty"),
        (["X-A=canary\r\nX-B: 1"], None, "write --header NAME=VALUE"),
        (["X-A=canaryé"], None, "characters that no header can have"),
        (["X-A=1", "x-a=2"], None, "given twice"),
        (["authorization=Basic canary"], "TOKEN", "given twice"),
        ([], "canary-1", "not the name of a variable"),
    ],
)
def test_what_is_no_header_is_refused_and_its_value_is_not_shown(
    headers: list[str], bearer: str | None, what: str
) -> None:
    with pytest.raises(SettingsError, match=what) as caught:
        read_headers(headers, bearer)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "headers", "name"),
    [
        (URL, {"Authorization": "Bearer canary"}, "Authorization"),
        (URL, {"X-Api-Key": "canary"}, "X-Api-Key"),
        (URL, {"Cookie": "a=canary"}, "Cookie"),
        (f"{URL}?team=a&access_token=canary", {}, "access_token"),
    ],
)
def test_a_secret_that_stands_there_as_it_is_is_refused(
    url: str, headers: dict[str, str], name: str
) -> None:
    with pytest.raises(SettingsError, match=f"{name} looks like a secret") as caught:
        require_no_secrets(Address(url, "far", headers), ".mcp.json")
    assert "canary" not in str(caught.value)


def test_a_reference_and_a_plain_header_are_no_secrets() -> None:
    headers = {"Authorization": "Bearer ${TOKEN}", "X-Team": "a"}
    require_no_secrets(Address(f"{URL}?team=a", "far", headers), ".mcp.json")


def test_codex_takes_a_variable_only_as_a_whole() -> None:
    codex = find_client("codex")
    with pytest.raises(InstallError, match="the header X-A has more"):
        codex.url_entry(Address(URL, "far", {"X-A": "a-${KEY}"}))
    assert codex.url_entry(Address(URL, "far", {"Authorization": "${ALL}"})) == {
        "url": URL,
        "env_http_headers": {"Authorization": "ALL"},
    }


def test_headers_of_the_same_address_stay_and_those_of_another_go() -> None:
    old = {"type": "http", "url": URL, "headers": {"x-team": "a", "authorization": "Basic b"}}
    wanted = {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${T}"}}
    merged: Any = merge_entry(old, wanted)
    assert merged["headers"] == {"x-team": "a", "Authorization": "Bearer ${T}"}
    assert merge_entry({**old, "url": "https://other/mcp"}, wanted) == wanted
    codex = {"url": URL, "http_headers": {"Authorization": "Basic b", "X": "1"}}
    merged = merge_entry(codex, {"url": URL, "bearer_token_env_var": "T"})
    assert merged == {"url": URL, "bearer_token_env_var": "T", "http_headers": {"X": "1"}}


def test_an_entry_is_read_as_its_client_would_send_it() -> None:
    entry = {"url": "https://${HOST}/mcp", "headers": {"X": "${A:-b}", "Y": "${C}", "Z": 1}}
    request = read_request(entry, SHELL, {"HOST": "h"})
    assert request is not None
    assert (request.url, request.headers) == ("https://h/mcp", {"X": "b", "Y": ""})
    assert request.missing == ["C"]
    assert read_url({"serverUrl": "a"}) == "a"
    for other in ({"command": "x", "url": "a"}, {"url": 1}, "text", None):
        assert read_url(other) is None
        assert read_request(other, SHELL, {}) is None
