"""The exact versions of the packages that an app runs with here.

Only names and versions of what is installed are read; nothing is asked of an index.
"""

from collections import deque
from collections.abc import Iterable
from importlib import metadata as distributions

from appfunctions_mcp.lazy_regex import regex

_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NOT_PLAIN = regex(r"[-_.]+")
PROGRAM = "appfunctions-mcp"


def pinned_requirements(modules: Iterable[str]) -> list[str]:
    """`name==version` of the packages of these modules, and of all that those packages need.

    A package that is needed only on some platforms keeps its marker: elsewhere there may be none
    of that name to install.

    Args:
        modules: The first names of the installed modules that an app serves or imports.
    """
    providers = distributions.packages_distributions()
    wanted = [PROGRAM, *(name for top in modules for name in providers.get(top, ()))]
    waiting = deque((_plain(name), "") for name in wanted)
    conditions: dict[str, set[str]] = {}
    versions: dict[str, str] = {}
    while waiting:
        name, condition = waiting.popleft()
        known = conditions.setdefault(name, set())
        if "" in known or condition in known:
            continue
        try:
            found = distributions.distribution(name)
        except distributions.PackageNotFoundError:
            # A requirement of another platform.
            continue
        known.add(condition)
        versions[name] = found.version
        for requirement, marker in map(_split_requirement, found.requires or ()):
            if requirement is not None:
                # What is needed anyway comes first, so that few conditions are followed.
                both = " and ".join(filter(None, (condition, marker)))
                (waiting.append if both else waiting.appendleft)((requirement, both))
    return [_pin(name, versions[name], conditions[name]) for name in sorted(versions)]


def _pin(name: str, version: str, conditions: set[str]) -> str:
    pin = f"{name}=={version}"
    return pin if "" in conditions else f"{pin} ; {' or '.join(sorted(conditions))}"


def is_installed_from_folder() -> bool:
    """Whether this program was installed from a folder, so that no index may have its version."""
    try:
        found = distributions.distribution(PROGRAM)
    except distributions.PackageNotFoundError:
        return True
    return found.read_text("direct_url.json") is not None


def _split_requirement(requirement: str) -> tuple[str | None, str]:
    """The package of a requirement and its marker; no package for what only an extra asks for."""
    wanted, _, marker = requirement.partition(";")
    if "extra" in marker:
        return None, ""
    name = _NAME.match(wanted.strip())
    return _plain(name.group()) if name else None, f"({marker.strip()})" if marker.strip() else ""


def _plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return _NOT_PLAIN.sub("-", name).lower()
