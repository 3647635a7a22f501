"""What operators see: one log line per execution, and warnings; always on stderr.

A line goes through the standard library's logging, so that a program which serves functions
inside its own process decides about it; `configure_logging` is for a process of our own. The
renderer is imported when a line is written: what the level refuses costs one comparison.
"""

import contextlib
import logging
import sys
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Literal, TextIO

from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    from appfunctions_mcp.requests import ExecuteAppFunctionRequest

Outcome = Literal["success", "error", "crash", "cancelled"]

_LOGGER = logging.getLogger("appfunctions_mcp")
_EXECUTIONS = logging.getLogger("appfunctions_mcp.executions")
_FIELDS = "appfunctions_fields"
_CONTROLS = {
    number: f"\\x{number:02x}"
    for number in (*range(0x20), *range(0x7F, 0xA0))
    if chr(number) not in "\n\t"
}
_LONGEST_TEXT = 200
_MOST_NAMES = 20


@record(frozen=True, slots=True)
class ExecutionRecord:
    """One execution as its log line tells it."""

    function_id: str
    outcome: Outcome
    duration_ms: float
    caller: str
    request_id: str | int | None = None
    error_type: str | None = None
    """The class name of what the caller got instead of a value."""
    error_id: str | None = None
    """What a crash is found by: the caller got the same id."""
    result_bytes: int | None = None
    crash: BaseException | None = None
    """What nobody anticipated, or what the caller got with that as its cause; logged with its
    traceback."""
    arguments: Mapping[str, Any] | None = None
    """The raw arguments; logged, redacted, only where arguments are logged at all."""
    input_schema: Mapping[str, Any] | None = None
    """Tells which arguments are sensitive; without it none is logged."""


class ExecutionLog:
    """Writes one line per execution: a crash as an error with its traceback, all else as info.

    Args:
        log_arguments: Whether the line holds the arguments, redacted; for debugging.
    """

    def __init__(self, *, log_arguments: bool = False) -> None:
        self._log_arguments = log_arguments

    @property
    def wants_all(self) -> bool:
        """Whether executions that went as anticipated are written too; else only crashes are."""
        return _EXECUTIONS.isEnabledFor(logging.INFO)

    def record(self, record: ExecutionRecord) -> None:
        """Writes a record's line, if the level wants it."""
        level = logging.INFO if record.crash is None else logging.ERROR
        if not _EXECUTIONS.isEnabledFor(level):
            return
        fields = self._fields_of(record)
        text = " ".join(f"{name}={value!r}" for name, value in fields.items())
        exc = None if record.crash is None else _crash_behind(record.crash)
        exc_info = None if exc is None else (type(exc), exc, exc.__traceback__)
        _EXECUTIONS.log(level, "execution %s", text, exc_info=exc_info, extra={_FIELDS: fields})

    def dropped_arguments(self, request: "ExecuteAppFunctionRequest", names: list[str]) -> None:
        """Writes which arguments were left out since the function has none of that name."""
        if self.wants_all:
            shown = ", ".join(quoted(name) for name in names[:_MOST_NAMES])
            _EXECUTIONS.info("%s: dropped the arguments %s", quoted(request.function), shown)

    def _fields_of(self, record: ExecutionRecord) -> dict[str, Any]:
        fields = {
            "function_id": record.function_id,
            "outcome": record.outcome,
            "duration_ms": round(record.duration_ms, 3),
            "request_id": record.request_id,
            "caller": record.caller,
            "error_type": record.error_type,
            "error_id": record.error_id,
            "result_bytes": record.result_bytes,
        }
        if self._log_arguments and record.arguments is not None and record.input_schema is not None:
            from appfunctions_mcp.redaction import redacted

            fields["arguments"] = redacted(record.arguments, record.input_schema)
        return {name: value for name, value in fields.items() if value is not None}


def configure_logging(
    level: str = "warning",
    *,
    json: bool | None = None,
    colours: bool = True,
    stream: TextIO | None = None,
) -> None:
    """Sends what this process logs to stderr; for a process of our own, once at its start.

    Args:
        level: `debug`, `info`, `warning` or `error`.
        json: Whether each line is a JSON object; None means unless the stream is a terminal.
        colours: Whether a terminal may get colours; false under `NO_COLOR`.
        stream: Where lines go; None means stderr, whatever it is at that time.
    """
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, _StderrHandler)]:
        root.removeHandler(handler)
    root.addHandler(_StderrHandler(json=json, colours=colours, stream=stream))
    root.setLevel(level.upper())


def tell(text: str) -> None:
    """Writes a log line at the level `info`: something went as it should."""
    _LOGGER.info(text)


def warn(text: str) -> None:
    """Writes one plain line to stderr: something is not as its owner would expect.

    Args:
        text: What it is and what helps; `FILE:LINE: what; fix` where there is a file.
    """
    if _LOGGER.isEnabledFor(logging.WARNING):
        _write(sys.stderr, f"appfunctions-mcp: warning: {text.translate(_CONTROLS)}\n")


def _crash_behind(failure: BaseException) -> BaseException:
    """What crashed, behind the exceptions that the caller may see."""
    while isinstance(failure, AppFunctionException) and failure.__cause__ is not None:
        failure = failure.__cause__
    return failure


class _StderrHandler(logging.Handler):
    """Renders records with structlog, which is imported for the first of them."""

    def __init__(self, *, json: bool | None, colours: bool, stream: TextIO | None) -> None:
        super().__init__()
        self._json = json
        self._colours = colours
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        stream = self._stream or sys.stderr
        try:
            line = self._rendered(record, stream)
        except Exception:  # noqa: BLE001 - logging reports its own faults and never raises them
            self.handleError(record)
        else:
            _write(stream, line + "\n")

    def _rendered(self, record: logging.LogRecord, stream: TextIO) -> str:
        import structlog

        fields: MutableMapping[str, Any] = getattr(record, _FIELDS, None) or {}
        event: MutableMapping[str, Any] = {
            "event": "execution" if fields else record.getMessage(),
            "level": record.levelname.lower(),
            "logger": record.name,
            **fields,
        }
        if record.exc_info:
            event["exc_info"] = record.exc_info
        structlog.processors.TimeStamper(fmt="iso")(None, "", event)
        is_terminal = _is_terminal(stream)
        if self._json if self._json is not None else not is_terminal:
            structlog.processors.format_exc_info(None, "", event)
            return str(structlog.processors.JSONRenderer()(None, "", event))
        event["event"] = str(event["event"]).translate(_CONTROLS)
        return _console_line(event, has_colours=is_terminal and self._colours)


def _console_line(event: MutableMapping[str, Any], *, has_colours: bool) -> str:
    import structlog

    exc_info = event.pop("exc_info", None)
    render = structlog.dev.ConsoleRenderer(
        colors=has_colours, repr_native_str=True, pad_event_to=0, pad_level=False
    )
    line = render(None, "", event)
    if exc_info:
        # Without the renderer's own form, which would show the values of local variables.
        traceback = logging.Formatter().formatException(exc_info)
        line = f"{line}\n{traceback.translate(_CONTROLS)}"
    return line


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def _write(stream: TextIO | None, text: str) -> None:
    """Writes to a stream that may be absent, closed or cut off; then nobody reads it anyway."""
    if stream is not None:
        with contextlib.suppress(OSError, ValueError):
            stream.write(text)
            stream.flush()
