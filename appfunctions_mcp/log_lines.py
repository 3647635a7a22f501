"""Log records as lines: JSON objects, or what people read on a terminal; without secrets.

Imported with the first line that is written, since structlog comes with it.
"""

import logging
from collections.abc import MutableMapping
from typing import Any

import structlog

from appfunctions_mcp.secret_values import without_secrets
from appfunctions_mcp.telemetry import FIELDS, without_controls


def rendered(record: logging.LogRecord, *, is_json: bool, has_colours: bool) -> str:
    """The line of a record, or its lines on a terminal.

    Args:
        record: What was logged, by whomever.
        is_json: Whether the line is a JSON object.
        has_colours: Whether what is no JSON has colours.
    """
    fields: MutableMapping[str, Any] = getattr(record, FIELDS, None) or {}
    event: MutableMapping[str, Any] = {
        "event": "execution" if fields else record.getMessage(),
        "level": record.levelname.lower(),
        "logger": record.name,
        **fields,
    }
    structlog.processors.TimeStamper(fmt="iso")(None, "", event)
    crash = _crash_text(record)
    if is_json:
        if crash is not None:
            event["exception"] = crash
        return without_secrets(str(structlog.processors.JSONRenderer()(None, "", event)))
    event["event"] = without_controls(str(event["event"]))
    render = structlog.dev.ConsoleRenderer(
        colors=has_colours, repr_native_str=True, pad_event_to=0, pad_level=False
    )
    line = render(None, "", event)
    if crash is not None:
        # Without the renderer's own form, which would show the values of local variables.
        line = f"{line}\n{without_controls(crash)}"
    return without_secrets(line)


def _crash_text(record: logging.LogRecord) -> str | None:
    """The traceback that a record has, as text."""
    if record.exc_text:
        return record.exc_text
    if record.exc_info and record.exc_info[0] is not None:
        return logging.Formatter().formatException(record.exc_info)
    return None
