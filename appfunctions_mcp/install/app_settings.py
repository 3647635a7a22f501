"""Collects what an app's user supplies (`mcp:setting`) for the environment of an entry.

Knows nothing of terminals: asking is a function that is passed in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.config_file import looks_secret
from appfunctions_mcp.install.entry import absolute_path
from appfunctions_mcp.install.references import ReferenceStyle
from appfunctions_mcp.metadata import AppSetting
from appfunctions_mcp.settings import read_app_settings

Ask = Callable[[AppSetting], str | None]


@dataclass(frozen=True, slots=True)
class SettingsRequest:
    """Where values may come from, the first that has one wins."""

    given: Mapping[str, str]
    """From `--env`; names that are no settings are taken as they are."""
    kept: Mapping[str, str]
    """From the entry that is there already."""
    environ: Mapping[str, str]
    expand: Callable[[str], str] = str
    """What the client makes of a value: it may replace references to variables."""
    ask: Ask | None = None
    """Asks a person; None where nobody can be asked."""
    hidden: ReferenceStyle | None = None
    """How secrets are referred to that stay out of the file; None writes them into it."""
    server: str = ""
    """The name of the entry."""
    file: str = "the metadata"


@dataclass(frozen=True, slots=True)
class CollectedEnvironment:
    """The environment of an entry, as it is written and as it is started."""

    written: dict[str, str]
    effective: dict[str, str]
    references: tuple[str, ...]
    """The secrets that are not in the file."""
    inherited: tuple[str, ...] = ()
    """Those of them that the client passes on by their names."""


def collect_environment(
    settings: Sequence[AppSetting], request: SettingsRequest
) -> CollectedEnvironment:
    """The environment of an entry of an app with these settings.

    Raises:
        SettingsError: Required settings have no value, or values are not accepted; all are named.
    """
    written = dict(request.given)
    for setting in settings:
        value = _value(setting, request)
        if value is not None:
            written[setting.name] = value
    effective = {name: request.expand(value) for name, value in written.items()}
    _require_all(settings, effective, request)
    read_app_settings(tuple(settings), effective)
    references = _hide_secrets(settings, request, effective, written)
    inherited = tuple(name for name in references if name not in written)
    return CollectedEnvironment(written, effective, tuple(references), inherited)


def _hide_secrets(
    settings: Sequence[AppSetting],
    request: SettingsRequest,
    effective: Mapping[str, str],
    written: dict[str, str],
) -> list[str]:
    """Puts references in the place of secrets where the file is not to hold them; names them."""
    if request.hidden is None:
        return []
    declared = {setting.name: setting for setting in settings}
    references = []
    for name in effective:
        if declared[name].sensitive if name in declared else looks_secret(name):
            references.append(name)
            is_optional = name in declared and not declared[name].required
            reference = request.hidden.write(request.server, name, is_optional=is_optional)
            written.pop(name)
            if reference is not None:
                written[name] = reference
    return references


def read_assignments(assignments: Sequence[str]) -> dict[str, str]:
    """The variables of `--env K=V` options.

    Raises:
        SettingsError: An assignment has no name or no `=`; all such are named.
    """
    faults = [
        f"--env {_name_only(text)}: not NAME=VALUE; write --env NAME=VALUE"
        for text in assignments
        if "=" not in text or not _name_only(text).strip()
    ]
    if faults:
        raise SettingsError(faults)
    return dict(text.split("=", 1) for text in assignments)


def _name_only(assignment: str) -> str:
    """What may be shown of an assignment: never its value."""
    return assignment.partition("=")[0]


def _value(setting: AppSetting, request: SettingsRequest) -> str | None:
    """The value of one setting, fit for a server that is started elsewhere."""
    if setting.name in request.given:
        return _absolute(setting, request.given[setting.name])
    kept = request.kept.get(setting.name)
    if kept and request.expand(kept):
        return kept
    value = request.environ.get(setting.name) or (request.ask(setting) if request.ask else None)
    # A reference that has no value in this shell may have one where the client runs.
    return _absolute(setting, value) if value else kept or None


def _absolute(setting: AppSetting, value: str) -> str:
    """A path as it reads from any folder; another value as it is."""
    if not value or "${" in value or setting.type not in {"file", "directory"}:
        return value
    return str(absolute_path(Path(value).expanduser()))


def _require_all(
    settings: Sequence[AppSetting], effective: Mapping[str, str], request: SettingsRequest
) -> None:
    """Names every required setting without a value."""
    faults = []
    for setting in settings:
        value = effective.get(setting.name, "").strip() or setting.default
        if value or not setting.required:
            continue
        title = f" ({setting.title})" if setting.title else ""
        fix = f"export {setting.name}" if setting.sensitive else f"--env {setting.name}=VALUE"
        faults.append(
            f"{request.file}:{setting.line}: required setting {setting.name}{title} has no value; "
            f"give it with {fix}"
        )
    if faults:
        raise SettingsError(faults)
