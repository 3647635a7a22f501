"""What is accepted as an authorization server."""

import pytest

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.oauth_settings import ASYMMETRIC_ALGORITHMS, OAuthSettings, read_oauth
from appfunctions_mcp.settings import Settings

GOOD = {
    "oauth_issuer": "https://login.example.com/",
    "oauth_audience": "https://notes.example.com/mcp",
    "oauth_jwks": "https://login.example.com/jwks?tenant=1",
}


def test_the_options_make_the_settings() -> None:
    settings = Settings().merged(GOOD | {"oauth_scope": ["a", "b"], "oauth_algorithm": ["ES256"]})
    assert settings.oauth() == OAuthSettings(
        "https://login.example.com/",
        "https://notes.example.com/mcp",
        "https://login.example.com/jwks?tenant=1",
        ("a", "b"),
        ("ES256",),
    )
    default = Settings().merged(GOOD).oauth()
    assert default is not None
    assert default.algorithms == ASYMMETRIC_ALGORITHMS
    assert Settings().oauth() is None


@pytest.mark.parametrize("missing", GOOD)
def test_all_three_parts_are_needed(missing: str) -> None:
    settings = Settings().merged({name: v for name, v in GOOD.items() if name != missing})
    option = "--" + missing.replace("_", "-")
    with pytest.raises(SettingsError, match=f"^{option}: not given; OAuth needs --oauth-issuer, "):
        settings.oauth()


def test_scopes_alone_are_no_authorization_server() -> None:
    with pytest.raises(
        SettingsError, match=r"^--oauth-issuer, --oauth-audience, --oauth-jwks: not given"
    ):
        Settings().merged({"oauth_scope": "a"}).oauth()


def test_a_shared_token_and_an_authorization_server_exclude_each_other() -> None:
    with pytest.raises(SettingsError, match="--token-env and --oauth-issuer"):
        Settings().merged(GOOD | {"token_env": "SECRET"}).oauth()
    assert read_oauth(None, None, None, scopes=(), algorithms=(), has_token=True) is None


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("oauth_issuer", "http://login.example.com"),
        ("oauth_issuer", "login.example.com"),
        ("oauth_issuer", "https://login.example.com?x=1"),
        ("oauth_issuer", 'https://login.example.com"'),
        ("oauth_jwks", "http://login.example.com/jwks"),
        ("oauth_jwks", "file:///etc/passwd"),
        ("oauth_jwks", "ftp://localhost/jwks"),
        ("oauth_jwks", "https://user:password@login.example.com/jwks"),
        ("oauth_jwks", "https://login.example.com/jwks#a"),
        ("oauth_jwks", "https:///jwks"),
        ("oauth_jwks", "https://[::1/jwks"),
        ("oauth_jwks", "https://login.example.com:port/jwks"),
        ("oauth_jwks", "http://localhost.evil.example/jwks"),
        ("oauth_audience", "two words"),
        ("oauth_scope", 'a"b'),
        ("oauth_scope", "a b"),
        ("oauth_algorithm", "none"),
        ("oauth_algorithm", "HS256"),
        ("oauth_algorithm", "es256"),
    ],
)
def test_what_could_be_forged_is_not_accepted(option: str, value: str) -> None:
    """No secret that is published, no key that comes unprotected."""
    name = "--" + option.replace("_", "-")
    with pytest.raises(SettingsError, match=f"^{name}: .* is not accepted; give "):
        Settings().merged({option: value})


@pytest.mark.parametrize("url", ["http://localhost:8080/jwks", "http://127.0.0.1", "http://[::1]/"])
def test_a_server_of_this_machine_needs_no_tls(url: str) -> None:
    assert Settings().merged({"oauth_jwks": url}).oauth_jwks == url


def test_settings_made_in_code_are_checked_too() -> None:
    with pytest.raises(SettingsError) as caught:
        OAuthSettings("x", "", "http://a.example", ("a b",), ("HS256",))
    assert [fault.partition(":")[0] for fault in caught.value.faults] == [
        "issuer",
        "audience",
        "jwks_url",
        "scopes",
        "algorithms",
    ]
    with pytest.raises(SettingsError, match="algorithms: none is given"):
        OAuthSettings("https://a.example", "a", "https://a.example", algorithms=())
