"""What the kernel says about a process and everything it started: CPU and peak memory.

CPU comes from the process's own clock, exact to the nanosecond and including threads that have
ended; /proc's tick counts are too coarse for a start of 40 ms. Linux only.
"""

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_SCHEDULED = 2
"""The kind of a process's CPU clock in its clock id, `CPUCLOCK_SCHED` of the kernel."""


def tree_of(pid: int) -> list[int]:
    """A process and its living descendants.

    Args:
        pid: The process.
    """
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


def cpu_of(pid: int) -> float:
    """Seconds of CPU, user and system, that a process tree has used so far.

    Args:
        pid: The root of the tree.
    """
    return sum(_own_cpu(each) + _ended_children_cpu(each) for each in tree_of(pid))


def _own_cpu(pid: int) -> float:
    return time.clock_gettime_ns((~pid << 3) | _SCHEDULED) / 1e9


def _ended_children_cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / _TICKS


def peak_memory_of(pid: int) -> float:
    """The largest resident memory of a process tree so far, in MB.

    Args:
        pid: The root of the tree.
    """
    return sum(_peak_kilobytes(each) for each in tree_of(pid)) / 1000


def _peak_kilobytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise SystemExit(f"/proc/{pid}/status has no VmHWM")
