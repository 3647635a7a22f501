"""How many files and connections this process may have open.

A system gives a process about a thousand unless it asks for more, and a server that has none left
can neither accept a connection nor write its audit log.
"""

import sys

MOST_FILES = 65_536
"""How many are asked for, where the system would give more."""
KEPT_FILES = 64
"""How many are kept for all that is no connection, at the least."""


def raise_limit() -> None:
    """Asks for as many open files as the system gives without further rights."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            return  # some systems give less than they say; what there is must do


def most_connections() -> int:
    """How many connections leave enough files for everything else."""
    if sys.platform == "win32":
        return MOST_FILES
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MOST_FILES if soft == resource.RLIM_INFINITY else soft
    return max(1, files - max(KEPT_FILES, files // 8))
