"""The options of a server, from its environment and its command line, checked once.

The only reader of the environment. Every option of `run` has a variable: `APPFUNCTIONS_` and
the option's name. All faults are told at once.
"""

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppSetting
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record, replaced

if TYPE_CHECKING:
    from appfunctions_mcp.oauth_settings import OAuthSettings
    from appfunctions_mcp.requests import LogLevel

PREFIX = "APPFUNCTIONS_"
DEFAULT_HTTP_HOST = "127.0.0.1"
DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024
SHORTEST_STATE_KEY = 16
MOST_WORKERS = 64
"""Each is a process with the app in it: a slip of a finger must not use up the memory."""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_HTTP_ADDRESS = regex(
    r"((?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+(%\w+)?\]):)?(?P<port>[0-9]{1,5})"
)
_MODULE = regex(r"[^\W\d]\w*(\.[^\W\d]\w*)*(:[A-Za-z_][A-Za-z0-9_-]*)?")
_HOST = regex(r"[^\s/]+")
_VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = regex(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# What Claude Desktop leaves in the environment for an optional setting that nobody filled in.
_NOT_FILLED_IN = regex(r"\$\{user_config\.[^}]*\}")


@record(frozen=True, slots=True)
class HttpAddress:
    """Where to listen; port 0 takes any that is free."""

    host: str
    port: int


def _text(text: str) -> str:
    return text


def _flag(text: str) -> bool:
    folded = text.casefold()
    if folded not in _TRUE | _FALSE:
        raise ValueError("true or false (also 1, 0, yes, no, on, off)")
    return folded in _TRUE


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) > 0):
        raise ValueError("a whole number of 1 or more")
    return int(text)


def _workers(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) < 16
    if not is_number or not 1 <= int(text) <= MOST_WORKERS:
        raise ValueError(f"a whole number from 1 to {MOST_WORKERS}")
    return int(text)


def _path(text: str) -> Path:
    return Path(os.path.abspath(os.path.expanduser(text)))  # noqa: PTH100, PTH111 - never raises


def _pattern(pattern: re.Pattern[str], accepted: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(accepted)
        return text

    return parse


def _choice(*accepted: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.casefold() not in accepted:
            raise ValueError(", ".join(accepted[:-1]) + " or " + accepted[-1])
        return text.casefold()

    return parse


def _http_address(text: str) -> HttpAddress:
    found = _HTTP_ADDRESS.fullmatch(text)
    if not found or int(found["port"]) > 65_535:
        raise ValueError("[HOST:]PORT, such as 8000, 127.0.0.1:8000 or [::1]:8000")
    return HttpAddress((found["host"] or DEFAULT_HTTP_HOST).strip("[]"), int(found["port"]))


def _oauth(check: str) -> Callable[[str], str]:
    """A parser of the module that only servers with OAuth need."""

    def parse(text: str) -> str:
        from appfunctions_mcp import oauth_settings

        parsed: str = getattr(oauth_settings, check)(text)
        return parsed

    return parse


def _state_key(text: str) -> str:
    if len(text) < SHORTEST_STATE_KEY:
        raise ValueError(f"random keys of {SHORTEST_STATE_KEY} characters or more")
    return text


@record(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every option of a server; the names are those of the options and of the variables."""

    file: Path | None = None
    """The metadata file, or an app's folder."""
    http: HttpAddress | None = None
    """Where to serve HTTP; None serves stdio."""
    module: tuple[str, ...] = ()
    """`NAME[:PREFIX]` of each module to serve beside those of the metadata."""
    locale: str | None = None
    only: tuple[str, ...] = ()
    """Patterns of tool names or ids; what matches none is not served."""
    sessions: bool = False
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES
    allowed_host: tuple[str, ...] = ()
    allowed_origin: tuple[str, ...] = ()
    token_env: str | None = None
    """The variable that holds the bearer token."""
    allow_anonymous: bool = False
    workers: int = 1
    oauth_issuer: str | None = None
    oauth_audience: str | None = None
    oauth_jwks: str | None = None
    oauth_scope: tuple[str, ...] = ()
    oauth_algorithm: tuple[str, ...] = ()
    """How tokens may be signed; none means every algorithm whose keys are published."""
    audit_file: Path | None = None
    """Where executions, denials and changes of states are written down."""
    audit_arguments: bool = False
    """Whether the arguments of calls are written there too, redacted."""
    resources: Path | None = None
    """The folder with the strings that the metadata names."""
    eager: bool = False
    no_loop_guard: bool = False
    state_file: Path | None = None
    watch_parent: bool = False
    log_level: "LogLevel | None" = None
    """None: what fits the transport, see `effective_log_level`."""
    debug: bool = False
    """Whether a caller sees the details of a crash, and the log the arguments."""
    watch: bool = False
    state_keys: tuple[str, ...] = field(default=(), repr=False)
    """Secrets that the processes of one server share: the first signs, all verify."""
    engine: Literal["lean", "sdk"] | None = None
    stdio: Literal["auto", "threads"] = "auto"
    """Whether stdio uses threads even where the platform can do without."""
    provider: str | None = None
    no_color: bool = False
    """Whether `NO_COLOR` asks for no colours on terminals."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Reads the `APPFUNCTIONS_…` variables; a blank one counts as absent.

        An unknown one is told by a warning.

        Args:
            environ: The environment.

        Raises:
            SettingsError: Values that are not accepted, each with its variable.
        """
        options = {PREFIX + name.upper(): name for name in _OPTIONS}
        given = {options[v]: text for v, text in environ.items() if v in options and text.strip()}
        _warn_of_unknown([v for v in environ if v.startswith(PREFIX) and v not in options], options)
        values = _parsed(given, lambda name: PREFIX + name.upper(), separator=",")
        return cls(**values, no_color=bool(environ.get("NO_COLOR")))

    def merged(self, command_line: Mapping[str, Any]) -> "Settings":
        """These settings with what the command line says, which wins.

        Args:
            command_line: Values by option, `max_body_bytes` for `--max-body-bytes`: text, a list
                of texts, or what is already of its type. None and an empty list were not given.
                Other names are left aside, and so is `file`, which stands among other words.

        Raises:
            SettingsError: Values that are not accepted, each with its option.
        """
        options = _OPTIONS.keys() - {"file"}
        given = {n: v for n, v in command_line.items() if n in options and v not in (None, [], ())}
        values = _parsed(given, lambda name: "--" + name.replace("_", "-"), separator=None)
        return replaced(self, **values)

    @property
    def effective_log_level(self) -> "LogLevel":
        """The level that was asked for, else `warning` on stdio and `info` over HTTP."""
        return self.log_level or ("info" if self.http else "warning")

    def token(self, environ: Mapping[str, str]) -> str | None:
        """The bearer token that callers must have; None where none is asked for.

        Args:
            environ: The environment that holds the variable which `token_env` names.

        Raises:
            SettingsError: The variable is absent or blank.
        """
        if self.token_env is None:
            return None
        token = environ.get(self.token_env, "").strip()
        if not token:
            raise SettingsError(
                f"--token-env: the variable {self.token_env} is not set; put the token into it"
            )
        return token

    def oauth(self) -> "OAuthSettings | None":
        """The authorization server whose tokens are accepted; None where none is named.

        Raises:
            SettingsError: A part of what must be known of it is missing, or a token is asked
                for as well.
        """
        from appfunctions_mcp.oauth_settings import read_oauth

        return read_oauth(
            self.oauth_issuer,
            self.oauth_audience,
            self.oauth_jwks,
            scopes=self.oauth_scope,
            algorithms=self.oauth_algorithm,
            has_token=self.token_env is not None,
        )


@record(frozen=True, slots=True)
class _Option:
    """How one value of an option is read, whether it may have several, whether it is secret."""

    parse: Callable[[str], Any]
    many: bool = False
    secret: bool = False


_OPTIONS: Mapping[str, _Option] = {
    "file": _Option(_path),
    "http": _Option(_http_address),
    "module": _Option(_pattern(_MODULE, "NAME[:PREFIX], a Python module"), many=True),
    "locale": _Option(_text),
    "only": _Option(_text, many=True),
    "sessions": _Option(_flag),
    "max_body_bytes": _Option(_positive),
    "allowed_host": _Option(_pattern(_HOST, "NAME[:PORT], such as notes.example.com"), many=True),
    "allowed_origin": _Option(_text, many=True),
    "token_env": _Option(_pattern(_VARIABLE, "the name of a variable")),
    "allow_anonymous": _Option(_flag),
    "workers": _Option(_workers),
    "oauth_issuer": _Option(_oauth("issuer_url")),
    "oauth_audience": _Option(_oauth("audience_name")),
    "oauth_jwks": _Option(_oauth("require_safe_url")),
    "oauth_scope": _Option(_oauth("scope_name"), many=True),
    "oauth_algorithm": _Option(_oauth("algorithm_name"), many=True),
    "audit_file": _Option(_path),
    "audit_arguments": _Option(_flag),
    "resources": _Option(_path),
    "eager": _Option(_flag),
    "no_loop_guard": _Option(_flag),
    "state_file": _Option(_path),
    "watch_parent": _Option(_flag),
    "log_level": _Option(_choice("debug", "info", "warning", "error")),
    "debug": _Option(_flag),
    "watch": _Option(_flag),
    "state_keys": _Option(_state_key, many=True, secret=True),
    "engine": _Option(_choice("lean", "sdk")),
    "stdio": _Option(_choice("auto", "threads")),
    "provider": _Option(_text),
}


def read_app_settings(
    settings: tuple[AppSetting, ...], environ: Mapping[str, str]
) -> dict[str, str | float | bool | Path | None]:
    """Reads what the app asks its user for, each from the variable of its name.

    Args:
        settings: The settings that the metadata declares.
        environ: The environment.

    Returns:
        The values by name; None for an optional one that has neither value nor default.

    Raises:
        SettingsError: Required settings that are missing, all in one fault, and values that
            are not accepted; a sensitive value is never shown.
    """
    values: dict[str, str | float | bool | Path | None] = {}
    missing: list[str] = []
    faults: list[str] = []
    for setting in settings:
        text = environ.get(setting.name, "").strip()
        if not text or _NOT_FILLED_IN.fullmatch(text):
            text = setting.default or ""
        try:
            values[setting.name] = _APP_SETTING_TYPES[setting.type](text) if text else None
        except ValueError as exc:
            shown = "this value" if setting.sensitive else quoted(text)
            faults.append(f"{setting.name}: {shown} is not accepted; set {exc}")
        if setting.required and not text:
            missing.append(f"{setting.name} ({setting.title})" if setting.title else setting.name)
    if missing:
        faults.insert(
            0,
            f"missing settings: {', '.join(missing)}; set the environment variables of these names",
        )
    if faults:
        raise SettingsError(faults)
    return values


def _number(text: str) -> float:
    if not (_NUMBER.fullmatch(text) and math.isfinite(float(text))):
        raise ValueError("a number")
    return float(text)


_APP_SETTING_TYPES: Mapping[str, Callable[[str], str | float | bool | Path]] = {
    "string": _text,
    "number": _number,
    "boolean": _flag,
    "file": _path,
    "directory": _path,
}


def _parsed(
    given: Mapping[str, Any], shown_name: Callable[[str], str], *, separator: str | None
) -> dict[str, Any]:
    """Values of the options' types; all that are not accepted in one error."""
    values: dict[str, Any] = {}
    faults: list[str] = []
    for name, value in given.items():
        option = _OPTIONS[name]
        try:
            values[name] = (
                _read_many(option, value, separator) if option.many else _read(option, value)
            )
        except ValueError as exc:
            faults.append(f"{shown_name(name)}: {exc}")
    if faults:
        raise SettingsError(faults)
    return values


def _read_many(option: _Option, value: Any, separator: str | None) -> tuple[Any, ...]:
    if isinstance(value, str):
        value = value.split(separator) if separator else [value]
    # What a variable of a shell was to fill in and has not must not leave a check out.
    return tuple(_read(option, each) for each in value if separator is None or str(each).strip())


def _read(option: _Option, value: Any) -> Any:
    """One value of an option's type; flags and paths may have theirs already."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return value
    text = str(value).strip()
    try:
        if not text:
            raise ValueError("a value, or leave the option out")  # noqa: TRY301 - one message
        return option.parse(text)
    except ValueError as exc:
        shown = "this value" if option.secret else quoted(text)
        raise ValueError(f"{shown} is not accepted; give {exc}") from exc


def _warn_of_unknown(unknown: list[str], known: Iterable[str]) -> None:
    if not unknown:
        return
    from appfunctions_mcp.names import nearest_names
    from appfunctions_mcp.telemetry import warn

    names = [variable.removeprefix(PREFIX) for variable in known]
    for variable in sorted(unknown):
        nearest = nearest_names(variable.removeprefix(PREFIX), names, 1)
        advice = f"did you mean {PREFIX}{nearest[0]}?" if nearest else "it has no effect"
        warn(f"{quoted(variable)} is no variable of this program; {advice}")
