"""The functions of documents as methods of Kotlin: their names, parameters and results."""

from dataclasses import dataclass, replace

from appfunctions_mcp.android.data_types import (
    AndroidFunction,
    AndroidParameter,
    DataType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.kotlin.classes import KotlinClasses, note_what_is_lost
from appfunctions_mcp.android.kotlin.findings import Findings, Place
from appfunctions_mcp.android.kotlin.names import KotlinType
from appfunctions_mcp.android.kotlin.types import default_of
from appfunctions_mcp.android.kotlin.words import KotlinError, identifier, usable_name
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["FunctionReader", "KotlinFunction", "KotlinParameter", "owner_and_method"]

MAX_PARAMETERS = 120
MAX_VERSION = 2**31 - 1
_ENDS = regex(r"[#/.]")
_STRING, _INT = "kotlin.String", "kotlin.Int"
# What a service inherits from Android, by the parameters that a function could have as well.
_INHERITED = {
    (): (
        "toString hashCode clearWallpaper databaseList fileList getApplication "
        "getApplicationContext getApplicationInfo getAssets getAttributionSource "
        "getAttributionTag getBaseContext getCacheDir getClassLoader getCodeCacheDir "
        "getContentResolver getDataDir getDeviceId getDisplay getDisplayNoVerify "
        "getExternalCacheDir getExternalCacheDirs getExternalMediaDirs getFilesDir "
        "getForegroundServiceType getMainExecutor getMainLooper getNoBackupFilesDir getObbDir "
        "getObbDirs getOpPackageName getPackageCodePath getPackageManager getPackageName "
        "getPackageResourcePath getParams getResources getTheme getWallpaper "
        "getWallpaperDesiredMinimumHeight getWallpaperDesiredMinimumWidth "
        "isDeviceProtectedStorage isRestricted isUiContext onCreate onDestroy onLowMemory "
        "peekWallpaper stopSelf"
    ),
    (_STRING,): (
        "checkCallingOrSelfPermission checkCallingPermission checkSelfPermission deleteDatabase "
        "deleteFile deleteSharedPreferences getDatabasePath getExternalFilesDir "
        "getExternalFilesDirs getFileStreamPath getSystemService openFileInput "
        "revokeSelfPermissionOnKill"
    ),
    (_INT,): (
        "getColor getColorStateList getDrawable getString getText onTrimMemory setTheme "
        "stopForeground stopSelf stopSelfResult updateDeviceId"
    ),
    (_STRING, _INT): "getDir getSharedPreferences openFileOutput",
}


@dataclass(frozen=True, slots=True)
class KotlinParameter:
    """One parameter of a function."""

    name: str
    type: KotlinType
    source: DataType
    """Its type in the document, for its constraints."""
    description: str = ""
    default: str | None = None


@dataclass(frozen=True, slots=True)
class KotlinFunction:
    """One function, as it is written."""

    declared: AndroidFunction
    method: str
    place: Place
    """Where it is declared, for messages."""
    parameters: tuple[KotlinParameter, ...] = ()
    returns: KotlinType | None = None
    """None for unit."""
    result: DataType | None = None
    """What it returns in the document, for its constraints."""


def owner_and_method(function_id: str) -> tuple[str, str]:
    """What stands before the `#` of an id, if anything does, and a name for a method."""
    owner, mark, method = function_id.rpartition("#")
    if not mark:
        parts = [part for part in _ENDS.split(function_id) if part.strip()]
        method = parts[-1] if parts else function_id
    return owner, usable_name(method)


class FunctionReader:
    """Reads functions.

    Args:
        classes: Makes the classes that the functions use.
        findings: Gets what Kotlin has no word for.
    """

    def __init__(self, classes: KotlinClasses, findings: Findings) -> None:
        self._classes = classes
        self._findings = findings

    def read(self, function: AndroidFunction, method: str, place: Place) -> KotlinFunction:
        """A function under the name of a method, which changes where the name is taken.

        Raises:
            KotlinError: Kotlin cannot hold the method's name, or has no type for its result.
        """
        identifier(method)
        if len(function.parameters) > MAX_PARAMETERS:
            raise KotlinError(
                f"it has {len(function.parameters)} parameters; accepted are {MAX_PARAMETERS}; "
                "group some into an object"
            )
        self._require_schema(function, place)
        read = KotlinFunction(function, method, place)
        found = []
        for each in function.parameters:
            there = place.inside(f"parameter {quoted(each.name)}")
            with self._findings.at(there):
                found.append(self._parameter(each, read, there))
        if method in _INHERITED.get(tuple(each.type.name for each in found), "").split():
            self._findings.note(place, f"Android's services have a method {method} already")
            read = replace(read, method=f"{method}Function")
        return self._with_result(replace(read, parameters=tuple(found)))

    def _require_schema(self, function: AndroidFunction, place: Place) -> None:
        schema = function.schema
        if schema is None:
            return
        if function.scope is not None:
            self._findings.note(place, "its schema is left out; signatures have none in Kotlin")
        elif schema.version > MAX_VERSION:
            raise KotlinError(
                f"the schema's version is {schema.version}; accepted in Kotlin are at most "
                f"{MAX_VERSION}"
            )

    def _parameter(
        self, each: AndroidParameter, function: KotlinFunction, place: Place
    ) -> KotlinParameter:
        identifier(each.name)
        found = self._classes.types.type_of(each.type, f"{function.method}_{each.name}")
        note_what_is_lost(self._findings, each.type, place, is_described=False)
        default = None
        if not each.required and function.declared.scope is not None:
            self._findings.note(place, "it is required here; a signature has no defaults")
        elif not each.required:
            default = default_of(found)
        source = self._classes.constrained(each.type)
        return KotlinParameter(each.name, found, source, each.description, default)

    def _with_result(self, function: KotlinFunction) -> KotlinFunction:
        response = function.declared.response
        if response is None:
            self._findings.note(
                function.place, "the document says nothing of its parameters and its result"
            )
            return function
        place = function.place.inside("result")
        note_what_is_lost(self._findings, response.type, place, is_described=False)
        if isinstance(response.type, ScalarType) and response.type.kind == TypeNumber.UNIT:
            if response.type.nullable:
                self._findings.note(place, "it is unit, never null")
            return function
        with self._findings.at(place):
            found = self._classes.types.type_of(response.type, f"{function.method}_Result")
            source = self._classes.constrained(response.type)
            return replace(function, returns=found, result=source)
        return function
