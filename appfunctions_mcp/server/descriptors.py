"""The process's standard streams, taken away from everybody but the protocol.

`guard_stdout` makes private copies of the descriptors 0 and 1, points 1 at stderr and 0 at the
null device. Whatever a module prints, and whatever a child process inherits, then misses the
protocol. Call it before user code is imported.
"""

import os
import sys
from typing import TextIO

from appfunctions_mcp.records import record


@record(frozen=True, slots=True)
class ProtocolDescriptors:
    """The two descriptors that carry the protocol; no child process inherits them."""

    input: int
    output: int


_guarded: ProtocolDescriptors | None = None


def guard_stdout() -> ProtocolDescriptors:
    """Takes stdin and stdout for the protocol; called again, it changes nothing.

    Returns:
        The descriptors from which the protocol is read and to which it is written.
    """
    global _guarded  # noqa: PLW0603 - a process has one pair of standard streams
    if _guarded is not None:
        return _guarded
    open_closed_descriptors()
    descriptors = ProtocolDescriptors(_private_copy(0), _private_copy(1))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    if sys.platform == "win32":  # pragma: no cover - runs on Windows
        _use_binary_mode(descriptors)
        _rebind_windows_handles()
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open as long as the process
    sys.stdout = _stream_to_stderr()
    _close_in_forked_children(descriptors)
    _guarded = descriptors
    return descriptors


def open_closed_descriptors() -> None:
    """Fills the places 0 to 2 where a launcher left one closed: nothing else may land there."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            os.set_inheritable(descriptor, True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above


def _private_copy(descriptor: int) -> int:
    """A copy that no child inherits; 0 to 2 are taken, so it lands above them."""
    return os.dup(descriptor)


def _stream_to_stderr() -> TextIO:
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    return open(1, "w", buffering=1, encoding=encoding, errors="backslashreplace", closefd=False)


def _close_in_forked_children(descriptors: ProtocolDescriptors) -> None:
    """A forked child that outlives the server would keep the client waiting for its end."""
    if not hasattr(os, "register_at_fork"):
        return

    def close() -> None:
        for descriptor in (descriptors.input, descriptors.output):
            try:
                os.close(descriptor)
            except OSError:
                continue

    os.register_at_fork(after_in_child=close)


if sys.platform == "win32":  # pragma: no cover - runs on Windows

    def _use_binary_mode(descriptors: ProtocolDescriptors) -> None:
        """Text mode would write CRLF and read a Ctrl+Z as the end."""
        import msvcrt

        msvcrt.setmode(descriptors.input, os.O_BINARY)
        msvcrt.setmode(descriptors.output, os.O_BINARY)

    def _rebind_windows_handles() -> None:
        """Child processes take the handles of the process, which dup2 does not always move."""
        import ctypes
        import msvcrt

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.SetStdHandle.argtypes = (ctypes.c_ulong, ctypes.c_void_p)
        for descriptor, standard_handle in ((0, -10), (1, -11)):
            handle = msvcrt.get_osfhandle(descriptor)
            kernel.SetStdHandle(standard_handle & 0xFFFFFFFF, handle)
