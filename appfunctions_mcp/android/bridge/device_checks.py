"""Which devices are meant, and why an app on one of them offers no functions.

Every text is for the person at the computer: what is the matter, and what helps.
"""

from collections.abc import Sequence

from appfunctions_mcp.android.bridge.adb import Adb, AdbDevice, DeviceError, trouble_with
from appfunctions_mcp.android.bridge.device_shell import DeviceShell
from appfunctions_mcp.android.bridge.hidden_text import first_lines

__all__ = ["chosen_devices", "why_no_functions"]

_ACTION = "android.app.appfunctions.AppFunctionService"
_PROPERTY = "android.app.appfunctions.v2"


async def chosen_devices(adb: Adb, serials: Sequence[str]) -> list[AdbDevice]:
    """The devices that are used.

    Args:
        adb: The client.
        serials: Those that were asked for; none asks for the only one that is connected.

    Raises:
        DeviceError: Names every device that cannot be used, and what helps.
    """
    known = {each.serial: each for each in await adb.devices()}
    if serials:
        missing = [each for each in serials if each not in known]
        shown = f"; connected: {', '.join(known)}" if known else ""
        faults = [trouble_with(each, "gone") + shown for each in missing]
        chosen = [known[each] for each in serials if each in known]
        faults += [trouble_with(each.serial, each.state) for each in chosen if not _works(each)]
        if faults:
            raise DeviceError(faults)
        return chosen
    usable = [each for each in known.values() if _works(each)]
    if len(usable) == 1:
        return usable
    if usable:
        shown = ", ".join(f"{each.serial} ({each.model or 'no name'})" for each in usable)
        raise DeviceError(f"several devices are connected: {shown}; choose with --serial SERIAL")
    if known:
        raise DeviceError([trouble_with(each.serial, each.state) for each in known.values()])
    raise DeviceError(
        "no device is connected; plug one in and switch on USB debugging (in its Settings, under "
        "Developer options), or start an emulator; 'adb devices' must list it"
    )


def _works(device: AdbDevice) -> bool:
    return device.state == "device"


async def why_no_functions(shell: DeviceShell, package: str) -> list[str]:
    """Goes through what an app needs to offer functions, and says where it ends.

    Args:
        shell: The device.
        package: An app that the device lists no functions of.

    Raises:
        DeviceError: The device is not there.
    """
    files = await _files_of(shell, package)
    if not files:
        near = await _packages_like(shell, package)
        hint = f"; installed are {', '.join(near)}" if near else ""
        return [f"{package} is not installed on the device {shell.serial}{hint}"]
    said = [
        f"{package} offers no functions on the device {shell.serial}",
        "  1. it is installed: yes",
    ]
    service = await _service_of(shell, package)
    assets = await _assets_of(shell, files[0])
    said.append(f"  2. it has a service with the action {_ACTION}: {_told(service)}")
    said.append(
        f"  3. the service names its functions in the property {_PROPERTY}: not visible over adb; "
        "look into the merged AndroidManifest.xml"
    )
    said.append(f"  4. the file that it names is among the app's assets: {_told(assets)}")
    said.append(
        "  5. where all of this is right and yet nothing is listed: start the app once, wait a "
        "minute for the device to index it, restart the device; then it is a fault of the device "
        "('adb shell dumpsys app_function')"
    )
    return said


def _told(found: list[str] | None) -> str:
    if found is None:
        return "not visible over adb"
    return ", ".join(found) if found else "no; this is missing"


async def _files_of(shell: DeviceShell, package: str) -> list[str]:
    answer = await shell.adb.shell(["pm", "path", package])
    lines = answer.stdout.splitlines()
    return [line.removeprefix("package:") for line in lines if line.startswith("package:")]


async def _packages_like(shell: DeviceShell, package: str) -> list[str]:
    from appfunctions_mcp.names import nearest_names

    answer = await shell.adb.shell(["pm", "list", "packages"])
    known = [line.removeprefix("package:").strip() for line in answer.stdout.splitlines()]
    return nearest_names(package, filter(None, known))


async def _service_of(shell: DeviceShell, package: str) -> list[str] | None:
    """The app's services with the action; None where the device cannot tell."""
    answer = await shell.adb.shell(["cmd", "package", "query-services", "--brief", "-a", _ACTION])
    if answer.exit_code != 0:
        return None
    lines = (line.strip() for line in answer.stdout.splitlines())
    return [first_lines(line) for line in lines if line.startswith(f"{package}/")]


async def _assets_of(shell: DeviceShell, archive: str) -> list[str] | None:
    """The XML files among an app's assets; None where the device cannot tell."""
    answer = await shell.adb.shell(["unzip", "-l", archive])
    if answer.exit_code != 0:
        return None
    names = (line.split()[-1] for line in answer.stdout.splitlines() if line.split())
    return [first_lines(n) for n in names if n.startswith("assets/") and n.endswith(".xml")]
