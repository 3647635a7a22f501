"""What an app's user supplies, collected for an entry."""

from collections.abc import Callable
from pathlib import Path

import pytest

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.app_settings import (
    SettingsRequest,
    collect_environment,
    read_assignments,
)
from appfunctions_mcp.install.references import SHELL, ReferenceStyle
from appfunctions_mcp.metadata import AppSetting

TOKEN = AppSetting("TOKEN", title="Access token", required=True, sensitive=True, line=7)
HOST = AppSetting("HOST", required=True, line=8)
DATABASE = AppSetting("NOTES_DB", "file")


def request(
    given: dict[str, str] | None = None,
    kept: dict[str, str] | None = None,
    environ: dict[str, str] | None = None,
    ask: Callable[[AppSetting], str | None] | None = None,
    *,
    hidden: ReferenceStyle | None = None,
) -> SettingsRequest:
    return SettingsRequest(
        given or {}, kept or {}, environ or {}, ask=ask, hidden=hidden, file="app.xml"
    )


def test_the_first_source_that_has_a_value_wins() -> None:
    environ = {"HOST": "environ", "TOKEN": "environ", "OTHER": "environ"}
    kept = {"HOST": "kept", "TOKEN": "kept"}
    collected = collect_environment([TOKEN, HOST], request({"TOKEN": "given"}, kept, environ))
    assert collected.written == {"TOKEN": "given", "HOST": "kept"}
    assert collect_environment([HOST], request(environ=environ)).written == {"HOST": "environ"}


def test_a_person_is_asked_only_for_what_has_no_value() -> None:
    asked: list[str] = []

    def ask(setting: AppSetting) -> str | None:
        asked.append(setting.name)
        return "answer" if setting.required else None

    collected = collect_environment([TOKEN, HOST, DATABASE], request({"HOST": "h"}, ask=ask))
    assert asked == ["TOKEN", "NOTES_DB"]
    assert collected.written == {"HOST": "h", "TOKEN": "answer"}


def test_all_missing_settings_are_named_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        collect_environment([TOKEN, HOST, DATABASE], request({"HOST": " "}))
    assert caught.value.faults == (
        "app.xml:7: required setting TOKEN (Access token) has no value; give it with export TOKEN",
        "app.xml:8: required setting HOST has no value; give it with --env HOST=VALUE",
    )


def test_a_required_setting_with_a_default_may_be_left_out() -> None:
    setting = AppSetting("HOST", required=True, default="localhost")
    assert collect_environment([setting], request()).written == {}


def test_a_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F103: a relative path would point into the folder that the client starts servers in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    collected = collect_environment([DATABASE], request({"NOTES_DB": "notes.db"}))
    assert collected.written == {"NOTES_DB": str(tmp_path / "notes.db")}
    collected = collect_environment([DATABASE], request({"NOTES_DB": "~/notes.db"}))
    assert collected.written == {"NOTES_DB": str(tmp_path / "home" / "notes.db")}


def test_a_value_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(SettingsError, match="PORT"):
        collect_environment([AppSetting("PORT", "number")], request({"PORT": "many"}))


def test_secrets_are_named_and_not_written_where_a_file_is_shared() -> None:
    """Declared ones, and others whose names look like it."""
    given = {"HOST": "h", "API_KEY": "k", "OPTIONAL": "o"}
    optional = AppSetting("OPTIONAL", sensitive=True)
    collected = collect_environment(
        [TOKEN, HOST, optional], request(given, environ={"TOKEN": "t"}, hidden=SHELL)
    )
    assert collected.written == {
        "HOST": "h",
        "API_KEY": "${API_KEY}",
        "OPTIONAL": "${OPTIONAL:-}",
        "TOKEN": "${TOKEN}",
    }
    assert collected.effective == {"HOST": "h", "API_KEY": "k", "OPTIONAL": "o", "TOKEN": "t"}
    assert set(collected.references) == {"TOKEN", "API_KEY", "OPTIONAL"}


def test_assignments_are_split_at_the_first_equals_sign() -> None:
    assert read_assignments(["A=1", "B=x=y", "C="]) == {"A": "1", "B": "x=y", "C": ""}


def test_bad_assignments_are_all_named_without_their_values() -> None:
    with pytest.raises(SettingsError) as caught:
        read_assignments(["A", "=secret", "B=1"])
    assert len(caught.value.faults) == 2
    assert "secret" not in str(caught.value)
