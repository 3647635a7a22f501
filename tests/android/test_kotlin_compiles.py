"""The Kotlin that is written, through the Kotlin compiler, against stubs of Android's classes.

One run of the compiler for everything, since its start takes most of the time.
"""

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    AndroidProperty,
    AndroidResponse,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.describing.exported_app import exported_files
from appfunctions_mcp.android.kotlin.files import kotlin_files
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope
from appfunctions_mcp.service import load_service
from tests.support.android_documents import compiled_documents, documents, kotlin_names
from tests.support.corpus import corpus
from tests.support.kotlin_documents import moved

ROOT = Path(__file__).resolve().parents[2]
STUBS = Path(__file__).parent / "kotlin_stubs"
STRING = ScalarType(kind=TypeNumber.STRING)
INT = ScalarType(kind=TypeNumber.INT)
PARTS = settings(
    deadline=None, database=None, max_examples=80, suppress_health_check=list(HealthCheck)
)

# Every word that means something to Kotlin, somewhere; then names of what files use without import.
WORDS = (
    *("abstract", "actual", "annotation", "as", "break", "by", "catch", "class", "companion"),
    *("const", "constructor", "continue", "crossinline", "data", "delegate", "do", "dynamic"),
    *("else", "enum", "expect", "external", "false", "field", "file", "final", "finally", "for"),
    *("fun", "get", "if", "import", "in", "infix", "init", "inline", "inner", "interface"),
    *("internal", "is", "it", "lateinit", "noinline", "null", "object", "open", "operator", "out"),
    *("override", "package", "param", "private", "property", "protected", "public", "receiver"),
    *("reified", "return", "sealed", "set", "setparam", "super", "suspend", "tailrec", "this"),
    *("throw", "true", "try", "typealias", "typeof", "val", "value", "var", "vararg", "when"),
    *("where", "while", "context", "contract", "all", "emptyList", "intArrayOf", "Unit", "T"),
    *("component1", "copy", "equals", "toString", "hashCode", "kotlin", "androidx", "com"),
)
ODD_NAMES = (
    "a b",
    "a-b",
    "$x",
    "9lives",
    "_",
    "__",
    "naïve",
    "Größe",
    "заметка",
    "漢字",
    "e\u0301",
    "🎈",
)
BUILT_IN = (
    *("Any", "Int", "Long", "String", "List", "Unit", "Boolean", "IntArray", "Deprecated", "OptIn"),
    *("Uri", "Instant", "PendingIntent", "PatternMatcher", "AppFunctionSerializable", "emptyList"),
    *("AppFunctionService", "AppFunctionInstruction", "Override", "Object", "T", "Nothing", "it"),
)
TEXTS = (
    *(
        "*/ fun evil() {}",
        "/* /* never closed",
        '"$x ${evil()} \\"',
        "\\u002a/",
        "@param x no",
        "`",
    ),
    *("\u202eright to left", "\u2028\u0085\r\n\t", "🎈 \U000e0041", '"""', "// \n", "a\n * b", "$"),
)


def scalar(kind: TypeNumber) -> ScalarType:
    return ScalarType(kind=kind)


def thing(*names: str, of: DataType = STRING, texts: Iterable[str] = ()) -> ObjectType:
    """An object of properties of one type, some of them described."""
    told = [*texts, *[""] * len(names)]
    return ObjectType(
        name="",
        properties=tuple(
            AndroidProperty(name, replace(of, description=text))
            for name, text in zip(names, told, strict=False)
        ),
        required=names,
        description=told[0],
        nullable=True,
    )


def document(
    *functions: AndroidFunction, components: Mapping[str, DataType] | None = None
) -> AndroidDocument:
    return AndroidDocument(
        functions=functions,
        components=tuple(AndroidComponent(*each) for each in (components or {}).items()),
    )


def function(
    function_id: str, *parameters: DataType, returns: DataType | None = None, text: str = ""
) -> AndroidFunction:
    return AndroidFunction(
        id=function_id,
        description=text,
        parameters=tuple(
            AndroidParameter(name=f"p{i}", type=of, required=True, description=text)
            for i, of in enumerate(parameters)
        ),
        response=AndroidResponse(type=returns or scalar(TypeNumber.UNIT), description=text),
    )


def words() -> AndroidDocument:
    """Every word of Kotlin, and odd names, as a parameter, property, function, class, package."""
    names = [*WORDS, *ODD_NAMES]
    all_names = [
        AndroidFunction(
            id=f"words.Calls{position}#{name}",
            parameters=(AndroidParameter(name=name, type=INT, required=position % 2 == 0),),
            response=AndroidResponse(type=INT, description="a\nb"),
        )
        for position, name in enumerate(names)
    ]
    properties = [name for name in names if name != "class"]
    components = {
        "words.Holder": thing(*properties[:60]),
        "words.Holder2": thing(*properties[60:], of=replace(INT, nullable=True)),
    }
    for name in names:
        components[f"words.{name}.Class"] = thing("x", of=ReferenceType(name=f"words.types.{name}"))
        components[f"words.types.{name}"] = thing(name if name != "class" else "x")
    return document(*all_names, components=components)


def built_in_names() -> AndroidDocument:
    """Classes named like those that files use without saying from where."""
    container = "androidx.appfunctions.AppFunctionResourceContainer"
    text = "androidx.appfunctions.AppFunctionTextResource"
    resources = AndroidProperty("resources", ArrayType(items=ReferenceType(name=text)))
    components: dict[str, DataType] = {
        text: replace(thing("mimeType", "content"), name=text),
        "java.time.Instant": ObjectType(
            name="java.time.Instant",
            properties=(
                AndroidProperty("epochSecond", scalar(TypeNumber.LONG)),
                AndroidProperty("nanoAdjustment", INT),
            ),
            required=("epochSecond", "nanoAdjustment"),
        ),
        "built.Rich": AllOfType(
            name="built.Rich",
            members=(ObjectType(name=container, properties=(resources,)), thing("x", of=INT)),
        ),
    }
    for name in BUILT_IN:
        components[f"built.{name}"] = ObjectType(
            name="",
            properties=(
                AndroidProperty("text", replace(STRING, format="x")),
                AndroidProperty("numbers", ArrayType(items=INT)),
                AndroidProperty("uris", ArrayType(items=uri_type(description="a\rb"))),
                AndroidProperty("at", ReferenceType(name="java.time.Instant", nullable=True)),
                AndroidProperty("own", ArrayType(items=ReferenceType(name=f"built.{name}"))),
            ),
            required=("text",),
        )
    uses = [ReferenceType(name=f"built.{name}") for name in BUILT_IN]
    one = replace(
        function("built.Calls#all", *uses, ArrayType(items=STRING), returns=uses[1], text="a\rb"),
        deprecation="x",
        access_level=AppFunctionAccessLevel.SELF,
    )
    return document(one, components=components)


def texts() -> AndroidDocument:
    """Texts that try to leave their comment or string, in every place that holds one."""
    functions = []
    components: dict[str, DataType] = {}
    for position, text in enumerate(TEXTS):
        pattern = tuple(StringPattern(text, kind) for kind in (0, 1, 4, 42))
        named = ScalarType(
            kind=TypeNumber.STRING, enum_values=(text, "a"), patterns=pattern, format=text
        )
        functions.append(
            replace(
                function(
                    f"texts.BaseTextService#f{position}", named, STRING, returns=named, text=text
                ),
                deprecation=text,
                schema=AppFunctionSchema(f"x{text}x", f"x{text}x", 1),
            )
        )
        functions.append(
            replace(
                function(f"texts.Signature{position}#f", named, returns=named, text=text),
                scope=AppFunctionScope.ACTIVITY,
            )
        )
        components[f"texts.Note{position}"] = thing("a", "b", of=named, texts=(text, text))
    return document(*functions, components=components)


def inherited() -> AndroidDocument:
    """Bases, capabilities, sealed types and generic classes, in each other."""
    base = ReferenceType(name="tree.Base")
    can = replace(
        thing("intent", "tags", of=ArrayType(items=STRING)), name="tree.Can", required=("intent",)
    )
    components: dict[str, DataType] = {
        "tree.Base": thing("id", "name"),
        "tree.Mid": AllOfType(
            name="tree.Mid", members=(base, replace(thing("mid", of=INT), name="tree.Mid"), can)
        ),
        "tree.Leaf": AllOfType(
            name="tree.Leaf",
            members=(
                ReferenceType(name="tree.Mid"),
                replace(thing("leaf", of=INT), name="tree.Leaf"),
            ),
        ),
        "tree.Same": AllOfType(name="tree.Same", members=(base,)),
        "tree.Shape": OneOfType(
            name="tree.Shape",
            members=(
                ReferenceType(name="tree.Leaf"),
                ReferenceType(name="tree.Shape$Dot"),
                ReferenceType(name="tree.Inner"),
            ),
        ),
        "tree.Inner": OneOfType(
            name="tree.Inner",
            members=(ReferenceType(name="tree.Leaf"), ReferenceType(name="tree.Base")),
        ),
        "tree.Shape$Dot": thing("r", of=ReferenceType(name="tree.Shape", nullable=True)),
        "tree.Deep$Er$Est": thing("x", of=ReferenceType(name="tree.Box<kotlin.Int>")),
    }
    arguments: dict[str, DataType] = {
        "kotlin.Int": INT,
        "kotlin.String?": replace(STRING, nullable=True),
        "kotlin.IntArray": ArrayType(items=INT),
        "kotlin.collections.List<tree.Shape>?": ArrayType(
            items=ReferenceType(name="tree.Shape"), nullable=True
        ),
        "tree.Box<kotlin.Int>": ReferenceType(name="tree.Box<kotlin.Int>"),
    }
    for argument, of in arguments.items():
        components[f"tree.Box<{argument}>"] = thing("value", of=of)
    uses = [ReferenceType(name=name, nullable=True) for name in components]
    return document(
        function("tree.Calls#all", *uses, returns=ReferenceType(name="tree.Shape")),
        components=components,
    )


def random_documents() -> list[AndroidDocument]:
    """Documents of hypothesis, each in packages of its own."""
    found: list[AndroidDocument] = []

    @seed(11)
    @PARTS
    @given(compiled_documents() | documents(names=kotlin_names()) | documents())
    def collect(drawn: AndroidDocument) -> None:
        found.append(moved(drawn, f"random{len(found)}"))

    collect()
    return found


def written() -> dict[str, dict[str, str]]:
    """The files of every sample by its name; what Kotlin has no word for is left out."""
    service = load_service(ROOT / "metadata/app_metadata.xml")
    samples = {"sample_app": exported_files(service, package="com.example.notes")}
    for made in (words(), built_in_names(), texts(), inherited()):
        name = f"hard{len(samples)}"
        samples[name] = kotlin_files({name: made}, package=f"hard.{name}")
    for number, drawn in enumerate(random_documents()):
        name = f"random{number}"
        try:
            samples[name] = kotlin_files({name: drawn}, package=f"{name}.app")
        except AppFunctionDeclarationError:
            continue
    return samples


def write(files: Mapping[str, str], folder: Path) -> None:
    for path, text in files.items():
        if path.endswith(".kt"):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")


def compiled(jars: Path, folder: Path, *, classes: Path) -> str:
    """What the compiler says; nothing where all is well."""
    (library,) = jars.glob("kotlin-stdlib-2*.jar")
    command = [
        "java",
        "-Xmx1500m",
        "-cp",
        f"{jars}/*",
        "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
    ]
    options = ["-no-stdlib", "-no-reflect", "-cp", str(library), "-d", str(classes)]
    done = subprocess.run(
        [*command, *options, str(STUBS), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return done.stdout + done.stderr


@pytest.mark.kotlin
@pytest.mark.timeout(900)
@pytest.mark.skipif("KOTLIN_JARS" not in os.environ, reason="run by .ci/kotlin")
def test_the_kotlin_of_every_sample_compiles_without_a_warning(tmp_path: Path) -> None:
    for name, files in written().items():
        write(files, tmp_path / name)
    said = compiled(Path(os.environ["KOTLIN_JARS"]), tmp_path, classes=tmp_path / "classes")
    assert said == ""


@pytest.mark.kotlin
@pytest.mark.skipif("KOTLIN_JARS" not in os.environ, reason="run by .ci/kotlin")
def test_the_kotlin_of_every_real_document_compiles(tmp_path: Path) -> None:
    folder = corpus("android_xml")
    for path in sorted(folder.glob("*.xml")):
        if "<appfunctions>" in path.read_text(encoding="utf-8") and "-v1" not in path.stem:
            files = kotlin_files({path.stem: read_functions_xml(path)}, package="real")
            write(files, tmp_path / "src")
    said = compiled(Path(os.environ["KOTLIN_JARS"]), tmp_path / "src", classes=tmp_path / "classes")
    assert said == ""
