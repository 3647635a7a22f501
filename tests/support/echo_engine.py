"""A server without MCP: the stdio transport and the process's end, with methods that misbehave.

Run as a program: `python -m tests.support.echo_engine MARKER`; the lifespan writes to the marker
file when it is closed.
"""

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from appfunctions_mcp.server.descriptors import guard_stdout

guard_stdout()
print("printed at import")
logging.basicConfig(stream=sys.stdout)
logging.getLogger().warning("logged at import")

from appfunctions_mcp.server.process import serve_process  # noqa: E402 - the guard comes first
from appfunctions_mcp.server.stdio import StdioTransport  # noqa: E402 - as above


class EchoEngine:
    """Answers each request with what its method says, in a task of its own."""

    def __init__(self, transport: StdioTransport) -> None:
        self._transport = transport
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = asyncio.Event()

    async def run(self) -> None:
        """Waits for `close`, then for the tasks that were cancelled."""
        await self._closed.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def receive(self, message: dict[str, Any]) -> None:
        """Starts the method."""
        if "id" in message and "method" in message:
            task = asyncio.create_task(self._answer(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def end_input(self) -> None:
        """Nothing here waits for input."""

    def close(self) -> None:
        """Ends `run`."""
        self._closed.set()

    async def _answer(self, message: dict[str, Any]) -> None:
        method = getattr(self, message["method"])
        result = await method(message.get("params") or {})
        self._transport.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    async def echo(self, params: dict[str, Any]) -> object:
        """Returns its params."""
        return params

    async def sleep(self, params: dict[str, Any]) -> object:
        """Waits on the loop."""
        await asyncio.sleep(params["seconds"])
        return {}

    async def block(self, params: dict[str, Any]) -> object:
        """Blocks the loop, as an author's mistake does."""
        time.sleep(params["seconds"])  # noqa: ASYNC251 - that is what it is for
        return {}

    async def block_thread(self, params: dict[str, Any]) -> object:
        """Blocks a thread that the interpreter waits for at its end."""
        threading.Thread(target=time.sleep, args=(params["seconds"],)).start()
        await asyncio.sleep(params["seconds"])
        return {}

    async def ignore_cancel(self, params: dict[str, Any]) -> object:
        """Goes on though it is cancelled."""
        end = time.monotonic() + params["seconds"]
        while time.monotonic() < end:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)
        return {}

    async def print_everywhere(self, _params: dict[str, Any]) -> object:
        """Writes to stdout in every way that there is."""
        print("printed")
        print("printed without end", end="")
        sys.stdout.write("written\n")
        sys.stdout.buffer.write(b"buffered\n")
        assert sys.__stdout__ is not None
        print("printed to the first stdout", file=sys.__stdout__, flush=True)
        os.write(1, b"written to 1\n")
        os.system("echo from a shell")  # noqa: S605, ASYNC221 - that is what it is for
        subprocess.run(["echo", "from a child"], check=True)  # noqa: ASYNC221 - as above
        return {}

    async def child_stdin(self, _params: dict[str, Any]) -> object:
        """Runs a child that reads its stdin to the end."""
        program = "import sys; print(len(sys.stdin.read()))"
        child = subprocess.run(  # noqa: ASYNC221 - that is what it is for
            [sys.executable, "-c", program], capture_output=True, timeout=10, check=True
        )
        return {"read": child.stdout.decode().strip(), "own": sys.stdin.read()}

    async def unwritable(self, _params: dict[str, Any]) -> object:
        """Returns what has no JSON form."""
        return {"x": object()}

    async def text(self, params: dict[str, Any]) -> object:
        """Returns a text of so many characters."""
        return {"text": "x" * params["length"]}


class _Lifespan:
    def __init__(self, marker: str) -> None:
        self._marker = Path(marker)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Writes one line to the marker when it is closed."""
        try:
            yield
        finally:
            with self._marker.open("a", encoding="utf-8") as file:
                file.write("closed\n")


if __name__ == "__main__":
    serve_process(
        _Lifespan(sys.argv[1]),
        EchoEngine,
        threads=os.environ.get("APPFUNCTIONS_STDIO") == "threads",
        watch_parent="--watch-parent" in sys.argv,
    )
