"""The resources of a service, found by the address that a client asks for.

What is listed is what can be read: both come from here. A single resource comes before
templates, and the template with the most fixed text before others. Knows nothing of callers.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    from appfunctions_mcp.resources import AppResource
    from appfunctions_mcp.uri_templates import UriTemplate, Values

LONGEST_URI = 8192
"""How many characters of an address are looked at: a longer one names nothing."""


@record(frozen=True, slots=True)
class FoundResource:
    """What an address names."""

    resource: "AppResource"
    values: "Values"
    """The template's variables, as the address gives them."""

    @property
    def fault(self) -> str | None:
        """Why these values must not reach the function: one of them leads out of its place."""
        from appfunctions_mcp.traversal import fault_in

        return fault_in(self.values)


class AppResourceRegistry:
    """Resources in the order in which they were added."""

    def __init__(self) -> None:
        self._by_uri: dict[str, AppResource] = {}
        self._templates: list[tuple[UriTemplate, AppResource]] = []
        self.revision = 0
        """Rises with each change."""

    def __iter__(self) -> "Iterator[AppResource]":
        return iter(tuple(self._by_uri.values()))

    def __len__(self) -> int:
        return len(self._by_uri)

    def add(self, resources: "Iterable[AppResource]") -> None:
        """Adds resources, all of them or none.

        Raises:
            AppFunctionDeclarationError: An address is taken; every clash is named.
        """
        by_uri = dict(self._by_uri)
        faults = []
        for resource in resources:
            twin = by_uri.setdefault(address_key(resource.uri), resource)
            if twin is not resource:
                faults.append(
                    f"{resource.names.source}: the address {resource.uri!r} is taken by "
                    f"{twin.names.function_id} ({twin.names.source}); give one of them another"
                )
        if faults:
            raise AppFunctionDeclarationError(faults)
        self._take(by_uri)

    def remove(self, uris: Iterable[str]) -> None:
        """Removes resources; addresses that are not here are passed over."""
        gone = {address_key(uri) for uri in uris}
        self._take({uri: each for uri, each in self._by_uri.items() if uri not in gone})

    def declared(self, uri: str) -> "AppResource | None":
        """The resource or the template that was declared with exactly this text."""
        return self._by_uri.get(address_key(uri))

    def find(self, uri: str) -> FoundResource | None:
        """What an address names; None where it is that of nothing."""
        if len(uri) > LONGEST_URI or uri.split() != [uri]:
            return None
        resource = self.declared(uri)
        if resource is not None and resource.template is None:
            return FoundResource(resource, {})
        for template, resource in self._templates:
            values = template.match(uri)
            if values is not None:
                return FoundResource(resource, values)
        return None

    def _take(self, by_uri: "dict[str, AppResource]") -> None:
        templates = [(r.template, r) for r in by_uri.values() if r.template is not None]
        self._by_uri = by_uri
        self._templates = sorted(templates, key=lambda pair: -pair[0].literal_size)
        self.revision += 1


def address_key(uri: str) -> str:
    """What equal addresses have in common: schemes are the same in any case."""
    scheme, colon, rest = uri.partition(":")
    return f"{scheme.lower()}{colon}{rest}"
