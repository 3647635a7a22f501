"""Host, Origin and token, without a server."""

import pytest

from appfunctions_mcp.addresses import is_loopback
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.http_access import (
    ANONYMOUS,
    TOKEN_HOLDER,
    HttpAccess,
    HttpRefusal,
    require_safe_binding,
)


def status(access: HttpAccess, **headers: str) -> int:
    """The status of the refusal, 200 where there is none."""
    checked = access.check({"host": "localhost:8000"} | headers)
    return checked.status if isinstance(checked, HttpRefusal) else 200


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8000",
        "localhost",
        "127.0.0.1:8000",
        "127.0.0.2",
        "[::1]:8000",
        "[::1]",
        "LOCALHOST.",
    ],
)
def test_loopback_hosts_are_served(host: str) -> None:
    """F43."""
    assert status(HttpAccess(), host=host) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "127.0.0.1.evil"]
)
def test_other_hosts_are_refused(host: str, caplog: pytest.LogCaptureFixture) -> None:
    """F43."""
    assert status(HttpAccess(), host=host) == 421
    assert "--allowed-host" in caplog.text


@pytest.mark.parametrize(
    ("allowed", "host", "expected"),
    [
        ("tools.example.com", "tools.example.com", 200),
        ("tools.example.com", "tools.example.com:443", 200),
        ("tools.example.com:8443", "tools.example.com:8443", 200),
        ("tools.example.com:8443", "tools.example.com:443", 421),
        ("tools.example.com", "evil-tools.example.com", 421),
        ("*", "anything.example", 200),
    ],
)
def test_an_allowed_host_needs_no_port(allowed: str, host: str, expected: int) -> None:
    """F43."""
    assert status(HttpAccess(allowed_hosts=[allowed]), host=host) == expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://localhost:5173", 200),
        ("http://[::1]:5173", 200),
        ("https://app.example", 200),
        ("https://app.example:444", 200),
        ("https://other.example", 200),
        ("https://other.example:443", 200),
        ("https://other.example:444", 403),
        ("https://port.example:8443", 200),
        ("https://port.example", 403),
        ("http://other.example", 403),
        ("null", 403),
        ("http://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("file://localhost", 403),
    ],
)
def test_origins_of_other_sites_are_refused(origin: str, expected: int) -> None:
    """F43."""
    allowed = ["app.example", "https://other.example", "https://port.example:8443"]
    access = HttpAccess(allowed_origins=allowed)
    assert status(access, origin=origin) == expected


def test_a_page_of_the_server_itself_may_send_requests() -> None:
    access = HttpAccess(allowed_hosts=["tools.example.com"])
    headers = {"host": "tools.example.com", "origin": "https://tools.example.com"}
    assert status(access, **headers) == 200


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("Bearer s3cret", TOKEN_HOLDER),
        ("bearer s3cret", TOKEN_HOLDER),
        (None, "Bearer"),
        ("Bearer", "Bearer"),
        ("Basic czNjcmV0", "Bearer"),
        ("Bearer wrong", 'Bearer error="invalid_token"'),
        ("Bearer s3cretx", 'Bearer error="invalid_token"'),
        ("Bearer ä", 'Bearer error="invalid_token"'),
    ],
)
def test_a_token_is_asked_for_with_a_challenge(
    shown: str | None, expected: AppFunctionCaller | str
) -> None:
    """F51."""
    headers = {"host": "localhost"} | ({"authorization": shown} if shown else {})
    checked = HttpAccess(token="s3cret").check(headers)
    if isinstance(checked, HttpRefusal):
        assert checked.status == 401
        assert dict(checked.headers) == {"WWW-Authenticate": expected}
    else:
        assert checked == expected


@pytest.mark.parametrize("token", ["sécret", "secret-à", "сек"])
def test_a_token_is_compared_by_the_bytes_that_were_sent(token: str) -> None:
    """Headers are read as Latin-1, where `à` ends in a no-break space."""
    sent = token.encode().decode("latin-1")
    headers = {"host": "localhost", "authorization": f"Bearer {sent}"}
    assert HttpAccess(token=token).check(headers) == TOKEN_HOLDER


def test_without_a_token_everybody_is_anonymous() -> None:
    assert HttpAccess().check({"host": "localhost"}) == ANONYMOUS


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]"])
def test_loopback_may_be_listened_on_without_more(host: str) -> None:
    assert is_loopback(host)
    require_safe_binding(host, allowed_hosts=(), token=None, allow_anonymous=False)


@pytest.mark.parametrize(
    ("hosts", "token", "anonymous", "missing"),
    [
        (
            (),
            None,
            False,
            "--allowed-host NAME.*--token-env NAME, --oauth-issuer URL, or --allow-anonymous",
        ),
        (("a.example",), None, False, "--token-env NAME, --oauth-issuer URL, or --allow-anonymous"),
        ((), "t", False, "--allowed-host NAME"),
        ((), None, True, "--allowed-host NAME"),
        (("a.example",), "t", False, None),
        (("a.example",), None, True, None),
    ],
)
def test_other_addresses_need_a_name_and_a_token_or_a_word(
    hosts: tuple[str, ...], token: str | None, anonymous: bool, missing: str | None
) -> None:
    if missing is None:
        require_safe_binding(
            "192.0.2.7", allowed_hosts=hosts, token=token, allow_anonymous=anonymous
        )
        return
    with pytest.raises(SettingsError, match=rf"^192\.0\.2\.7 can be reached .*{missing}"):
        require_safe_binding(
            "192.0.2.7", allowed_hosts=hosts, token=token, allow_anonymous=anonymous
        )


def test_other_addresses_may_have_an_authorization_server_instead() -> None:
    require_safe_binding(
        "192.0.2.7",
        allowed_hosts=("a.example",),
        token=None,
        allow_anonymous=False,
        has_oauth=True,
    )


@pytest.mark.parametrize("origin", ["http://[::1", "http://x]", "http://", "//", "http://[x]:1"])
def test_an_origin_that_is_no_address_is_refused(origin: str) -> None:
    assert status(HttpAccess(allowed_origins=("https://example.com",)), origin=origin) == 403
