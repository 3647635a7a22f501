"""Bytes from a stream to whole lines, split at 0x0A and nowhere else.

A line may have any length up to the limit; a longer one is reported once and skipped up to the
next line feed. Knows nothing of what the lines hold.
"""

from collections.abc import Iterator

MAX_LINE_BYTES = 16 * 1024 * 1024
"""How long one line, and so one message, may be."""


class LineTooLongError(ValueError):
    """A line is longer than the limit; reading goes on behind its line feed."""


class LineSplitter:
    """Collects chunks of bytes into lines.

    Args:
        max_line_bytes: How long a line may be, without its line feed.
    """

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max = max_line_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._skips = False

    def feed(self, chunk: bytes) -> Iterator[bytes | LineTooLongError]:
        """Takes the next bytes and gives the lines that they complete, without line feeds.

        Args:
            chunk: What was read; a line may end in any of the chunks that follow.

        Returns:
            Lines in their order; an error stands for a line that is too long.
        """
        ended, rest = [], chunk
        if b"\n" in chunk:
            *ended, rest = chunk.split(b"\n")
        for part in ended:
            line = self._complete(part)
            if line is not None:
                yield line
        if rest and self._collect(rest):
            yield self._too_long()

    def end(self) -> bytes | None:
        """The last line where the stream ended without a line feed, None where there is none."""
        line = b"".join(self._parts)
        self._parts.clear()
        self._size, self._skips = 0, False
        return line or None

    def _complete(self, part: bytes) -> bytes | LineTooLongError | None:
        """The line that ends with this part; None for the end of one that is skipped."""
        if self._skips:
            self._skips = False
            return None
        if not self._parts and len(part) <= self._max:
            return part
        if self._collect(part):
            self._skips = False
            return self._too_long()
        return self.end() or b""

    def _collect(self, part: bytes) -> bool:
        """Keeps a part of a line; True when the line has just become too long."""
        if self._skips:
            return False
        self._size += len(part)
        if self._size <= self._max:
            self._parts.append(part)
            return False
        self._parts.clear()
        self._size, self._skips = 0, True
        return True

    def _too_long(self) -> LineTooLongError:
        return LineTooLongError(f"a line may have up to {self._max:,} bytes; this one has more")
