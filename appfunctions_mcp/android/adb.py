"""The `adb` client: found, started with an argument vector, and stopped in time.

No shell of this machine ever sees a word of a command, and the shell of the device sees each as
one quoted word. Knows nothing of functions.
"""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appfunctions_mcp.android.hidden_text import first_lines
from appfunctions_mcp.exceptions import AppFunctionsError, SettingsError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = [
    "MAX_WORD_BYTES",
    "Adb",
    "AdbDevice",
    "Answer",
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
_CHUNK_BYTES = 65_536
_STOP_SECONDS = 1.0
_SERIAL = regex(r"[A-Za-z0-9_.:@\[\]%()+,=/ -]{1,200}\Z")
_SDK_FOLDERS = ("Android/Sdk", "Library/Android/sdk", "AppData/Local/Android/Sdk")
_GET_ADB = (
    "install Android's platform-tools (package 'adb' on Debian and Ubuntu, "
    "'brew install android-platform-tools' on macOS), or give --adb PATH"
)


class DeviceError(AppFunctionsError):
    """A device or adb cannot be used; the text says what is the matter and what helps."""


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


def find_adb(given: Path | None, environ: Mapping[str, str]) -> Path:
    """The adb client: as given, on PATH, or where Android's tools are usually installed.

    Args:
        given: From the command line.
        environ: The environment, for PATH and ANDROID_HOME.

    Raises:
        SettingsError: What is given is no program.
        DeviceError: There is none; says how to get one.
    """
    if given is not None:
        if not given.is_file() or not os.access(given, os.X_OK):
            raise SettingsError(f"--adb: {quoted(str(given), 300)} is no program; {_GET_ADB}")
        # Windows hands the words of these to a shell of its own.
        if given.suffix.lower() in {".bat", ".cmd"}:
            raise SettingsError(f"--adb: {quoted(str(given), 300)} is a script; give adb.exe")
        return given.absolute()
    name = "adb" if os.name == "posix" else "adb.exe"
    folders = [Path(each) for each in environ.get("PATH", "").split(os.pathsep) if each]
    for sdk in filter(None, map(environ.get, ("ANDROID_HOME", "ANDROID_SDK_ROOT"))):
        folders += [Path(sdk, "platform-tools")]
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home:
        folders += [Path(home, each, "platform-tools") for each in _SDK_FOLDERS]
    for folder in folders:
        # A relative folder would let whoever chose the current one choose the program.
        if folder.is_absolute() and os.access(folder / name, os.X_OK):
            return folder / name
    raise DeviceError(f"adb was not found on PATH; {_GET_ADB}")


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
        if answer.exit_code != 0:
            raise DeviceError(f"adb does not work: {first_lines(answer.stderr or answer.stdout)}")
        lines = answer.stdout.partition("List of devices attached")[2].splitlines()
        return [found for line in lines if (found := _device_of(line))]

    async def shell(self, words: Sequence[str], *, seconds: float = ANSWER_SECONDS) -> Answer:
        """Runs a command on the device.

        Args:
            words: The command and its arguments; each arrives as it is.
            seconds: How long it may take.

        Raises:
            ValueError: A word cannot be one.
            DeviceError: The device is not there, or does not answer in time.
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
        process = await self._started(words, takes_input=bool(given))
        streams: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(each)
            for each in (
                _read(process.stdout),
                _read(process.stderr),
                _write(process.stdin, given),
            )
        ]
        try:
            async with asyncio.timeout(seconds):
                await asyncio.wait(streams, return_when=asyncio.FIRST_EXCEPTION)
                stdout, stderr, _ = (each.result() for each in streams)
                code = await process.wait()
        except TimeoutError as fault:
            raise DeviceError(
                f"adb did not answer within {seconds:g} s; unplug the device and plug it in "
                "again, or run 'adb kill-server'"
            ) from fault
        finally:
            if process.returncode is None:
                await _stop(process, streams)
        return Answer(code, _text(stdout), _text(stderr))

    async def _started(
        self, words: Sequence[str], *, takes_input: bool
    ) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                self.program,
                *words,
                stdin=asyncio.subprocess.PIPE if takes_input else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=os.name == "posix",
            )
        except OSError as fault:
            raise DeviceError(f"adb cannot be started: {fault}; {_GET_ADB}") from fault


async def _stop(
    process: asyncio.subprocess.Process, streams: Sequence[asyncio.Future[Any]]
) -> None:
    """Ends adb and whatever it has started, and waits until nothing of it is left."""
    with suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    await process.wait()
    await asyncio.wait(streams, timeout=_STOP_SECONDS)
    for each in streams:
        if not each.cancel():
            each.exception()


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    assert stream is not None  # noqa: S101 - always a pipe
    found = bytearray()
    while chunk := await stream.read(_CHUNK_BYTES):
        found += chunk
        if len(found) > _MAX_OUTPUT_BYTES:
            raise DeviceError(f"the device answered with more than {_MAX_OUTPUT_BYTES} bytes")
    return bytes(found)


async def _write(stream: asyncio.StreamWriter | None, given: bytes) -> None:
    if stream is None:
        return
    # A device that has gone reads no further; what adb says then tells more.
    with suppress(ConnectionError):
        stream.write(given)
        await stream.drain()
    stream.close()


def _text(output: bytes) -> str:
    return output.decode(errors="replace").replace("\r\n", "\n")


def _device_of(line: str) -> AdbDevice | None:
    """A line of `adb devices -l`: the serial, the state, and words with a colon."""
    serial, tab, rest = line.partition("\t") if "\t" in line else line.partition(" ")
    if not serial or not tab or serial.startswith("*"):
        return None
    words = rest.split()
    model = next((each[6:] for each in words if each.startswith("model:")), "")
    # `no permissions (…); see […]` is the one state of several words.
    state = "no permissions" if words[:2] == ["no", "permissions"] else (words or ["unknown"])[0]
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
