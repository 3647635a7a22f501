"""Compares servers over stdio, side by side in one run, and prints ratios.

    python benchmarks/compare.py [--rounds N] [--calls N] [SERVER ...]

Each round starts every server once, in turn, so that a slow minute slows all of them alike.
`start` is the time and CPU from the spawn to the answer of `tools/list`; `call` one sequential
`create_note`; `64 in flight` the same call, pipelined. The ratios are medians over rounds of the
figure of a server to that of the first one, in the same round.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SERVERS = {
    "lowlevel": [sys.executable, str(HERE / "servers/lowlevel_server.py")],
    "appfunctions": [
        sys.executable, "-m", "appfunctions_mcp", "run", str(HERE / "servers/app_metadata.xml"),
    ],
}  # fmt: skip

HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Connection:
    """One server process and its two pipes."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._next_id = 0

    def send(
        self, method: str, params: dict[str, Any] | None = None, *, notify: bool = False
    ) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notify:
            self._next_id += 1
            message["id"] = self._next_id
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def flush(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the server ended: {self.process.args!r}")
        answer: dict[str, Any] = json.loads(line)
        if "result" not in answer:
            raise SystemExit(f"unexpected: {line[:300]!r}")
        return answer

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.send(method, params)
        self.flush()
        return self.receive()

    def cpu(self) -> float:
        """Seconds of CPU that the process has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


def measured(command: list[str], calls: int) -> dict[str, float]:
    """One start, `calls` sequential calls and as many with 64 in flight."""
    begun = time.perf_counter()
    server = Connection(command)
    server.ask("initialize", HANDSHAKE)
    server.send("notifications/initialized", notify=True)
    tools = server.ask("tools/list")["result"]["tools"]
    figures = {
        "start wall ms": (time.perf_counter() - begun) * 1e3,
        "start cpu ms": server.cpu() * 1e3,
    }
    if len(tools) != 3:
        raise SystemExit(f"three tools expected: {tools}")
    call = {"name": "create_note", "arguments": {"title": "Milk", "content": "Two litres"}}
    for _ in range(calls // 10):
        server.ask("tools/call", call)
    before, times = server.cpu(), []
    for _ in range(calls):
        started = time.perf_counter()
        answer = server.ask("tools/call", call)
        times.append(time.perf_counter() - started)
        if answer["result"]["structuredContent"]["title"] != "Milk":
            raise SystemExit(f"wrong answer: {answer}")
    figures["call p50 us"] = statistics.median(times) * 1e6
    figures["call cpu us"] = (server.cpu() - before) / calls * 1e6
    started = time.perf_counter()
    for _ in range(calls // 64):
        for _ in range(64):
            server.send("tools/call", call)
        server.flush()
        for _ in range(64):
            server.receive()
    figures["64 in flight us"] = (time.perf_counter() - started) / (calls // 64 * 64) * 1e6
    server.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=1024)
    parser.add_argument("servers", nargs="*", help=f"of {list(SERVERS)}; the first is the measure")
    args = parser.parse_args()
    args.servers = args.servers or list(SERVERS)
    rounds = [
        {name: measured(SERVERS[name], args.calls) for name in args.servers}
        for _ in range(args.rounds)
    ]
    first = args.servers[0]
    print(f"{'':<18}" + "".join(f"{name:>28}" for name in args.servers))
    for figure in rounds[0][first]:
        cells = []
        for name in args.servers:
            absolute = statistics.median(r[name][figure] for r in rounds)
            ratio = statistics.median(r[name][figure] / (r[first][figure] or 1e-9) for r in rounds)
            cells.append(f"{absolute:>14,.1f} ({ratio:>6.2f} x)  ")
        print(f"{figure:<18}" + "".join(f"{c:>28}" for c in cells))


if __name__ == "__main__":
    main()
