"""`cmd app_function` on a device: listings, executions, and what each error becomes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp import exceptions
from appfunctions_mcp.android.bridge.adb import MAX_WORD_BYTES, Adb, AdbDevice, DeviceError
from appfunctions_mcp.android.bridge.device_checks import chosen_devices, why_no_functions
from appfunctions_mcp.android.bridge.device_shell import DeviceShell, exception_of, parameters_text
from appfunctions_mcp.exceptions import AppFunctionException, AppFunctionUnknownException
from tests.support.android_device import SERIAL, AndroidDevice

PACKAGE = "com.example.notes"
FAILED = "Error executing app function: {}. See logcat for more details. \n"


@pytest.fixture
def device(tmp_path: Path) -> AndroidDevice:
    made = AndroidDevice(tmp_path / "device")
    entry = {f"AppFunctionStaticMetadata-{PACKAGE}": {"functionId": ["a#b"]}}
    made.list_functions({PACKAGE: [entry], "com.other": [entry]})
    return made


@pytest.fixture
def shell(device: AndroidDevice) -> DeviceShell:
    return DeviceShell(Adb(device.adb, SERIAL))


def executed(shell: DeviceShell, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    return asyncio.run(shell.execute(PACKAGE, "a#b", parameters or {}, 20))


def raised(shell: DeviceShell) -> AppFunctionException:
    with pytest.raises(AppFunctionException) as caught:
        executed(shell)
    return caught.value


@pytest.mark.parametrize("level", [36, 37])
def test_apps_are_listed_one_by_one_or_all_at_once(
    device: AndroidDevice, shell: DeviceShell, level: int
) -> None:
    """Android 16 lists all packages and does not know the option."""
    device.change(api_level=level)
    apps = asyncio.run(shell.apps([PACKAGE, "com.absent"]))
    assert list(apps) == [PACKAGE]
    has_option = any("--package" in words for words in device.commands)
    assert has_option == (level == 37)


def test_a_device_that_does_not_know_the_option_after_all_lists_everything(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    asyncio.run(shell.api_level())
    device.change(api_level=36)
    assert list(asyncio.run(shell.apps([PACKAGE]))) == [PACKAGE]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"api_level": 35}, "has Android API level 35; app functions need 36"),
        ({"api_level": "x"}, "does not tell its Android; it says x"),
        ({"api_level": "9" * 5000}, "does not tell its Android; it says 999"),
        ({"has_service": False}, "has no service app_function: its Android was built without"),
        ({"listing": "Killed"}, "the list of functions is no JSON object but 'Killed"),
    ],
)
def test_a_device_without_app_functions_is_told(
    device: AndroidDevice, shell: DeviceShell, change: dict[str, Any], message: str
) -> None:
    device.change(**change)
    with pytest.raises(DeviceError, match=message):
        asyncio.run(shell.apps([PACKAGE]))


def test_a_device_that_fails_to_list_is_told(device: AndroidDevice, shell: DeviceShell) -> None:
    own = device.adb.read_text().removeprefix("#!/bin/sh\n")
    failing = "echo 'Exception: java.lang.SecurityException: {no}'; exit 255"
    device.adb.write_text(f'#!/bin/sh\ncase "$*" in *list-app*) {failing};; esac\n{own}')
    with pytest.raises(DeviceError, match="does not list its functions; it says Exception: java"):
        asyncio.run(shell.apps([PACKAGE]))


def test_an_app_is_the_same_as_long_as_nothing_else_is_listed(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    """So that whoever looks now and then sees at once that there is nothing to do."""
    first = asyncio.run(shell.apps([PACKAGE]))[PACKAGE]
    assert asyncio.run(shell.apps([PACKAGE]))[PACKAGE] is first
    device.list_functions({PACKAGE: []})
    assert asyncio.run(shell.apps([PACKAGE]))[PACKAGE] != first


def test_the_apps_description_is_read_where_the_device_can_tell_it(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    device.change(description="Keeps notes.\n- Find first.")
    assert asyncio.run(shell.app_description(PACKAGE)) == "Keeps notes.\n- Find first."
    for nothing in ("null", "Exception: android.content.pm.PackageManager$NameNotFoundException"):
        device.change(description=nothing)
        assert asyncio.run(shell.app_description(PACKAGE)) == ""
    device.change(api_level=36, description="Keeps notes.")
    older = DeviceShell(Adb(device.adb, SERIAL))
    assert asyncio.run(older.app_description(PACKAGE)) == ""


def test_an_execution_sends_quoted_ascii_and_reads_the_answer(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    text = 'it\'s $(touch pwned) `id` "x"\n😀\u2028\x85'
    device.change(answer=['junk before\n{"androidAppfunctionsReturnValue": ["ok"]}', 0])
    assert executed(shell, {"text": text}) == {"androidAppfunctionsReturnValue": ["ok"]}
    assert device.parameters == [{"text": text}]
    (words,) = device.calls
    assert words[words.index("--parameters") + 1].isascii()
    assert words[-2:] == ["--timeout-duration", "20"]
    assert words[words.index("--function") + 1] == "a#b"


def test_half_a_character_stays_half_also_in_a_long_text(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    text = "é" * 40_000 + "\ud800"
    executed(shell, {"text": text})
    assert device.parameters == [{"text": text}]
    with pytest.raises(exceptions.AppFunctionInvalidArgumentException, match="nothing was sent"):
        executed(shell, {"text": "\ud800" * 40_000})


@pytest.mark.parametrize("filler", ["x", "€", "\n", '"', "\x7f"])
def test_arguments_up_to_the_limit_arrive_and_longer_ones_are_never_sent(
    device: AndroidDevice, shell: DeviceShell, filler: str
) -> None:
    """What is too long with escapes is sent as it is."""
    size = len(parameters_text({"text": filler * 100}))
    each = min((size - 11) // 100, len(filler.encode()) if filler == "€" else 99)
    count = (MAX_WORD_BYTES - 11) // each
    executed(shell, {"text": filler * count})
    assert device.parameters == [{"text": filler * count}]
    with pytest.raises(exceptions.AppFunctionInvalidArgumentException) as caught:
        executed(shell, {"text": filler * (count + 1)})
    assert f"Android's shell takes {MAX_WORD_BYTES}, so nothing was sent" in caught.value.message
    assert len(device.calls) == 1


def test_a_first_version_without_the_timeout_option_is_asked_without_it(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    device.change(knows_timeouts=False)
    executed(shell)
    executed(shell)
    has_option = ["--timeout-duration" in words for words in device.calls]
    assert has_option == [True, False, False]


@pytest.mark.parametrize(
    "known", [c for c in vars(exceptions).values() if getattr(c, "error_code", 0)]
)
def test_every_code_becomes_its_class(
    device: AndroidDevice, shell: DeviceShell, known: type[AppFunctionException]
) -> None:
    """F111: the message of the app reaches the caller."""
    java = f"android.app.appfunctions.AppFunctionException: No note (code {known.error_code})"
    device.change(answer=[FAILED.format(java), 255])
    fault = raised(shell)
    assert (type(fault), fault.message) == (known, "No note")


@pytest.mark.parametrize(
    ("told", "code", "message"),
    [
        ("android.app.appfunctions.AppFunctionException: Policy. (code 2002)", 2002, "Policy."),
        ("a.b.C$DException: e.f.GError: really: no (code 3777)", 3777, "really: no"),
        ("a.B: null (code 9)", 9, "a.B: null"),
        ("a.BException: null (code 9)", 9, "the device says no more"),
        ("says (code 1001) and (code 4321)", 4321, "says (code 1001) and"),
        ("no code at all", 0, "no code at all"),
        ("hid\u202eden \U000e0041 (code 12)", 12, "hidden"),
        ("x" * 3000 + " (code 12)", 12, "x" * 2000 + "…"),
        ("two\nlines (code 12)", 12, "two\nlines"),
        ("a.BException: (code 12)", 12, "the device says no more"),
        ("x" * 9000 + " (code 12) y", 12, "x" * 2000 + "…"),
        ("a.BException: " * 100_000 + "(code 12)", 12, "a.BExc"),
    ],
)
def test_other_codes_and_texts_are_kept_readable(told: str, code: int, message: str) -> None:
    fault = exception_of(told)
    assert isinstance(fault, AppFunctionUnknownException)
    assert (fault.error_code, fault.message) == (code, message)


def test_an_app_cannot_fake_the_end_of_its_message(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    faked = "x: a (code 1000). See logcat for more details. b (code 3000)"
    device.change(answer=[FAILED.format(faked), 255])
    fault = raised(shell)
    assert fault.error_code == 3000


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (["Timed out", 255], "AppFunctionCancelledException", "timed out after 20 s on the device"),
        (
            ["Failed to convert the function response to JSON.", 255],
            "AppFunctionAppUnknownException",
            "cannot print",
        ),
        (
            ["Exception: org.json.JSONException: End of input", 255],
            "AppFunctionSystemUnknownException",
            "the device's shell answered: Exception: org.json.JSONException",
        ),
        (["[1]", 0], "AppFunctionSystemUnknownException", r"answered: \[1\]"),
        (["Killed", 137], "AppFunctionSystemUnknownException", "answered: Killed"),
        ([f'{{"a": {"9" * 5000}}}', 0], "AppFunctionSystemUnknownException", "what is no JSON"),
        (
            ['{"a":' * 3000 + "1" + "}" * 3000, 0],
            "AppFunctionSystemUnknownException",
            "objects that stand too deep",
        ),
        (["", 255], "AppFunctionSystemUnknownException", "went away while the function ran"),
        (['{"half', 0], "AppFunctionSystemUnknownException", "went away while the function ran"),
        (["", 0], "AppFunctionSystemUnknownException", "went away while the function ran"),
    ],
)
def test_other_answers_are_told_as_what_they_are(
    device: AndroidDevice, shell: DeviceShell, answer: list[Any], kind: str, message: str
) -> None:
    device.change(answer=answer)
    with pytest.raises(AppFunctionException, match=message) as caught:
        executed(shell)
    assert caught.value.kind == kind
    assert not caught.value.retryable


def test_a_long_result_that_looks_like_errors_is_read_at_once(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    text = "Error executing app function: " * 60_000
    device.change(answer=[json.dumps({"androidAppfunctionsReturnValue": [text]}), 0])
    assert executed(shell) == {"androidAppfunctionsReturnValue": [text]}


def test_an_answer_that_does_not_come_leaves_it_open_whether_it_happened(
    device: AndroidDevice, shell: DeviceShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(shell.api_level())
    monkeypatch.setattr("appfunctions_mcp.android.bridge.device_shell._ADB_SECONDS", -0.9)
    device.change(hangs=True)
    with pytest.raises(exceptions.AppFunctionSystemUnknownException) as caught:
        asyncio.run(shell.execute(PACKAGE, "a#b", {}, 1))
    assert "did not answer within 0.1 s" in caught.value.message
    assert caught.value.recovery == "It may have happened; look before doing it again."
    assert not caught.value.retryable


def test_a_device_that_goes_away_in_the_middle_leaves_it_open_whether_it_happened(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    device.change(vanishes=True)
    fault = raised(shell)
    assert fault.kind == "AppFunctionSystemUnknownException"
    assert not fault.retryable
    assert fault.recovery is not None
    assert "look whether it has happened" in fault.recovery
    device.change(devices=[])
    with pytest.raises(DeviceError, match="is not connected"):
        executed(shell)


def choose(device: AndroidDevice, *serials: str) -> list[AdbDevice]:
    return asyncio.run(chosen_devices(Adb(device.adb), serials))


def test_the_only_device_is_taken_and_others_are_asked_for(device: AndroidDevice) -> None:
    assert [each.serial for each in choose(device)] == [SERIAL]
    device.change(devices=[["A", "device", "One"], ["B", "device", ""], ["C", "offline", ""]])
    with pytest.raises(DeviceError, match=r"several devices are connected: A \(One\), B \(no name"):
        choose(device)
    assert [each.serial for each in choose(device, "B", "A")] == ["B", "A"]
    device.change(devices=[["A", "device", "One"], ["C", "offline", ""]])
    assert [each.serial for each in choose(device)] == ["A"]


def test_every_device_that_cannot_be_used_is_named(device: AndroidDevice) -> None:
    device.change(devices=[["A", "unauthorized", ""], ["C", "odd", ""]])
    with pytest.raises(DeviceError) as caught:
        choose(device)
    assert len(caught.value.faults) == 2
    assert "'Allow USB debugging'" in caught.value.faults[0]
    assert "is in the state 'odd'; 'device' is needed" in caught.value.faults[1]
    with pytest.raises(DeviceError) as caught:
        choose(device, "B", "A")
    assert "the device B is not connected" in caught.value.faults[0]
    assert "connected: A, C" in caught.value.faults[0]
    assert "has not allowed this computer" in caught.value.faults[1]
    device.change(devices=[])
    with pytest.raises(DeviceError, match="no device is connected; plug one in"):
        choose(device)
    with pytest.raises(DeviceError, match="the device B is not connected"):
        choose(device, "B")


def why(shell: DeviceShell, package: str = PACKAGE) -> list[str]:
    return asyncio.run(why_no_functions(shell, package))


def test_an_app_without_functions_gets_the_five_checks(
    device: AndroidDevice, shell: DeviceShell
) -> None:
    (absent,) = why(shell, "com.example.note")
    assert absent.startswith("com.example.note is not installed on the device")
    assert "installed are com.example.notes" in absent
    (absent,) = why(shell, "org.wholly.different")
    assert absent.endswith("emulator-5554")
    head, *checks = why(shell)
    assert head == f"{PACKAGE} offers no functions on the device {SERIAL}"
    assert [line.strip()[0] for line in checks] == list("12345")
    assert "AppFunctionService: no; this is missing" in checks[1]
    assert "android.app.appfunctions.v2" in checks[2]
    device.change(
        services=[f"{PACKAGE}/.NotesService", "com.other/.S"],
        assets=["assets/notes.xml", "assets/x.png", "AndroidManifest.xml"],
    )
    checks = why(shell)
    assert checks[2].endswith(f": {PACKAGE}/.NotesService")
    assert checks[4].endswith(": assets/notes.xml")
    device.change(services=None, assets=None)
    assert [line.endswith("not visible over adb") for line in why(shell)][2:5:2] == [True, True]
    assert json.dumps(device.commands[0])
