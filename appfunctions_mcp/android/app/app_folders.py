"""Finds the parts of an Android app in its folders: manifest, description, functions XML.

An app's folder is `src/main`, or what an archive unpacks to; what a build generates stands
beside it, in `build/`. Reads the manifest and the build file, and nothing of what these name.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from appfunctions_mcp.android.app.manifest import (
    MANIFEST_FILE,
    AndroidManifest,
    is_compiled,
    read_manifest,
)
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.fault_report import fault_text
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata_values import android_package

_USUAL_METADATA = "app_metadata"
_LIBRARY_ASSETS = ("app_functions_v2.xml", "app_functions.xml")
"""What the library's own manifest names where the app's names nothing, the newer one first."""
_BUILD_FILES = ("build.gradle.kts", "build.gradle")
_APPLICATION_ID = regex(r"(?m)^\s*applicationId\s*=?\s*[\"']([^\"'\n]*)[\"']")
_NAMESPACE = regex(r"(?m)^\s*namespace\s*=?\s*[\"']([^\"'\n]*)[\"']")
_LONGEST_BUILD_FILE = 1_048_576


@dataclass(frozen=True, slots=True)
class AppFolder:
    """An Android app's `src/main`, or the root of its archive."""

    path: Path
    manifest: AndroidManifest

    @property
    def module(self) -> Path | None:
        """The folder of the build's module, which holds `src/main` and `build`."""
        sources = Path(os.path.abspath(self.path)).parent  # noqa: PTH100 - links stay
        return sources.parent if sources.name == "src" else None

    def metadata_file(self) -> Path | None:
        """The XML that describes the app; None where it has none.

        Raises:
            MetadataXmlError: The manifest names one that is not there.
        """
        name = self.manifest.app_metadata
        path = self.path / "res" / "xml" / f"{name or _USUAL_METADATA}.xml"
        if path.is_file():
            return path
        if name is None:
            return None
        raise MetadataXmlError(
            fault_text(
                self.manifest.path,
                self.manifest.app_metadata_line,
                f"the manifest names @xml/{name}, but there is no {path}; add it",
            )
        )

    def asset(self, name: str) -> Path | None:
        """An asset by its name: the app's own, else the one that was built last."""
        own = self.path.joinpath("assets", *name.split("/"))
        if own.is_file():
            return own
        built = [path for place in self._built_assets() if (path := place / name).is_file()]
        return max(built, key=lambda path: (path.stat().st_mtime_ns, str(path)), default=None)

    def library_asset(self) -> Path | None:
        """The functions XML that older libraries generate without the app's manifest naming it."""
        found = (self.asset(name) for name in _LIBRARY_ASSETS)
        return next((path for path in found if path is not None), None)

    def asset_names(self) -> list[str]:
        """The names of the XML files where assets are looked for, for messages."""
        places = [self.path / "assets", *self._built_assets()]
        return sorted({path.name for place in places for path in place.glob("*.xml")})

    def asset_places(self) -> str:
        """Where assets are looked for, for messages."""
        places = [str(self.path / "assets")]
        if self.module is not None:
            generated = self.module / "build" / "generated" / "ksp"
            places.append(str(generated / "*" / "resources" / "assets"))
        return " and ".join(places)

    def package(self) -> str | None:
        """The app's package: the build file's, else the manifest's."""
        for pattern in (_APPLICATION_ID, _NAMESPACE):
            for text in self._build_texts():
                match = pattern.search(text)
                if match is not None and _is_package(match[1]):
                    return match[1]
        declared = self.manifest.package
        return declared if declared is not None and _is_package(declared) else None

    def _built_assets(self) -> Iterator[Path]:
        """The folders of assets that a build writes, and those in the archives of an archive."""
        if self.module is not None:
            build = self.module / "build"
            yield from build.glob("generated/ksp/*/resources/assets")
            yield from build.glob("intermediates/assets/*")
            yield from build.glob("intermediates/assets/*/*")
        for inner in ("*.jar", "libs/*.jar"):
            yield from self.path.glob(f"{inner}/assets")

    def _build_texts(self) -> Iterator[str]:
        for name in _BUILD_FILES if self.module is not None else ():
            path = self.module / name if self.module is not None else Path(name)
            if path.is_file():
                with path.open("rb") as file:
                    yield file.read(_LONGEST_BUILD_FILE).decode("utf-8", "replace")


def find_app(folder: Path, *, anywhere: bool = False) -> AppFolder | None:
    """The app in a folder: in it, in its `src/main` or `main`, or in that of one of its modules.

    Args:
        folder: `src/main`, the `src` that has it, a module, or a project.
        anywhere: Whether it may lie deeper, as in an archive.

    Returns:
        None where no manifest that can be read is found.

    Raises:
        MetadataXmlError: A manifest is faulty, or several apps have functions.
    """
    manifests = list(_manifests_in(folder, anywhere=anywhere))
    apps = [AppFolder(path.parent, read_manifest(path)) for path in manifests]
    with_functions = [
        app for app in apps if app.manifest.assets or app.manifest.app_metadata is not None
    ]
    chosen = with_functions or apps
    if len(chosen) > 1:
        found = ", ".join(str(app.path) for app in chosen)
        raise MetadataXmlError(f"{folder}: several apps are in this folder; give one of {found}")
    return chosen[0] if chosen else None


def _manifests_in(folder: Path, *, anywhere: bool) -> Iterable[Path]:
    if anywhere:
        found = [path for path in _sorted(folder.rglob(MANIFEST_FILE)) if not is_compiled(path)]
        sources = [path for path in found if path.parent.parts[-2:] == ("src", "main")]
        return sources or found
    for place in (folder, folder / "src" / "main", folder / "main"):
        if (place / MANIFEST_FILE).is_file():
            return [place / MANIFEST_FILE]
    return _sorted(folder.glob(os.path.join("*", "src", "main", MANIFEST_FILE)))  # noqa: PTH118 - a pattern


def _sorted(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.is_file())


def _is_package(text: str) -> bool:
    try:
        android_package(text)
    except ValueError:
        return False
    return True
