"""Linux's file events, by the C library's functions. Imports little: a quiet server waits here."""

import os
import sys

# Written and closed, moved in, moved away, deleted; and the folder itself moved away or deleted.
_MASK = 0x008 | 0x080 | 0x040 | 0x200 | 0x400 | 0x800
_LOST = 0x4000 | 0x8000  # IN_Q_OVERFLOW, IN_IGNORED: whose event it was is not told
_HEADER_BYTES = 16


def open_inotify(folder: str) -> int:
    """A descriptor that becomes readable with every event of a folder."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    descriptor: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1 failed")
    if libc.inotify_add_watch(descriptor, os.fsencode(folder), _MASK) < 0:
        number = ctypes.get_errno()
        os.close(descriptor)
        raise OSError(number, "inotify_add_watch failed", folder)
    return descriptor


def inotify_events(events: bytes) -> "list[tuple[bool, bytes]]":
    """Each event: whether it stands for others that are not told, and the file's name."""
    told = []
    offset = 0
    while offset < len(events):
        mask = int.from_bytes(events[offset + 4 : offset + 8], sys.byteorder)
        length = int.from_bytes(events[offset + 12 : offset + 16], sys.byteorder)
        start = offset + _HEADER_BYTES
        told.append((bool(mask & _LOST), events[start : start + length].rstrip(b"\0")))
        offset = start + length
    return told
