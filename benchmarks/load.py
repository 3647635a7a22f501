"""A server of several workers under load, with clients that leave, cancel and send too much.

    python benchmarks/load.py                     # 2 workers, 64 connections, 60 seconds
    python benchmarks/load.py --seconds 5 --connections 8

What must hold: every answer comes, under its own id; what a client has left is cancelled; memory
grows by no more than 5 % after the warm-up; no file descriptor is left open. Exit 1 where it
does not. Sends to this machine only.
"""

import argparse
import asyncio
import contextlib
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from load_client import Client, Tally
from load_requests import MAX_BODY_BYTES, Requests

ROOT = Path(__file__).resolve().parents[1]
_SETTLE_SECONDS = 2.0
_START_SECONDS = 60.0
_METADATA = f"""<AppFunctionAppMetadata
    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1" appfn:description="Bears load."
    mcp:name="load" mcp:pythonPath="{Path(__file__).parent / "servers"}">
  <mcp:functions module="load_functions"/>
  <mcp:limits maxConcurrent="256"/>
</AppFunctionAppMetadata>
"""


@dataclass(frozen=True)
class Footprint:
    """What the server's processes hold when no client is connected."""

    memory: int
    descriptors: int


@dataclass(frozen=True)
class Server:
    """The started server."""

    process: psutil.Process
    port: int

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that serve."""
        return self.process.children()

    def footprint(self) -> Footprint:
        """The memory that the processes have for themselves, and their descriptors."""
        processes = [self.process, *self.workers]
        return Footprint(
            sum(each.memory_full_info().uss for each in processes),
            sum(each.num_fds() for each in processes),
        )


@contextlib.contextmanager
def served(workers: int) -> Iterator[Server]:
    """A server, until the block ends; its log lies in a file."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        file = Path(folder) / "app_metadata.xml"
        file.write_text(_METADATA, encoding="utf-8")
        options = [
            "--http",
            "0",
            "--workers",
            str(workers),
            "--max-body-bytes",
            str(MAX_BODY_BYTES),
        ]
        options += ["--state-file", str(Path(folder) / "state.json")]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        process = subprocess.Popen(
            [sys.executable, "-m", "appfunctions_mcp", "run", str(file), *options],
            stdout=subprocess.DEVNULL,
            stderr=log,
            env={**os.environ, "PYTHONPATH": path},
        )
        try:
            yield Server(psutil.Process(process.pid), _port(process, Path(log.name)))
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(30)
            said = Path(log.name).read_text(errors="replace")
            assert status == 0, f"the server ended with status {status}\n{said[-2000:]}"
            assert "Traceback" not in said, said[said.index("Traceback") :][:2000]


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"serving http://[^:]+:(\d+)/mcp", log.read_text(errors="replace")):
            return int(found[1])
        time.sleep(0.05)
    raise SystemExit(f"the server does not start\n{log.read_text(errors='replace')}")


async def load(port: int, connections: int, seconds: float, seed: int) -> Tally:
    """Keeps connections busy for a while."""
    tally = Tally()
    requests = Requests(seed)
    until = time.monotonic() + seconds
    await asyncio.gather(*(Client(port, requests, tally).run(until) for _ in range(connections)))
    return tally


async def unfinished(server: Server) -> int:
    """How many waits, whose clients have left, still run: asked of each worker."""
    left = {each.pid: -1 for each in server.workers}
    requests = Requests(0)
    end = time.monotonic() + 10
    while any(left.values()) and time.monotonic() < end:
        client = Client(server.port, requests, Tally())
        told = (await client.ask(requests.tally()))["result"]["structuredContent"]  # type: ignore[index]
        left[told["process"]] = told["begun"] - told["ended"]
        await client.close()
    return sum(left.values())


def main() -> int:
    """Runs the load test and prints its figures.

    Returns:
        1 where something that must hold does not.
    """
    args = _arguments()
    with served(args.workers) as server:
        asyncio.run(load(server.port, args.connections, args.warm_up, seed=1))
        time.sleep(_SETTLE_SECONDS)
        before, pids = server.footprint(), {each.pid for each in server.workers}
        begun = time.monotonic()
        tally = asyncio.run(load(server.port, args.connections, args.seconds, seed=2))
        seconds = time.monotonic() - begun
        still_running = asyncio.run(unfinished(server))
        time.sleep(_SETTLE_SECONDS)
        after = server.footprint()
        died = pids - {each.pid for each in server.workers}
    growth = 100 * (after.memory / before.memory - 1)
    print(_figures(args, tally, seconds, before, after))
    wrong = {
        "answers lost or wrong": len(tally.faults),
        "calls that go on though their client has left": still_running,
        "workers that died": len(died),
        "descriptors leaked": max(0, after.descriptors - before.descriptors),
        "percent of memory above the limit": max(0.0, round(growth - args.growth, 2)),
    }
    for what, number in wrong.items():
        print(f"{what}: {number}")
    for fault in tally.faults[:10]:
        print(f"  {fault}")
    return int(any(wrong.values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Puts a server of several workers under load.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--warm-up", type=float, default=15, help="seconds of load before")
    parser.add_argument("--growth", type=float, default=5, help="percent that memory may grow by")
    return parser.parse_args()


def _figures(
    args: argparse.Namespace, tally: Tally, seconds: float, before: Footprint, after: Footprint
) -> str:
    times = sorted(tally.seconds)
    cuts = statistics.quantiles(times, n=100) if len(times) > 1 else [0.0] * 99
    total = sum(tally.sent.values())
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in tally.sent.most_common())
    return (
        f"{args.workers} workers, {args.connections} connections, {seconds:.0f} s\n"
        f"{total:,} requests ({kinds})\n"
        f"{tally.answered:,} answers, {tally.answered / seconds:,.0f} a second; "
        f"median {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms\n"
        f"memory {before.memory / 1e6:.1f} MB after the warm-up, {after.memory / 1e6:.1f} MB after "
        f"the load ({after.memory / before.memory - 1:+.1%})\n"
        f"descriptors {before.descriptors} after the warm-up, {after.descriptors} after the load"
    )


if __name__ == "__main__":
    sys.exit(main())
