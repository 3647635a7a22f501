"""The machine whose clients are configured: platform, environment and folders.

Everything that differs between platforms takes this record, so that the paths of Windows and
macOS are computed, and tested, on any platform.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_WINDOWS_VARIABLES = (
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """Where clients keep their files, and what a client would start a server with."""

    platform: str
    """As `sys.platform` says it: `darwin`, `win32`, `linux`."""
    environ: Mapping[str, str]
    home: Path
    cwd: Path
    """The project folder of project-wide entries."""

    @classmethod
    def here(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """The machine that this process runs on."""
        return cls(platform=sys.platform, environ=environ, home=Path.home(), cwd=Path.cwd())

    @property
    def is_windows(self) -> bool:
        """Whether Windows' rules hold."""
        return self.platform == "win32"

    def folder(self, variable: str, otherwise: Path) -> Path:
        """The folder that a variable names; relative and empty values count as unset."""
        value = self.environ.get(variable, "")
        return Path(value) if value and Path(value).is_absolute() else otherwise

    def find_program(self, name: str) -> str | None:
        """The path of a program on PATH; the current folder and relative ones are not looked at.

        Windows looks into the current folder first, where anybody may have put a program. What
        npm installs there is a script of the name with an ending, beside one without that only
        other shells can start.
        """
        endings = [""]
        if self.is_windows:
            listed = self.environ.get("PATHEXT") or ".COM;.EXE;.BAT;.CMD"
            endings = [ending for ending in listed.split(";") if ending]
        for folder in self.program_folders():
            for ending in endings:
                path = Path(folder, f"{name}{ending}")
                if path.is_file() and (self.is_windows or os.access(path, os.X_OK)):
                    return str(path)
        return None

    def program_folders(self) -> list[str]:
        """The folders of PATH that are absolute and are not the current one."""
        here = Path(os.path.realpath(self.cwd))
        folders = self.environ.get("PATH", "").split(os.pathsep)
        absolute = (folder for folder in folders if Path(folder).is_absolute())
        return [folder for folder in absolute if Path(os.path.realpath(folder)) != here]

    def program_environment(self) -> dict[str, str]:
        """The user's environment for a client's own program, which starts others by their names."""
        safe = {"PATH": os.pathsep.join(self.program_folders())}
        if self.is_windows:
            # Else cmd.exe looks for what a script starts in the current folder first.
            safe["NoDefaultCurrentDirectoryInExePath"] = "1"
        return {**self.environ, **safe}

    def client_environment(self) -> dict[str, str]:
        """The few variables that a desktop client passes on to a server that it starts."""
        if not self.is_windows:
            inherited = {
                name: self.environ[name] for name in ("USER", "LOGNAME") if name in self.environ
            }
            return {"HOME": str(self.home), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", **inherited}
        inherited = {
            name: self.environ[name] for name in _WINDOWS_VARIABLES if name in self.environ
        }
        system = self.environ.get("SYSTEMROOT", "C:\\Windows")
        return {**inherited, "PATH": f"{system}\\System32;{system}"}

    def client_folder(self) -> Path:
        """The folder that a desktop client starts servers in: the root."""
        if self.is_windows:
            return Path(self.environ.get("SYSTEMDRIVE", "C:") + "\\")
        return Path("/")
