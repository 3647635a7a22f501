"""Hypothesis strategies for functions documents, and short builders for single parts.

`documents()` draws everything that a reader accepts: every form, cycles of references, odd names
and texts. `compiled_documents()` draws what Android's compiler could have written.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from keyword import kwlist

from hypothesis import strategies as st

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
    ParcelableType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.references import object_of
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope
from appfunctions_mcp.patterns import PatternType

Names = st.SearchStrategy[str]
Texts = st.SearchStrategy[str]
Draw = st.DrawFn

INT, LONG, STRING, UNIT = (
    ScalarType(kind=kind)
    for kind in (TypeNumber.INT, TypeNumber.LONG, TypeNumber.STRING, TypeNumber.UNIT)
)
BOOLEAN, BYTES, DOUBLE, FLOAT = (
    ScalarType(kind=kind)
    for kind in (TypeNumber.BOOLEAN, TypeNumber.BYTES, TypeNumber.DOUBLE, TypeNumber.FLOAT)
)
_SCALAR_KINDS = [
    TypeNumber.BOOLEAN,
    TypeNumber.BYTES,
    TypeNumber.DOUBLE,
    TypeNumber.FLOAT,
    TypeNumber.LONG,
    TypeNumber.INT,
    TypeNumber.STRING,
]
_PRIMITIVE_ITEMS = frozenset(_SCALAR_KINDS) - {TypeNumber.BYTES, TypeNumber.STRING}
_EMPTY_OF_ITS_OWN = frozenset(_SCALAR_KINDS) - {TypeNumber.STRING}
_HARD_WORDS = [
    *("class", "None", "self", "def", "fun", "object", "true", "in", "_private", "__init__"),
    *("model_config", "model_fields", "schema", "json", "copy", "schemaType", "id", "list"),
]
_ODD_NAMES = [
    *("a b", "a-b", "x.y", "9lives", "naïve", "Straße", "漢字", "ﬁeld", "field", "€", "🎈", "$x"),
    *('"', "'", "`", "\\", "*/", "#", "{x}", "<T>", "&amp;", "]]>", "x\ny", "\u2028", "\u00a0"),
]
_ODD_TEXTS = [
    *("*/ /* */", '"""', "'''", "\\", "\\N{BULLET} \\x41 \\u0041 \\", "$x ${y} {z} %s", "`x`"),
    *(
        " ends in a blank ",
        "\n\n",
        "one\ntwo\n  three",
        "one\r\ntwo\rthree",
        "\ttab",
        "]]>",
        "&lt;",
    ),
    *("@param x is no parameter", "Args:\n    x: not one", "Returns:\n    nothing", ":param x: y"),
    *("<!-- no -->", "<![CDATA[no]]>", "\u202eright to left", "e\u0301", "🎈", "\u2028", "\x85"),
]


def xml_texts(*, min_size: int = 0, max_size: int = 12) -> Texts:
    """Any text that an XML can hold."""
    controls = [chr(code) for code in range(32) if chr(code) not in "\t\n\r"]
    characters = st.characters(codec="utf-8", exclude_characters=[*controls, "\ufffe", "\uffff"])
    return st.text(characters, min_size=min_size, max_size=max_size)


def odd_texts() -> Texts:
    """Descriptions: ordinary ones, none, and what breaks out of comments and strings."""
    ordinary = st.sampled_from(["", "The note's title.", "Creates a note.\nIt is kept."])
    return st.one_of(ordinary, st.sampled_from(_ODD_TEXTS), xml_texts())


def odd_names() -> Names:
    """Names that an XML can hold: identifiers, words of languages, and no identifiers at all."""
    other = xml_texts(min_size=1, max_size=8).map(lambda name: name.strip(" \t\r\n")).filter(bool)
    return st.one_of(
        kotlin_names(), st.sampled_from(_HARD_WORDS), st.sampled_from(_ODD_NAMES), other
    )


def kotlin_names() -> Names:
    """Names that Kotlin and Python accept as they are."""
    return st.from_regex(r"[a-z][A-Za-z0-9]{0,6}", fullmatch=True).filter(_is_no_keyword)


def class_names() -> Names:
    """Names of the JVM's classes: nested and generic ones too."""
    outer = st.from_regex(r"com\.(a|b\.c)\.[A-Z][a-z0-9]{0,3}(\$[A-Z][a-z]?)?", fullmatch=True)
    arguments = st.sampled_from(["", "<kotlin.Int>", "<kotlin.collections.List<kotlin.String>>"])
    return st.builds(lambda name, of: name + of, outer, st.just("") | arguments)


@st.composite
def documents(
    draw: Draw, *, names: Names | None = None, texts: Texts | None = None
) -> AndroidDocument:
    """Everything that a reader accepts, in the form in which it comes out.

    Args:
        draw: Of hypothesis.
        names: Of functions, parameters, properties and components; odd ones, if None.
        texts: Of descriptions; odd ones, if None.
    """
    any_name = odd_names() if names is None else names
    parts = _Parts(draw, any_name, odd_texts() if texts is None else texts)
    return _document(parts, any_name | class_names() if names is None else any_name)


@st.composite
def compiled_documents(
    draw: Draw, *, names: Names | None = None, texts: Texts | None = None
) -> AndroidDocument:
    """What Android's compiler could have written of Kotlin.

    Components accept null and bear their own names, an allOf repeats what it inherits, only what
    has an empty value is optional, and unit is a response alone.

    Args:
        draw: Of hypothesis.
        names: Of parameters and properties; plain ones, if None.
        texts: Of descriptions; odd ones, if None.
    """
    parts = _Parts(
        draw,
        kotlin_names() if names is None else names,
        odd_texts() if texts is None else texts,
        compiled=True,
    )
    return _document(parts, class_names())


@dataclass
class _Parts:
    """Draws the parts of one document."""

    draw: Draw
    names: Names
    texts: Texts
    compiled: bool = False
    component_names: tuple[str, ...] = ()

    def text(self) -> str:
        return self.draw(self.texts)

    def truth(self) -> bool:
        return self.draw(st.booleans())

    def use_text(self) -> str:
        """The description of a type where it is used, which compilers leave to the parameter."""
        return "" if self.compiled else self.text()

    def type(self, depth: int = 2) -> DataType:
        makers: list[Callable[[], DataType]] = [self.scalar, self.uri, self.parcelable]
        if self.component_names:
            makers += [self.reference, self.reference]
        if depth:
            makers.append(lambda: self.array(depth - 1))
        if depth and not self.compiled:
            makers += [lambda: self.object(depth - 1), lambda: self.all_of(depth - 1)]
            makers += [lambda: self.one_of(depth - 1)]
        return self.draw(st.sampled_from(makers))()

    def scalar(self) -> ScalarType:
        kinds = _SCALAR_KINDS if self.compiled else [*_SCALAR_KINDS, TypeNumber.UNIT]
        found = ScalarType(
            kind=self.draw(st.sampled_from(kinds)),
            nullable=self.truth(),
            description=self.use_text(),
        )
        if found.kind == TypeNumber.INT:
            values = st.lists(st.integers(-(2**31), 2**31 - 1).map(str), max_size=3, unique=True)
            return replace(found, enum_values=tuple(self.draw(values)))
        return self.constrained(found) if found.kind == TypeNumber.STRING else found

    def constrained(self, found: ScalarType) -> ScalarType:
        values = st.lists(self.texts, max_size=3, unique=True)
        return replace(
            found,
            enum_values=tuple(self.draw(st.just([]) | values)),
            patterns=tuple(self.draw(st.just([]) | st.lists(_patterns(), max_size=3, unique=True))),
            format=self.draw(st.sampled_from(["", "uri", "email", "date-time"])),
        )

    def uri(self) -> ObjectType:
        schemes = st.lists(
            st.sampled_from(["content:", "https:", "file:"]), max_size=2, unique=True
        )
        return uri_type(
            nullable=self.truth(),
            description=self.use_text(),
            patterns=tuple(
                StringPattern(each, int(PatternType.PREFIX)) for each in self.draw(schemes)
            ),
        )

    def parcelable(self) -> ParcelableType:
        names = st.sampled_from(["android.app.PendingIntent", "android.graphics.Bitmap"])
        return ParcelableType(
            name=self.draw(names), nullable=self.truth(), description=self.use_text()
        )

    def reference(self) -> ReferenceType:
        return ReferenceType(
            name=self.draw(st.sampled_from(self.component_names)),
            nullable=self.truth(),
            description=self.use_text(),
        )

    def array(self, depth: int) -> ArrayType:
        items = self.type(0 if self.compiled else depth)
        if self.compiled and isinstance(items, ScalarType):
            if items.kind == TypeNumber.BYTES:
                items = replace(items, kind=TypeNumber.LONG)
            items = replace(items, nullable=items.nullable and items.kind == TypeNumber.STRING)
        return ArrayType(items=items, nullable=self.truth(), description=self.use_text())

    def object(self, depth: int, *, name: str | None = None) -> ObjectType:
        return self.object_with(self.properties(depth), name=name)

    def properties(self, depth: int) -> dict[str, DataType]:
        names = self.draw(st.lists(self.names, min_size=1, max_size=3, unique=True))
        return {each: self.described(self.type(depth)) for each in names}

    def described(self, found: DataType) -> DataType:
        return replace(found, description=self.text()) if self.compiled else found

    def object_with(
        self, properties: Mapping[str, DataType], *, name: str | None = None
    ) -> ObjectType:
        return ObjectType(
            name=self.draw(class_names()) if name is None else name,
            properties=tuple(AndroidProperty(*each) for each in properties.items()),
            required=tuple(name for name, each in properties.items() if self.is_required(each)),
            nullable=self.compiled or self.truth(),
            description=self.text(),
        )

    def is_required(self, of: DataType) -> bool:
        return (self.compiled and not _may_be_optional(of)) or self.truth()

    def all_of(self, depth: int) -> AllOfType:
        members = [self.object(depth) for _ in range(self.draw(st.integers(1, 2)))]
        return AllOfType(
            name=self.draw(st.just("") | class_names()),
            members=tuple(members),
            nullable=self.truth(),
            description=self.text(),
        )

    def one_of(self, depth: int) -> OneOfType:
        names = self.draw(st.lists(class_names(), min_size=1, max_size=2, unique=True))
        return OneOfType(
            name=self.draw(class_names()),
            members=tuple(self.object(depth, name=each) for each in names),
            nullable=self.truth(),
            description=self.text(),
        )

    def components(self, names: Iterable[str]) -> list[AndroidComponent]:
        """One component a name; what one is made of stands before it, what it holds anywhere."""
        found: dict[str, DataType] = {}
        self.component_names = tuple(names)
        for name in self.component_names:
            found[name] = self.component(name, found)
        return [AndroidComponent(*each) for each in found.items()]

    def component(self, name: str, earlier: Mapping[str, DataType]) -> DataType:
        kinds: list[Callable[[], DataType]] = [
            lambda: self.object(1, name=self.own_name(name)),
            lambda: self.derived(name, earlier),
        ]
        parents = [each for each, found in earlier.items() if _is_object(found)]
        if parents:
            kinds.append(lambda: self.sealed(name, parents))
        if not self.compiled:
            kinds.append(lambda: self.other(tuple(earlier)))
        return self.draw(st.sampled_from(kinds))()

    def own_name(self, name: str) -> str:
        """What a component calls itself, which need not be what the document calls it."""
        return name if self.compiled else self.draw(st.just(name) | class_names())

    def derived(self, name: str, earlier: Mapping[str, DataType]) -> AllOfType:
        parents = [each for each, found in earlier.items() if _is_object(found)]
        chosen = self.some_of(parents, most=2)
        members: list[DataType] = [
            ReferenceType(name=each, nullable=self.compiled or self.truth()) for each in chosen
        ]
        capabilities = self.draw(st.lists(class_names(), max_size=1))
        members += [self.object(1, name=each) for each in capabilities]
        inherited = object_of(AllOfType(name="", members=tuple(members)), earlier)
        own = self.properties(1)
        if self.compiled:
            # Kotlin's subclass has all that its superclasses have, and they agree on it.
            own = {**own, **{each.name: each.type for each in inherited.properties}}
        members.append(self.object_with(own, name=self.own_name(name)))
        return AllOfType(
            name=self.own_name(name),
            members=tuple(members),
            nullable=self.compiled or self.truth(),
            description=self.text(),
        )

    def sealed(self, name: str, parents: list[str]) -> OneOfType:
        chosen = self.some_of(parents, most=3, least=1)
        members: list[DataType] = [
            ReferenceType(name=each, nullable=self.compiled or self.truth()) for each in chosen
        ]
        return OneOfType(
            name=self.own_name(name),
            members=tuple(members),
            nullable=self.compiled or self.truth(),
            description=self.text(),
        )

    def other(self, earlier: tuple[str, ...]) -> DataType:
        """A component that no compiler writes: a list, a number, another name of a component."""
        all_names, self.component_names = self.component_names, earlier
        found = self.type()
        self.component_names = all_names
        return found

    def some_of(self, names: list[str], *, most: int, least: int = 0) -> list[str]:
        if not names:
            return []
        return self.draw(
            st.lists(st.sampled_from(names), min_size=least, max_size=most, unique=True)
        )

    def function(self, function_id: str) -> AndroidFunction:
        names = self.draw(st.lists(self.names, max_size=3, unique=True))
        return AndroidFunction(
            id=function_id,
            enabled_by_default=self.draw(st.sampled_from([None, True, False])),
            scope=self.draw(st.sampled_from([None, *AppFunctionScope])),
            description=self.text(),
            parameters=tuple(self.parameter(each) for each in names),
            response=self.response(),
            schema=self.draw(st.none() | _schemas()),
            deprecation=self.draw(st.none() | self.texts),
            access_level=self.draw(st.sampled_from([None, *AppFunctionAccessLevel])),
            compat_enforcement=self.draw(st.sampled_from([None, True, False])),
        )

    def parameter(self, name: str) -> AndroidParameter:
        found = self.type()
        return AndroidParameter(
            name=name, type=found, required=self.is_required(found), description=self.text()
        )

    def response(self) -> AndroidResponse | None:
        if not self.compiled and self.truth():
            return None
        found = UNIT if self.truth() else self.type()
        return AndroidResponse(type=found, description=self.text())


def _document(parts: _Parts, component_names: Names) -> AndroidDocument:
    draw = parts.draw
    names = draw(st.lists(component_names, max_size=4, unique=True))
    components = parts.components(names)
    ids = draw(st.lists(_function_ids(parts), max_size=3, unique=True))
    return AndroidDocument(
        functions=tuple(parts.function(each) for each in ids),
        components=tuple(components),
        service=draw(st.none() | class_names()),
    )


def _function_ids(parts: _Parts) -> Names:
    compiled = st.builds(lambda name: f"com.a.BaseService#{name}", kotlin_names())
    return compiled if parts.compiled else compiled | parts.names


def _patterns() -> st.SearchStrategy[StringPattern]:
    """Patterns that Android accepts, and one of a kind that nobody knows."""
    plain = st.builds(StringPattern, odd_texts(), st.sampled_from([0, 1, 4, 42]))
    simple = st.builds(StringPattern, st.sampled_from(["a.*b", ".*", "\\*"]), st.just(2))
    advanced = st.sampled_from(["[a-z]+", "note-[0-9]{1,3}", "[^/]*/.", "\\[x\\]"])
    return st.one_of(plain, simple, st.builds(StringPattern, advanced, st.just(3)))


def _schemas() -> st.SearchStrategy[AppFunctionSchema]:
    words = st.sampled_from(["notes", "create Note", "<x>"])
    return st.builds(AppFunctionSchema, words, words, st.integers(1, 2**40))


def _is_object(of: DataType) -> bool:
    return isinstance(of, ObjectType | AllOfType)


def _may_be_optional(of: DataType) -> bool:
    """Whether Kotlin may give it a default, which is its empty value."""
    if of.nullable or isinstance(of, ArrayType):
        return True
    return isinstance(of, ScalarType) and of.kind in _EMPTY_OF_ITS_OWN


def _is_no_keyword(name: str) -> bool:
    return name not in _KEYWORDS


_KEYWORDS = frozenset(
    {
        *kwlist,
        *("do", "false", "fun", "interface", "null", "object", "package", "super", "this"),
        *("throw", "true", "typealias", "typeof", "val", "var", "when"),
    }
)


def parameter(
    name: str, of: DataType = STRING, *, required: bool = True, description: str = ""
) -> AndroidParameter:
    """One parameter, of a string if nothing else is said."""
    return AndroidParameter(name=name, type=of, required=required, description=description)


def object_type(name: str, required: Iterable[str] = (), **properties: DataType) -> ObjectType:
    """An object; all its properties are required if none is named."""
    return ObjectType(
        name=name,
        properties=tuple(AndroidProperty(*each) for each in properties.items()),
        required=tuple(required) or tuple(properties),
    )


def function(
    function_id: str, *parameters: AndroidParameter, returns: DataType = UNIT
) -> AndroidFunction:
    """One function that is enabled."""
    return AndroidFunction(
        id=function_id,
        enabled_by_default=True,
        parameters=parameters,
        response=AndroidResponse(type=returns),
    )


def document(*functions: AndroidFunction, **components: DataType) -> AndroidDocument:
    """A document of these functions and components."""
    return AndroidDocument(
        functions=functions,
        components=tuple(AndroidComponent(*each) for each in components.items()),
    )
