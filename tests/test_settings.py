"""Options from the environment and the command line, and what an app asks its user for."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppSetting
from appfunctions_mcp.settings import (
    _OPTIONS,
    HttpAddress,
    Settings,
    read_app_settings,
)

# fmt: off
RUN_OPTIONS = (
    "http", "module", "locale", "only", "sessions", "max-body-bytes", "allowed-host",
    "allowed-origin", "token-env", "allow-anonymous", "workers", "oauth-issuer", "oauth-audience",
    "oauth-jwks", "oauth-scope", "oauth-algorithm", "audit-file", "resources", "eager",
    "no-loop-guard", "state-file", "watch-parent", "log-level", "debug", "watch",
)
# fmt: on


def test_every_option_of_run_is_a_setting_with_a_variable() -> None:
    fields = {field.name for field in dataclasses.fields(Settings)}

    assert {option.replace("-", "_") for option in RUN_OPTIONS} <= fields
    assert set(_OPTIONS) == fields - {"no_color"}


def test_without_variables_everything_is_as_documented() -> None:
    settings = Settings.from_environment({"PATH": "/bin", "APPFUNCTIONS_LOCALE": " "})

    assert settings == Settings()
    assert settings.max_body_bytes == 4 * 1024 * 1024
    assert (settings.http, settings.workers, settings.module) == (None, 1, ())


def test_every_variable_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {
        "FILE": "metadata/app_metadata.xml",
        "HTTP": "192.0.2.1:8000",
        "MODULE": "a.b, c:labels ,",
        "LOCALE": "ru",
        "ONLY": "find_*,m#*",
        "SESSIONS": "Yes",
        "MAX_BODY_BYTES": "1000",
        "ALLOWED_HOST": "a.example,b.example:*",
        "ALLOWED_ORIGIN": "https://a.example",
        "TOKEN_ENV": "MY_TOKEN",
        "ALLOW_ANONYMOUS": "0",
        "WORKERS": "2",
        "OAUTH_ISSUER": "https://issuer.example",
        "OAUTH_AUDIENCE": "notes",
        "OAUTH_JWKS": "https://issuer.example/jwks",
        "OAUTH_SCOPE": "read,write",
        "OAUTH_ALGORITHM": "ES256",
        "AUDIT_FILE": "audit.jsonl",
        "AUDIT_ARGUMENTS": "yes",
        "RESOURCES": str(tmp_path / "res"),
        "EAGER": "true",
        "NO_LOOP_GUARD": "on",
        "STATE_FILE": "state.json",
        "WATCH_PARENT": "1",
        "LOG_LEVEL": "DEBUG",
        "DEBUG": "off",
        "WATCH": "no",
        "STATE_KEYS": "k" * 32 + "," + "l" * 16,
        "ENGINE": "sdk",
        "STDIO": "threads",
        "PROVIDER": "ollama:qwen3",
    }

    settings = Settings.from_environment(
        {"NO_COLOR": "1"} | {f"APPFUNCTIONS_{name}": text for name, text in environ.items()}
    )

    assert set(environ) == {name.upper() for name in _OPTIONS}
    assert settings == Settings(
        file=tmp_path / "metadata" / "app_metadata.xml",
        http=HttpAddress("192.0.2.1", 8000),
        module=("a.b", "c:labels"),
        locale="ru",
        only=("find_*", "m#*"),
        sessions=True,
        max_body_bytes=1000,
        allowed_host=("a.example", "b.example:*"),
        allowed_origin=("https://a.example",),
        token_env="MY_TOKEN",
        allow_anonymous=False,
        workers=2,
        oauth_issuer="https://issuer.example",
        oauth_audience="notes",
        oauth_jwks="https://issuer.example/jwks",
        oauth_scope=("read", "write"),
        oauth_algorithm=("ES256",),
        audit_file=tmp_path / "audit.jsonl",
        audit_arguments=True,
        resources=tmp_path / "res",
        eager=True,
        no_loop_guard=True,
        state_file=tmp_path / "state.json",
        watch_parent=True,
        log_level="debug",
        debug=False,
        watch=False,
        state_keys=("k" * 32, "l" * 16),
        engine="sdk",
        stdio="threads",
        provider="ollama:qwen3",
        no_color=True,
    )


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("WORKERS", "two", "'two' is not accepted; give a whole number from 1 to 64"),
        ("WORKERS", "0", "a whole number from 1 to 64"),
        ("MAX_BODY_BYTES", "-1", "a whole number of 1 or more"),
        ("MAX_BODY_BYTES", "4M", "a whole number of 1 or more"),
        ("SESSIONS", "maybe", "'maybe' is not accepted; give true or false"),
        ("LOG_LEVEL", "loud", "debug, info, warning or error"),
        ("ENGINE", "other", "lean or sdk"),
        ("HTTP", "all", r"\[HOST:\]PORT, such as 8000"),
        ("HTTP", ":8000", r"\[HOST:\]PORT"),
        ("HTTP", "70000", r"\[HOST:\]PORT"),
        ("HTTP", "::1:8000", r"\[HOST:\]PORT"),
        ("HTTP", "http://localhost:8000", r"\[HOST:\]PORT"),
        ("MODULE", "a,b c", "'b c' is not accepted; give NAME"),
        ("MODULE", "a/b.py", "NAME"),
        ("TOKEN_ENV", "Bearer abc", "the name of a variable"),
    ],
)
def test_a_bad_value_names_variable_value_and_what_is_accepted(
    name: str, text: str, told: str
) -> None:
    with pytest.raises(SettingsError, match=rf"^APPFUNCTIONS_{name}: .*{told}"):
        Settings.from_environment({f"APPFUNCTIONS_{name}": text})


def test_all_bad_values_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as fault:
        Settings.from_environment({"APPFUNCTIONS_HTTP": "x", "APPFUNCTIONS_WORKERS": "x"})

    assert [text.partition(":")[0] for text in fault.value.faults] == [
        "APPFUNCTIONS_HTTP",
        "APPFUNCTIONS_WORKERS",
    ]


def test_a_key_is_never_shown() -> None:
    with pytest.raises(SettingsError, match="random keys of 16 characters or more") as fault:
        Settings.from_environment({"APPFUNCTIONS_STATE_KEYS": "k" * 20 + ",CANARY"})

    assert "CANARY" not in str(fault.value)
    assert "CANARY" not in repr(Settings(state_keys=("CANARY" * 4,)))


def test_an_unknown_variable_is_warned_of_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Settings.from_environment(
        {"APPFUNCTIONS_LOGLEVEL": "info", "APPFUNCTIONS_ZZZZ\x1b": "", "OTHER": "x"}
    )

    err = capsys.readouterr().err
    assert err.count("appfunctions-mcp: warning: ") == err.count("\n") == 2
    assert "'APPFUNCTIONS_LOGLEVEL' is no variable of this program; " in err
    assert "did you mean APPFUNCTIONS_LOG_LEVEL?" in err
    assert "'APPFUNCTIONS_ZZZZ' is no variable of this program; it has no effect" in err


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8000", HttpAddress("127.0.0.1", 8000)),
        ("0", HttpAddress("127.0.0.1", 0)),
        ("localhost:8000", HttpAddress("localhost", 8000)),
        ("[::1]:8000", HttpAddress("::1", 8000)),
        ("[fe80::1%eth0]:8000", HttpAddress("fe80::1%eth0", 8000)),
    ],
)
def test_an_address_to_listen_on_is_a_port_with_or_without_a_host(
    text: str, address: HttpAddress
) -> None:
    assert Settings().merged({"http": text}).http == address


def test_the_command_line_wins_over_the_environment(tmp_path: Path) -> None:
    settings = Settings.from_environment(
        {
            "APPFUNCTIONS_WORKERS": "2",
            "APPFUNCTIONS_ONLY": "a,b",
            "APPFUNCTIONS_EAGER": "1",
            "APPFUNCTIONS_LOCALE": "ru",
            "APPFUNCTIONS_FILE": "a.xml",
            "APPFUNCTIONS_MODULE": "m",
        }
    )

    merged = settings.merged(
        {
            "command": "run",
            "file": ["b.xml", "further", "words"],
            "module": [],
            "workers": 3,
            "only": ["c"],
            "eager": False,
            "locale": None,
            "state_file": tmp_path / "s.json",
            "max_body_bytes": "5",
        }
    )

    assert merged == dataclasses.replace(
        settings,
        workers=3,
        only=("c",),
        eager=False,
        state_file=tmp_path / "s.json",
        max_body_bytes=5,
    )


@pytest.mark.parametrize(
    ("command_line", "told"),
    [
        ({"workers": 0}, "--workers: '0' is not accepted; give a whole number from 1 to 64"),
        ({"workers": 1000}, "--workers: '1000' is not accepted; give a whole number from 1 to 64"),
        ({"max_body_bytes": "x"}, "--max-body-bytes: 'x' is not accepted"),
        ({"module": ["a", "1"]}, "--module: '1' is not accepted"),
        ({"locale": ""}, "--locale: '' is not accepted; give a value"),
    ],
)
def test_a_bad_option_is_named_as_it_was_written(command_line: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(told)):
        Settings().merged(command_line)


def test_paths_are_absolute_and_the_home_is_filled_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))

    settings = Settings().merged({"state_file": "~/s.json", "resources": "../res"})

    assert settings.state_file == tmp_path / "home" / "s.json"
    assert settings.resources == tmp_path.parent / "res"


def test_the_level_fits_the_transport_unless_it_is_given() -> None:
    http = HttpAddress("127.0.0.1", 0)

    assert Settings().effective_log_level == "warning"
    assert Settings(http=http).effective_log_level == "info"
    assert Settings(http=http, log_level="error").effective_log_level == "error"


def test_the_token_comes_from_the_variable_that_is_named() -> None:
    assert Settings().token({}) is None
    assert Settings(token_env="T").token({"T": " abc\n"}) == "abc"
    with pytest.raises(SettingsError, match="the variable T is not set"):
        Settings(token_env="T").token({"T": " "})


def test_app_settings_are_read_by_their_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    settings = (
        AppSetting("TEXT", required=True),
        AppSetting("RATE", type="number"),
        AppSetting("ON", type="boolean"),
        AppSetting("DB", type="file"),
        AppSetting("FOLDER", type="directory", default="~/notes"),
        AppSetting("LEFT_OUT"),
        AppSetting("NOT_FILLED_IN", default="d"),
    )
    environ = {
        "TEXT": " x ",
        "RATE": "1.5",
        "ON": "False",
        "DB": "notes.db",
        "FOLDER": " ",
        "NOT_FILLED_IN": "${user_config.not_filled_in}",
        "UNDECLARED": "x",
    }

    assert read_app_settings(settings, environ) == {
        "TEXT": "x",
        "RATE": 1.5,
        "ON": False,
        "DB": tmp_path / "notes.db",
        "FOLDER": tmp_path / "home" / "notes",
        "LEFT_OUT": None,
        "NOT_FILLED_IN": "d",
    }


def test_all_missing_settings_are_named_at_once() -> None:
    settings = (
        AppSetting("A", title="The first", required=True),
        AppSetting("B", required=True),
        AppSetting("C", required=True, default="c"),
        AppSetting("D"),
    )

    with pytest.raises(SettingsError) as fault:
        read_app_settings(settings, {"B": " "})

    assert fault.value.faults == (
        "missing settings: A (The first), B; set the environment variables of these names",
    )


@pytest.mark.parametrize(
    ("setting", "text", "told"),
    [
        (AppSetting("N", type="number"), "1,5", "N: '1,5' is not accepted; set a number"),
        (AppSetting("N", type="number"), "1_000", "set a number"),
        (AppSetting("N", type="number"), "nan", "set a number"),
        (AppSetting("N", type="number"), "1e999", "set a number"),
        (AppSetting("N", type="number"), "٣", "set a number"),
        (AppSetting("N", type="boolean"), "2", "set true or false"),
        (AppSetting("N", type="number", default="x"), "", "N: 'x' is not accepted"),
    ],
)
def test_a_bad_app_setting_is_named_with_what_is_accepted(
    setting: AppSetting, text: str, told: str
) -> None:
    with pytest.raises(SettingsError, match=told):
        read_app_settings((setting,), {"N": text})


def test_a_sensitive_value_is_never_shown() -> None:
    setting = AppSetting("PIN", type="number", sensitive=True)

    with pytest.raises(SettingsError, match="PIN: this value is not accepted") as fault:
        read_app_settings((setting,), {"PIN": "CANARY"})

    assert "CANARY" not in str(fault.value)
    assert "CANARY" not in repr(fault.value.__cause__)
