"""Switches functions on and off as fast as it can, and says each change once it is kept.

Run as `python -m tests.support.state_writer FILE FUNCTION_ID…`, until it is killed.
"""

import itertools
import sys
from pathlib import Path

from appfunctions_mcp.metadata import AppFunctionState
from appfunctions_mcp.state import JsonFileStateStore


def main(path: str, *function_ids: str) -> None:
    """Writes `<id> <state>` before and `kept` after each change."""
    store = JsonFileStateStore(Path(path))
    states = (AppFunctionState.DISABLED, AppFunctionState.ENABLED, AppFunctionState.DEFAULT)
    for turn in itertools.count():
        for function_id in function_ids:
            state = states[turn % len(states)]
            print(function_id, state.value, flush=True)
            store.write(function_id, state)
            print("kept", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
