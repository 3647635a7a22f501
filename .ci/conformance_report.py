"""Reads a log of the conformance suite and says which required scenarios passed."""

import re
import sys
from pathlib import Path

EXCEPTIONS = Path(__file__).parent / "conformance.exceptions"
_RESULT = re.compile(r"^([✓✗]) ([\w./-]+): \d+ passed", re.MULTILINE)
_UNSCORED = re.compile(r"^  ([✓✗]) ([\w./-]+) \(([\w-]+)\)$", re.MULTILINE)


def main(log: str, requirements: str, revision: str, transport: str) -> int:
    """Prints what passed, what need not, and what is not scored; 1 if anything else failed."""
    listed = Path(requirements).read_text(encoding="utf-8")
    server_part = listed.split("\nserver:\n")[1].split("\nclient:")[0]
    required = re.findall(r"- (\S+)", server_part)
    text = Path(log).read_text(encoding="utf-8")
    marks = {name: mark for mark, name in _RESULT.findall(text)}
    failing = [name for name in required if marks.get(name) != "✓"]
    excepted = _exceptions(transport, revision)
    excused = [name for name in failing if name in excepted]
    broken = [name for name in failing if name not in excepted] + sorted(excepted - set(required))
    print(f"{revision}: required {len(required) - len(failing)}/{len(required)}", end="")
    print(f"; need not pass: {', '.join(excused)}" if excused else "")
    for name in broken:
        print(f"    {revision}: must pass but does not: {name}")
    unscored = [f"{mark} {name} ({why})" for mark, name, why in _UNSCORED.findall(text)]
    if unscored:
        print(f"    not scored: {', '.join(unscored)}")
    return int(bool(broken))


def _exceptions(transport: str, revision: str) -> set[str]:
    """The scenarios that need not pass over a transport, each with its reason in the file."""
    lines = (line.split(None, 3) for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines())
    return {words[2] for words in lines if words[:2] == [transport, revision]}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
