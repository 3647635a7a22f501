"""RFC 6570 templates, read backwards: from an address to the template's variables.

A template that would leave open where one variable ends and the next begins is refused when it
is read. Knows nothing of functions or types.
"""

import re

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record, replaced
from appfunctions_mcp.traversal import decoded

Values = dict[str, str | list[str]]
"""What an address says of a template's variables; exploded ones are lists."""

_EXPRESSION = regex(r"\{([^{}]*)\}")
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*:")
_VARIABLE = regex(r"([A-Za-z_][A-Za-z0-9_]*)(\*?)(:[0-9]+)?")
_RESERVED = frozenset(":/?#[]@!$&'()*+,;=")
_FIRST_OF = {"": "", "+": "", "#": "#", ".": ".", "/": "/"}
_SEPARATOR_OF = {"": ",", "+": ",", "#": ",", ".": ".", "/": "/"}
_NEVER_IN = {"": "/?#", "+": "", "#": "", ".": "/?#.", "/": "/?#"}
"""The characters that separate parts of an address, and so never stand in a value as they are."""
_QUERY = "?"
"""The name of the group that is the whole query, which no variable has."""
_ACCEPTED = "{x}, {+x}, {#x}, {.x}, {/x}, {?x} and {&x}, with several names or a '*' behind one"


class UriTemplateError(ValueError):
    """A template that cannot be read, or whose addresses cannot be told apart."""


@record(frozen=True, slots=True)
class UriTemplate:
    """A template whose addresses can be told apart."""

    text: str
    variables: tuple[str, ...]
    lists: frozenset[str]
    """The exploded variables, whose values are lists."""
    literal_size: int
    """How many characters are fixed: the more there are, the more particular the template is."""
    pattern: "re.Pattern[str]"
    groups: tuple[tuple[str, str], ...]
    """Name of each group's variable, and what stands between its values where it is a list."""
    query: frozenset[str]
    """The variables of the query."""

    def match(self, uri: str) -> Values | None:
        """The decoded values that an address gives the variables.

        Returns:
            The values of those that are not left out; None for an address of something else.
        """
        found = self.pattern.fullmatch(with_plain_scheme(uri))
        if found is None:
            return None
        values: Values = {}
        query = ""
        for (name, separator), raw in zip(self.groups, found.groups(), strict=True):
            if raw is None:
                continue
            if name == _QUERY:
                query = raw
                continue
            parts = [decoded(part) for part in (raw.split(separator) if separator else [raw])]
            texts = [part for part in parts if part is not None]
            if len(texts) < len(parts):
                return None
            values[name] = texts if separator else texts[0]
        return self._with_query(values, query) if query else values

    def _with_query(self, values: Values, query: str) -> Values | None:
        for pair in query.split("&"):
            raw_name, _, raw_value = pair.partition("=")
            name, value = decoded(raw_name), decoded(raw_value)
            if name is None or name not in self.query or value is None:
                return None
            if name in self.lists:
                present = values.get(name, [])
                values[name] = [*present, value]
            elif name in values:
                return None
            else:
                values[name] = value
        return values


def is_uri_template(uri: str) -> bool:
    """Whether an address has variables."""
    return "{" in uri or "}" in uri


def with_plain_scheme(uri: str) -> str:
    """An address with its scheme in lower case, as schemes are compared."""
    scheme, colon, rest = uri.partition(":")
    return f"{scheme.lower()}{colon}{rest}"


def parse_uri_template(text: str) -> UriTemplate:
    """Reads a template.

    Args:
        text: Such as `notes://{note_id}` or `files:///{+path}{?page}`.

    Returns:
        What tells its addresses from all others.

    Raises:
        UriTemplateError: It is no template, has a form that no address can be matched with, or
            leaves open where a variable ends; the text says which, and why.
    """
    plain = with_plain_scheme(text)
    if not _SCHEME.match(plain):
        raise UriTemplateError("it does not begin with a scheme, such as 'notes:'")
    tokens = _tokens(plain)
    path, query, fragment = _in_order(tokens)
    pieces = _narrowed(_pieces(path), has_query=bool(query), has_fragment=bool(fragment))
    variables = [piece for piece in pieces if isinstance(piece, _Part)]
    _require_told_apart(pieces)
    tail = [piece for expression in fragment for piece in _parts_of(expression)]
    _require_told_apart([*tail])
    groups = [(v.name, v.separator) for v in variables]
    pattern = _pattern_of(pieces)
    if query:
        pattern += rf"(?:{re.escape(query[0].operator)}([^#]*))?"
        groups.append((_QUERY, ""))
    expressions = [token for token in tokens if isinstance(token, _Expression)]
    return UriTemplate(
        text=text,
        variables=tuple(name for e in expressions for name, _ in e.variables),
        lists=frozenset(name for e in expressions for name, is_list in e.variables if is_list),
        literal_size=sum(len(token) for token in tokens if isinstance(token, str)),
        pattern=re.compile(pattern + _pattern_of([*tail]), re.DOTALL),
        groups=(*groups, *((v.name, v.separator) for v in tail)),
        query=frozenset(name for e in query for name, _ in e.variables),
    )


@record(frozen=True, slots=True)
class _Expression:
    """What stands between two braces."""

    written: str
    operator: str
    variables: tuple[tuple[str, bool], ...]
    """Each name, and whether it is exploded."""


@record(frozen=True, slots=True)
class _Part:
    """One variable where it stands in an address."""

    name: str
    operator: str
    prefix: str
    """What the address has before the value."""
    separator: str
    """What stands between the values of a list; empty for a single value."""
    excluded: frozenset[str]
    """Characters that never stand in the address here."""
    nested: int
    """How many variables of the same expression follow."""

    @property
    def is_optional(self) -> bool:
        """Whether an address may leave it out."""
        return bool(_FIRST_OF[self.operator])


_Pieces = list[str | _Part]
"""The path of a template: fixed texts and variables in turn."""


def _tokens(text: str) -> list[str | _Expression]:
    tokens: list[str | _Expression] = []
    seen: set[str] = set()
    place = 0
    for found in _EXPRESSION.finditer(text):
        tokens.append(text[place : found.start()])
        expression = _expression(found.group(), found.group(1))
        for name, _ in expression.variables:
            if name in seen:
                raise UriTemplateError(f"{name} occurs twice; give each variable its own name")
            seen.add(name)
        tokens.append(expression)
        place = found.end()
    tokens.append(text[place:])
    if any(isinstance(token, str) and is_uri_template(token) for token in tokens):
        raise UriTemplateError("a brace has no partner, or stands inside others")
    return [token for token in tokens if token]


def _expression(written: str, inside: str) -> _Expression:
    operator = inside[:1] if inside[:1] in tuple("+#./?&") else ""
    variables = []
    for name in inside.removeprefix(operator).split(","):
        read = _VARIABLE.fullmatch(name)
        if read is None:
            raise UriTemplateError(f"{written} is not understood; accepted are {_ACCEPTED}")
        plain, star, cut = read.groups()
        if cut:
            raise UriTemplateError(
                f"{written} puts only the beginning of {plain} into the address, from which "
                f"nobody can tell {plain}; leave out {cut!r}"
            )
        variables.append((plain, bool(star)))
    return _Expression(written, operator, tuple(variables))


def _in_order(
    tokens: list[str | _Expression],
) -> tuple[list[str | _Expression], list[_Expression], list[_Expression]]:
    """The path, the query and the fragment of a template, which follow each other."""
    path: list[str | _Expression] = []
    query: list[_Expression] = []
    fragment: list[_Expression] = []
    for token in tokens:
        written = repr(token) if isinstance(token, str) else token.written
        operator = "" if isinstance(token, str) else token.operator
        if fragment:
            raise UriTemplateError(f"{written} follows the fragment, with which an address ends")
        if not isinstance(token, str) and operator in {"?", "&"}:
            has_begun = bool(query) or any(isinstance(t, str) and "?" in t for t in path)
            if has_begun != (operator == "&"):
                fix = "no '?' stands before it" if operator == "&" else "write {&…} after a '?'"
                raise UriTemplateError(f"{written} cannot stand here: {fix}")
            query.append(token)
        elif not isinstance(token, str) and operator == "#":
            fragment.append(token)
        elif query:
            raise UriTemplateError(f"{written} follows the query, whose order is free")
        else:
            path.append(token)
    return path, query, fragment


def _pieces(path: list[str | _Expression]) -> _Pieces:
    pieces: _Pieces = []
    for token in path:
        pieces += [token] if isinstance(token, str) else _parts_of(token)
    return pieces


def _parts_of(expression: _Expression) -> list[_Part]:
    operator = expression.operator
    separator = _SEPARATOR_OF[operator]
    last = len(expression.variables) - 1
    return [
        _Part(
            name=name,
            operator=operator,
            prefix=separator if index else _FIRST_OF[operator],
            separator=separator if is_list else "",
            excluded=frozenset(_NEVER_IN[operator]) - frozenset(separator if is_list else ""),
            nested=last - index,
        )
        for index, (name, is_list) in enumerate(expression.variables)
    ]


def _narrowed(pieces: _Pieces, *, has_query: bool, has_fragment: bool) -> _Pieces:
    """The pieces with what else a value cannot hold, where all of the template is known.

    Reserved characters are encoded in plain values, so those that stand between two variables
    stand there only. They are let pass elsewhere, since many clients do not encode them.
    """
    places = [place for place, piece in enumerate(pieces) if isinstance(piece, _Part)]
    between = pieces[places[0] + 1 : places[-1] + 1] if places else []
    texts = "".join(p.prefix if isinstance(p, _Part) else p for p in between)
    reserved = frozenset(texts) & _RESERVED
    rest = frozenset("?" * has_query + "#" * has_fragment)
    return [
        piece
        if isinstance(piece, str)
        else replaced(
            piece,
            excluded=piece.excluded | rest
            if piece.operator == "+"
            else piece.excluded | (reserved - frozenset(piece.separator)),
        )
        for piece in pieces
    ]


def _require_told_apart(pieces: _Pieces) -> None:
    """Refuses variables whose border cannot be seen in an address.

    A border is seen from the left if what follows never stands in the value before it, and from
    the right likewise. One variable may be left over in the middle: it gets what the others
    leave.

    Raises:
        UriTemplateError: Names the two variables.
    """
    parts = [piece for piece in pieces if isinstance(piece, _Part)]
    places = [pieces.index(part) for part in parts]
    left = 0
    while left < len(parts) - 1 and _ends_visibly(parts[left], pieces[places[left] + 1 :]):
        left += 1
    right = len(parts) - 1
    while right > left and _begins_visibly(parts[right], pieces[places[right] - 1]):
        right -= 1
    if right > left:
        first, second = parts[left].name, parts[left + 1].name
        raise UriTemplateError(
            f"where {first} ends and {second} begins cannot be seen in an address; put a '/' "
            "between them"
        )


def _ends_visibly(part: _Part, following: _Pieces) -> bool:
    for piece in following:
        text = piece if isinstance(piece, str) else piece.prefix
        if not text or text[0] not in part.excluded:
            return False
        if isinstance(piece, str) or not piece.is_optional:
            return True
    return True


def _begins_visibly(part: _Part, before: str | _Part) -> bool:
    text = part.prefix or (before if isinstance(before, str) else "")
    return bool(text) and text[-1] in part.excluded


def _pattern_of(pieces: _Pieces) -> str:
    pattern, open_groups = "", 0
    for piece in pieces:
        if isinstance(piece, str):
            pattern += re.escape(piece)
            continue
        allowed = f"[^{re.escape(''.join(sorted(piece.excluded)))}]" if piece.excluded else "."
        value = f"{re.escape(piece.prefix)}({allowed}+?)"
        if not piece.is_optional:
            pattern += value
            continue
        pattern, open_groups = f"{pattern}(?:{value}", open_groups + 1
        if not piece.nested:
            pattern, open_groups = pattern + ")?" * open_groups, 0
    return pattern
