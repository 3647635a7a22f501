"""The `adb` client: found, started with an argument vector, and stopped in time.

No shell of this machine ever sees a word of a command, and the shell of the device sees each as
one quoted word. Knows nothing of functions.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from appfunctions_mcp.android.bridge.hidden_text import first_lines
from appfunctions_mcp.android.bridge.programs import TooMuchOutputError, run_program
from appfunctions_mcp.exceptions import AppFunctionsError, SettingsError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = [
    "MAX_WORD_BYTES",
    "Adb",
    "AdbDevice",
    "Answer",
    "AnswerLostError",
    "DeviceError",
    "find_adb",
    "remote_word",
]

MAX_WORD_BYTES = 131_071
"""How long one word of a command may be on the device: its kernel takes no longer ones."""
ANSWER_SECONDS = 20.0
"""How long adb may take for what is no execution."""

# In adb's own protocol the length of a command has four hexadecimal digits.
_MAX_COMMAND_BYTES = 60_000 if os.name == "posix" else 24_000
_MAX_OUTPUT_BYTES = 64 * 1024 * 1024
_SERIAL = regex(r"[A-Za-z0-9_.:@\[\]%()+,=/? -]{1,200}\Z")
# What the client says of its server, where a command's output is to follow.
_ABOUT_SERVER = regex(r"(?:(?:\* daemon |adb server version \().*\n)+")
# A serial may hold blanks, as those of wireless devices do of which there are several.
_LISTED = regex(
    r"(\S.*?)\s+(device|offline|unauthorized|authorizing|connecting|no permissions|recovery|"
    r"sideload|rescue|bootloader|host|detached)(?=[\s;]|\Z)(.*)"
)
_LISTED_OTHERWISE = regex(r"(\S+)\s+(\S+)(.*)")
_SDK_FOLDERS = ("Android/Sdk", "Library/Android/sdk", "AppData/Local/Android/Sdk")
_GET_ADB = (
    "install Android's platform-tools (package 'adb' on Debian and Ubuntu, "
    "'brew install android-platform-tools' on macOS), or give --adb PATH"
)


class DeviceError(AppFunctionsError):
    """A device or adb cannot be used; the text says what is the matter and what helps."""


class AnswerLostError(DeviceError):
    """A command was sent, but no whole answer came: what it was to do may have happened."""


@dataclass(frozen=True, slots=True)
class AdbDevice:
    """A device that adb knows of."""

    serial: str
    state: str
    """`device` where it can be used; else `unauthorized`, `offline` and others."""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command on the device has printed."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def told(self) -> str:
        """What a person reads of it in a message."""
        shown = first_lines(f"{self.stderr[:4096]} {self.stdout[:4096]}")
        return shown or f"nothing, and ended with exit code {self.exit_code}"


def find_adb(given: str | None, environ: Mapping[str, str]) -> Path:
    """The adb client: as given, on PATH, or where Android's tools are usually installed.

    Args:
        given: From the command line: a path, or a name that is looked for on PATH.
        environ: The environment, for PATH and ANDROID_HOME.

    Raises:
        SettingsError: What is given is no program.
        DeviceError: There is none; says how to get one.
    """
    on_path = [Path(each) for each in environ.get("PATH", "").split(os.pathsep) if each]
    if given is not None:
        path = Path(os.path.expanduser(given))  # noqa: PTH111 - never raises
        found = _program_in(on_path, given) if given == path.name else path.absolute()
        if found is None or not _is_program(found):
            raise SettingsError(f"--adb: {quoted(given, 300)} is no program; {_GET_ADB}")
        # Windows hands the words of these to a shell of its own.
        if found.suffix.lower() in {".bat", ".cmd"}:
            raise SettingsError(f"--adb: {quoted(given, 300)} is a script; give adb.exe")
        return found
    sdks = filter(None, map(environ.get, ("ANDROID_HOME", "ANDROID_SDK_ROOT")))
    folders = [*on_path, *(Path(sdk, "platform-tools") for sdk in sdks)]
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home:
        folders += [Path(home, each, "platform-tools") for each in _SDK_FOLDERS]
    found = _program_in(folders, "adb" if os.name == "posix" else "adb.exe")
    if found is None:
        raise DeviceError(f"adb was not found on PATH; {_GET_ADB}")
    return found


def _program_in(folders: Iterable[Path], name: str) -> Path | None:
    # A relative folder would let whoever chose the current one choose the program.
    paths = (folder / name for folder in folders if folder.is_absolute())
    return next(filter(_is_program, paths), None)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def require_serial(serial: str) -> str:
    """A serial as adb lists it.

    Raises:
        SettingsError: It cannot be one.
    """
    if serial.startswith("-") or not _SERIAL.match(serial):
        raise SettingsError(
            f"--serial: {quoted(serial)} is no serial; 'adb devices' shows those of the devices"
        )
    return serial


def remote_word(word: str) -> str:
    """A word as the device's shell takes it: as it is, whatever it holds.

    Raises:
        ValueError: It holds a NUL, which no command can.
    """
    if "\0" in word:
        raise ValueError("a word of a command cannot hold the character NUL")
    return "'" + word.replace("'", "'\\''") + "'"


class Adb:
    """Runs commands on one device.

    Args:
        program: The adb client.
        serial: The device.
    """

    def __init__(self, program: Path, serial: str = "") -> None:
        self.program = program
        self.serial = serial

    def on(self, serial: str) -> "Adb":
        """The same client, for another device."""
        return Adb(self.program, serial)

    async def devices(self) -> list[AdbDevice]:
        """The devices that adb knows of, usable or not.

        Raises:
            DeviceError: adb does not answer.
        """
        answer = await self._run(["devices", "-l"], seconds=ANSWER_SECONDS)
        _, header, listed = answer.stdout.partition("List of devices attached")
        if answer.exit_code != 0 or not header:
            raise DeviceError(f"{self._shown} does not work: it says {answer.told}; {_GET_ADB}")
        return [found for line in listed.splitlines() if (found := _device_of(line))]

    async def shell(self, words: Sequence[str], *, seconds: float = ANSWER_SECONDS) -> Answer:
        """Runs a command on the device.

        Args:
            words: The command and its arguments; each arrives as it is.
            seconds: How long it may take.

        Raises:
            ValueError: A word cannot be one.
            AnswerLostError: The device does not answer in time, or without end.
            DeviceError: The device is not there.
        """
        command = " ".join(map(remote_word, words))
        longest = max(len(word.encode(errors="surrogatepass")) for word in words)
        if longest > MAX_WORD_BYTES:
            raise ValueError(f"a word has {longest} bytes; at most {MAX_WORD_BYTES} are accepted")
        script = b""
        if len(command.encode()) > _MAX_COMMAND_BYTES:
            # Too long for the way of commands, but not for a shell that reads them.
            script = f"{command} </dev/null\nexit $?\n".encode()
            command = "sh"
        answer = await self._run(
            ["-s", self.serial, "shell", command], seconds=seconds, given=script
        )
        self.require_there(answer)
        return answer

    def require_there(self, answer: Answer) -> None:
        """Checks that an answer is one of the device, not one of adb about it.

        Raises:
            DeviceError: The device was not reached.
        """
        if answer.exit_code == 0:
            return
        for line in answer.stderr.splitlines():
            if not line.startswith(("error: ", "adb: ")):
                continue
            for words, state in _TROUBLES.items():
                if words in line:
                    raise DeviceError(trouble_with(self.serial, state))
            raise DeviceError(f"adb cannot reach the device {self.serial}: {first_lines(line)}")

    async def _run(self, words: Sequence[str], *, seconds: float, given: bytes = b"") -> Answer:
        try:
            output = await run_program(
                self.program, words, seconds=seconds, given=given, most_bytes=_MAX_OUTPUT_BYTES
            )
        except TimeoutError as fault:
            raise AnswerLostError(
                f"adb did not answer within {seconds:g} s; unplug the device and plug it in "
                "again, or run 'adb kill-server'"
            ) from fault
        except TooMuchOutputError as fault:
            raise AnswerLostError(
                f"adb answered with more than {_MAX_OUTPUT_BYTES} bytes"
            ) from fault
        except OSError as fault:
            raise DeviceError(
                f"{self._shown} cannot be started: {fault.strerror}; {_GET_ADB}"
            ) from fault
        stdout = _text(output.stdout)
        about_server = _ABOUT_SERVER.match(stdout)
        own = stdout[about_server.end() :] if about_server else stdout
        return Answer(output.exit_code, own, _text(output.stderr))

    @property
    def _shown(self) -> str:
        return f"adb ({quoted(str(self.program), 300)})"


def _text(output: bytes) -> str:
    return output.decode(errors="replace").replace("\r\n", "\n")


def _device_of(line: str) -> AdbDevice | None:
    """A line of `adb devices -l`: the serial, the state, and words with a colon."""
    found = _LISTED.match(line) or _LISTED_OTHERWISE.match(line)
    if found is None or line.startswith("*"):
        return None
    serial, state, rest = found.groups()
    model = next((each[6:] for each in rest.split() if each.startswith("model:")), "")
    return AdbDevice(serial, state, model)


_TROUBLES = {
    "unauthorized": "unauthorized",
    "device offline": "offline",
    "insufficient permissions": "no permissions",
    "no permissions": "no permissions",
    "not found": "gone",
    "no devices": "gone",
    "still authorizing": "authorizing",
    "still connecting": "authorizing",
    "device disconnected": "gone",
    "closed": "gone",
}
"""What adb says of a device that cannot be reached, and the state that this is."""

_ADVICE = {
    "unauthorized": "has not allowed this computer yet; unlock it and accept 'Allow USB debugging'",
    "authorizing": "is still being asked; unlock it and accept 'Allow USB debugging'",
    "offline": "does not answer (offline); unplug it and plug it in again, or run "
    "'adb reconnect offline'",
    "no permissions": "may not be opened by this user; on Linux install the package "
    "'android-sdk-platform-tools-common' (udev rules), then plug it in again",
    "recovery": "is in recovery; start Android on it",
    "sideload": "is in recovery; start Android on it",
    "bootloader": "is in its bootloader; start Android on it",
    "gone": "is not connected; plug it in, unlock it and switch on USB debugging (in its "
    "Settings, under Developer options)",
}


def trouble_with(serial: str, state: str) -> str:
    """What is the matter with a device in a state in which it cannot be used, and what helps."""
    advice = _ADVICE.get(state, f"is in the state {quoted(state)}; 'device' is needed")
    return f"the device {serial} {advice}"
