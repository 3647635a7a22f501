"""HTTP/1.1 as far as the clients of providers need it: one request for each connection."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request, whole."""

    method: str
    path: str
    headers: dict[str, str]
    content: bytes


async def read_request(reader: asyncio.StreamReader) -> ReceivedRequest | None:
    """The request of a connection; None where it ends before one."""
    line = await reader.readline()
    if not line:
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while header := (await reader.readline()).decode("latin-1").strip():
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return ReceivedRequest(method, path, headers, await _read_chunks(reader))
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    return ReceivedRequest(method, path, headers, content)


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    pieces = []
    while length := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(length))
        await reader.readline()
    await reader.readline()
    return b"".join(pieces)


class Connection:
    """The server's end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(
        self,
        status: int,
        content_type: str,
        content: bytes,
        headers: Mapping[str, str] | None = None,
        most: int | None = None,
    ) -> None:
        """Sends a whole answer, or so many bytes of its body."""
        named = {"content-length": str(len(content)), **(headers or {})}
        self._begin(status, content_type, named)
        self._writer.write(content if most is None else content[:most])
        await self._writer.drain()

    async def stream(self, content_type: str, events: Sequence[bytes], after: int | None) -> None:
        """Sends events one by one, all of them or so many and no end."""
        self._begin(200, content_type, {"transfer-encoding": "chunked"})
        for event in events if after is None else events[:after]:
            self._writer.write(b"%x\r\n%b\r\n" % (len(event), event))
            await self._writer.drain()
        if after is None:
            self._writer.write(b"0\r\n\r\n")
            await self._writer.drain()

    async def wait_for_end(self) -> None:
        """Waits until the client is gone."""
        while await self._reader.read(65536):
            pass

    def _begin(self, status: int, content_type: str, headers: Mapping[str, str]) -> None:
        known = status in {each.value for each in HTTPStatus}
        phrase = HTTPStatus(status).phrase if known else "Overloaded"
        # Clients that nobody closes then hold no socket that Python would complain of.
        lines = [
            f"HTTP/1.1 {status} {phrase}",
            f"content-type: {content_type}",
            "connection: close",
        ]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
