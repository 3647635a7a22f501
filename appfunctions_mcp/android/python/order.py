"""The order in which definitions stand: each after what it needs, and if possible after the rest.

Knows nothing of what is defined.
"""

from collections.abc import Iterable, Mapping

Edges = Mapping[str, Iterable[str]]
"""Name → the names that are to stand before it."""


def in_order(needs: Edges, mentions: Edges) -> list[str]:
    """All names, each after those that it needs.

    Args:
        needs: What has to stand before; no name needs itself, directly or through others.
        mentions: What stands before if it can; these may form cycles.
    """
    wished = _after(list(needs), {each: [*needs[each], *mentions.get(each, ())] for each in needs})
    return _after(wished, needs)


def _after(names: Iterable[str], edges: Edges) -> list[str]:
    """The names, each after those that its edges name, as far as there is no cycle."""
    found: dict[str, None] = {}
    begun: set[str] = set()
    for first in names:
        waiting = [(first, iter(edges.get(first, ())))] if first not in begun else []
        begun.add(first)
        while waiting:
            name, before = waiting[-1]
            following = next((each for each in before if each not in begun and each in edges), None)
            if following is None:
                found[name] = None
                waiting.pop()
            else:
                begun.add(following)
                waiting.append((following, iter(edges[following])))
    return list(found)
