"""The server's side of adb's protocol, so that the real client reaches a test's device.

Knows as much of it as `devices` and `shell` need: requests with their length before them, and
the packets in which a shell's streams travel.
"""

import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.android_device import SERIAL, run_in_shell

_VERSION = "0029"
_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = range(5)


class AdbServer:
    """Answers adb clients for one device.

    Args:
        folder: That of the `AndroidDevice` whose shell is used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.commands: list[str] = []
        """Every command line that a client has sent."""

    def serve(self, listening: socket.socket) -> None:
        """Answers one connection after the other, until the socket is closed."""
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=[connection], daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(ConnectionError, EOFError):
            while True:
                request = _exactly(connection, int(_exactly(connection, 4), 16)).decode()
                if not self._answer_one(connection, request):
                    return

    def _answer_one(self, connection: socket.socket, request: str) -> bool:
        """Answers a request; whether another may follow on the same connection."""
        if request.startswith("shell,v2"):
            connection.sendall(b"OKAY")
            self._shell(connection, request.partition(":")[2])
            return False
        told = {
            "host:version": _VERSION,
            "host:devices-l": f"{SERIAL}\tdevice product:x model:Pixel transport_id:1\n",
        }.get(request)
        if request.endswith("features"):
            told = "shell_v2,cmd"
        if told is not None:
            connection.sendall(b"OKAY" + f"{len(told):04x}{told}".encode())
            return False
        if request in {f"host:transport:{SERIAL}", f"host:tport:serial:{SERIAL}"}:
            number = struct.pack("<Q", 1) if ":tport:" in request else b""
            connection.sendall(b"OKAY" + number)
            return True
        reason = f"device '{request.rpartition(':')[2]}' not found"
        connection.sendall(b"FAIL" + f"{len(reason):04x}{reason}".encode())
        return False

    def _shell(self, connection: socket.socket, command: str) -> None:
        self.commands.append(command)
        pipe = subprocess.PIPE
        process = run_in_shell(self._folder, command, stdin=pipe, stdout=pipe, stderr=pipe)
        feeding = threading.Thread(target=_feed, args=[connection, process], daemon=True)
        feeding.start()
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            for number, stream in ((_STDOUT, process.stdout), (_STDERR, process.stderr)):
                with stream:
                    while chunk := stream.read(32_768):
                        connection.sendall(struct.pack("<BI", number, len(chunk)) + chunk)
            connection.sendall(struct.pack("<BIB", _EXIT, 1, process.wait()))
            feeding.join(5)
        finally:
            # A client that has gone away leaves its command behind.
            process.kill()
            process.wait()


def _feed(connection: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    """Gives what the client sends to the process, until the client closes its end."""
    assert process.stdin is not None
    with process.stdin as stdin, suppress(ConnectionError, EOFError, OSError):
        while True:
            number, length = struct.unpack("<BI", _exactly(connection, 5))
            content = _exactly(connection, length)
            if number == _CLOSE_STDIN:
                return
            if number == _STDIN:
                stdin.write(content)
                stdin.flush()


def _exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        chunk = connection.recv(count - len(found))
        if not chunk:
            raise EOFError
        found += chunk
    return found


@contextmanager
def adb_server(folder: Path) -> Iterator[tuple[AdbServer, int]]:
    """A server, and its port, which clients take from `ANDROID_ADB_SERVER_PORT`."""
    server = AdbServer(folder)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=server.serve, args=[listening], daemon=True).start()
        try:
            yield server, listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)
