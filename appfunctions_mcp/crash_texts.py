"""The traceback of a crash as it may be logged: without what is known to be secret.

Secrets are known by value (sensitive settings, tokens, sensitive arguments of the call) or by
the name that stands before them in the exception's text, as in `password=…`.
"""

import logging
import re
import traceback
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.redaction import is_sensitive, sensitive_values
from appfunctions_mcp.secret_values import HIDDEN, without_secrets
from appfunctions_mcp.telemetry import ExecutionRecord

_NAME = re.compile(r"""(?P<name>[A-Za-z_][\w-]*)["']?\s*[=:]\s*""")
_VALUE = re.compile(
    r"""(Bearer\s+|Basic\s+)?("[^"]*"|'[^']*'|["']?[^\s"',;&)}\]]+)""", re.IGNORECASE
)
_SCHEME = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+(?!token\b)[\w.~+/=-]{4,}", re.IGNORECASE)
_CLASS_ENDINGS = ("Error", "Exception", "Warning", "Exit", "Interrupt")


def log_crash(
    logger: logging.Logger, text: str, record: ExecutionRecord, extra: Mapping[str, Any]
) -> None:
    """Logs a crash as an error with its traceback.

    Args:
        logger: Where to.
        text: The fields of the execution, in words.
        record: The execution.
        extra: Further attributes of the log record.
    """
    assert record.crash is not None  # noqa: S101 - only called for crashes
    crash = crash_behind(record.crash)
    whole = crash_text(crash)
    secrets = sensitive_values(record.arguments or {}, record.input_schema or {})
    shown = without_named_secrets(without_secrets(whole, secrets))
    exc_info = (type(crash), crash, crash.__traceback__)
    made = logger.makeRecord(
        logger.name, logging.ERROR, __file__, 0, "execution %s", (text,),
        # Formatters of other programs take the text, where there is one, over the exception.
        exc_info if shown == whole else None, extra=extra,
    )  # fmt: skip
    made.exc_text = shown
    logger.handle(made)


def crash_behind(failure: BaseException) -> BaseException:
    """What crashed, behind the exceptions that the caller may see."""
    while isinstance(failure, AppFunctionException) and failure.__cause__ is not None:
        failure = failure.__cause__
    return failure


def crash_text(crash: BaseException) -> str:
    """The traceback of a crash, without the line feed at its end."""
    return "".join(traceback.format_exception(crash)).removesuffix("\n")


def without_named_secrets(text: str) -> str:
    """Hides values behind sensitive names in a traceback; its lines of source stay as they are."""
    return "\n".join(_without_named(line) for line in text.split("\n"))


def _without_named(line: str) -> str:
    if line.startswith(("    ", '  File "')):
        return line
    shown, position = "", 0
    while found := _NAME.search(line, position):
        shown += line[position : found.end()]
        position = found.end()
        value = _VALUE.match(line, position)
        if value is not None and _is_secret(found["name"]):
            shown += HIDDEN
            position = value.end()
    return _SCHEME.sub(lambda found: f"{found['scheme']} {HIDDEN}", shown + line[position:])


def _is_secret(name: str) -> bool:
    return is_sensitive(name) and not name.endswith(_CLASS_ENDINGS)
