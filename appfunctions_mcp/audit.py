"""The audit log: who executed what, who was refused, and what was switched on or off.

One JSON object a line, each appended by one write, so that several processes may share the file.
It is made for its owner only (0600) and moved aside when it has grown; a file that somebody else
has moved is made anew. Arguments are left out unless they are asked for, and then redacted. Who
is not let in writes so many lines a minute, and so cannot push all others out.
"""

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.json_text import JsonTextError, write_json
from appfunctions_mcp.metadata import AppChangeEvent, StatesChanged
from appfunctions_mcp.secret_values import without_secrets
from appfunctions_mcp.telemetry import ExecutionRecord, warn

if TYPE_CHECKING:
    from appfunctions_mcp.service import AppFunctionService

AUDIT_FILE_BYTES = 10_000_000
"""From which size on the file is moved aside."""
AUDIT_FILES_KEPT = 10
"""How many files that were moved aside are kept: `.1` is the youngest."""
REFUSALS_A_MINUTE = 100
"""How many refusals of requests before they were read are written; the others are counted."""

_LOCK_SECONDS = 5.0
_LONGEST_TEXT = 200
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)


class AuditLog:
    """Appends lines to one file.

    Args:
        path: The file; made if it is missing.
        log_arguments: Whether a line holds the arguments of a call, redacted.
        max_bytes: From which size on the file is moved aside.
        files_kept: How many of these are kept.
        clock: Seconds that only grow.

    Raises:
        SettingsError: The file cannot be written.
    """

    def __init__(
        self,
        path: Path,
        *,
        log_arguments: bool = False,
        max_bytes: int = AUDIT_FILE_BYTES,
        files_kept: int = AUDIT_FILES_KEPT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.failures = 0
        """How many lines could not be written."""
        self._location = os.fspath(path)
        self._log_arguments = log_arguments
        self._max_bytes = max_bytes
        self._files_kept = files_kept
        self._clock = clock
        self._lock = threading.Lock()
        self._is_failing = False
        self._is_cut = False
        self._minute = 0
        self._refusals = 0
        self._left_out = 0
        self._descriptor = -1
        try:
            self._open()
        except OSError as fault:
            raise SettingsError(
                f"--audit-file: {path} cannot be written: {fault.strerror or fault}; name a file "
                "in a folder of your own"
            ) from fault

    @property
    def is_failing(self) -> bool:
        """Whether the last line could not be written."""
        return self._is_failing

    def started(self, server: str, version: str, command: str) -> None:
        """Says that a process begins to write here.

        Args:
            server: The app's name.
            version: The app's version.
            command: What the process does, such as `run`.

        Raises:
            SettingsError: The line cannot be written.
        """
        user = os.getuid() if hasattr(os, "getuid") else None
        self._append(
            "started", {"server": server, "version": version, "command": command, "user": user}
        )
        if self._is_failing:
            raise SettingsError(f"--audit-file: {self.path} cannot be written; is the disk full?")

    def execution(self, record: ExecutionRecord) -> None:
        """Says that something was executed, or refused: a denial has an event of its own."""
        fields: dict[str, Any] = {
            "kind": record.kind,
            "id": _short(record.function_id),
            "outcome": record.outcome,
            "caller": _short(record.caller),
            "request_id": _short(record.request_id),
            "duration_ms": round(record.duration_ms, 3),
            "error_type": record.error_type,
            "error_id": record.error_id,
            "refusal": record.refusal,
            "result_bytes": record.result_bytes,
        }
        if self._log_arguments and record.arguments is not None and record.input_schema is not None:
            from appfunctions_mcp.redaction import redacted

            fields["arguments"] = redacted(record.arguments, record.input_schema)
        self._append("denial" if record.refusal == "denied" else "execution", fields)

    def refused(self, status: int, reason: str, *, client: str | None, path: str) -> None:
        """Says that a request was refused before it was read.

        Args:
            status: The HTTP status.
            reason: Why, in words of ours.
            client: The address that it came from.
            path: What was asked for.
        """
        minute = int(self._clock() // 60)
        if minute != self._minute:
            self._tell_left_out()
            self._minute, self._refusals = minute, 0
        self._refusals += 1
        if self._refusals > REFUSALS_A_MINUTE:
            self._left_out += 1
            return
        fields = {
            "status": status,
            "reason": reason,
            "client": client,
            "path": _short(path),
        }
        self._append("denial", fields)

    def state_changed(self, function_id: str, state: str, *, is_enabled: bool) -> None:
        """Says that a function was switched on or off, here or by another process.

        Args:
            function_id: The function.
            state: `default`, `enabled` or `disabled`.
            is_enabled: Whether it may be called now.
        """
        fields = {"kind": "function", "id": function_id, "state": state, "is_enabled": is_enabled}
        self._append("state", fields)

    def close(self) -> None:
        """Closes the file."""
        self._tell_left_out()
        with self._lock:
            self._close()

    def _tell_left_out(self) -> None:
        if self._left_out:
            left_out, self._left_out = self._left_out, 0
            self._append("denials", {"left_out": left_out})

    def _append(self, event: str, fields: Mapping[str, Any]) -> None:
        if self._left_out and int(self._clock() // 60) != self._minute:
            self._tell_left_out()
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": now, "event": event, "pid": os.getpid()}
        line |= {name: value for name, value in fields.items() if value is not None}
        try:
            text = write_json(line).decode()
        except JsonTextError as fault:  # of an argument that JSON cannot hold
            text = write_json(line | {"arguments": f"left out: {fault}"}).decode()
        written = without_secrets(text).encode() + b"\n"
        with self._lock:
            try:
                self._write(written)
            except OSError as fault:
                self._tell_failure(fault)
            else:
                self._is_failing = False

    def _write(self, line: bytes) -> None:
        size = self._size_at_path()
        if size is None:
            self._close()
            self._open()
        elif size and size + len(line) > self._max_bytes:
            self._move_aside(len(line))
        # What is half there since the disk was full must not swallow this line.
        begun = b"\n" + line if self._is_cut else line
        written = os.write(self._descriptor, begun)
        self._is_cut = written < len(begun)
        if self._is_cut:
            raise OSError(None, "the disk is full")

    def _size_at_path(self) -> int | None:
        """The size of the file, if what stands at its place is still the one that is open."""
        try:
            there = os.stat(self._location)  # noqa: PTH116 - the only system call but the write
        except FileNotFoundError:
            return None
        if self._descriptor < 0:
            return None
        here = os.fstat(self._descriptor)
        is_same = (here.st_ino, here.st_dev) == (there.st_ino, there.st_dev)
        return there.st_size if is_same else None

    def _move_aside(self, length: int) -> None:
        """Moves the file aside, unless another process has done so in the meantime."""
        from filelock import FileLock, Timeout

        lock = FileLock(f"{self.path}.lock", mode=0o600)
        try:
            with lock.acquire(timeout=_LOCK_SECONDS, poll_interval=0.01):
                size = self._size_at_path()
                self._close()  # Windows does not move a file that is open
                if size is not None and size + length > self._max_bytes:
                    self._shift()
        except Timeout:
            warn(f"{self.path}: {lock.lock_file} is held by another process; the file grows on")
        self._close()
        self._open()

    def _shift(self) -> None:
        for number in range(self._files_kept - 1, 0, -1):
            older = Path(f"{self.path}.{number}")
            with contextlib.suppress(FileNotFoundError):
                older.replace(f"{self.path}.{number + 1}")
        self.path.replace(f"{self.path}.1")

    def _open(self) -> None:
        if not _may_be_file(self._location):
            raise OSError(None, "it is no regular file")
        self._descriptor = os.open(self._location, _FLAGS, 0o600)
        self._is_cut = False
        if hasattr(os, "fchmod"):  # a file that was there may be open to others
            os.fchmod(self._descriptor, 0o600)

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _tell_failure(self, fault: OSError) -> None:
        self.failures += 1
        if not self._is_failing:
            self._is_failing = True
            warn(
                f"{self.path}: a line of the audit log could not be written "
                f"({fault.strerror or fault}); calls go on, and lines are lost until it can be"
            )


def start_audit(
    service: "AppFunctionService",
    path: Path,
    *,
    log_arguments: bool = False,
    command: str = "asgi",
) -> AuditLog:
    """Writes an audit log of a service from now on.

    Args:
        service: Whose executions and states are written down.
        path: The file; made if it is missing.
        log_arguments: Whether lines hold the arguments of calls, redacted.
        command: What this process does, for the first line.

    Returns:
        The log.

    Raises:
        SettingsError: The file cannot be written.
    """
    audit = AuditLog(path, log_arguments=log_arguments)
    audit.started(service.metadata.name, service.metadata.version, command)
    manager = service.manager

    def write_states(event: AppChangeEvent) -> None:
        if not isinstance(event, StatesChanged):
            return
        for function_id in sorted(event.function_ids):
            function = service.registry.find(function_id)
            if function is not None:
                is_on = manager.is_enabled(function.metadata)
                state = manager.state_of(function_id).value
                audit.state_changed(function_id, state, is_enabled=is_on)

    manager.add_listener(write_states)
    manager.log.audit = audit
    return audit


def _may_be_file(location: str) -> bool:
    """Whether there is a regular file, or nothing: a pipe would wait for its reader."""
    try:
        return stat.S_ISREG(os.stat(location).st_mode)  # noqa: PTH116 - as above
    except FileNotFoundError:
        return True


def _short(value: str | int | None) -> str | int | None:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value
