"""Which addresses mean this machine."""

import pytest

from appfunctions_mcp.addresses import is_loopback


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_this_machine_has_many_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "example.com",
        "localhost.example.com",
        "127.0.0.1.example.com",
        "0.0.0.0",  # noqa: S104 - every address of this machine, not this machine alone
        "::",
        "10.0.0.1",
        "127.1",
        "2130706433",
        "[::ffff:10.0.0.1]",
    ],
)
def test_other_names_do_not_mean_this_machine(host: str) -> None:
    assert not is_loopback(host)
