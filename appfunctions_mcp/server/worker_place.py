"""A worker's side of a server of several processes: its socket, and its link to the supervisor.

The supervisor of `workers.py` starts every worker by its own command line, with one variable
that names an inherited socket: the link. On it both tell each other one JSON object a line; the
first names the socket to listen on and the keys that all workers share.
"""

import asyncio
import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from appfunctions_mcp.exceptions import SettingsError

WORKER_VARIABLE = "APPFUNCTIONS_WORKER"
WATCHED = "watched"
"""What the variable holds in a process that only serves what another one passes on."""
LONGEST_LINE = 64 * 1024 * 1024
"""How long a line on the link may be: metrics of many functions are long."""


BACKLOG = 2048


class ListeningSocket(socket.socket):
    """A listening socket whose queue is longer than what is accepted in a row.

    asyncio accepts as many connections in a row as its backlog says: a worker which wakes up
    first would take all that wait, and one process more than it has files for. It is told a
    small backlog, which is not the socket's.
    """

    def listen(self, _backlog: int = 0, /) -> None:
        """Listens on, with a queue of the length that it has."""
        super().listen(BACKLOG)


class WorkerPlace:
    """One of the processes that serve a socket together.

    Args:
        link: The inherited socket on which the supervisor tells and is told.
        told: What the supervisor said first.
    """

    def __init__(self, link: socket.socket, told: dict[str, Any]) -> None:
        self.number: int = told["number"]
        self.is_first: bool = told["first"]
        """Whether it is the first worker of the server: what all would say alike, it says."""
        self.state_keys: tuple[str, ...] = tuple(told["state_keys"])
        self.listening = ListeningSocket(fileno=told["listening"])
        self.introduction: dict[str, Any] = {}
        """What is told of this worker's app once it serves."""
        self.metrics: Callable[[], str] = str
        """What this worker has counted, as text."""
        self._link = link
        self._writer: asyncio.StreamWriter | None = None
        self._asked: dict[int, asyncio.Future[str]] = {}

    async def serve(self, on_end: Callable[[], None], on_hurry: Callable[[], None]) -> None:
        """Says that requests are served, then answers the supervisor.

        Args:
            on_end: Begins the orderly end: the supervisor has gone.
            on_hurry: Ends without waiting for calls: somebody has asked twice.
        """
        reader, self._writer = await asyncio.open_connection(sock=self._link, limit=LONGEST_LINE)
        self._tell({"ready": self.introduction})
        while line := await _line(reader):
            told = json.loads(line)
            if "collect" in told:
                self._tell({"collected": told["collect"], "metrics": self.metrics()})
            elif "hurry" in told:
                on_hurry()
            elif asked := self._asked.pop(told["answered"], None):
                asked.set_result(told["metrics"])
        self._writer = None
        for waiting in self._asked.values():
            waiting.set_result(self.metrics())
        on_end()

    async def all_metrics(self) -> str:
        """What all workers have counted together, those that have ended included."""
        if self._writer is None:
            return self.metrics()
        number = len(self._asked)
        while number in self._asked:
            number += 1
        self._asked[number] = asyncio.get_running_loop().create_future()
        self._tell({"ask": number, "metrics": self.metrics()})
        return await self._asked[number]

    def tell_closed(self) -> None:
        """Tells the supervisor that this worker takes no connection any more."""
        self._tell({"closed": self.number})

    async def leave(self) -> None:
        """Leaves to the supervisor what was counted, so that no total falls."""
        if self._writer is not None:
            self._tell({"last": self.metrics()})
            with suppress(OSError):
                await self._writer.drain()
            self._writer.close()

    def _tell(self, what: dict[str, Any]) -> None:
        if self._writer is not None:
            self._writer.write(json.dumps(what).encode() + b"\n")


def take_place(named: str) -> WorkerPlace:
    """The place of this process, which a supervisor has started.

    Args:
        named: What the variable held; it is taken out, so that no child inherits it.

    Raises:
        SettingsError: It names no link: somebody else has set it.
    """
    try:
        link = socket.socket(fileno=int(named))
        os.set_inheritable(link.fileno(), False)
        told = _first_line(link)
        if not told:
            raise SystemExit(1)  # the supervisor has ended meanwhile
        place = WorkerPlace(link, json.loads(told))
        os.set_inheritable(place.listening.fileno(), False)
    except (OSError, ValueError) as fault:
        raise SettingsError(
            f"{WORKER_VARIABLE} is for the workers that --workers starts; leave it unset"
        ) from fault
    return place


def _first_line(link: socket.socket) -> bytes:
    told = bytearray()
    while not told.endswith(b"\n") and (part := link.recv(1 << 16)):
        told += part
    return bytes(told)


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; empty when the other side has gone."""
    try:
        return await reader.readline()
    except OSError:
        return b""
