"""Docstrings of four styles, and of the deviations that people write."""

import inspect
import textwrap
from typing import Any

import griffe
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.docstrings import ParsedDocstring, parse_docstring

WEATHER = {"city": "The city.", "units": "The units."}

GOOGLE_VARIANTS = {
    "as it should be": """Get the weather.

    Args:
        city: The city.
        units: The units.
    """,
    "under the summary": """Get the weather.
    Args:
        city: The city.
        units: The units.
    """,
    "a blank line below the heading": """Get the weather.

    Args:

        city: The city.

        units: The units.
    """,
    "first": """
    Args:
        city: The city.
        units: The units.

    Get the weather.
    """,
    "in the first line": """Args:
        city: The city.
        units: The units.

    Get the weather.
    """,
    "keyword args": """Get the weather.

    Args:
        city: The city.

    Keyword Args:
        units: The units.
    """,
    "other spellings": """Get the weather.

    Parameters:
      city : The city.

    keyword arguments:
      units: The units.
    """,
    "upper case, with a bullet each": """Get the weather.

    ARGUMENTS:
        - `city` (str): The city.
        - `units` (str, optional): The units.
    """,
    "no blank after the colon": """Get the weather.

    Args:
        city:The city.
        units (str):The units.
    """,
    "dashes": """Get the weather.

    Args:
        city - The city.
        units (str) – The units.
    """,
    "texts below the names": """Get the weather.

    Args:
        city (str):
            The city.
        units:
            The units.
    """,
    "types with colons and brackets": """Get the weather.

    Args:
        city (Callable[[int], str], default: "x"): The city.
        units (dict[str, tuple[int, ...]]): The units.
    """,
    "entries that are not indented": """Get the weather.

    Args:
    city: The city.
    units (str): The units.
    """,
    "tabs": "Get the weather.\n\n\tArgs:\n\t\tcity: The city.\n\t\tunits: The units.\n\t",
    "windows line ends": "Get the weather.\r\n\r\nArgs:\r\n    city: The city.\r\n"
    "    units: The units.\r\n",
}


@pytest.mark.parametrize("text", GOOGLE_VARIANTS.values(), ids=GOOGLE_VARIANTS)
def test_small_deviations_from_google_style_lose_nothing_and_leak_nothing(text: str) -> None:
    """F83: all parameter texts were lost in silence, and the block leaked."""
    parsed = parse_docstring(text)

    assert parsed.description == "Get the weather."
    assert parsed.parameters == WEATHER


def test_a_first_line_that_is_a_heading_has_its_entries_found_though_nothing_follows() -> None:
    """F83: cleaning the indentation then leaves the entries no deeper than the heading."""
    parsed = parse_docstring(
        """Args:
        city: The city,
            of some size.
        units: The units.
    """
    )

    assert parsed.description == ""
    assert parsed.parameters == {"city": "The city,\nof some size.", "units": "The units."}


def test_sections_that_are_not_parsed_stay_in_the_description() -> None:
    """F83: `Args:` after `Note:`."""
    parsed = parse_docstring("""Get the weather.

    Note:
        Temperatures are rounded.

    Args:
        city: The city.
        units: The units.

    Example:
        Args:
            city: This is an example's text.

    Warning:
        Slow.
    """)

    assert parsed.parameters == WEATHER
    assert parsed.description == textwrap.dedent("""\
        Get the weather.

        Note:
            Temperatures are rounded.

        Example:
            Args:
                city: This is an example's text.

        Warning:
            Slow.""")


def test_all_google_sections_are_read() -> None:
    parsed = parse_docstring("""Creates a note.

    It is kept for ever.

    Args:
        title: The title.
        *tags (str): Its tags.
        **options: Anything else.

    Returns:
        dict[str, Note]: The note,
            by its id.

    Raises:
        errors.AppFunctionElementAlreadyExistsException: A note has this title;
            find_notes finds it.
        ValueError, `TypeError`: Never.

    Attributes:
        count (int): How many.

    Deprecated:
        1.2: Use add_note.
    """)

    assert parsed == ParsedDocstring(
        description="Creates a note.\n\nIt is kept for ever.",
        parameters={"title": "The title.", "tags": "Its tags.", "options": "Anything else."},
        returns="The note,\nby its id.",
        raises={
            "AppFunctionElementAlreadyExistsException": (
                "A note has this title;\nfind_notes finds it."
            ),
            "ValueError": "Never.",
            "TypeError": "Never.",
        },
        attributes={"count": "How many."},
        deprecated="since 1.2: Use add_note.",
    )


def test_lists_and_paragraphs_of_an_entry_are_kept_and_dedented() -> None:
    """F84: 'One of:' reached the model without the options."""
    parsed = parse_docstring("""Runs.

    Args:
        mode (str): One of:
            - fast: quick and rough
                (by far)
            - deep: slow

            The default is chosen by size.
        level: One of
        - low
        - high: the rest
        address: For instance
        http://x:80 or so.
    """)

    assert parsed.parameters == {
        "mode": "One of:\n- fast: quick and rough\n    (by far)\n- deep: slow\n\n"
        "The default is chosen by size.",
        "level": "One of\n- low\n- high: the rest",
        "address": "For instance\nhttp://x:80 or so.",
    }


def test_a_line_with_a_colon_in_a_description_is_no_parameter() -> None:
    """F84: `http://x:80`."""
    text = "Calls a service.\n\nhttp://x:80 is where it is.\nnote: this is prose."

    assert parse_docstring(text) == ParsedDocstring(description=text)


def test_shared_entries_describe_each_name() -> None:
    """F84: shared entries go to each name."""
    parsed = parse_docstring("""Moves.

    Args:
        x, y (float): Where to.
    """)

    assert parsed.parameters == {"x": "Where to.", "y": "Where to."}


NUMPY = """Moves the point.

    More words.

    Parameters
    ----------
    x, y : int
        Where to.
    mode : {'fast', 'deep'}, optional
        One of:

        - fast
        - deep
    *args : Any
        More.
    untyped
        Without a type.

    Other Parameters
    ----------------
    **kw: Any
        Others.

    Returns
    -------
    dict of str to int
        The points,
        by name.

    Raises
    ------
    errors.ValueError
        If it is bad.
    KeyError

    Notes
    -----
    Stays here.

    See Also
    --------
    other : Stays too.
    """


def test_all_numpy_sections_are_read() -> None:
    """F84: NumPy was ignored, `x, y : int` and `*args : Any` too."""
    parsed = parse_docstring(NUMPY)

    assert parsed == ParsedDocstring(
        description="Moves the point.\n\nMore words.\n\nNotes\n-----\nStays here.\n\n"
        "See Also\n--------\nother : Stays too.",
        parameters={
            "x": "Where to.",
            "y": "Where to.",
            "mode": "One of:\n\n- fast\n- deep",
            "args": "More.",
            "untyped": "Without a type.",
            "kw": "Others.",
        },
        returns="The points,\nby name.",
        raises={"ValueError": "If it is bad."},
    )


@pytest.mark.parametrize(
    ("section", "returns"),
    [
        ("int\n    The sum.", "The sum."),
        ("total : int\n    The sum.", "The sum."),
        (
            "total : int\n    The sum.\nname : str\n    Its name.",
            "total: The sum.\nname: Its name.",
        ),
        ("The sum of both.", "The sum of both."),
        ("int", ""),
        ("total : list[int]", ""),
    ],
)
def test_a_numpy_result_is_its_text_without_the_type(section: str, returns: str) -> None:
    parsed = parse_docstring(f"Adds.\n\nReturns\n-------\n{section}\n")

    assert parsed == ParsedDocstring(description="Adds.", returns=returns)


def test_prose_after_a_numpy_section_is_description_and_sloppy_entries_are_read() -> None:
    parsed = parse_docstring("""Adds.

    Parameters
    ==========
    x : The first number.
    y:
        The second.

    Both are added up, without rounding.

    Attributes
    ----------
    z : int
        The third.

    Deprecated
    ----------
    Use sum.
    """)

    assert parsed == ParsedDocstring(
        description="Adds.\n\nBoth are added up, without rounding.",
        parameters={"x": "The first number.", "y": "The second."},
        attributes={"z": "The third."},
        deprecated="Use sum.",
    )


def test_all_rest_fields_are_read() -> None:
    """F84: reST `:param int x:`."""
    parsed = parse_docstring(r"""Moves the point.

    :param int x: Where to,
        and:

        - far
        - near
    :param dict[str, int] y: See http://x:80 for it
      and more.
    :type y: dict
    :param \*args: More.
    :keyword a, b: Shared.
    :param :class:`Note` note: The note.
    :raises ValueError: If it is bad.
    :raises ValueError: If it is worse.
    :raises errors.KeyError, TypeError: Never.
    :returns: The point.
    :rtype: Point
    :ivar z: The third.
    :meta private:
    :unknown field: stays.

    And more words.

    .. deprecated:: 1.6
       Use jump.
    """)

    assert parsed == ParsedDocstring(
        description="Moves the point.\n\n:unknown field: stays.\n\nAnd more words.",
        parameters={
            "x": "Where to,\nand:\n\n- far\n- near",
            "y": "See http://x:80 for it\nand more.",
            "args": "More.",
            "a": "Shared.",
            "b": "Shared.",
            "note": "The note.",
        },
        returns="The point.",
        raises={
            "ValueError": "If it is bad. If it is worse.",
            "KeyError": "Never.",
            "TypeError": "Never.",
        },
        attributes={"z": "The third."},
        deprecated="since 1.6: Use jump.",
    )


def test_a_role_at_the_start_of_a_line_is_no_field() -> None:
    text = "Makes a\n:class:`Note` of: words."

    assert parse_docstring(text).description == text


KDOC = """Searches [Note]s by [their text][Note.content]. See `[raw]` and [docs](http://x).

    @param query Text. Throws [AppFunctionInvalidArgumentException] if empty.
    @param s The first line
      goes on here,

      and here, at [Type.member].
    @param [limit] How many.
    @param appFunctionContext The [AppFunctionContext] of the call.
    @return The [Note]s with {@link Note.title} and {@link Note the note}.
    @throws AppFunctionElementNotFoundException Nothing fits;
      [list_notes] lists all.
    @property total How many there are.
    @constructor Makes one.
    @receiver Nobody.
    @sample samples.search
    @see Note
    @author Somebody
    @since 1.0
    @suppress
    @unknown is kept
    with its lines.
    """


def test_all_kdoc_tags_are_read_and_its_links_become_words() -> None:
    """F85, and the Android page, section 4.3."""
    parsed = parse_docstring(KDOC)

    assert parsed == ParsedDocstring(
        description="Searches Notes by their text. See `[raw]` and [docs](http://x).\n\n"
        "@unknown is kept\nwith its lines.",
        parameters={
            "query": "Text. Throws AppFunctionInvalidArgumentException if empty.",
            "s": "The first line goes on here, and here, at Type.member.",
            "limit": "How many.",
            "appFunctionContext": "The AppFunctionContext of the call.",
        },
        returns="The Notes with Note.title and the note.",
        raises={"AppFunctionElementNotFoundException": "Nothing fits; list_notes lists all."},
        attributes={"total": "How many there are."},
    )


def test_a_comment_in_its_frame_is_read_too() -> None:
    parsed = parse_docstring("""/**
     * Creates a [Note].
     *
     * @param title The title,
     *   of one line.
     * @exception IllegalStateException Never.
     * @deprecated Use addNote.
     */""")

    assert parsed == ParsedDocstring(
        description="Creates a Note.",
        parameters={"title": "The title, of one line."},
        raises={"IllegalStateException": "Never."},
        deprecated="Use addNote.",
    )


def test_brackets_outside_kdoc_stay() -> None:
    text = "Replaces [name] by [value]."

    assert parse_docstring(text).description == text


def test_epytext_is_read_as_tags_with_colons() -> None:
    parsed = parse_docstring("Adds.\n\n@param x: The first.\n@return: The sum.\n")

    assert parsed.parameters == {"x": "The first."}
    assert parsed.returns.removeprefix(": ") == "The sum."


@pytest.mark.parametrize(
    ("section", "returns"),
    [
        ("The weather.", "The weather."),
        ("The weather: warm or cold.", "The weather: warm or cold."),
        ("str: The weather.", "The weather."),
        ("Note: The weather.", "The weather."),
        ("Note | None: The weather.", "The weather."),
        ("list[dict[str, int]]: The weather.", "The weather."),
        ("list of str: The weather.", "The weather."),
        ("models.Note: The weather.", "The weather."),
        ("(int, str): The weather.", "The weather."),
        ("True: it is warm.", "True: it is warm."),
        ("temperature: in degrees.", "temperature: in degrees."),
        ("http://x:80 is where.", "http://x:80 is where."),
        ("str:\n        The weather.", "The weather."),
    ],
)
def test_a_result_loses_its_type_and_no_word(section: str, returns: str) -> None:
    parsed = parse_docstring(f"Get.\n\n    Returns:\n        {section}\n    ")

    assert parsed == ParsedDocstring(description="Get.", returns=returns)


def test_a_text_beside_its_heading_is_read() -> None:
    parsed = parse_docstring("""Get the weather.

    Args: city: The city,
        or a place.

    Returns: The weather
    of today.

    Raises: KeyError: No such city.

    Deprecated: Look out of the window.
    """)

    assert parsed == ParsedDocstring(
        description="Get the weather.",
        parameters={"city": "The city,\nor a place."},
        returns="The weather\nof today.",
        raises={"KeyError": "No such city."},
        deprecated="Look out of the window.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Returns: the weather.",
        "Describes what it\nreturns:\nnothing much.",
        "Get.\n\nParameters: see the manual.",
        "Get.\n\n```\nArgs:\n    city: In a fence.\n:param x: too\n```",
        "Get.\n\n    >>> @param x no\n\nMore.",
        "Get:\n\n    Args:\n        x: In what a colon introduces.\n\nMore.",
        "Mail user@param x and :param: x",
        "Title\n-----\nWords.",
    ],
)
def test_what_only_looks_like_a_section_stays(text: str) -> None:
    assert parse_docstring(text) == ParsedDocstring(description=text)


def test_an_empty_section_leaves_no_heading() -> None:
    assert parse_docstring("Get.\n\nArgs:\n\nReturns:\n    It.\n\nRaises:\n") == ParsedDocstring(
        description="Get.", returns="It."
    )
    assert parse_docstring("Get.\n\nArgs:\n    None\n") == ParsedDocstring(description="Get.")
    assert parse_docstring("Get.\n\nArgs: None.\n") == ParsedDocstring(description="Get.")


def test_mixed_styles_lose_nothing() -> None:
    parsed = parse_docstring("""Get.

    Args:
        a: First.

    :param b: Second.

    @param c Third.

    Parameters
    ----------
    d : int
        Fourth.

    Returns:
        It.
    """)

    assert parsed.parameters == {"a": "First.", "b": "Second.", "c": "Third.", "d": "Fourth."}
    assert parsed.returns == "It."
    assert parsed.description == "Get."


def test_the_first_text_of_a_name_and_of_a_result_is_taken() -> None:
    parsed = parse_docstring(
        "Get.\n\n:param a:\n:param a: One.\n:param a: Two.\n:return: A.\n:return: B."
    )

    assert parsed.parameters == {"a": "One."}
    assert parsed.returns == "A."


@pytest.mark.parametrize("text", [None, "", "  \n\t\n "])
def test_nothing_is_an_empty_docstring(text: str | None) -> None:
    assert parse_docstring(text) == ParsedDocstring()


MARKS = st.sampled_from(
    [
        *("Args:", "Returns:", "Raises:", "Note:", "Parameters", "----", "args:", "Returns: x"),
        *(
            ":param x: y",
            ":param",
            "@param",
            "@param x y",
            "@return",
            "@foo",
            "[a][b]",
            "/**",
            "*/",
        ),
        *("```", "x: y", "x (", "x (a[): b", "- x: y", "*a, **b: c", ".. deprecated:: 1", ":", ""),
        *("    ", "        ", "\t", "\n", "\r\n", "\f", "\u2028", "{@link x", "`", "\\*"),
    ]
)


@given(
    st.text() | st.lists(MARKS | st.text(max_size=5)).map("".join) | st.lists(MARKS).map("\n".join)
)
@settings(max_examples=300)
def test_no_text_is_too_strange(text: str) -> None:
    parsed = parse_docstring(text)

    assert parsed.description == parsed.description.strip()
    for texts in (parsed.parameters, parsed.raises, parsed.attributes):
        assert all(name and said for name, said in texts.items())


def test_hostile_texts_take_no_time() -> None:
    for text in ("x, " * 50_000, "(" * 50_000, "[a" * 50_000, ":param" * 50_000, "a | b[" * 20_000):
        for head in ("", "Args:\n    ", "Returns:\n    ", ":param ", "@param ", "Returns\n---\n"):
            parse_docstring(f"Get.\n\n{head}{text}")


NAMES = st.lists(
    st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), min_size=1, max_size=4, unique=True
)
WORDS = st.lists(st.from_regex(r"[a-z]{1,7}", fullmatch=True), min_size=1, max_size=5).map(" ".join)
SENTENCES = WORDS.map(lambda words: f"The {words}.")
TEXTS = st.tuples(
    SENTENCES, st.lists(SENTENCES | SENTENCES.map(lambda s: f"- {s}"), max_size=2)
).map(lambda parts: [parts[0], *parts[1]])
TYPES = st.sampled_from(["int", "str | None", "list[str]", "dict[str, int]", "tuple[int, ...]"])


@st.composite
def documented(draw: st.DrawFn) -> dict[str, Any]:
    """What a docstring says, before it is written in any style."""
    return {
        "summary": draw(SENTENCES),
        "more": draw(st.lists(SENTENCES, max_size=2)),
        "parameters": {n: (draw(TYPES), draw(TEXTS)) for n in draw(NAMES)},
        "returns": draw(st.none() | st.tuples(TYPES, TEXTS)),
        "raises": draw(st.dictionaries(st.sampled_from(["KeyError", "a.OSError"]), TEXTS)),
    }


def description_of(said: dict[str, Any]) -> str:
    return "\n\n".join([said["summary"], *said["more"]])


def in_google_style(said: dict[str, Any]) -> str:
    lines = [description_of(said), "", "Args:"]
    for name, (kind, (first, *rest)) in said["parameters"].items():
        lines += [f"    {name} ({kind}): {first}", *(f"        {line}" for line in rest)]
    if said["returns"]:
        kind, (first, *rest) = said["returns"]
        lines += ["", "Returns:", f"    {kind}: {first}", *(f"        {line}" for line in rest)]
    lines += ["", "Raises:"] if said["raises"] else []
    for name, (first, *rest) in said["raises"].items():
        lines += [f"    {name}: {first}", *(f"        {line}" for line in rest)]
    return "\n".join(lines)


def in_numpy_style(said: dict[str, Any]) -> str:
    lines = [description_of(said), "", "Parameters", "----------"]
    for name, (kind, text) in said["parameters"].items():
        lines += [f"{name} : {kind}", *(f"    {line}" for line in text)]
    if said["returns"]:
        kind, text = said["returns"]
        lines += ["", "Returns", "-------", kind, *(f"    {line}" for line in text)]
    lines += ["", "Raises", "------"] if said["raises"] else []
    for name, text in said["raises"].items():
        lines += [name, *(f"    {line}" for line in text)]
    return "\n".join(lines)


def in_rest_style(said: dict[str, Any]) -> str:
    lines = [description_of(said), ""]
    for name, (kind, (first, *rest)) in said["parameters"].items():
        lines += [f":param {name}: {first}", *(f"    {line}" for line in rest)]
        lines += [f":type {name}: {kind}"]
    if said["returns"]:
        kind, (first, *rest) = said["returns"]
        lines += [f":returns: {first}", *(f"    {line}" for line in rest), f":rtype: {kind}"]
    for name, (first, *rest) in said["raises"].items():
        lines += [f":raises {name}: {first}", *(f"    {line}" for line in rest)]
    return "\n".join(lines)


def in_kdoc_style(said: dict[str, Any]) -> str:
    lines = [description_of(said), ""]
    for name, (_, (first, *rest)) in said["parameters"].items():
        lines += [f"@param {name} {first}", *(f"    {line}" for line in rest)]
    if said["returns"]:
        _, (first, *rest) = said["returns"]
        lines += [f"@return {first}", *(f"    {line}" for line in rest)]
    for name, (first, *rest) in said["raises"].items():
        lines += [f"@throws {name} {first}", *(f"    {line}" for line in rest)]
    return "\n".join(lines)


STYLES = {
    "google": in_google_style,
    "numpy": in_numpy_style,
    "sphinx": in_rest_style,
    "kdoc": in_kdoc_style,
}


@pytest.mark.parametrize("style", STYLES)
@given(said=documented(), margin=st.sampled_from(["", "    ", "  "]))
@settings(max_examples=50)
def test_everything_that_a_docstring_says_is_found(
    style: str, said: dict[str, Any], margin: str
) -> None:
    text = STYLES[style](said)
    parsed = parse_docstring(textwrap.indent(text, margin).strip())
    join = " ".join if style == "kdoc" else "\n".join

    assert parsed.description == description_of(said)
    assert parsed.parameters == {n: join(text) for n, (_, text) in said["parameters"].items()}
    assert parsed.raises == {n.split(".")[-1]: join(text) for n, text in said["raises"].items()}
    assert parsed.returns == (join(said["returns"][1]) if said["returns"] else "")


def as_griffe_reads(text: str, style: Any) -> ParsedDocstring:
    """What griffe makes of a docstring, in our words."""
    sections = griffe.Docstring(inspect.cleandoc(text), lineno=1).parse(style, warnings=False)
    found: dict[str, list[Any]] = {}
    for section in sections:
        values = section.value if isinstance(section.value, list) else [section.value]
        found.setdefault(section.kind.value, []).extend(values)
    parameters = [*found.get("parameters", []), *found.get("other parameters", [])]
    return ParsedDocstring(
        description="\n\n".join(found.get("text", [])).strip(),
        parameters={p.name.lstrip("*"): p.description for p in parameters},
        returns="\n".join(r.description for r in found.get("returns", [])),
        raises={str(r.annotation).split(".")[-1]: r.description for r in found.get("raises", [])},
        attributes={a.name: a.description for a in found.get("attributes", [])},
    )


@pytest.mark.parametrize("style", ["google", "numpy"])
@given(said=documented())
@settings(max_examples=50)
def test_griffe_reads_the_same(style: str, said: dict[str, Any]) -> None:
    """Griffe, which knows the style beforehand, is the oracle where it is right."""
    text = STYLES[style](said)
    ours, theirs = parse_docstring(text), as_griffe_reads(text, style)

    assert ours.description == theirs.description
    assert ours.parameters == theirs.parameters
    assert ours.raises == theirs.raises


@given(said=documented())
@settings(max_examples=50)
def test_griffe_reads_the_same_fields_but_joins_their_lines(said: dict[str, Any]) -> None:
    """The same for Sphinx's fields, whose continuation lines griffe joins."""
    text = in_rest_style(said)
    ours, theirs = parse_docstring(text), as_griffe_reads(text, "sphinx")

    assert ours.description == theirs.description
    assert {n: flat(t) for n, t in ours.parameters.items()} == {
        n: flat(t) for n, t in theirs.parameters.items()
    }
    assert flat(ours.returns) == flat(theirs.returns)


def flat(text: str) -> str:
    return " ".join(text.split())
