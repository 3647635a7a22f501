"""The services and signatures that declare the functions of documents in Kotlin.

An id such as `com.example.BaseNoteService#createNote` names class and method; other ids get a
class of their own. Functions with a scope are registered at run time, so they are signatures.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from appfunctions_mcp.android.data_types import AndroidDocument, AndroidFunction
from appfunctions_mcp.android.kotlin.findings import Findings, Place
from appfunctions_mcp.android.kotlin.functions import (
    FunctionReader,
    KotlinFunction,
    owner_and_method,
)
from appfunctions_mcp.android.kotlin.names import ClassName, require_identifiers
from appfunctions_mcp.android.kotlin.words import KotlinError, camel_case, snake_case
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["KotlinService", "KotlinServices"]

_ASSET = regex(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class KotlinService:
    """An entry point, or a signature where it has no generated service."""

    name: ClassName
    xml_name: str
    """The name of the XML that Android's compiler makes of it."""
    functions: tuple[KotlinFunction, ...]
    generated: str | None = None
    """The name of the service that Android's compiler makes of it, in the same package."""
    schemas: Mapping[str, str] = field(default_factory=dict)
    """The names of the interfaces of the schemas, in the same package, by method."""


@dataclass(slots=True)
class _Group:
    """The functions of one owner."""

    owner: str
    xml_name: str
    is_signature: bool
    functions: list[KotlinFunction] = field(default_factory=list)


class KotlinServices:
    """Makes the services of all documents.

    Args:
        reader: Reads the functions.
        package: The package of services whose functions name none.
        sources: Where functions are declared, `FILE:LINE` by function id.
        findings: Gets what Kotlin has no word for.
    """

    def __init__(
        self,
        reader: FunctionReader,
        package: str,
        sources: Mapping[str, str],
        findings: Findings,
    ) -> None:
        self._reader = reader
        self._package = package
        self._sources = sources
        self._findings = findings
        self._groups: dict[tuple[str, str, bool], _Group] = {}
        self._taken: set[str] = set()

    def read(self, documents: Mapping[str, AndroidDocument]) -> None:
        """Reads the functions of all documents."""
        for xml_name, document in documents.items():
            for function in document.functions:
                owner, method = owner_and_method(function.id)
                is_signature = function.scope is not None
                key = (owner, "" if owner else xml_name, is_signature)
                group = self._groups.setdefault(key, _Group(owner, xml_name, is_signature))
                self._read(function, method, group)

    def _read(self, function: AndroidFunction, method: str, group: _Group) -> None:
        source = self._sources.get(function.id, "")
        place = Place(f"function {quoted(function.id, 300)}", source)
        taken = {each.method for each in group.functions}
        with self._findings.at(place):
            read = self._reader.read(function, _unused(method, taken), place)
            group.functions.append(read)

    def all(self, taken: set[str]) -> list[KotlinService]:
        """The services, under names that no class has.

        Args:
            taken: The binary names of the classes.
        """
        self._taken |= taken
        services = []
        for group in self._groups.values():
            if not group.is_signature:
                services.append(self._service(group))
                continue
            several = len(group.functions) > 1
            services += [self._signature(group, each, several=several) for each in group.functions]
        return services

    def _service(self, group: _Group) -> KotlinService:
        name = self._name_of(group, "Base{}Service")
        simple = name.path[-1]
        suffix = "Impl" if simple.endswith("Service") else "Service"
        is_based = simple.startswith("Base") and simple[4:5].isupper()
        wanted = simple.removeprefix("Base") if is_based else f"{simple}{suffix}"
        generated = self._take(ClassName(name.package, (wanted,))).path[-1]
        schemas = {}
        for each in group.functions:
            if each.declared.schema is not None:
                wanted = f"{camel_case(each.declared.schema.name)}Schema"
                schema = self._take(ClassName(name.package, (wanted,)))
                schemas[each.method] = schema.path[-1]
        self._note_ids(group.functions, name)
        return KotlinService(
            name, self._xml_name(group, name), tuple(group.functions), generated, schemas
        )

    def _signature(
        self, group: _Group, function: KotlinFunction, *, several: bool
    ) -> KotlinService:
        more = camel_case(function.method) if several else ""
        name = self._name_of(group, "{}" if group.owner else "{}Signature", more)
        self._note_ids([function], name)
        return KotlinService(name, self._xml_name(group, name), (function,))

    def _xml_name(self, group: _Group, name: ClassName) -> str:
        """The name of the document, where no other file has it."""
        groups = [each for each in self._groups.values() if each.xml_name == group.xml_name]
        services = [each for each in groups if not each.is_signature]
        if group.is_signature:
            wanted = f"{group.xml_name}_signatures" if services else group.xml_name
        elif len(services) > 1:
            wanted = f"{group.xml_name}_{snake_case(name.path[-1])}"
        else:
            wanted = group.xml_name
        return wanted if _ASSET.fullmatch(wanted) else snake_case(name.path[-1]) or "functions"

    def _name_of(self, group: _Group, form: str, more: str = "") -> ClassName:
        """The class that the ids name, or one made of their words."""
        named = _class_in(group.owner, self._package)
        if named is not None:
            path = (*named.path[:-1], named.path[-1] + more)
            return self._take(ClassName(named.package, path))
        last = group.owner.rpartition(".")[2] or group.xml_name
        words = camel_case(last) or camel_case(group.xml_name) or "App"
        return self._take(ClassName(self._package, (form.format(words) + more,)))

    def _take(self, name: ClassName) -> ClassName:
        """The name, or one like it that nothing has yet."""
        unused = _unused(name.binary, self._taken)
        self._taken.add(unused)
        last = name.path[-1] + unused.removeprefix(name.binary)
        return ClassName(name.package, (*name.path[:-1], last))

    def _note_ids(self, functions: list[KotlinFunction], name: ClassName) -> None:
        """Says which ids Android's compiler gives, where they are others."""
        owner = f"{name.package}.{'.'.join(name.path)}"
        own_owners = {owner_and_method(each.declared.id)[0] for each in functions}
        renamed = [e for e in functions if not e.declared.id.endswith(f"#{e.method}")]
        if not renamed and own_owners != {owner}:
            before = ", ".join(f"{each}#" for each in sorted(own_owners))
            text = f"on Android, the ids of its functions begin with it, not with {before}"
            self._findings.note(Place(f"class {owner}"), text)
        for each in renamed:
            self._findings.note(each.place, f"its id on Android is {owner}#{each.method}")


def _class_in(owner: str, package: str) -> ClassName | None:
    """The class that an id names before its `#`; None where that is no class."""
    parts = owner.split(".")
    start = next((i for i, part in enumerate(parts) if part[:1].isupper()), None)
    if start is None:
        return None
    name = ClassName(".".join(parts[:start]) or package, tuple(parts[start:]))
    try:
        require_identifiers(name)
    except KotlinError:
        return None
    return name


def _unused(name: str, taken: set[str]) -> str:
    """The name, with a number where others have it."""
    number = 2
    unused = name
    while unused in taken:
        unused = f"{name}{number}"
        number += 1
    return unused
