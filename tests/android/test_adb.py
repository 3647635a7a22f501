"""The adb client: how it is found, and what reaches the device's shell through it."""

import asyncio
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp import SettingsError
from appfunctions_mcp.android.bridge import adb as adb_module
from appfunctions_mcp.android.bridge.adb import (
    MAX_WORD_BYTES,
    Adb,
    AdbDevice,
    AnswerLostError,
    DeviceError,
    find_adb,
    remote_word,
    require_serial,
)
from tests.support.adb_server import adb_server
from tests.support.android_device import SERIAL, AndroidDevice

REAL_ADB = shutil.which("adb")
HOSTILE = [
    "it's",
    "''",
    '"; touch pwned; "',
    "$(touch pwned)",
    "`touch pwned`",
    "a\nb\r\tc",
    "; & | > < * ? [x] {a,b} ! # ~ \\ \\\\ %s",
    "--",
    "",
    "😀 \u2028 \u2029 \x85 \ufeff \x1b[0m \x01",
]


@pytest.fixture
def device(tmp_path: Path) -> AndroidDevice:
    return AndroidDevice(tmp_path / "device")


@pytest.fixture
def real_adb(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Debian's own client, whose server would not be that of the user."""
    if REAL_ADB is None:
        pytest.skip("no adb here; apt-get install adb")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    yield Path(REAL_ADB)
    subprocess.run([REAL_ADB, "-P", port, "kill-server"], check=False, capture_output=True)


def printed(adb: Adb, *words: str) -> list[str]:
    """What the device's own printf makes of words."""
    answer = asyncio.run(adb.on(SERIAL).shell(["printf", "%s\\0", *words]))
    assert (answer.exit_code, answer.stderr) == (0, "")
    return answer.stdout.split("\0")[:-1]


def test_every_word_arrives_as_it_is_and_nothing_in_it_is_executed(
    device: AndroidDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(device.folder)
    assert printed(Adb(device.adb), *HOSTILE) == HOSTILE
    assert not (device.folder / "pwned").exists()


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), max_size=4))
def test_a_real_shell_reads_every_quoted_word_as_it_was(words: list[str]) -> None:
    command = " ".join(map(remote_word, ["printf", "%s\\0", *words]))
    output = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True).stdout
    assert output.decode().split("\0")[:-1] == (words or [""])


@settings(max_examples=20, deadline=None)
@given(words=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1))
def test_the_real_client_and_a_shell_behind_it_keep_every_word(
    words: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    if REAL_ADB is None:
        pytest.skip("no adb here; apt-get install adb")
    device = AndroidDevice(tmp_path_factory.mktemp("device") / "device")
    with adb_server(device.folder) as (_, port), pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
        assert printed(Adb(Path(REAL_ADB)), *words) == words


@pytest.mark.parametrize("filler", ["x", "'", "$", "€"])
def test_a_word_may_be_as_long_as_the_devices_kernel_takes(
    device: AndroidDevice, filler: str
) -> None:
    """Longer commands than adb's own protocol carries are read by a shell instead."""
    longest = filler * (MAX_WORD_BYTES // len(filler.encode()))
    assert printed(Adb(device.adb), longest, "end") == [longest, "end"]
    assert device.requests[-1] == ["-s", SERIAL, "shell", "sh"]
    with pytest.raises(ValueError, match=f"at most {MAX_WORD_BYTES} are accepted"):
        printed(Adb(device.adb), longest + filler)


def test_the_real_client_carries_the_longest_word_too(
    device: AndroidDevice, real_adb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = "$(x)'`😀`\n" * (MAX_WORD_BYTES // 14)
    with adb_server(device.folder) as (server, port):
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
        assert printed(Adb(real_adb), *HOSTILE) == HOSTILE
        assert printed(Adb(real_adb), longest) == [longest]
        assert server.commands[-1] == "sh"
        assert asyncio.run(Adb(real_adb).devices()) == [AdbDevice(SERIAL, "device", "Pixel")]
        failed = asyncio.run(Adb(real_adb, SERIAL).shell(["sh", "-c", "echo no >&2; exit 7"]))
        assert (failed.exit_code, failed.stdout, failed.stderr) == (7, "", "no\n")


def test_the_real_client_over_its_own_server_has_no_device(real_adb: Path) -> None:
    adb = Adb(real_adb)
    assert asyncio.run(adb.devices()) == []
    with pytest.raises(DeviceError, match="the device none is not connected; plug it in"):
        asyncio.run(adb.on("none").shell(["true"]))
    version = subprocess.run([real_adb, "version"], capture_output=True, text=True, check=True)
    assert "Android Debug Bridge version" in version.stdout


def test_a_nul_is_refused_before_anything_is_sent(device: AndroidDevice) -> None:
    with pytest.raises(ValueError, match="NUL"):
        asyncio.run(Adb(device.adb, SERIAL).shell(["echo", "a\0b"]))
    assert device.requests == []


def test_devices_are_listed_with_state_and_model(device: AndroidDevice) -> None:
    device.change(
        devices=[
            ["192.168.1.5:5555", "device", "Pixel_9"],
            ["R5CT", "unauthorized", ""],
            ["0123", "no permissions (user in plugdev group); see [http://x]", ""],
        ]
    )
    assert asyncio.run(Adb(device.adb).devices()) == [
        AdbDevice("192.168.1.5:5555", "device", "Pixel_9"),
        AdbDevice("R5CT", "unauthorized"),
        AdbDevice("0123", "no permissions"),
    ]


def test_serials_with_blanks_are_listed_as_they_are(device: AndroidDevice) -> None:
    """Wireless devices of one name have them, and a device that udev hides has no serial."""
    listed = (
        "List of devices attached\n"
        "adb-4A (2)._adb-tls-connect._tcp device product:x model:Pixel_9 transport_id:3\n"
        "(no serial number)     no permissions; see [http://x] usb:1-1\n"
        "device                 device product:x\n"
        "odd                    confused transport_id:7\n"
        "* daemon started successfully\n\n"
    )
    device.adb.write_text(f"#!/bin/sh\ncat <<'EOF'\n{listed}EOF\n")
    assert asyncio.run(Adb(device.adb).devices()) == [
        AdbDevice("adb-4A (2)._adb-tls-connect._tcp", "device", "Pixel_9"),
        AdbDevice("(no serial number)", "no permissions"),
        AdbDevice("device", "device"),
        AdbDevice("odd", "confused"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "* daemon not running; starting now at tcp:5037\n* daemon started successfully",
        "adb server version (41) doesn't match this client (39); killing...",
    ],
)
def test_what_adb_says_of_its_server_is_no_answer_of_the_device(
    device: AndroidDevice, said: str
) -> None:
    own = device.adb.read_text().removeprefix("#!/bin/sh\n")
    device.adb.write_text(f'#!/bin/sh\ncat <<"EOF"\n{said}\nEOF\n{own}')
    assert [each.serial for each in asyncio.run(Adb(device.adb).devices())] == [SERIAL]
    answer = asyncio.run(Adb(device.adb, SERIAL).shell(["getprop", "ro.build.version.sdk"]))
    assert answer.stdout == "37\n"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo hello", "does not work: it says hello; install"),
        ("exit 0", "it says nothing, and ended with exit code 0"),
        ("kill -9 $$", "it says nothing, and ended with exit code -9"),
        ("printf '\\377\\000\\033[31mx'", r"it says \ufffd\[31mx; install"),
    ],
)
def test_a_program_that_is_no_adb_is_told_by_what_it_says(
    device: AndroidDevice, script: str, message: str
) -> None:
    device.adb.write_text(f"#!/bin/sh\n{script}\n")
    with pytest.raises(DeviceError, match=message):
        asyncio.run(Adb(device.adb).devices())


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("unauthorized", "unlock it and accept 'Allow USB debugging'"),
        ("offline", "does not answer"),
        ("gone", "is not connected"),
    ],
)
def test_a_device_that_cannot_be_reached_is_told_with_what_helps(
    device: AndroidDevice, state: str, message: str
) -> None:
    device.change(devices=[] if state == "gone" else [[SERIAL, state, ""]])
    with pytest.raises(DeviceError, match=message):
        asyncio.run(Adb(device.adb, SERIAL).shell(["true"]))


def test_other_words_of_adb_are_passed_on_and_those_of_the_device_are_not(
    device: AndroidDevice,
) -> None:
    device.adb.write_text("#!/bin/sh\necho 'error: something new' >&2; exit 1\n")
    adb = Adb(device.adb, SERIAL)
    with pytest.raises(DeviceError, match=r"cannot reach the device .*: error: something new"):
        asyncio.run(adb.shell(["true"]))
    with pytest.raises(DeviceError, match="does not work: it says error: something new; install"):
        asyncio.run(adb.devices())
    device.adb.write_text("#!/bin/sh\necho 'cmd: no' >&2; exit 1\n")
    assert asyncio.run(adb.shell(["true"])).stderr == "cmd: no\n"


def test_adb_that_does_not_answer_is_stopped(device: AndroidDevice) -> None:
    device.change(hangs=True)
    with pytest.raises(AnswerLostError, match=r"adb did not answer within 0\.2 s"):
        asyncio.run(Adb(device.adb, SERIAL).shell(["true"], seconds=0.2))


def test_adb_that_answers_without_end_is_stopped(
    device: AndroidDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adb_module, "_MAX_OUTPUT_BYTES", 1000)
    with pytest.raises(AnswerLostError, match="answered with more than 1000 bytes"):
        asyncio.run(Adb(device.adb, SERIAL).shell(["yes"]))


def test_a_device_that_stops_reading_is_no_crash(device: AndroidDevice) -> None:
    device.adb.write_text("#!/bin/sh\nexec <&-\necho 'error: closed' >&2; exit 1\n")
    with pytest.raises(DeviceError, match="is not connected"):
        asyncio.run(Adb(device.adb, SERIAL).shell(["echo", "x" * MAX_WORD_BYTES]))


def test_adb_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "adb"
    broken.write_text("#!/nowhere/at/all\n")
    broken.chmod(0o755)
    with pytest.raises(DeviceError, match=r"adb'\) cannot be started: No such file .*; install"):
        asyncio.run(Adb(broken).devices())


def test_adb_is_found_as_given_on_the_path_or_where_it_is_installed(tmp_path: Path) -> None:
    def program(folder: Path) -> Path:
        folder.mkdir(parents=True)
        made = folder / "adb"
        made.write_text("#!/bin/sh\n")
        made.chmod(0o755)
        return made

    given_one, on_path = program(tmp_path / "given"), program(tmp_path / "path")
    in_sdk = program(tmp_path / "sdk/platform-tools")
    at_home = program(tmp_path / "home/Android/Sdk/platform-tools")
    environ = {
        "PATH": f"relative{os.pathsep}{on_path.parent}",
        "ANDROID_HOME": str(tmp_path / "sdk"),
        "HOME": str(tmp_path / "home"),
    }
    assert find_adb(str(given_one), environ) == given_one
    assert find_adb("adb", environ) == on_path
    assert find_adb(None, environ) == on_path
    assert find_adb(None, environ | {"PATH": ""}) == in_sdk
    assert find_adb(None, {"HOME": environ["HOME"]}) == at_home


def test_adb_in_the_current_folder_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adb").write_text("#!/bin/sh\n")
    (tmp_path / "adb").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DeviceError, match="adb was not found on PATH; install"):
        find_adb(None, {"PATH": f".{os.pathsep}"})
    with pytest.raises(SettingsError, match="'adb' is no program; install"):
        find_adb("adb", {"PATH": f".{os.pathsep}"})
    assert find_adb("./adb", {}) == tmp_path / "adb"


def test_a_path_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell has read the words of a client's configuration."""
    (tmp_path / "adb").write_text("#!/bin/sh\n")
    (tmp_path / "adb").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_adb("~/adb", {}) == tmp_path / "adb"


def test_a_folder_is_no_adb(tmp_path: Path) -> None:
    (tmp_path / "adb").mkdir()
    with pytest.raises(DeviceError, match="was not found"):
        find_adb(None, {"PATH": str(tmp_path)})
    with pytest.raises(SettingsError, match="is no program"):
        find_adb(str(tmp_path), {})


def test_what_is_given_has_to_be_a_program(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no program; install"):
        find_adb(str(tmp_path / "none"), {})
    with pytest.raises(SettingsError, match="'' is no program"):
        find_adb("", {"PATH": "/"})
    script = tmp_path / "adb.bat"
    script.write_text("")
    script.chmod(0o755)
    with pytest.raises(SettingsError, match=r"is a script; give adb\.exe"):
        find_adb(str(script), {})


@pytest.mark.parametrize("serial", ["-d", "", "a;b", "$(x)", "a\nb"])
def test_a_serial_that_is_none_is_refused(serial: str) -> None:
    with pytest.raises(SettingsError, match="is no serial; 'adb devices' shows"):
        require_serial(serial)


def test_serials_of_every_kind_are_taken() -> None:
    for serial in (
        "emulator-5554",
        "192.168.1.5:5555",
        "R5CT30",
        "adb-X-y (2)._adb-tls-connect._tcp",
        "????????????",
    ):
        assert require_serial(serial) == serial
