"""The address of a server that runs elsewhere, and the headers that a client sends to it.

`${NAME}` in a header is a variable of the client's environment. Each client writes that in its
own words, so that the value itself is in no file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.config_file import looks_secret
from appfunctions_mcp.install.references import ReferenceStyle
from appfunctions_mcp.lazy_regex import regex

URL_KEYS = ("url", "serverUrl", "httpUrl")
_BEARER = "Bearer "
_VARIABLE_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLE = regex(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_ASSIGNMENT = regex(r"([^=:]*)[=:][ \t]*(.*)")
_BLANK = regex(r"[\s\x00-\x20\x7f]")
_HEADER_NAME = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = regex(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server runs, and what an entry has its client send along."""

    url: str
    server: str
    """The name of the entry."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Values by name; `${NAME}` is a variable of the client's environment."""

    @property
    def variables(self) -> list[str]:
        """The variables that the headers refer to."""
        found = (_VARIABLE.findall(value) for value in self.headers.values())
        return list(dict.fromkeys(name for names in found for name in names))

    def written_headers(self, references: ReferenceStyle) -> dict[str, str]:
        """The headers as an entry has them, variables in the words of its client."""
        return {
            name: _VARIABLE.sub(
                lambda found: (
                    references.write(self.server, found[1], is_optional=False) or found.group()
                ),
                value,
            )
            for name, value in self.headers.items()
        }

    def written(self, references: ReferenceStyle) -> dict[str, Any]:
        """The part of an entry that holds the headers; empty where there are none."""
        return {"headers": self.written_headers(references)} if self.headers else {}

    def literal_secrets(self) -> list[str]:
        """What looks like a secret and stands there as it is: headers, parts of the address."""
        query = [name for name, value in parse_qsl(urlsplit(self.url).query) if value]
        headers = [name for name, value in self.headers.items() if not _VARIABLE.search(value)]
        return [name for name in (*headers, *query) if looks_secret(name)]


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What a client sends for an entry: references replaced."""

    url: str
    headers: dict[str, str]
    missing: list[str]
    """Variables that have no value here."""


def require_url(url: str) -> str:
    """The address of a server, if an entry may hold it.

    Raises:
        SettingsError: It is none of http or https, has no host, or holds a password.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise SettingsError(f"--url {url!r}: {error}; write --url https://HOST/mcp") from error
    if parts.scheme not in {"http", "https"} or not host or _BLANK.search(url):
        raise SettingsError(f"--url {url!r}: no address of http or https; write https://HOST/mcp")
    if parts.username or parts.password:
        raise SettingsError(
            f"--url: the address of {host} holds a user name or a password; leave it out"
        )
    return url


def read_headers(assignments: Sequence[str], bearer_variable: str | None) -> dict[str, str]:
    """The headers of `--header NAME=VALUE` and `--bearer-env NAME`; values are never shown.

    Raises:
        SettingsError: One is no header, or stands twice.
    """
    headers: dict[str, str] = {}
    pairs = [_read_header(text) for text in assignments]
    if bearer_variable is not None:
        if not _VARIABLE_NAME.fullmatch(bearer_variable):
            raise SettingsError(
                "--bearer-env: not the name of a variable; write --bearer-env NAME, "
                "where NAME holds the token"
            )
        pairs.append(("Authorization", f"{_BEARER}${{{bearer_variable}}}"))
    for name, value in pairs:
        if name.lower() in map(str.lower, headers):
            raise SettingsError(f"the header {name} is given twice; keep one")
        headers[name] = value
    return headers


def _read_header(text: str) -> tuple[str, str]:
    found = _ASSIGNMENT.fullmatch(text)
    name, value = (found[1].strip(), found[2].strip()) if found else (text, "")
    if not found or not _HEADER_NAME.fullmatch(name):
        shown = name if found else "…"
        raise SettingsError(f"--header {shown}: not NAME=VALUE; write --header NAME=VALUE")
    if not _HEADER_VALUE.fullmatch(value):
        raise SettingsError(
            f"--header {name}: its value is empty, or has characters that no header can have"
        )
    return name, value


def require_no_secrets(address: Address, where: str) -> None:
    """Refuses an address that would put a secret into a file that is to hold none.

    Raises:
        SettingsError: A header or a part of the address looks like a secret.
    """
    for name in address.literal_secrets():
        raise SettingsError(
            f"{name} looks like a secret, and {where} is to hold none: keep its value in a "
            f"variable, and write --bearer-env NAME or --header '{name}=${{NAME}}' (in single "
            "quotes, or the shell puts the value there)"
        )


def bearer_variable(name: str, value: str) -> str | None:
    """The variable of a header that is a bearer token out of one; None for another header."""
    if name.lower() != "authorization" or not value.startswith(_BEARER):
        return None
    return whole_variable(value.removeprefix(_BEARER))


def whole_variable(value: str) -> str | None:
    """The variable that a value consists of; None where it is more or less than one."""
    found = _VARIABLE.fullmatch(value)
    return found[1] if found else None


def has_variables(value: str) -> bool:
    """Whether a value refers to a variable."""
    return _VARIABLE.search(value) is not None


def read_url(entry: Any) -> str | None:
    """The address that an entry has; None for one that starts a program."""
    if not isinstance(entry, dict) or "command" in entry:
        return None
    return next((entry[key] for key in URL_KEYS if isinstance(entry.get(key), str)), None)


def read_request(
    entry: Any, references: ReferenceStyle, environ: Mapping[str, str]
) -> SentRequest | None:
    """What a client sends for an entry; None for one that starts a program.

    Args:
        entry: The entry of a client's file.
        references: How that client refers to variables.
        environ: The client's environment.
    """
    url = read_url(entry)
    if url is None:
        return None
    texts = _texts(entry, "headers") | _texts(entry, "http_headers")
    missing = [name for text in (url, *texts.values()) for name in references.find(text)]
    headers = {name: references.expand(text, environ) for name, text in texts.items()}
    by_name = {name: ("", variable) for name, variable in _texts(entry, "env_http_headers").items()}
    if isinstance(entry.get("bearer_token_env_var"), str):
        by_name["Authorization"] = (_BEARER, entry["bearer_token_env_var"])
    for name, (before, variable) in by_name.items():
        missing.append(variable)
        headers[name] = f"{before}{environ.get(variable, '')}"
    missing = sorted({name for name in missing if not environ.get(name)})
    return SentRequest(references.expand(url, environ), headers, missing)


def _texts(entry: Mapping[str, Any], key: str) -> dict[str, str]:
    """The texts of a table of an entry."""
    table = entry.get(key)
    if not isinstance(table, dict):
        return {}
    return {name: value for name, value in table.items() if isinstance(value, str)}
