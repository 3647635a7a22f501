"""The clients of the load test: most wait for their answers, some leave, some send too much."""

import asyncio
import contextlib
import socket
import struct
import time
from collections import Counter
from dataclasses import dataclass, field

from load_requests import LostAnswerError, Request, Requests, check_answer

PATIENCE_SECONDS = 20
SHARE = 0.05
"""Of each kind of misbehaviour among all requests."""
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: closing throws away what is not sent and resets the connection."""


@dataclass
class Tally:
    """What the clients have done and seen."""

    sent: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """How long each answer took."""


class Client:
    """One connection at a time, with one request at a time.

    Args:
        port: Where the server listens on this machine.
        requests: Makes what is sent.
        tally: Takes what happens.
    """

    def __init__(self, port: int, requests: Requests, tally: Tally) -> None:
        self._port = port
        self._requests = requests
        self._tally = tally
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def run(self, until: float) -> None:
        """Sends requests until a time of the monotonic clock."""
        while time.monotonic() < until:
            dice = self._requests.chance()
            try:
                if dice < SHARE:
                    await self._reset()
                elif dice < 2 * SHARE:
                    await self._cancel()
                elif dice < 3 * SHARE:
                    await self._send_too_much()
                else:
                    await self.ask(self._requests.next())
            except (LostAnswerError, OSError, EOFError, TimeoutError) as fault:
                self._tally.faults.append(f"{type(fault).__name__}: {fault}")
                await self.close()
        await self.close()

    async def ask(self, request: Request) -> dict[str, object]:
        """Sends a request and checks its answer."""
        begun = time.perf_counter()
        self._tally.sent[request.kind] += 1
        await self._send(request.head(), request.body)
        status, body, stays = await self._answer(request.kind)
        answer = check_answer(request, status, body)
        self._tally.answered += 1
        self._tally.seconds.append(time.perf_counter() - begun)
        if not stays:
            await self.close()
        return answer

    async def _reset(self) -> None:
        """Sends a request, or half of one, and resets the connection."""
        request = self._requests.next()
        self._tally.sent["reset"] += 1
        cut = len(request.body) if self._requests.chance() < 0.5 else len(request.body) // 2
        writer = await self._send(request.head(), request.body[:cut])
        await asyncio.sleep(self._requests.chance() * 0.01)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        await self.close()

    async def _cancel(self) -> None:
        """Calls what takes long, and leaves."""
        request = self._requests.wait()
        self._tally.sent["cancelled"] += 1
        await self._send(request.head(), request.body)
        await asyncio.sleep(0.02 + self._requests.chance() * 0.1)
        await self.close()

    async def _send_too_much(self) -> None:
        """Sends a body above the limit, with its length said before or in chunks."""
        request = self._requests.too_large()
        self._tally.sent[request.kind] += 1
        if self._requests.chance() < 0.5:
            await self._send(request.head(), request.body)
        else:
            chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (len(request.body), request.body)
            await self._send(request.head(chunked=True), chunk)
        status, body, _ = await self._answer(request.kind)
        check_answer(request, status, body)
        self._tally.answered += 1
        await self.close()

    async def _send(self, head: bytes, body: bytes) -> asyncio.StreamWriter:
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writer.write(head + body)
        with contextlib.suppress(ConnectionError):  # an answer may have come before all is sent
            await self._writer.drain()
        return self._writer

    async def _answer(self, kind: str) -> tuple[int, bytes, bool]:
        """Status and body of an answer, and whether the connection stays open."""
        assert self._reader is not None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
                body = await self._body(self._reader, head)
        except (OSError, EOFError, TimeoutError) as fault:
            raise LostAnswerError(f"{kind}: no answer: {type(fault).__name__}") from fault
        return int(head.split(b" ", 2)[1]), body, b"connection: close" not in head

    async def _body(self, reader: asyncio.StreamReader, head: bytes) -> bytes:
        _, found, after = head.partition(b"content-length:")
        if found:
            return await reader.readexactly(int(after.partition(b"\r\n")[0]))
        parts = []
        while length := int(await reader.readline(), 16):
            parts.append(await reader.readexactly(length))
            await reader.readline()
        await reader.readline()
        return b"".join(parts)

    async def close(self) -> None:
        """Closes the connection; the next request opens another."""
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()
            self._reader = self._writer = None
