"""The functions of a device as a service: listing, calling, changing, going away."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp import (
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionService,
    AppFunctionSystemUnknownException,
    MetadataChanged,
)
from appfunctions_mcp.android.bridge.adb import Adb, AdbDevice, DeviceError
from appfunctions_mcp.android.bridge.bridged import BridgedApp
from appfunctions_mcp.android.bridge.device_shell import DeviceShell
from appfunctions_mcp.android.bridge.service import Bridge
from appfunctions_mcp.metadata import ExecutionLimits
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from tests.support.android_device import SERIAL, AndroidDevice

PACKAGE = "com.example.notes"
TEXT = {"type": [8], "isNullable": [False]}
DOUBLE = {"type": [4], "isNullable": [False]}
RECORD: dict[str, Any] = {
    "type": [3],
    "objectQualifiedName": ["p.Price"],
    "required": ["amount"],
    "properties": [{"name": ["amount"], "dataTypeMetadata": [DOUBLE]}],
}
FAILED = "Error executing app function: x.YException: {} (code {}). See logcat for more details. "


def entry(
    function_id: str,
    package: str = PACKAGE,
    *,
    state: int | None = None,
    parameters: Sequence[dict[str, Any]] = (),
    returns: dict[str, Any] = TEXT,
    **properties: Any,
) -> dict[str, Any]:
    """A function as it is listed; it returns a text."""
    runtime = f"AppFunctionRuntimeMetadata-{package}"
    listed = {
        "functionId": [function_id],
        "enabledByDefault": [True],
        "parameters": list(parameters),
        "response": [{"valueType": [returns]}],
        **properties,
    }
    found = {f"AppFunctionStaticMetadata-{package}": listed}
    return found | ({runtime: {runtime: {"enabled": [state]}}} if state is not None else {})


def parameter(name: str, data_type: dict[str, Any] = TEXT, **more: Any) -> dict[str, Any]:
    return {"name": [name], "isRequired": [True], "dataTypeMetadata": [data_type], **more}


@pytest.fixture
def device(tmp_path: Path) -> AndroidDevice:
    made = AndroidDevice(tmp_path / "device")
    made.list_functions({PACKAGE: [entry("p.Notes#add", parameters=[parameter("text")])]})
    return made


def app(device: AndroidDevice, package: str = PACKAGE, **how: Any) -> BridgedApp:
    serial = how.pop("serial", SERIAL)
    shell = DeviceShell(Adb(device.adb, serial))
    return BridgedApp(AdbDevice(serial, "device", "Pixel_9"), shell, package, **how)


def served(
    device: AndroidDevice,
    body: Callable[[Bridge, AppFunctionService], Coroutine[Any, Any, Any]],
    *apps: BridgedApp,
    **how: Any,
) -> Any:
    """Runs a body while the apps are served."""

    async def run() -> Any:
        bridge = Bridge(apps or [app(device)], **how)
        service = await bridge.open()
        async with service.running(), asyncio.timeout(20):
            return await body(bridge, service)

    return asyncio.run(run())


async def called(service: AppFunctionService, name: str, **parameters: Any) -> Any:
    return await service.manager.execute(ExecuteAppFunctionRequest(name, parameters))


async def failure(
    service: AppFunctionService, name: str, **parameters: Any
) -> AppFunctionException:
    with pytest.raises(AppFunctionException) as raised:
        await called(service, name, **parameters)
    return raised.value


def test_functions_are_destructive_and_of_the_open_world_and_never_read_only(
    device: AndroidDevice,
) -> None:
    async def body(bridge: Bridge, service: AppFunctionService) -> None:
        (metadata,) = service.manager.listed()
        assert (metadata.tool_name, metadata.function_id) == ("add", "p.Notes#add")
        assert (metadata.destructive, metadata.open_world) == (True, True)
        assert (metadata.read_only, metadata.idempotent) == (None, None)
        assert metadata.input_schema["required"] == ["text"]
        assert service.metadata.name == "notes"
        assert "com.example.notes on the Pixel 9 (emulator-5554)" in service.metadata.description
        assert bridge.findings == ()
        response = await called(service, "add", text="it's")
        assert response.text == "done"

    served(device, body)
    assert device.parameters == [{"text": "it's"}]


def test_the_apps_own_description_is_carried_over(device: AndroidDevice) -> None:
    device.change(description="Keeps notes.\n- Find first.")

    async def body(_: Bridge, service: AppFunctionService) -> None:
        assert service.metadata.description.endswith("adb.\nKeeps notes.\n- Find first.")

    served(device, body)


def test_arguments_are_checked_before_anything_is_sent(device: AndroidDevice) -> None:
    async def body(_: Bridge, service: AppFunctionService) -> None:
        fault = await failure(service, "add", txt="x")
        assert isinstance(fault, AppFunctionInvalidArgumentException)
        assert "did you mean text" in fault.message

    served(device, body)
    assert device.calls == []


def test_disabled_functions_are_absent_and_not_called(device: AndroidDevice) -> None:
    """F107."""
    device.list_functions(
        {
            PACKAGE: [
                entry("a#off", state=2),
                entry("a#on", state=1, enabledByDefault=[False]),
                entry("a#never", state=0, enabledByDefault=[False]),
            ]
        }
    )

    async def body(_: Bridge, service: AppFunctionService) -> None:
        assert [m.tool_name for m in service.manager.listed()] == ["on"]
        fault = await failure(service, "off")
        assert fault.kind == "AppFunctionDisabledException"

    served(device, body)
    assert device.calls == []


@pytest.mark.parametrize(
    ("code", "kind"),
    [(1000, "Denied"), (1500, "ElementNotFound"), (3500, "PermissionRequired"), (2002, "Unknown")],
)
def test_errors_of_the_app_keep_class_and_message(
    device: AndroidDevice, code: int, kind: str
) -> None:
    device.change(answer=[FAILED.format("No such note", code), 255])

    async def body(_: Bridge, service: AppFunctionService) -> None:
        fault = await failure(service, "add", text="x")
        assert fault.kind == f"AppFunction{kind}Exception"
        assert (fault.message, fault.error_code) == ("No such note", code)

    served(device, body)


def test_what_the_shell_may_have_lost_is_told_when_the_app_refuses(device: AndroidDevice) -> None:
    device.list_functions({PACKAGE: [entry("a#pay", parameters=[parameter("price", RECORD)])]})
    device.change(answer=[FAILED.format("amount: wrong type", 1001), 255])

    async def body(_: Bridge, service: AppFunctionService) -> None:
        fault = await failure(service, "pay", price={"amount": 2})
        assert fault.recovery is not None
        assert "price.amount" in fault.recovery
        assert (await failure(service, "pay", price={"amount": 2.5})).recovery is None

    served(device, body)


def test_results_are_typed_as_declared(device: AndroidDevice) -> None:
    device.list_functions({PACKAGE: [entry("a#price", returns=RECORD)]})
    device.change(answer=['{"androidAppfunctionsReturnValue": [{"amount": [2]}]}', 0])

    async def body(_: Bridge, service: AppFunctionService) -> None:
        response = await called(service, "price")
        assert response.structured == {"amount": 2.0}

    served(device, body)


def test_a_device_that_has_gone_fails_the_call_and_is_found_again(device: AndroidDevice) -> None:
    async def body(bridge: Bridge, service: AppFunctionService) -> None:
        device.change(devices=[])
        fault = await failure(service, "add", text="x")
        assert isinstance(fault, AppFunctionSystemUnknownException)
        assert "is not connected; plug it in" in fault.message
        assert fault.recovery == "Ask the user to do that, then call again."
        with pytest.raises(DeviceError):
            await bridge.refresh()
        assert len(service.manager.listed()) == 1
        device.change(devices=[[SERIAL, "device", "Pixel_9"]])
        assert (await called(service, "add", text="x")).text == "done"
        device.change(vanishes=True)
        fault = await failure(service, "add", text="x")
        assert "went away while the function ran" in fault.message

    served(device, body)


def test_a_changed_app_is_listed_anew_when_the_device_knows_a_function_no_more(
    device: AndroidDevice,
) -> None:
    """F106: what is listed can be called."""

    async def body(_: Bridge, service: AppFunctionService) -> None:
        changes = service.manager.observe()
        device.list_functions({PACKAGE: [entry("p.Notes#create")]})
        device.change(answer=[FAILED.format("no such function", 1003), 255])
        fault = await failure(service, "add", text="x")
        assert fault.kind == "AppFunctionFunctionNotFoundException"
        assert fault.recovery == "The app has changed; its functions have been listed anew."
        assert [m.tool_name for m in service.manager.listed()] == ["create"]
        changed = await anext(changes)
        assert changed == MetadataChanged(frozenset({"p.Notes#add", "p.Notes#create"}))
        fault = await failure(service, "create")
        assert fault.recovery is None

    served(device, body)


def test_an_unknown_name_is_looked_for_on_the_device_first(
    device: AndroidDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(_: Bridge, service: AppFunctionService) -> None:
        device.list_functions({PACKAGE: [entry("p.Notes#create")]})
        fault = await failure(service, "create")
        assert fault.kind == "AppFunctionFunctionNotFoundException"
        monkeypatch.setattr("appfunctions_mcp.android.bridge.service._LEAST_SECONDS", 0)
        assert (await called(service, "create")).text == "done"
        device.change(devices=[])
        fault = await failure(service, "other")
        assert fault.kind == "AppFunctionFunctionNotFoundException"

    served(device, body)


def test_changes_are_noticed_while_somebody_listens(
    device: AndroidDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(__: Bridge, service: AppFunctionService) -> None:
        warnings: asyncio.Queue[str] = asyncio.Queue()
        monkeypatch.setattr("appfunctions_mcp.android.bridge.service.warn", warnings.put_nowait)
        changes = service.manager.observe()
        device.list_functions({PACKAGE: [entry("p.Notes#create")]})
        polls: asyncio.Queue[None] = asyncio.Queue()

        def is_heard() -> bool:
            polls.put_nowait(None)
            return True

        service.manager.hearers.append(is_heard)
        await anext(changes)
        assert [m.tool_name for m in service.manager.listed()] == ["create"]
        device.change(devices=[])
        assert "what is known of its functions stays listed" in await warnings.get()
        for _ in range(polls.qsize() + 3):
            await polls.get()
        assert warnings.empty()
        device.list_functions({PACKAGE: [entry("p.Notes#create", state=2)]})
        device.change(devices=[[SERIAL, "device", "Pixel_9"]])
        await anext(changes)
        await anext(changes)
        assert service.manager.listed() == []

    served(device, body, poll_seconds=0.01)


def test_nothing_is_asked_of_the_device_while_nobody_listens(device: AndroidDevice) -> None:
    async def body(_: Bridge, service: AppFunctionService) -> None:
        before = len(device.requests)
        asked = asyncio.Event()

        def is_heard() -> bool:
            asked.set()
            return False

        service.manager.hearers.append(is_heard)
        await asked.wait()
        assert len(device.requests) == before

    served(device, body, poll_seconds=0.01)


def test_texts_with_hidden_characters_are_withheld_with_a_finding(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = "Adds.\U000e0041\U000e0042"
    device.change(description="Notes.\u202e")
    device.list_functions(
        {
            PACKAGE: [
                entry(
                    "a#add",
                    description=[hidden],
                    parameters=[parameter("text", description=["The text.\u200b"])],
                    deprecation=[{"message": ["Old\u2066."]}],
                ),
                entry("a#bad", parameters=[parameter("na\u200bme")]),
            ]
        }
    )

    async def body(bridge: Bridge, service: AppFunctionService) -> None:
        (metadata,) = service.manager.listed()
        assert metadata.description == "Add"
        assert "description" not in metadata.input_schema["properties"]["text"]
        assert metadata.deprecated == ""
        assert "Notes." not in service.metadata.description
        told = "\n".join(bridge.findings)
        for part in ("U+E0041, U+E0042", "U+200B", "U+2066", "U+202E", "'a#bad' is left out"):
            assert part in told
        assert "\u200b" not in told
        assert set(bridge.findings) <= set(service.warnings)
        device.list_functions({PACKAGE: [entry("a#new", description=["x\u2067"])]})
        await bridge.refresh()
        assert "U+2067" in capsys.readouterr().err
        assert not await bridge.refresh()
        assert capsys.readouterr().err == ""

    served(device, body)


def test_a_function_that_the_shell_cannot_call_is_left_out_with_a_finding(
    device: AndroidDevice,
) -> None:
    intent = {"type": [13], "isNullable": [False]}
    device.list_functions(
        {PACKAGE: [entry("a#send", parameters=[parameter("step", intent)]), entry("a#ok")]}
    )

    async def body(bridge: Bridge, service: AppFunctionService) -> None:
        assert [m.tool_name for m in service.manager.listed()] == ["ok"]
        assert "Android's shell cannot send its parameter 'step'" in bridge.findings[0]

    served(device, body)


def test_several_apps_and_devices_have_prefixes(device: AndroidDevice) -> None:
    other = "com.example.chat"
    device.change(devices=[["A", "device", ""], ["B", "device", ""]])
    device.list_functions({PACKAGE: [entry("p#add")], other: [entry("q#add", other)]})

    async def body(bridge: Bridge, service: AppFunctionService) -> None:
        names = [m.tool_name for m in service.manager.listed()]
        assert names == ["A_notes_add", "A_chat_add", "B_notes_add"]
        ids = [m.function_id for m in service.manager.listed()]
        assert ids == [f"A/{PACKAGE}/p#add", "q#add", f"B/{PACKAGE}/p#add"]
        assert service.metadata.name == "android"
        assert "their names begin with A_chat_" in service.metadata.description
        await called(service, "B_notes_add")
        assert device.requests[-1][:2] == ["-s", "B"]
        device.change(devices=[["A", "device", ""]])
        device.list_functions({PACKAGE: [entry("p#new")], other: [entry("q#add", other)]})
        with pytest.raises(DeviceError, match="the device B is not connected"):
            await bridge.refresh()
        names = [m.tool_name for m in service.manager.listed()]
        assert names == ["A_notes_new", "A_chat_add", "B_notes_add"]

    apps = [
        app(device, serial="A", prefix="A_notes"),
        app(device, other, serial="A", prefix="A_chat"),
        app(device, serial="B", prefix="B_notes"),
    ]
    served(device, body, *apps)


def test_only_what_is_asked_for_is_served(device: AndroidDevice) -> None:
    device.list_functions({PACKAGE: [entry("p#add"), entry("p#find"), entry("p#remove")]})

    async def body(_: Bridge, service: AppFunctionService) -> None:
        assert [m.tool_name for m in service.manager.listed()] == ["add", "find"]

    served(device, body, only=["a*", "p#find"])


def test_an_app_without_functions_is_known_as_empty(device: AndroidDevice) -> None:
    async def body(bridge: Bridge, _: AppFunctionService) -> None:
        assert [each.package for each in bridge.empty_apps()] == ["com.example.absent"]

    served(device, body, app(device), app(device, "com.example.absent"))


def test_a_device_that_cannot_be_used_is_told_at_the_start(device: AndroidDevice) -> None:
    async def body(_: Bridge, __: AppFunctionService) -> None:
        raise AssertionError

    device.change(api_level=35)
    with pytest.raises(DeviceError, match="API level 35"):
        served(device, body)


def test_a_call_past_its_deadline_is_given_up(device: AndroidDevice) -> None:
    async def body(_: Bridge, service: AppFunctionService) -> None:
        device.change(hangs=True)
        fault = await failure(service, "add", text="x")
        assert fault.kind == "AppFunctionCancelledException"

    served(device, body, limits=ExecutionLimits(timeout_seconds=0.3))


def test_a_cancelled_call_leaves_no_adb_behind(device: AndroidDevice) -> None:
    started = device.folder / "started"
    os.mkfifo(started)

    async def body(_: Bridge, service: AppFunctionService) -> int:
        device.adb.write_text(f"#!/bin/sh\necho $$ > {started}\nexec sleep 60\n")
        task = asyncio.ensure_future(called(service, "add", text="x"))
        process = int(await asyncio.to_thread(started.read_text))
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        return process

    with pytest.raises(ProcessLookupError):
        os.kill(served(device, body), 0)


def test_clients_are_told_of_those_functions_that_have_changed(device: AndroidDevice) -> None:
    async def body(bridge: Bridge, service: AppFunctionService) -> None:
        changes = service.manager.observe()
        first = entry("p.Notes#add", parameters=[parameter("text")])
        device.list_functions({PACKAGE: [first, entry("p.Notes#find")], "com.other": []})
        assert await bridge.refresh()
        assert await anext(changes) == MetadataChanged(frozenset({"p.Notes#find"}))
        device.list_functions({PACKAGE: [entry("p.Notes#find"), first]})
        assert not await bridge.refresh()

    served(device, body)


def test_a_function_that_was_switched_on_meanwhile_is_called(
    device: AndroidDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F107: whoever does not listen need not list again after the user has enabled it."""
    monkeypatch.setattr("appfunctions_mcp.android.bridge.service._LEAST_SECONDS", 0)
    device.list_functions({PACKAGE: [entry("p.Notes#wipe", state=2)]})

    async def body(_: Bridge, service: AppFunctionService) -> None:
        fault = await failure(service, "wipe")
        assert fault.kind == "AppFunctionDisabledException"
        device.list_functions({PACKAGE: [entry("p.Notes#wipe", state=1)]})
        assert (await called(service, "wipe")).text == "done"

    served(device, body)


def test_a_client_that_asks_without_listening_is_answered_anew_soon(
    device: AndroidDevice,
) -> None:
    """Clients of HTTP need not hold a connection open."""

    async def body(_: Bridge, service: AppFunctionService) -> None:
        changes = service.manager.observe()
        device.list_functions({PACKAGE: [entry("p.Notes#create")]})
        service.manager.refresh()
        await anext(changes)
        assert [m.tool_name for m in service.manager.listed()] == ["create"]

    served(device, body, poll_seconds=0.01)


def test_a_refusal_that_shows_that_the_app_has_changed_lists_it_anew(
    device: AndroidDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(_: Bridge, service: AppFunctionService) -> None:
        device.change(answer=[FAILED.format("text is too short", 1001), 255])
        fault = await failure(service, "add", text="x")
        assert (fault.message, fault.recovery) == ("text is too short", None)
        longer = [parameter("text"), parameter("folder")]
        device.list_functions({PACKAGE: [entry("p.Notes#add", parameters=longer)]})
        device.change(answer=[FAILED.format("folder is missing", 1001), 255])
        monkeypatch.setattr("appfunctions_mcp.android.bridge.service._LEAST_SECONDS", 0)
        fault = await failure(service, "add", text="x")
        assert fault.recovery == "The app has changed; its functions have been listed anew."
        (known,) = service.manager.listed()
        assert [each.name for each in known.parameters] == ["text", "folder"]

    served(device, body)


def test_a_function_that_the_device_says_is_off_is_listed_no_more(device: AndroidDevice) -> None:
    """F107: the user has switched it off since the list was read."""

    async def body(_: Bridge, service: AppFunctionService) -> None:
        device.list_functions(
            {PACKAGE: [entry("p.Notes#add", state=2, parameters=[parameter("text")])]}
        )
        device.change(answer=[FAILED.format("it is off", 1002), 255])
        fault = await failure(service, "add", text="x")
        assert fault.kind == "AppFunctionDisabledException"
        assert fault.recovery == "The app has changed; its functions have been listed anew."
        assert service.manager.listed() == []

    served(device, body)


def hang_where(device: AndroidDevice, condition: str) -> None:
    """Makes adb hang where a condition of its words holds."""
    first, rest = device.adb.read_text().split("\n", 1)
    device.adb.write_text(f"{first}\nif {condition}; then exec sleep 60; fi\n{rest}")


def test_an_answer_is_not_lost_to_a_listing_that_hangs(device: AndroidDevice) -> None:
    async def body(_: Bridge, service: AppFunctionService) -> None:
        device.change(answer=[FAILED.format("gone", 1003), 255])
        hang_where(device, 'test "${4#*list-app-functions}" != "$4"')
        fault = await failure(service, "add", text="x")
        assert (fault.kind, fault.message) == ("AppFunctionFunctionNotFoundException", "gone")

    served(device, body, limits=ExecutionLimits(timeout_seconds=3))


def test_a_listing_that_is_given_up_half_way_loses_no_change(device: AndroidDevice) -> None:
    other = "com.example.other"
    device.change(devices=[["A", "device", "Pixel"], ["B", "device", "Pixel"]])
    unchanged = [entry("p.Other#find", other)]
    device.list_functions({PACKAGE: [entry("p.Notes#add")], other: unchanged})
    whole = device.adb.read_text()

    async def body(bridge: Bridge, service: AppFunctionService) -> None:
        device.list_functions({PACKAGE: [entry("p.Notes#create")], other: unchanged})
        started = device.folder / "started"
        os.mkfifo(started)
        hang_where(device, f'test "$2" = B && echo > {started}')
        refresh = asyncio.ensure_future(bridge.refresh())
        await asyncio.to_thread(started.read_text)
        refresh.cancel()
        await asyncio.wait([refresh])
        device.adb.write_text(whole)
        assert await bridge.refresh()
        assert [m.tool_name for m in service.manager.listed()] == ["create", "find"]

    served(device, body, app(device, serial="A"), app(device, other, serial="B"))


def test_a_result_that_is_nested_too_deep_is_no_crash(device: AndroidDevice) -> None:
    again = {"type": [11], "isNullable": [True], "dataTypeReference": ["p.Chain"]}
    chain = {
        "type": [3],
        "objectQualifiedName": ["p.Chain"],
        "properties": [{"name": ["next"], "dataTypeMetadata": [again]}],
    }
    components = {"id": ["s"], "dataTypes": [{"name": ["p.Chain"], "dataTypeMetadata": [chain]}]}
    listed = [
        entry("p.Chains#get", returns={**again, "isNullable": [False]}),
        {f"AppFunctionComponentMetadataDocument-{PACKAGE}": components},
    ]
    device.list_functions({PACKAGE: listed})

    async def body(_: Bridge, service: AppFunctionService) -> None:
        for depth, kind in (
            (400, "AppFunctionAppUnknownException"),
            (5000, "AppFunctionSystemUnknownException"),
        ):
            printed = '{"next": [' * depth + "{}" + "]}" * depth
            device.change(answer=[f'{{"androidAppfunctionsReturnValue": [{printed}]}}', 0])
            fault = await failure(service, "get")
            assert fault.kind == kind
            assert "stand too deep" in fault.message
            assert "look before doing it again" in str(fault.recovery)

    served(device, body)
