"""The metrics of several processes as those of one server: equal series are added up.

Works on Prometheus' text, so that it needs to know nothing of what is counted.
"""

from collections.abc import Iterable

_SINGLE = frozenset({"gauge", "untyped", "unknown", "info", "stateset"})
"""Kinds that tell of a process while it lives; all others are totals, which outlive it."""


class MetricsText:
    """The series of one or several processes, by the families that they belong to."""

    def __init__(self, *texts: str) -> None:
        self._heads: dict[str, list[str]] = {}
        self._kinds: dict[str, str] = {}
        self._series: dict[str, dict[str, float]] = {}
        for text in texts:
            self.add(text)

    def add(self, text: str, *, totals_only: bool = False) -> None:
        """Adds a process's series to those that are there.

        Args:
            text: What the process tells.
            totals_only: Leaves out what a process that has ended no longer has.
        """
        family, heads = "", list[str]()
        for line in text.splitlines():
            if line.startswith("# "):
                _, word, name, *rest = line.split(" ", 3)
                if name != family:
                    family, heads = name, []
                heads.append(line)
                self._heads.setdefault(name, heads)
                if word == "TYPE":
                    self._kinds[name] = rest[0].strip()
            elif line and not (totals_only and self._kinds.get(family, "gauge") in _SINGLE):
                series, _, value = line.rpartition(" ")
                counted = self._series.setdefault(family, {})
                counted[series] = counted.get(series, 0.0) + float(value)

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterable[str]:
        for family in {**self._heads, **self._series}:
            yield from self._heads.get(family, ())
            for series, value in self._series.get(family, {}).items():
                yield f"{series} {_written(value)}"


def _written(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
