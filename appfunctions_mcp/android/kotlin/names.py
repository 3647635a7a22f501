"""The names of classes and types, and how one Kotlin file writes them.

A file imports what it uses; a name that means something else there is written in full. Knows
nothing of documents.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from appfunctions_mcp.android.kotlin.words import identifier, qualified

__all__ = [
    "ClassName",
    "FileScope",
    "KotlinType",
    "parsed_class",
    "parsed_type",
    "require_identifiers",
]

_IMPLICIT_PACKAGES = frozenset({"kotlin", "kotlin.collections"})
_IMPLICIT = frozenset(
    {
        *("Boolean", "ByteArray", "Double", "Float", "Int", "Long", "String", "Unit", "List"),
        *("BooleanArray", "DoubleArray", "FloatArray", "IntArray", "LongArray", "Deprecated"),
        *("OptIn", "emptyList", "intArrayOf", "longArrayOf", "floatArrayOf", "doubleArrayOf"),
        *("booleanArrayOf", "byteArrayOf"),
    }
)
"""What files use of Kotlin without an import; nothing else may be imported under these names."""

_EXPERIMENTAL = frozenset(
    f"androidx.appfunctions.{name}"
    for name in (
        "AppFunctionAccessLevel",
        "AppFunctionResourceContainer",
        "AppFunctionSignature",
        "AppFunctionTextResource",
    )
)
"""What Android may still change, so that a file says that it knows."""


@dataclass(frozen=True, slots=True)
class ClassName:
    """The name of a class: its package, and its name within those that hold it."""

    package: str
    path: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    """The type arguments, as the name has them."""

    @property
    def binary(self) -> str:
        """As the JVM writes it, without type arguments."""
        return f"{self.package}.{'$'.join(self.path)}"


@dataclass(frozen=True, slots=True)
class KotlinType:
    """A type where it is used; the name is a binary one, or that of a type parameter."""

    name: str
    arguments: tuple["KotlinType", ...] = ()
    nullable: bool = False

    def or_null(self, *, nullable: bool = True) -> "KotlinType":
        """The same type, accepting null or not."""
        return replace(self, nullable=nullable)


def parsed_class(name: str, package: str) -> ClassName:
    """The name of a class in its parts.

    Args:
        name: As a document has it, for example `com.example.Outer$Inner<kotlin.Int>`.
        package: Where a name without a package belongs.
    """
    whole, arguments = _split_arguments(name)
    owner, _, last = whole.rpartition(".")
    path = tuple(last.split("$"))
    return ClassName(owner or package, path if all(path) else (last,), arguments)


def require_identifiers(name: ClassName) -> None:
    """Requires that Kotlin can hold every part of a name.

    Raises:
        KotlinError: It cannot.
    """
    for part in (*name.package.split("."), *name.path):
        identifier(part)


def parsed_type(text: str, package: str) -> KotlinType:
    """A type argument, for example `kotlin.collections.List<kotlin.String>?`."""
    name = parsed_class(text.removesuffix("?"), package)
    arguments = tuple(parsed_type(each, package) for each in name.arguments)
    return KotlinType(name.binary, arguments, text.endswith("?"))


def _split_arguments(name: str) -> tuple[str, tuple[str, ...]]:
    whole, opened, rest = name.partition("<")
    if not opened or not rest.endswith(">"):
        return name, ()
    arguments, depth = [""], 0
    for character in rest[:-1]:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if depth < 0:
            return name, ()
        if character == "," and not depth:
            arguments.append("")
        else:
            arguments[-1] += character
    arguments = [each.strip() for each in arguments]
    return (whole, tuple(arguments)) if all(arguments) and not depth else (name, ())


class FileScope:
    """What names mean in one file, and what it imports.

    Args:
        package: The file's package.
        classes: All classes that are written, of every file.
    """

    def __init__(self, package: str, classes: Iterable[ClassName]) -> None:
        self._package = package
        self._classes = {each.binary: each for each in classes}
        self._written = Counter(part for each in self._classes.values() for part in each.path[-1:])
        self._imported: dict[str, str] = {}
        self.uses_experimental = False
        """Whether something is used that Android may still change."""

    def type(self, kotlin_type: KotlinType) -> str:
        """A type as this file writes it."""
        arguments = ", ".join(map(self.type, kotlin_type.arguments))
        text = self.name(kotlin_type.name) + (f"<{arguments}>" if arguments else "")
        return f"{text}?" if kotlin_type.nullable else text

    def name(self, binary: str) -> str:
        """A class, or a function of Kotlin's, as this file writes it."""
        package = binary.rpartition(".")[0]
        if not package:
            return binary
        self.uses_experimental |= binary in _EXPERIMENTAL
        known = self._classes.get(binary)
        path = known.path if known else parsed_class(binary, package).path
        nested = ".".join(map(identifier, path))
        if self._is_clear(package, path[0], is_written=known is not None):
            return nested
        return f"{qualified(package)}.{nested}"

    def _is_clear(self, package: str, outer: str, *, is_written: bool) -> bool:
        """Whether the plain name is enough, with an import where that is needed."""
        if self._written[outer] > (1 if is_written else 0):
            return False
        if package in _IMPLICIT_PACKAGES and not is_written:
            return outer in _IMPLICIT
        if outer in _IMPLICIT and not (is_written and package == self._package):
            return False
        if package == self._package:
            return is_written
        return self._imported.setdefault(outer, f"{package}.{outer}") == f"{package}.{outer}"

    def imports(self) -> Iterator[str]:
        """The lines that import, sorted."""
        for name in sorted(self._imported.values()):
            yield f"import {qualified(name)}"
