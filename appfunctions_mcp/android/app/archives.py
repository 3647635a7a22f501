"""Takes out of an archive what an import reads: manifests, assets, resources, build files.

An APK, AAR, AAB, JAR or ZIP comes from outside: what it unpacks to is measured while it is
unpacked, capped in size, count and depth, and never lies outside the folder that was given.
Knows nothing of what the files say.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from appfunctions_mcp.android.xml.functions_xml import MAX_FUNCTIONS_XML_BYTES
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

MAX_ENTRIES = 2_000
"""How many files are taken out of an archive and of those in it."""
MAX_FILE_BYTES = MAX_FUNCTIONS_XML_BYTES
"""Of a longer file one byte more is unpacked; whoever reads it says that it is too long."""
MAX_UNPACKED_BYTES = 128 * 1024 * 1024
MAX_ARCHIVE_DEPTH = 3
"""An archive, one in it (an AAR in a ZIP), and one in that (the AAR's `classes.jar`)."""
MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
"""How long the list of an archive's entries may be: well over 65,535 of them."""

_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_END = b"PK\x05\x06"
_END_BYTES = 22
_LONGEST_COMMENT = 65_535
_ZIP64_LOCATOR = b"PK\x06\x07"
_ZIP64_LOCATOR_BYTES = 20
_PLAIN_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 0x1
# What zipfile raises for bytes that are no ZIP, or one of a kind that it does not know.
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, struct.error)
_WANTED = regex(
    r"(?:.*/)?(?:AndroidManifest\.xml|build\.gradle(?:\.kts)?|assets/.+\.xml|"
    r"res/(?:xml|values[^/]*)/[^/]+\.xml)\Z",
    re.DOTALL,
)
_INNER = regex(r"(?:(?!(?:.*/)?(?:assets|res)/).*)\.(?:aab|aar|apk)\Z", re.IGNORECASE | re.DOTALL)
_JAR_OF_AAR = regex(r"(?:classes|libs/[^/]+)\.jar\Z", re.IGNORECASE)
_SAFE_PART = regex(r"[^\\:*?\"<>|\x00-\x1f]*[^\\:*?\"<>|\x00-\x1f. ]\Z")


def is_archive(path: Path) -> bool:
    """Whether a file is a ZIP by its content, whatever its name: an APK, an AAR, a JAR."""
    try:
        # A pipe would wait for its other end.
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(4) in _ZIP_STARTS
    except (OSError, ValueError):
        return False  # who reads it says so


def unpack(archive: Path, into: Path) -> None:
    """Takes the wanted files out of an archive, below a folder, under their names in it.

    Args:
        archive: The file. An archive in it becomes a folder of its name.
        into: An existing, empty folder.

    Raises:
        MetadataXmlError: The archive is damaged, encrypted or too large, holds too much or nests
            too deep, or a name in it leads out of it.
    """
    try:
        with archive.open("rb") as file:
            _Unpacking().unpack(file, str(archive), into, depth=1)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise MetadataXmlError(f"{archive}: this archive cannot be unpacked: {reason}") from fault


class _Unpacking:
    """One unpacking, with what it may still cost."""

    def __init__(self) -> None:
        self._bytes = 0
        self._entries = 0

    def unpack(self, file: BinaryIO, shown: str, into: Path, *, depth: int) -> None:
        """Takes the wanted entries out; `shown` names the archive in messages."""
        _require_short_directory(file, shown)
        try:
            with zipfile.ZipFile(file) as archive:
                for entry in archive.infolist():
                    if not entry.filename.endswith("/"):  # `is_dir` fails for an empty name
                        self._take(archive, entry, shown, into, depth)
        except _DAMAGES as fault:
            raise MetadataXmlError(f"{shown}: this archive is damaged: {fault}") from fault

    def _take(
        self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, shown: str, into: Path, depth: int
    ) -> None:
        name = entry.filename
        is_inner = _is_inner(name, shown)
        if not is_inner and not _WANTED.match(name):
            return
        place = f"{shown}!/{quoted(name, 200)[1:-1]}"
        self._require_harmless(entry, place)
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise MetadataXmlError(
                f"{shown}: this archive holds more than {MAX_ENTRIES:,} files that would be read; "
                "give the app's src/main folder or the functions XML itself"
            )
        path = into.joinpath(*name.split("/"))
        if not is_inner:
            _write(path, self._content(archive, entry, place, MAX_FILE_BYTES + 1), place)
            return
        if depth == MAX_ARCHIVE_DEPTH:
            raise MetadataXmlError(
                f"{place}: archives nest deeper than {MAX_ARCHIVE_DEPTH}; give the inner one itself"
            )
        content = self._content(archive, entry, place, MAX_UNPACKED_BYTES + 1)
        if content[:4] in _ZIP_STARTS:
            self.unpack(io.BytesIO(content), place, path, depth=depth + 1)

    def _require_harmless(self, entry: zipfile.ZipInfo, place: str) -> None:
        """Refuses what would not be a plain file of the archive's own."""
        mode = entry.external_attr >> 16
        fault = ""
        if not all(_SAFE_PART.match(part) for part in entry.filename.split("/")):
            fault = "this name leads out of the archive, or no system has such a file"
        elif stat.S_ISLNK(mode):
            fault = "this entry is a link; only files are accepted"
        elif entry.flag_bits & _ENCRYPTED:
            fault = "this entry is encrypted; give an archive without a password"
        elif entry.compress_type not in _PLAIN_METHODS:
            fault = "this entry is neither stored nor deflated, as Android's own archives are"
        if fault:
            raise MetadataXmlError(f"{place}: {fault}")

    def _content(
        self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: str, limit: int
    ) -> bytes:
        """What an entry really unpacks to, up to a limit; its header may say anything."""
        with archive.open(entry) as file:
            content = file.read(min(limit, MAX_UNPACKED_BYTES - self._bytes + 1))
        self._bytes += len(content)
        if self._bytes > MAX_UNPACKED_BYTES:
            raise MetadataXmlError(
                f"{place}: the archive unpacks to more than {MAX_UNPACKED_BYTES:,} bytes, the most "
                "accepted; give the inner archive or the functions XML itself"
            )
        return content


def _is_inner(name: str, shown: str) -> bool:
    """Whether an entry is an archive that may hold functions itself."""
    of_aar = shown.lower().endswith(".aar") and _JAR_OF_AAR.match(name) is not None
    return of_aar or _INNER.match(name) is not None


def _write(path: Path, content: bytes, place: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except (FileExistsError, NotADirectoryError):
        raise MetadataXmlError(f"{place}: the archive holds this name twice") from None


def _require_short_directory(file: BinaryIO, shown: str) -> None:
    """Refuses an archive whose list of entries alone would fill the memory.

    `zipfile` reads the whole list before anything can be asked of it.
    """
    size = file.seek(0, io.SEEK_END)
    tail_start = max(0, size - _END_BYTES - _LONGEST_COMMENT)
    file.seek(max(0, tail_start - _ZIP64_LOCATOR_BYTES))
    tail = file.read()
    end = tail.rfind(_END)
    if end < 0 or len(tail) < end + _END_BYTES:
        raise MetadataXmlError(f"{shown}: this archive is damaged: it has no end record")
    directory_bytes: int = struct.unpack_from("<L", tail, end + 12)[0]
    locator = end - _ZIP64_LOCATOR_BYTES
    is_zip64 = locator >= 0 and tail.startswith(_ZIP64_LOCATOR, locator)
    if is_zip64 or directory_bytes > MAX_DIRECTORY_BYTES:
        raise MetadataXmlError(
            f"{shown}: this archive has more entries than are accepted, about 65,000; give the "
            "app's src/main folder or the functions XML itself"
        )
    file.seek(0)
