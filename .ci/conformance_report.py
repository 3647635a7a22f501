"""Reads a log of the conformance suite and says which required scenarios passed."""

import re
import sys
from pathlib import Path

EXPECTED = Path(__file__).parent / "conformance.scenarios"


def main(log: str, requirements: str, revision: str, transport: str, *options: str) -> int:
    """Prints one line a revision; 1 if a scenario that must pass did not."""
    listed = Path(requirements).read_text(encoding="utf-8")
    server_part = listed.split("\nserver:\n")[1].split("\nclient:")[0]
    required = re.findall(r"- (\S+)", server_part)
    text = Path(log).read_text(encoding="utf-8")
    results = re.findall(r"^([✓✗]) ([\w./-]+): \d+ passed", text, re.MULTILINE)
    marks = {name: mark for mark, name in results}
    failing = [name for name in required if marks.get(name) != "✓"]
    expected = set(required) if "--all" in options else _expected(revision, transport)
    unknown = expected - set(required)
    broken = sorted(expected & set(failing)) + sorted(unknown)
    print(f"{revision}: required {len(required) - len(failing)}/{len(required)}", end="")
    print(f"; not served yet: {', '.join(sorted(set(failing) - set(broken)))}" if failing else "")
    if broken:
        print(f"{revision}: must pass but does not: {', '.join(broken)}")
    return int(bool(broken))


def _expected(revision: str, transport: str) -> set[str]:
    """The listed scenarios of a revision; those that end in `http` concern nothing else."""
    lines = (line.split() for line in EXPECTED.read_text(encoding="utf-8").splitlines())
    listed = [words for words in lines if words and revision in words[1:]]
    return {words[0] for words in listed if transport.startswith("http") or words[-1] != "http"}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
