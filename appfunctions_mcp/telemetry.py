"""What operators see: one log line per execution, and warnings; always on stderr.

A line goes through the standard library's logging, so that a program which serves functions
inside its own process decides about it; `configure_logging` is for a process of our own. The
renderer is imported when a line is written: what the level refuses costs one comparison.
"""

import contextlib
import logging
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TextIO

from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    from appfunctions_mcp.audit import AuditLog
    from appfunctions_mcp.requests import ExecuteAppFunctionRequest
    from appfunctions_mcp.tracing import Spans

Outcome = Literal["success", "error", "crash", "cancelled", "asked"]
"""How an execution ended; `asked` is one whose questions have to be answered first."""
ExecutionKind = Literal["function", "resource", "prompt"]

FIELDS = "appfunctions_fields"
"""The attribute of a log record that holds an execution's fields."""

_LOGGER = logging.getLogger("appfunctions_mcp")
_EXECUTIONS = logging.getLogger("appfunctions_mcp.executions")
_CONTROLS = {
    number: f"\\x{number:02x}"
    for number in (*range(0x20), *range(0x7F, 0xA0))
    if chr(number) not in "\n\t"
}
_MOST_NAMES = 20


@record(frozen=True, slots=True)
class ExecutionRecord:
    """One execution as its log line tells it."""

    function_id: str
    """The function's id, the address or template of a resource, the name of a prompt."""
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
    kind: ExecutionKind = "function"
    refusal: str | None = None
    """Why nothing ran, in one word, such as `denied`; None where something did."""


class ExecutionMeter(Protocol):
    """Counts executions; there is one where somebody can ask for the numbers."""

    def count(
        self, kind: ExecutionKind, name: str, outcome: Outcome, seconds: float, result_bytes: int
    ) -> None:
        """Counts an execution of what is known by that name or id."""

    def count_rejection(self, reason: str) -> None:
        """Counts what was refused before anything ran."""


class ExecutionLog:
    """Writes one line per execution: a crash as an error with its traceback, all else as info.

    Args:
        log_arguments: Whether the line holds the arguments, redacted; for debugging.
        audit: Gets a line of each execution too.
    """

    def __init__(self, *, log_arguments: bool = False, audit: "AuditLog | None" = None) -> None:
        self._log_arguments = log_arguments
        self.audit = audit
        self.meter: ExecutionMeter | None = None
        """Counts executions, where somebody can ask for the numbers."""
        self.spans: Spans | None = None
        """Opens a span around each execution, where OpenTelemetry is configured."""

    @property
    def wants_all(self) -> bool:
        """Whether executions that went as anticipated are written too; else only failures are."""
        return self.audit is not None or _EXECUTIONS.isEnabledFor(logging.INFO)

    @property
    def wants_successes(self) -> bool:
        """Whether anybody is told of executions that went as anticipated."""
        return (
            self.meter is not None
            or self.audit is not None
            or _EXECUTIONS.isEnabledFor(logging.INFO)
        )

    def record(self, record: ExecutionRecord) -> None:
        """Writes a record's line, if the level wants it."""
        if self.audit is not None:
            self.audit.execution(record)
        level = logging.INFO if record.crash is None else logging.ERROR
        if not _EXECUTIONS.isEnabledFor(level):
            return
        fields = self._fields_of(record)
        text = " ".join(f"{name}={value!r}" for name, value in fields.items())
        if record.crash is None:
            _EXECUTIONS.log(level, "execution %s", text, extra={FIELDS: fields})
            return
        from appfunctions_mcp.crash_texts import log_crash

        log_crash(_EXECUTIONS, text, record, {FIELDS: fields})

    def dropped_arguments(self, request: "ExecuteAppFunctionRequest", names: list[str]) -> None:
        """Writes which arguments were left out since the function has none of that name."""
        if _EXECUTIONS.isEnabledFor(logging.INFO):
            shown = ", ".join(quoted(name) for name in names[:_MOST_NAMES])
            _EXECUTIONS.info("%s: dropped the arguments %s", quoted(request.function), shown)

    def _fields_of(self, record: ExecutionRecord) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "kind": None if record.kind == "function" else record.kind,
            "function_id": record.function_id,
            "outcome": record.outcome,
            "duration_ms": round(record.duration_ms, 3),
            "request_id": record.request_id,
            "caller": record.caller,
            "error_type": record.error_type,
            "error_id": record.error_id,
            "result_bytes": record.result_bytes,
        }
        if self.spans is not None:
            fields |= self.spans.current_ids()
        if self._log_arguments and record.arguments is not None and record.input_schema is not None:
            from appfunctions_mcp.redaction import redacted

            fields["arguments"] = redacted(record.arguments, record.input_schema)
        return {name: value for name, value in fields.items() if value is not None}


def configured_spans() -> "Spans | None":
    """Makes spans where this process has configured OpenTelemetry; costs nothing elsewhere."""
    if "opentelemetry.trace" not in sys.modules:
        return None
    from appfunctions_mcp import __version__, tracing

    return tracing.configured_spans(__version__)


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
        from appfunctions_mcp.secret_values import without_secrets

        shown = without_controls(without_secrets(text))
        _write(sys.stderr, f"appfunctions-mcp: warning: {shown}\n")


def without_controls(text: str) -> str:
    """A text whose control characters, but for line feeds and tabs, are written out."""
    return text.translate(_CONTROLS)


class _StderrHandler(logging.Handler):
    """Writes records to stderr; what renders them is imported for the first of them."""

    def __init__(self, *, json: bool | None, colours: bool, stream: TextIO | None) -> None:
        super().__init__()
        self._json = json
        self._colours = colours
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        stream = self._stream or sys.stderr
        try:
            from appfunctions_mcp.log_lines import rendered

            is_terminal = _is_terminal(stream)
            is_json = self._json if self._json is not None else not is_terminal
            has_colours = is_terminal and self._colours
            line = rendered(record, is_json=is_json, has_colours=has_colours)
        except Exception:  # noqa: BLE001 - logging reports its own faults and never raises them
            self.handleError(record)
        else:
            _write(stream, line + "\n")


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
