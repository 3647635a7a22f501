"""Asks a client's own program what it makes of an entry; it never writes for us."""

import subprocess

from appfunctions_mcp.install.machine import Machine

VERIFY_TIMEOUT_SECONDS = 15.0


def ask_program(machine: Machine, program: str, *words: str, says: str | None = None) -> str | None:
    """What a program says of an entry, in a sentence; None where it is not on PATH.

    Args:
        machine: Gives PATH and the folder.
        program: The name of the program.
        words: Its arguments, without a shell.
        says: What its output has to hold; None where its status tells.
    """
    path = machine.find_program(program)
    if path is None:
        return None
    asked = f"`{' '.join((program, *words))}`"
    try:
        done = subprocess.run(  # noqa: S603 - a program from PATH, no shell, a checked name
            [path, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERIFY_TIMEOUT_SECONDS,
            cwd=machine.cwd,
            env=machine.program_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{asked} gave no answer in {VERIFY_TIMEOUT_SECONDS:.0f} s"
    except OSError as error:
        return f"{asked} could not be started: {error.strerror or error}"
    output = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode == 0 and (says is None or says in output):
        return f"{asked} finds it"
    if done.returncode == 0:
        return f"{asked} does not name it"
    said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
    return f"{asked} ended with {done.returncode}: {' '.join(said[:2])}"
