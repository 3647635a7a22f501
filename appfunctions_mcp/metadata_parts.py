"""Reads the elements of our namespace, `<mcp:functions>` and the rest, into records."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.metadata import (
    AppIcon,
    AppSetting,
    ExecutionLimits,
    FunctionOverride,
    FunctionsModule,
    LintIgnore,
)
from appfunctions_mcp.metadata_attributes import (
    ANDROIDX,
    MCP,
    RES_AUTO,
    AttributeReader,
    TextReader,
    accepted_names,
)
from appfunctions_mcp.metadata_values import (
    OnError,
    Parser,
    SettingType,
    any_text,
    boolean,
    boolean_text,
    count,
    environment_name,
    existing_file,
    function_id,
    icon_source,
    mime_type,
    module_name,
    number_text,
    on_error,
    optional_defaults,
    path_text,
    positive,
    rule_ids,
    scope,
    seconds,
    setting_type,
    sizes,
    target,
    tool_prefix,
)
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.xml_elements import XmlElement

T = TypeVar("T")

ELEMENTS = ("functions", "function", "setting", "limits", "lifespan", "dependsOn", "icon", "lint")
"""The names of the elements of our namespace."""

_DEFAULTS = ExecutionLimits()


class PartReader:
    """Reads the elements inside the root, in any order.

    Args:
        texts: Reads their texts.
        report: Takes their faults.
        folder: What their paths are relative to.
    """

    def __init__(self, texts: TextReader, report: FaultReport, folder: Path) -> None:
        self.modules: list[FunctionsModule] = []
        self.overrides: list[FunctionOverride] = []
        self.settings: list[AppSetting] = []
        self.limits = _DEFAULTS
        self.lifespan: str | None = None
        self.lifespan_line = 0
        self.depends_on: list[Path] = []
        self.icons: list[AppIcon] = []
        self.lint_ignores: list[LintIgnore] = []
        self._texts = texts
        self._report = report
        self._folder = folder
        self._first: dict[tuple[str, str], XmlElement] = {}
        self._readers: dict[str, Callable[[XmlElement, AttributeReader], None]] = {
            "functions": self._read_functions,
            "function": self._read_function,
            "setting": self._read_setting,
            "limits": self._read_limits,
            "lifespan": self._read_lifespan,
            "dependsOn": self._read_depends_on,
            "icon": self._read_icon,
            "lint": self._read_lint,
        }

    def read(self, element: XmlElement) -> None:
        """Reads one element of our namespace."""
        read = self._readers.get(element.name)
        if read is None:
            self._report.fault(
                element.line,
                f"unknown element <{element.qualified}>; "
                + accepted_names(element.name, ELEMENTS, "mcp:"),
            )
            return
        self._require_empty(element)
        self._report_foreign(element)
        attributes = AttributeReader(element, self._texts, self._report)
        read(element, attributes)
        attributes.report_unknown()

    def _require_empty(self, element: XmlElement) -> None:
        for part in element.content:
            if isinstance(part, XmlElement):
                line, found = part.line, f"<{part.qualified}>"
            elif part.text.strip():
                line, found = element.line, f"the text {quoted(part.text.strip())}"
            else:
                continue
            self._report.fault(
                line, f"<{element.qualified}> holds {found}; it takes attributes only"
            )
            return

    def _report_foreign(self, element: XmlElement) -> None:
        """Attributes of these elements have no namespace; those of others' are none of ours."""
        for attribute in element.attributes:
            if attribute.namespace in {MCP, ANDROIDX, RES_AUTO}:
                self._report.fault(
                    attribute.line,
                    f"<{element.qualified}> has {quoted(attribute.qualified)}; write its "
                    f"attributes without a prefix: {attribute.name}",
                )

    def _read_functions(self, element: XmlElement, attributes: AttributeReader) -> None:
        module = attributes.required("module", module_name)
        prefix = attributes.value("prefix", tool_prefix)
        declared = attributes.value("optionalDefaults", optional_defaults)
        handling: OnError = attributes.value("onError", on_error) or "fail"
        if module is not None and self._is_first(element, module):
            self.modules.append(
                FunctionsModule(module, prefix, declared, handling, line=element.line)
            )

    def _read_function(self, element: XmlElement, attributes: AttributeReader) -> None:
        identity = attributes.required("id", function_id)
        override = FunctionOverride(
            function_id=identity or "",
            title=attributes.text("title"),
            description=attributes.text("description", several_lines=True),
            enabled_by_default=attributes.value("enabledByDefault", boolean),
            read_only=attributes.value("readOnly", boolean),
            destructive=attributes.value("destructive", boolean),
            idempotent=attributes.value("idempotent", boolean),
            open_world=attributes.value("openWorld", boolean),
            requires_confirmation=attributes.value("requiresConfirmation", boolean),
            timeout_seconds=attributes.value("timeoutSeconds", seconds),
            access=attributes.value("access", scope),
            line=element.line,
        )
        if identity is not None and self._is_first(element, identity):
            self.overrides.append(override)

    def _read_setting(self, element: XmlElement, attributes: AttributeReader) -> None:
        name = attributes.required("name", environment_name)
        kind: SettingType = attributes.value("type", setting_type) or "string"
        defaults: dict[str, Parser[str]] = {
            "string": any_text,
            "number": number_text,
            "boolean": boolean_text,
        }
        setting = AppSetting(
            name=name or "",
            type=kind,
            title=attributes.text("title") or "",
            description=attributes.text("description", several_lines=True) or "",
            required=attributes.value("required", boolean) or False,
            sensitive=attributes.value("sensitive", boolean) or False,
            default=attributes.value("default", defaults.get(kind, path_text(self._folder))),
            line=element.line,
        )
        # Windows has one variable whatever the case.
        if name is not None and self._is_first(element, name.upper(), name):
            self.settings.append(setting)

    def _read_limits(self, element: XmlElement, attributes: AttributeReader) -> None:
        limits = ExecutionLimits(
            timeout_seconds=_or(
                attributes.value("timeoutSeconds", seconds), _DEFAULTS.timeout_seconds
            ),
            max_concurrent=_or(
                attributes.value("maxConcurrent", positive), _DEFAULTS.max_concurrent
            ),
            calls_per_minute=_or(
                attributes.value("callsPerMinute", count), _DEFAULTS.calls_per_minute
            ),
            max_result_bytes=_or(
                attributes.value("maxResultBytes", positive), _DEFAULTS.max_result_bytes
            ),
        )
        if self._is_first(element):
            self.limits = limits

    def _read_lifespan(self, element: XmlElement, attributes: AttributeReader) -> None:
        found = attributes.required("target", target)
        if self._is_first(element):
            self.lifespan = found
            self.lifespan_line = element.line

    def _read_depends_on(self, _element: XmlElement, attributes: AttributeReader) -> None:
        path = attributes.required("src", existing_file(self._folder))
        if path is not None:
            self.depends_on.append(path)

    def _read_icon(self, _element: XmlElement, attributes: AttributeReader) -> None:
        source = attributes.required("src", icon_source(self._folder))
        kind = attributes.value("mimeType", mime_type)
        size = attributes.value("sizes", sizes)
        if source is not None:
            self.icons.append(AppIcon(source, kind, size))

    def _read_lint(self, element: XmlElement, attributes: AttributeReader) -> None:
        rules = attributes.required("ignore", rule_ids)
        of_function = attributes.value("function", function_id)
        if rules is not None:
            self.lint_ignores.append(LintIgnore(rules, of_function, line=element.line))

    def _is_first(self, element: XmlElement, value: str = "", shown: str = "") -> bool:
        """Whether no element before is of the same kind and value; reports it otherwise."""
        first = self._first.setdefault((element.name, value), element)
        if first is element:
            return True
        what = f" for {quoted(shown or value)}" if value else ""
        self._report.fault(
            element.line,
            f"a second <{element.qualified}>{what}; the first is in line {first.line}, keep one",
        )
        return False


def _or(value: T | None, default: T) -> T:
    return default if value is None else value
