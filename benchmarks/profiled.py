"""Runs this project's command line under cProfile and keeps the profile however it ends.

python -P profiled.py FILE run METADATA ...
"""

import cProfile
import os
import runpy
import sys
from typing import NoReturn

file = sys.argv.pop(1)
profile = cProfile.Profile()
leave = os._exit


def leave_with_profile(status: int) -> NoReturn:
    keep()
    leave(status)


def keep() -> None:
    profile.disable()
    profile.dump_stats(file)


os._exit = leave_with_profile
profile.enable()
try:
    runpy.run_module("appfunctions_mcp", run_name="__main__", alter_sys=True)
finally:
    keep()
