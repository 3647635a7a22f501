"""Collects the faults and warnings of a document, so that one report shows them all.

Every text begins `FILE:LINE:`, as editors and terminals link it. Knows nothing of XML.
"""

from pathlib import Path

from appfunctions_mcp.exceptions import MetadataXmlError

MAX_FAULTS = 100


class FaultReport:
    """The faults and warnings of one document and of the files that it names.

    Args:
        path: The document; its faults come first.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._faults: list[tuple[bool, str, int, str]] = []
        self._warnings: dict[str, None] = {}

    @property
    def is_full(self) -> bool:
        """Whether there are so many faults that looking for more helps nobody."""
        return len(self._faults) >= MAX_FAULTS

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know, each once, in the order it was found."""
        return tuple(self._warnings)

    def fault(self, line: int, text: str, path: Path | None = None) -> None:
        """Notes what makes the document unusable."""
        if not self.is_full:
            place = path or self.path
            self._faults.append(
                (place != self.path, str(place), line, fault_text(place, line, text))
            )

    def warn(self, line: int, text: str, path: Path | None = None) -> None:
        """Notes what the author should know though the document is usable."""
        if len(self._warnings) < MAX_FAULTS:
            self._warnings[fault_text(path or self.path, line, text)] = None
        else:
            end = f"more than {MAX_FAULTS} warnings; the rest is left out"
            self._warnings[fault_text(self.path, 1, end)] = None

    def include(self, error: MetadataXmlError, path: Path) -> None:
        """Takes over what was wrong with another document."""
        self._faults.extend((True, str(path), 0, text) for text in error.faults)

    def require_none(self) -> None:
        """Raises what was collected.

        Raises:
            MetadataXmlError: There are faults: the document's by line, then those of others.
        """
        if not self._faults:
            return
        texts = [text for *_, text in sorted(self._faults, key=lambda fault: fault[:3])]
        if self.is_full:
            texts.append(
                fault_text(self.path, 1, f"more than {MAX_FAULTS} faults; the rest is left out")
            )
        raise MetadataXmlError(dict.fromkeys(texts))


def fault_text(path: Path, line: int, text: str) -> str:
    """A fault as one line, `FILE:LINE: what; fix`."""
    return f"{path}:{line}: {text}"
