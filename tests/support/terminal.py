"""Runs the program with a terminal as its standard output, where there are terminals."""

import os
import subprocess
import sys

from tests.support.stdio_server import PROJECT


def shown_on_a_terminal(*words: str) -> str:
    """What `appfunctions-mcp WORDS` prints on a terminal of 120 columns; it must succeed."""
    import pty

    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "appfunctions_mcp", *words],
        stdout=child,
        stderr=subprocess.DEVNULL,
        cwd=PROJECT,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "NO_COLOR": "1"},
    ) as process:
        os.close(child)
        shown = b""
        try:
            while part := os.read(parent, 65536):
                shown += part
        except OSError:  # Linux says so at the end of a terminal
            pass
        assert process.wait() == 0
    os.close(parent)
    return shown.decode()
