"""A device for tests: a program in place of adb, and a shell that real commands run in.

`AndroidDevice` makes a folder with a program `adb` that speaks the client's contract and hands
command lines to a real `sh`, whose PATH has the device's own commands. `cmd app_function` there
is our own command over a metadata file, or answers from a listing that the test has written.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

SERIAL = "emulator-5554"
PROTOCOL_LIMIT = 0xFFFF
"""How long a command adb's own protocol can carry: its length has four digits."""
COMMANDS = ("cmd", "getprop", "pm", "unzip")


class AndroidDevice:
    """One or several devices behind one program `adb`; `change` is what happens to them.

    Args:
        folder: Where everything stands.
        settings: As in `_USUAL`.
    """

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.adb = folder / "adb"
        (folder / "bin").mkdir(parents=True)
        self._settings: dict[str, Any] = dict(_USUAL)
        self.change(**settings)
        python = shlex.quote(sys.executable)
        program = f"{python} -S {shlex.quote(__file__)} {shlex.quote(str(folder))}"
        self._write(self.adb, f'exec {program} adb "$@"')
        for name in COMMANDS:
            self._write(folder / "bin" / name, f'exec {program} {name} "$@"')

    def _write(self, path: Path, line: str) -> None:
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)

    def change(self, **settings: Any) -> None:
        """What is different from now on."""
        unknown = settings.keys() - _USUAL.keys()
        assert not unknown, unknown
        self._settings |= settings
        written = self.folder / "device.new"
        written.write_text(json.dumps(self._settings), encoding="utf-8")
        written.replace(self.folder / "device.json")

    def list_functions(self, listing: object) -> None:
        """What `list-app-functions` prints from now on."""
        self.change(listing=json.dumps(listing))

    @property
    def commands(self) -> list[list[str]]:
        """Every command that has run on the device, with its words."""
        return _lines_of(self.folder / "commands.log")

    @property
    def calls(self) -> list[list[str]]:
        """The words of every execution that has reached the device."""
        return [words for words in self.commands if "execute-app-function" in words]

    @property
    def parameters(self) -> list[Any]:
        """What every execution got as its parameters."""
        return [json.loads(words[words.index("--parameters") + 1]) for words in self.calls]

    @property
    def requests(self) -> list[list[str]]:
        """The words of every start of adb."""
        return _lines_of(self.folder / "adb.log")


_USUAL: dict[str, Any] = {
    "devices": [[SERIAL, "device", "sdk_gphone64"]],
    "api_level": 37,
    "listing": "{}",
    "answer": ['{"androidAppfunctionsReturnValue": ["done"]}', 0],
    "knows_timeouts": True,
    "has_service": True,
    "description": "",
    "installed": {"com.example.notes": "/data/app/notes/base.apk"},
    "services": [],
    "assets": [],
    "metadata": "",
    "vanishes": False,
    "hangs": False,
}


def _lines_of(path: Path) -> list[Any]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run_in_shell(folder: Path, command: str, **streams: Any) -> "subprocess.Popen[bytes]":
    """Starts a command line of the device in a real shell."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:/usr/bin:/bin"}
    return subprocess.Popen(["/bin/sh", "-c", command], env=environment, **streams)


class _Program:
    """One start of adb, or of a command on the device."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._settings = json.loads((folder / "device.json").read_text(encoding="utf-8"))

    def log(self, name: str, words: list[str]) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(words) + "\n")

    def adb(self, words: list[str]) -> int:
        self.log("adb.log", words)
        if words[:1] == ["devices"]:
            print("List of devices attached")
            for serial, state, model in self._settings["devices"]:
                known = f"model:{model} " if state == "device" else ""
                print(f"{serial:<22} {state} usb:1-1 {known}transport_id:1")
            return 0
        assert words[0] == "-s", words
        serial, name, *rest = words[1:]
        assert name == "shell", words
        states = {s: state for s, state, _ in self._settings["devices"]}
        if states.get(serial) != "device":
            told = {"unauthorized": "device unauthorized.", "offline": "device offline"}
            text = told.get(states.get(serial, ""), f"device '{serial}' not found")
            print(f"error: {text}", file=sys.stderr)
            return 1
        command = " ".join(rest)
        if len(command.encode()) > PROTOCOL_LIMIT - 100:
            print("error: protocol fault (couldn't read status): Success", file=sys.stderr)
            return 1
        if self._settings["hangs"]:
            os.execv("/bin/sleep", ["sleep", "60"])  # noqa: S606 - a device that does not answer
        output = subprocess.DEVNULL if self._vanishes(command) else None
        code = run_in_shell(self._folder, command, stdout=output, stderr=output).wait()
        return 0 if output else code

    def _vanishes(self, command: str) -> bool:
        return bool(self._settings["vanishes"]) and "execute-app-function" in command

    def getprop(self, words: list[str]) -> int:
        assert words == ["ro.build.version.sdk"]
        print(self._settings["api_level"])
        return 0

    def pm(self, words: list[str]) -> int:
        installed = self._settings["installed"]
        if words[0] == "list":
            print("\n".join(f"package:{name}" for name in installed))
        elif words[1] in installed:
            print(f"package:{installed[words[1]]}")
        return 0 if words[0] == "list" or words[1] in installed else 1

    def unzip(self, words: list[str]) -> int:
        assert words[0] == "-l"
        if self._settings["assets"] is None:
            return 1
        for name in self._settings["assets"]:
            print(f"     1024  2026-05-27 18:00   {name}")
        return 0

    def cmd(self, words: list[str]) -> int:
        self.log("commands.log", words)
        if words[0] == "package":
            if self._settings["services"] is None:
                return 255
            print("\n".join(f"  {name}" for name in self._settings["services"]))
            return 0
        if words[0] != "app_function" or not self._settings["has_service"]:
            print(f"cmd: Can't find service: {words[0]}")
            return 20
        if self._settings["metadata"]:
            program = [sys.executable, "-P", "-m", "appfunctions_mcp", "cmd"]
            os.execv(program[0], [*program, self._settings["metadata"], *words])  # noqa: S606 - itself
        return self._app_function(words[1], words[2:])

    def _app_function(self, name: str, words: list[str]) -> int:
        if name == "list-app-functions":
            if "--package" in words and self._settings["api_level"] < 37:
                print("Unknown option: --package")
                return 255
            print(self._settings["listing"])
            return 0
        if name == "read-app-description":
            print(self._settings["description"])
            return 0
        assert name == "execute-app-function", name
        if "--timeout-duration" in words and not self._settings["knows_timeouts"]:
            print("Unknown option: --timeout-duration")
            return 255
        text, code = self._settings["answer"]
        print(text)
        return int(code)


if __name__ == "__main__":
    program = _Program(Path(sys.argv[1]))
    sys.exit(getattr(program, sys.argv[2])(sys.argv[3:]))
